/** The sandbox of the unit of a scanner, beside the system calls and socket types of the scanner, traced from start to end. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildPlan } from '../../src/scanner/testing/plans.ts'
import { startStandIn } from '../../testing/servers/stand-in-server.ts'
import { until } from '../../testing/until.ts'
import { BINARY, build, ROOT, tempFolder } from '../trial.ts'
import { listFilteredCalls, readSettings } from './sandbox.ts'

setDefaultTimeout(300_000)
const PATIENT_MS = 120_000
const unit = readFileSync(join(ROOT, 'packaging', 'systemd', 'plat-scanner.service'), 'utf8')

const folder = tempFolder()
let trace = ''
let code = -1
beforeAll(async () => {
  await build()
  const log = join(folder.path, 'trace')
  mkdirSync(join(folder.path, 'node_modules'))
  const server = startStandIn()
  const child = Bun.spawn(['strace', '-f', '-D', '-o', log, BINARY, 'scanner', 'run'], {
    cwd: folder.path,
    stdin: 'ignore',
    stderr: 'ignore',
    env: {
      ...{ PATH: process.env.PATH ?? '', PLAT_SCAN_LAB_ONLY: '1', PLAT_SCANNER_STATE: join(folder.path, 'state') },
      ...{ PLAT_SCANNER_URL: server.url, PLAT_SCANNER_TOKEN: server.state.enrolmentToken },
    },
  })
  const scan = server.give(buildPlan({ subnet: '127.0.0.0/30', type: 'deep' }))
  await until('end of the scan', () => scan.status === 'done' || undefined, PATIENT_MS)
  child.kill('SIGTERM')
  code = await child.exited
  await server.close()
  trace = await Bun.file(log).text()
})
afterAll(folder.remove)

test('it ends in good order', () => expect(code).toBe(0))

test('every system call that it needs is let through', async () => {
  const free = await listFilteredCalls(unit)
  // SQLite, which locks the folder, calls it only as root, as which this trace runs and the unit does not.
  free.add('fchown')
  // A call that fails without the filter as well is not needed.
  const made = [...trace.matchAll(/^\d+ +(\w+)\(.*= (?!-1 )/gm)].flatMap(([, name]) => name ?? [])
  expect([made.length > 1000, [...new Set(made)].filter((name) => !free.has(name)).sort()]).toEqual([true, []])
})

test('the unit permits every kind of socket that it opens', () => {
  const kinds = new Set([...trace.matchAll(/socket\((AF_\w+)/g)].flatMap(([, kind]) => kind ?? []))
  expect([...kinds].filter((kind) => !readSettings(unit, 'RestrictAddressFamilies').includes(kind))).toEqual([])
  expect(kinds.size).toBeGreaterThan(1)
})

test('no code is looked for in the folder that it is started in', () =>
  expect(trace.split('\n').filter((line) => /node_modules|\.node"/.test(line))).toEqual([]))
