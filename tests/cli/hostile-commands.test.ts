// Names with control sequences of terminals, in the hand-written commands: none of them reaches the terminal.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { program } from '../../src/app/cli.ts'
import { compose, openDatabase } from '../../src/app/compose.ts'
import { loadConfig } from '../../src/base/config/config.ts'
import { createLogger } from '../../src/base/runtime/log.ts'
import { createUser, keyFor } from '../../testing/estates/identities.ts'
import {
  answering,
  expectHarmless,
  type Fetch,
  HOSTILE,
  refusing,
  run,
  type Shown,
} from '../../testing/hostile/hostile-names.ts'

/** The part of the name that a file name may contain. */
const FILE = HOSTILE.replaceAll('/', '')
const QUICK = 'quick to check'

let folder: string
let dataDir: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plat-hostile-'))
  dataDir = join(folder, FILE)
  await mkdir(dataDir)
  const config = loadConfig({ env: { DATA_DIR: dataDir }, cwd: folder })
  const context = {
    config,
    log: createLogger({ level: 'error', format: 'text', write: () => {} }),
    now: () => new Date(),
  }
  const plat = await compose(context, await openDatabase(context), { withFirstAdmin: false })
  const { id } = await createUser(plat.db, { username: HOSTILE, roles: ['admin'], password: QUICK })
  await keyFor(plat.db, id)
  await plat.close()
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const lines = (...all: unknown[]) => new Response(all.map((one) => `${JSON.stringify(one)}\n`).join(''))

/** The answers that only some commands request. */
const special: Fetch = async (target, init) => {
  const { pathname } = new URL(target)
  if (pathname === '/api/events') {
    const event = (data: object) => `id: 1\nevent: device.updated\ndata: ${JSON.stringify(data)}\n\n`
    const about = { id: HOSTILE, name: HOSTILE, changes: [HOSTILE] }
    return new Response(event({ event: HOSTILE, timestamp: HOSTILE, data: about }))
  }
  if (pathname === '/api/estate/import')
    return lines(
      { progress: { done: 1, total: 2 } },
      { result: { resource: HOSTILE, failed: 1, errors: [{ row: 1, id: HOSTILE, error: HOSTILE }] } },
    )
  if (pathname === '/api/auth/login')
    return Response.json({ user: { id: HOSTILE } }, { headers: { 'Set-Cookie': 'session=x; Path=/' } })
  if (pathname.endsWith('/tree')) {
    const network = { id: HOSTILE, name: HOSTILE, subnet: '10.0.0.0/24', vlan_id: null }
    const pools = [{ id: HOSTILE, name: HOSTILE, start_ip: HOSTILE, end_ip: HOSTILE }]
    const utilization = { used_ips: 1, utilization: 1 }
    return Response.json({
      network: { ...network, subnet: HOSTILE },
      ...{ parents: [network], children: [{ ...network, utilization }], more: true },
      free: [{ subnet: '10.0.0.128/25', total_ips: 128, used_ips: 0, pools }],
    })
  }
  if (pathname === '/api/device-types/import') {
    const type = { id: HOSTILE, name: HOSTILE, outcome: 'created', ignored: [HOSTILE] }
    return Response.json({ created: 1, updated: 0, unchanged: 0, device_types: [type] })
  }
  if (pathname === '/api/auth/logout') return new Response(null, { status: 204 })
  return answering(target, init)
}

const local = (...words: string[]) => [...words, '--data-dir', dataDir]
const settings = () => ({ XDG_CONFIG_HOME: join(folder, FILE, 'config') })

type Ways = () => Promise<Shown[]>
const each = (argvs: readonly (readonly string[])[], more: Partial<Parameters<typeof run>[0]> = {}): Promise<Shown[]> =>
  Promise.all(argvs.map((argv) => run({ fetch: special, ...more, argv })))

/** The ways of `plat diff` and of `plat apply`: a plan and a refusal, of files with such names and such content. */
const document = (words: string): Ways => {
  return async () => {
    const good = join(folder, `good ${FILE}.json`)
    const bad = join(folder, `bad ${FILE}.yaml`)
    await writeFile(good, JSON.stringify({ devices: [{ name: HOSTILE }] }))
    await writeFile(bad, `devices:\n  - {name: x}\n${JSON.stringify(HOSTILE)}: [\n`)
    const argvs = [
      [words, '-f', good],
      [words, '-f', good, '-o', 'json'],
      [words, '-f', bad],
      [words, '-f', join(folder, `none ${FILE}`)],
    ]
    const all = words === 'diff' ? argvs : argvs.map((argv) => [...argv, '--yes'])
    return [...(await each(all)), ...(await each(all, { fetch: refusing }))]
  }
}

