/**
 * The commands of "systemd by hand" in the installation guide, executed in a separate Debian. The tests do the work of
 * systemd.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, cpSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BINARY, build, PASSWORD, ROOT, type Running, run, serve } from '../trial.ts'
import { type Debian, debian } from './debian.ts'

setDefaultTimeout(600_000)
const PATH = process.env.PATH ?? ''
const page = readFileSync(join(ROOT, 'docs', 'install.md'), 'utf8')
const section = page.slice(page.indexOf('\n## systemd by hand'), page.indexOf('\n## Container'))
/** Leaves out commands that need systemd or the kernel. */
const blocks = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) =>
  block.replaceAll(/^(systemctl|sysctl) .*$/gm, ''),
)

let system: Debian
let server: Running | undefined
const at = (path: string): string => join(system.path, path)

beforeAll(async () => {
  await build()
  system = await debian()
  mkdirSync(at('/src/dist/bin'), { recursive: true })
  copyFileSync(BINARY, at('/src/dist/bin/plat'))
  cpSync(join(ROOT, 'packaging'), at('/src/packaging'), { recursive: true })
})
afterAll(async () => {
  await server?.stop()
  system?.remove()
})

test('every line of it works', async () => {
  expect(blocks.length).toBe(2)
  for (const block of blocks) {
    const { code, err } = await run(system.command(`set -e; cd /src; ${block}`), { env: { PATH } })
    expect([code, err]).toEqual([0, ''])
  }
})

test('the server runs as its user, with the key that was made', async () => {
  // The unit does this by StateDirectory=.
  await run(system.command('install -d -o plat -g plat -m 700 /var/lib/plat'), { env: { PATH } })
  const settings = `set -a; . /etc/plat/plat.env; LISTEN_ADDR=127.0.0.1:0; INITIAL_ADMIN_PASSWORD=${PASSWORD}`
  server = await serve(system.command(`${settings}; exec /usr/bin/plat "$0"`, 'plat'), { env: { PATH } })
  expect([server.log().includes('no ENCRYPTION_KEY'), statSync(at('/var/lib/plat/plat.db')).mode & 0o777]).toEqual([
    false,
    0o600,
  ])
})
