/** `plat diff` and `plat apply` against a real server, in process. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestApp, testApp } from '../../testing/app/app.ts'
import type { MemoryIo } from '../../testing/memory-io.ts'
import { runCommand } from '../../testing/run-command.ts'

const DATACENTERS = 'datacenters:\n  - name: Amsterdam\n'
const WEB = `# The web servers.
networks:
  - {name: ams-web, subnet: 10.40.1.0/24, datacenter: Amsterdam}
devices:
  - name: ams-web-1
    datacenter: Amsterdam
    os: Debian 12
    tags: [old]
    addresses:
      - ip: 10.40.1.21
        network: ams-web
`

let app: TestApp
let key: string
let folder: string

const runWith = ({ argv = [], ...options }: MemoryIo) => runCommand({ app, key }, { argv, ...options })
const run = (...argv: string[]) => runWith({ argv })
const put = (name: string, content: string): string => {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}

beforeEach(async () => {
  app = await testApp()
  key = (await app.as('admin')).key
  folder = mkdtempSync(join(tmpdir(), 'plat-apply-'))
})
afterEach(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('names', () => {
  const listRoles = async () => {
    const { results } = (await (
      await app.as('admin')
    )
      .request('GET', '/netbox/api/dcim/device-roles/')
      .then((one) => one.json())) as { results: { name: string; slug: string }[] }
    return results.map(({ name, slug }) => `${name} ${slug}`)
  }
  const NAMES = 'names:\n  - {kind: dcim.devicerole, name: Gateway, slug: gw}\n'

  test('that are new are stored with --yes, although no row changes', async () => {
    put('names.yaml', NAMES)
    expect(await run('apply', '-f', folder)).toMatchObject({ code: 0, err: 'Nothing to do.\n' })
    expect(await run('apply', '-f', folder, '--dry-run', '--yes')).toMatchObject({ code: 0 })
    expect(await listRoles()).toEqual([])
    const stored = { code: 0, err: 'No row changes. The names for the NetBox API are stored.\n' }
    expect(await run('apply', '-f', folder, '--yes')).toMatchObject(stored)
    expect(await listRoles()).toEqual(['Gateway gw'])
    expect(await run('apply', '-f', folder, '--yes')).toMatchObject({ code: 0, err: 'Nothing to do.\n' })
  })

  test('are not stored by a caller who may not make devices', async () => {
    key = (await app.as(['devices:list', 'kinds:create'])).key
    put('names.yaml', NAMES)
    expect(await run('apply', '-f', folder, '--yes')).toMatchObject({ code: 0, err: 'Nothing to do.\n' })
    expect(await listRoles()).toEqual([])
  })
})

describe('packs', () => {
  test('that files name are installed with their rows', async () => {
    put('tenants.yaml', 'packs: [tenancy]\nobjects:\n  - {kind: tenants, name: Acme}\n')
    put('sites/ams.yaml', 'packs: [racks, tenancy]\ndatacenters:\n  - {name: Amsterdam, custom: {tenant: Acme}}\n')
    const plan = await run('diff', '-f', folder)
    expect([plan.code, plan.err]).toEqual([2, ''])
    expect(plan.out).toContain('+ kind Tenants\n')
    expect(plan.out).toContain('+ object Acme\n')
    expect((await run('apply', '-f', folder, '--yes')).code).toBe(0)
    expect((await run('diff', '-f', folder)).code).toBe(0)
    const packs = JSON.parse((await run('pack', 'list', '-o', 'json')).out) as {
      name: string
      installed: number | null
    }[]
    expect(packs.filter(({ installed }) => installed === 1).map(({ name }) => name)).toEqual(['racks', 'tenancy'])
  })

  test('are installed and taken away by commands', async () => {
    expect((await run('pack', 'install', 'nat')).code).toBe(0)
    expect((await run('pack', 'uninstall', 'nat')).code).toBe(0)
    put('estate.yaml', 'packs: [nothing]\n')
    const refused = await run('apply', '-f', folder, '--yes')
    expect(refused.code).not.toBe(0)
    expect(refused.err).toContain('packs[0]')
  })
})

describe('files become the state', () => {
  beforeEach(() => {
    put('sites/ams.yaml', WEB)
    put('all.yml', DATACENTERS)
    put('.hidden.yaml', 'devices: [{name: hidden}]')
    put('README.md', 'no data')
    put('estate.schema.json', '{"$schema": "x"}')
  })

  test('plan, apply, nothing to do, drift', async () => {
    const plan = await run('diff', '-f', folder)
    expect([plan.code, plan.err]).toEqual([2, ''])
    expect(plan.out).toBe(
      '+ datacenter Amsterdam\n+ network ams-web\n+ device ams-web-1\n3 to create, 0 to change, 0 to delete, 0 unchanged\n',
    )
    const applied = await run('apply', '-f', folder, '--yes')
    expect([applied.code, applied.out.split('\n').at(-2)]).toEqual([
      0,
      'Done: creates 1 datacenter, 1 network and 1 device.',
    ])
    expect(await run('diff', '-f', folder)).toMatchObject({
      code: 0,
      out: '0 to create, 0 to change, 0 to delete, 3 unchanged\n',
    })
    expect(await run('apply', '-f', folder)).toMatchObject({ code: 0, err: 'Nothing to do.\n' })
    put('sites/ams.yaml', WEB.replace('Debian 12', 'Debian 13').replace('[old]', '[web, db]'))
    const drift = await run('diff', '-f', folder)
    expect(drift).toMatchObject({
      code: 2,
      out:
        '~ device ams-web-1\n    os: "Debian 12" -> "Debian 13"\n    tags: + "web"  + "db"  - "old"\n' +
        '0 to create, 1 to change, 0 to delete, 2 unchanged\n',
    })
  })

  test('without a terminal it needs --yes', async () => {
    const { code, err } = await run('apply', '-f', folder)
    expect([code, err]).toEqual([2, 'error: not at a terminal: nothing is done without --yes\n'])
    expect((await run('device', 'list', '-q')).out).toBe('')
  })

  test('at a terminal it asks, in color', async () => {
    const no = await runWith({ argv: ['apply', '-f', folder], columns: 100, typed: ['n'] })
    expect([no.code, no.err]).toEqual([1, 'Apply this? [y/N] Nothing was changed.\n'])
    expect(no.out).toContain('\u001b[32m+ device ams-web-1\u001b[0m')
    const yes = await runWith({ argv: ['apply', '-f', folder], columns: 100, typed: ['y'] })
    expect([yes.code, yes.err]).toEqual([0, expect.stringContaining('Undo: plat undo ')])
  })

  test('a dry run shows the plan, and -o json is the answer of the operation', async () => {
    expect((await run('apply', '-f', folder, '--dry-run')).code).toBe(0)
    const { code, out } = await run('diff', '-f', folder, '-o', 'json')
    expect([code, JSON.parse(out)]).toEqual([2, expect.objectContaining({ applied: false, changes_total: 3 })])
    const applied = await run('apply', '-f', folder, '--yes', '-o', 'json')
    expect(JSON.parse(applied.out)).toMatchObject({ applied: true, changes_total: 3 })
  })

  test('objects of the owner that are in no file are counted, and pruned on request', async () => {
    await run('apply', '-f', folder, '--yes', '--managed-by', 'git')
    put('sites/ams.yaml', 'devices: []\n')
    const { out } = await run('diff', '-f', folder, '--managed-by', 'git')
    expect(out).toContain('1 network, 1 device are managed by "git" and in no file; --prune deletes them\n')
    const pruned = await run('apply', '-f', folder, '--managed-by', 'git', '--prune', '--yes')
    expect(pruned.out).toBe(
      '- network ams-web\n- device ams-web-1\n0 to create, 0 to change, 2 to delete, 1 unchanged\nDone: deletes 1 network and 1 device.\n',
    )
  })

  test("a viewer's key compares, and can't apply", async () => {
    const admin = key
    key = (await app.as('viewer')).key
    expect((await run('diff', '-f', folder)).code).toBe(2)
    expect((await run('diff', '-f', put('bad/x.yaml', 'devices: [{nam: x}]'))).code).toBe(1)
    rmSync(join(folder, 'bad'), { recursive: true })
    expect((await run('apply', '-f', folder, '--yes')).code).toBe(3)
    key = admin
    await run('apply', '-f', folder, '--yes')
    key = (await app.as('viewer')).key
    expect((await run('diff', '-f', folder)).code).toBe(0)
  })
})

test('standard input, several documents, lists by the name of the file, and lines of JSON', async () => {
  const input = `${DATACENTERS}---\n$schema: x\ndevices:\n  - name: from-input\n`
  const stdin = await runWith({ argv: ['apply', '-f', '-', '--yes'], stdin: input })
  expect(stdin.out).toContain('Done: creates 1 datacenter and 1 device.')
  const files = [
    put('devices.yaml', '- name: listed\n'),
    put('devices-2.ndjson', '{"name":"line-1"}\n\n{"name":"line-2"}\n'),
    put('devices-3.json', '[{"name":"json-1"}]'),
  ]
  const { out } = await run('apply', ...files.flatMap((file) => ['-f', file]), '--yes')
  expect(out).toContain('Done: creates 4 devices.')
})

describe('an error names file, line and field', () => {
  const error = async (name: string, text: string) => {
    const { code, err } = await run('diff', '-f', put(name, text))
    return [code, err.replaceAll(folder, 'DIR')]
  }

  test.each([
    [
      'of a row',
      'a.yaml',
      `${WEB}  - name: bad\n    addresses: [{ip: x}]\n`,
      'DIR/a.yaml:12: devices "bad": addresses[0].ip: must be',
    ],
    [
      'of a name',
      'a.yaml',
      'devices:\n  - name: b\n    datacenter: none\n',
      'DIR/a.yaml:2: devices "b": datacenter: there is no datacenter called "none"',
    ],
    [
      'of a row twice',
      'a.yaml',
      'devices:\n  - name: b\n  - name: B\n',
      'DIR/a.yaml:3: devices "B": is the same device as devices at DIR/a.yaml:2',
    ],
    ['of YAML', 'a.yaml', 'devices:\n  - name: [\n', 'error: DIR/a.yaml:3:1: '],
    [
      'of a key twice',
      'a.yaml',
      'devices:\n  - name: a\n    name: b\n',
      'error: DIR/a.yaml:3:5: Map keys must be unique',
    ],
    ['of a list', 'a.yaml', 'devicess: []\n', 'devicess is no list of an estate document; did you mean devices?'],
    ['of a line', 'devices.ndjson', '{"name":"a"}\n{"name":\n', 'error: DIR/devices.ndjson:2: is not JSON'],
    [
      'of a row of lines',
      'devices.ndjson',
      '{"name":"a"}\n{"nam":"b"}\n',
      'DIR/devices.ndjson:2: devices: nam: is not a field',
    ],
  ])('%s', async (_, name, text, wanted) => {
    const [code, err] = await error(name, text)
    expect([code, err]).toEqual([1, expect.stringContaining(wanted)])
  })

  test('of a large JSON file: its row', async () => {
    const rows = Array.from({ length: 30_000 }, (_, i) => ({ name: `device-${i}`, description: 'x'.repeat(20) }))
    const text = JSON.stringify({ devices: [...rows, { name: 'bad', status: 'odd' }] })
    const [code, err] = await error('large.json', text)
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('DIR/large.json: row 30000: devices "bad": status: must be one of'),
    ])
  })

  test('an alias may not multiply its anchor without end', async () => {
    const bomb = [
      'a: &a [x, x, x, x, x, x, x, x, x]',
      ...'bcdefgh'.split('').map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(', ')}]`),
    ]
    const [code, err] = await error('bomb.yaml', `${bomb.join('\n')}\n`)
    expect([code, err]).toEqual([1, expect.stringContaining('alias')])
  })

  test('--keep-going applies the good rows, and tells the bad ones', async () => {
    const file = put('a.yaml', 'devices:\n  - name: good\n  - name: bad\n    status: odd\n')
    const { code, out, err } = await run('apply', '-f', file, '--yes', '--keep-going')
    expect([code, out, err.replaceAll(folder, 'DIR')]).toEqual([
      1,
      expect.stringContaining('Done: creates 1 device.'),
      expect.stringContaining('  DIR/a.yaml:3: devices "bad": status: must be one of'),
    ])
  })
})

test.each([
  ['no file', ['diff'], '-f PATH missing'],
  ['a missing file', ['diff', '-f', '/nowhere/x.yaml'], "can't read /nowhere/x.yaml"],
  ['a file of another kind', ['diff', '-f', '/etc/hostname'], 'is no .yaml'],
])('%s is exit code 1 of a diff', async (_, argv, message) => {
  expect(await run(...argv)).toMatchObject({ code: 1, err: expect.stringContaining(message) })
})