/** Every command, in each way in which it shows names of other users. */
const WAYS: Readonly<Record<string, Ways>> = {
  login: async () => {
    const argv = ['login', '--username', HOSTILE, '--password-stdin']
    return [
      await run({ argv, fetch: special, stdin: QUICK, env: settings() }),
      await run({ argv, fetch: refusing, stdin: QUICK, env: settings() }),
    ]
  },
  logout: async () => [
    await run({ argv: ['logout'], fetch: special, env: { ...settings(), PLAT_URL: '' } }),
    await run({ argv: ['logout'], fetch: refusing, env: { ...settings(), PLAT_URL: '' } }),
  ],
  completion: () =>
    each([
      ['completion', HOSTILE],
      ['completion', 'bash'],
    ]),
  manual: () => each([['manual']]),
  healthcheck: () => each([['healthcheck'], ['healthcheck', '--url', HOSTILE]], { fetch: refusing }),
  __complete: () =>
    each([
      ['__complete', 'device', 'get', ''],
      ['__complete', 'device', 'get', 'n'],
    ]),
  diff: document('diff'),
  apply: document('apply'),
  'schema estate': async () => [
    ...(await each([['schema', 'estate']])),
    ...(await each([['schema', 'estate']], { fetch: refusing })),
  ],
  import: async () => {
    const files = join(folder, 'files')
    await mkdir(files, { recursive: true })
    await writeFile(join(files, 'devices.json'), '[]')
    await writeFile(join(files, `${FILE}.json`), '[]')
    await writeFile(join(files, `devices ${FILE}.json`), '[]')
    return each([
      ['import', files],
      ['import', files, '--dry-run', '-o', 'json'],
      ['import', join(files, FILE)],
      ['import', files, '--resource', HOSTILE],
      ['import', 'netbox', join(files, 'devices.json'), '--yes'],
      ['import', 'netbox', join(files, FILE)],
      ['import', HOSTILE, files],
    ])
  },
  export: () =>
    each([
      ['export', '-'],
      ['export', join(folder, `out ${FILE}`)],
      ['export', folder],
      ['export', '-', '--as-code'],
      ['export', join(folder, `code ${FILE}`), '--as-code'],
    ]),
  demo: () =>
    each([
      ['demo', 'load', '--force'],
      ['demo', '--devices', HOSTILE],
    ]),
  'discovery scan': () =>
    each([
      ['discovery', 'scan', HOSTILE],
      ['discovery', 'scan', HOSTILE, '--dry-run', '-o', 'csv'],
    ]),
  'feed content': () => each([['feed', 'content', HOSTILE]]),
  'feed pull': () => each([['feed', 'pull', HOSTILE, join(folder, `feed ${FILE}`), '--on-change', 'true']]),
  'discovery leases': async () => {
    const leases = join(folder, `leases ${FILE}`)
    await writeFile(leases, `0 02:00:00:00:00:01 10.0.0.1 h *\n${HOSTILE}\n`)
    return each([
      ['discovery', 'leases', leases],
      ['discovery', 'leases', leases, '-o', 'json'],
      ['discovery', 'leases', leases, '--format', HOSTILE],
      ['discovery', 'leases', leases, '--space', HOSTILE],
      ['discovery', 'leases', join(folder, `no ${FILE}`)],
    ])
  },
  'network tree': () =>
    each([
      ['network', 'tree', 'n'],
      ['network', 'tree', 'n', '-o', 'json'],
      ['network', 'tree', HOSTILE],
    ]),
  'device-type import': async () => {
    const file = join(folder, `type ${FILE}.yaml`)
    await writeFile(file, JSON.stringify({ manufacturer: HOSTILE, model: HOSTILE, [HOSTILE]: 1 }))
    return [
      ...(await each([
        ['device-type', 'import', file],
        ['device-type', 'import', file, '-o', 'json'],
        ['device-type', 'import', join(folder, `none ${FILE}`)],
      ])),
      ...(await each([['device-type', 'import', file]], { fetch: refusing })),
    ]
  },
  'dns zone check': () => each([['dns', 'zone', 'check', HOSTILE]]),
  'source create': () =>
    each([
      ['source', 'create', HOSTILE, 'docker'],
      ['source', 'create', 'x', 'docker', '--option', HOSTILE],
      ['source', 'create', 'x', 'docker', '--secret', `token=${join(folder, `none ${FILE}`)}`],
      ['source', 'create', 'x', HOSTILE],
    ]),
  'source update': () =>
    each([
      ['source', 'update', HOSTILE, '--option', HOSTILE],
      ['source', 'update', HOSTILE, '--name', HOSTILE],
    ]),
  'source run': () =>
    each([
      ['source', 'run', HOSTILE],
      ['source', 'run', HOSTILE, '-o', 'json'],
    ]),
  'source apply': () =>
    each([
      ['source', 'apply', HOSTILE, '--yes'],
      ['source', 'apply', HOSTILE, '--dry-run', '-o', 'json'],
    ]),
  'source push': async () => {
    const snapshot = join(folder, `snapshot ${FILE}`)
    await writeFile(snapshot, HOSTILE)
    return each([
      ['source', 'push', HOSTILE, snapshot],
      ['source', 'push', HOSTILE, join(folder, `none ${FILE}`)],
      ['source', 'push', HOSTILE, '--option', HOSTILE],
    ])
  },
  'source collect': () =>
    each([
      ['source', 'collect', HOSTILE],
      ['source', 'collect', 'docker', '--url', HOSTILE],
      ['source', 'collect', 'docker', '--option', `x${HOSTILE}=1`],
      ['source', 'collect', 'docker', '--url', 'http://127.0.0.1:1', '--secret', HOSTILE],
    ]),
  'scanner run': () => {
    const state = join(folder, `scanner ${FILE}`)
    return each([
      ['scanner', 'run', '--url', HOSTILE],
      ['scanner', 'run', '--url', 'http://127.0.0.1:1', '--slots', HOSTILE],
      ['scanner', 'run', '--url', 'http://127.0.0.1:1', '--state', state, '--check'],
      ['scanner', 'run', '--url', 'https://127.0.0.1:1', '--ca', join(folder, `none ${FILE}`)],
    ])
  },
  watch: () =>
    each([
      ['watch', '--count', '1'],
      ['watch', '--count', '1', '-o', 'json'],
    ]),
  whois: () =>
    each([
      ['whois', '10.0.0.1'],
      ['whois', '10.0.0.1', '-o', 'yaml'],
      ['whois', HOSTILE, '-o', 'csv'],
    ]),
  'user reset-password': () => each([local('user', 'reset-password', `no ${HOSTILE}`)]),
  'user break-glass': () =>
    each([local('user', 'break-glass', HOSTILE), local('user', 'break-glass', `no ${HOSTILE}`)]),
  'user evict': () => each([local('user', 'evict', HOSTILE), local('user', 'evict', `no ${HOSTILE}`)]),
  'user reset-2fa': () => each([local('user', 'reset-2fa', HOSTILE), local('user', 'reset-2fa', `no ${HOSTILE}`)]),
  backup: () => each([local('backup', join(folder, `b ${FILE}`)), local('backup', join(folder, 'b2'), '-o', 'json')]),
  restore: () => each([local('restore', join(folder, `none ${FILE}`)), local('restore', join(folder, 'files'))]),
  doctor: () => each([local('doctor'), local('doctor', '-o', 'json')]),
  'database copy': () => each([local('database', 'copy', '--to', `nowhere://${HOSTILE}`), local('database', 'copy')]),
}
/** These are servers, or write the server's log, which has its own format. */
const SERVERS = [
  'serve',
  'server',
  'migrate',
  'scanner-child',
  'template-child',
  'convert-child',
  'device-types-child',
  'leases-child',
  'source-child',
]

test('every command written by hand is tested here', async () => {
  const extended = (await program.extended?.()) ?? []
  const all = [...program.specials, ...extended].map(({ words }) => words.join(' '))
  expect([...Object.keys(WAYS), ...SERVERS].sort()).toEqual(all.sort())
})

describe.each(Object.keys(WAYS))('plat %s', (words) => {
  test('prints no control sequence', async () => {
    const shown = (await WAYS[words]?.()) ?? []
    expect(shown.length).toBeGreaterThan(0)
    for (const one of shown) expectHarmless(one)
  }, 30_000)
})

test('an unknown command, flag or format is shown harmlessly', async () => {
  for (const argv of [
    [HOSTILE],
    ['device', HOSTILE],
    ['device', 'list', `--${HOSTILE}`],
    ['device', 'list', '-o', HOSTILE],
  ])
    for (const isTty of [true, false]) expectHarmless(await run({ argv, isTty }))
})
