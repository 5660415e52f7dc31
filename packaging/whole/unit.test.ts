/** The sandbox of the unit, beside the system calls and socket types of the server, traced from start to end. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BINARY, build, ROOT, run, serve, signIn, tempFolder } from '../trial.ts'
import { listFilteredCalls, readSettings } from './sandbox.ts'

setDefaultTimeout(300_000)
const unit = readFileSync(join(ROOT, 'packaging', 'systemd', 'plat.service'), 'utf8')
const folder = tempFolder()
let trace = ''
beforeAll(async () => {
  await build()
  const log = join(folder.path, 'trace')
  mkdirSync(join(folder.path, 'node_modules'))
  // Makes the scan load its SSH code.
  const banner = { open: (socket: Bun.Socket) => void socket.write('SSH-2.0-OpenSSH_9.2\r\n'), data: () => {} }
  const ssh = Bun.listen({ hostname: '127.0.0.2', port: 2222, socket: banner })
  const server = await serve(['strace', '-f', '-D', '-o', log, BINARY], {
    cwd: folder.path,
    env: { PATH: process.env.PATH ?? '', DATA_DIR: join(folder.path, 'data'), DISCOVERY_ALLOW_LOCAL: 'true' },
  })
  const env = await signIn([BINARY], { url: server.url, home: folder.path })
  await run([BINARY, 'network', 'create', 'lo', '127.0.0.0/30'], { env })
  await run([BINARY, 'discovery', 'scan', 'lo', '--type', 'deep', '--watch'], { env })
  await run([BINARY, 'device', 'create', 'web-1'], { env })
  await server.stop()
  ssh.stop(true)
  trace = await Bun.file(log).text()
})
afterAll(folder.remove)

test('every system call that it needs is let through', async () => {
  const free = await listFilteredCalls(unit)
  // SQLite calls it only as root, as which this trace runs and the unit does not.
  free.add('fchown')
  // A call that fails without the filter as well is not needed.
  const made = [...trace.matchAll(/^\d+ +(\w+)\(.*= (?!-1 )/gm)].flatMap(([, name]) => name ?? [])
  expect([made.length > 1000, [...new Set(made)].filter((name) => !free.has(name)).sort()]).toEqual([true, []])
})

test('the unit permits every kind of socket that the server opens, except sockets of ARP', () => {
  const kinds = new Set([...trace.matchAll(/socket\((AF_\w+)/g)].flatMap(([, kind]) => kind ?? []))
  kinds.delete('AF_PACKET')
  expect([...kinds].filter((kind) => !readSettings(unit, 'RestrictAddressFamilies').includes(kind))).toEqual([])
  expect(kinds.size).toBeGreaterThan(1)
})

test('no code is looked for in the folder that it is started in', () => {
  // The scan spoke SSH, so its SSH code was loaded.
  expect(trace).toMatch(/"SSH-2\.0-(?!OpenSSH_9\.2)/)
  expect(trace.split('\n').filter((line) => /node_modules|\.node"/.test(line))).toEqual([])
})
