/** `plat import FORMAT SOURCE` against a real server, in process. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { runCli } from '../../src/app/cli.ts'
import { type TestApp, testApp } from '../../testing/app/app.ts'
import { testAll } from '../../testing/cases.ts'
import { type MemoryIo, memoryIo } from '../../testing/memory-io.ts'
import { SECRET } from '../../testing/netbox/estate.ts'
import { pgDump, restLists } from '../../testing/netbox/forms.ts'

const NETBOX = 'http://netbox.test'
const TOKEN = '0123456789abcdef'

let app: TestApp
let key: string
let folder: string
let dump: string
let tokens: (string | null)[]

const runWith = async ({ env = {}, ...options }: MemoryIo) => {
  const { io, out, err } = memoryIo({
    ...options,
    env: { PLAT_URL: 'http://plat.test', PLAT_TOKEN: key, ...env },
    fetch: async (url, init) => {
      if (!url.startsWith(NETBOX)) return app.fetch(new Request(url, init))
      tokens.push(new Headers(init.headers).get('authorization'))
      const results = restLists('4.6')[new URL(url).pathname.replace(/^\/api\/|\/$/g, '')]
      return results ? Response.json({ count: results.length, results }) : new Response('{}', { status: 404 })
    },
  })
  return { code: await runCli(io), out: out(), err: err() }
}
const run = (...argv: string[]) => runWith({ argv })

beforeEach(async () => {
  app = await testApp()
  key = (await app.as('admin')).key
  folder = mkdtempSync(join(tmpdir(), 'plat-convert-'))
  dump = join(folder, 'netbox.sql')
  tokens = []
  writeFileSync(dump, pgDump('4.2'))
})
afterEach(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('a dump of NetBox', () => {
  test('is converted, shown, applied, and changes nothing a second time', async () => {
    const plan = await run('import', 'netbox', dump, '--dry-run')
    expect([plan.code, plan.err]).toEqual([0, ''])
    expect(plan.out).toMatch(/^Read: .*dcim\.device/)
    expect(plan.out).toContain('Left: ')
    expect(plan.out).toContain('+ device ')
    expect(await run('import', 'netbox', dump)).toMatchObject({ code: 2, err: expect.stringContaining('--yes') })
    const applied = await run('import', 'netbox', dump, '--yes', '--managed-by', 'netbox')
    expect([applied.code, applied.out]).toEqual([0, expect.stringContaining('Done: creates ')])
    expect(await run('import', 'netbox', dump, '--yes', '--managed-by', 'netbox')).toMatchObject({
      code: 0,
      err: 'Nothing to do.\n',
    })
  })

  testAll('is saved as YAML that plat apply reads, with the leftover beside it', async () => {
    const [saved, leftover] = [join(folder, 'estate.yaml'), join(folder, 'left.json')]
    const { code } = await run('import', 'netbox', dump, '--save', saved, '--leftover', leftover)
    expect([code, (await run('device', 'list', '-q')).out]).toEqual([0, ''])
    expect(parse(readFileSync(saved, 'utf8'))).toHaveProperty('devices')
    expect(JSON.parse(readFileSync(leftover, 'utf8'))).toHaveProperty(['tenancy.tenant'])
    expect(readFileSync(saved, 'utf8') + readFileSync(leftover, 'utf8')).not.toContain(SECRET)
    expect((await run('apply', '-f', saved, '--yes')).code).toBe(0)
  })

  testAll('is saved with the rules of a source, so that an apply of the file takes nothing away', async () => {
    const [hosts, saved] = [join(folder, 'hosts'), join(folder, 'hosts.yaml')]
    writeFileSync(hosts, '10.3.0.5 web-1 www\n')
    await run('import', 'hosts', hosts, '--yes')
    const { api } = await app.as('admin')
    const [device] = await api.devices.list({})
    const addresses = [{ ip: '10.3.0.5', mac_address: '52:54:00:00:00:01' }, { ip: '10.3.0.6' }]
    await api.devices.update({ id: device?.id ?? '', addresses, tags: ['by-hand'], domains: ['www', 'kept.example'] })
    expect((await run('import', 'hosts', hosts, '--save', saved)).code).toBe(0)
    expect(parse(readFileSync(saved, 'utf8'))).toMatchObject({
      lists: 'add',
      empty: 'keep',
      devices: [{ name: 'web-1' }],
    })
    expect(await run('apply', '-f', saved, '--yes')).toMatchObject({ code: 0, err: 'Nothing to do.\n' })
    expect(await run('import', 'hosts', hosts, '--yes')).toMatchObject({ code: 0, err: 'Nothing to do.\n' })
    // A document that lacks its rules is a document that a person writes.
    writeFileSync(saved, readFileSync(saved, 'utf8').replace(/^(lists|empty): .*\n/gm, ''))
    expect((await run('diff', '-f', saved)).code).toBe(2)
  })

  test('with the rules of a source is not applied together with files that have other rules', async () => {
    const [one, two] = [join(folder, 'one.yaml'), join(folder, 'two.yaml')]
    writeFileSync(one, 'lists: add\nempty: keep\ndevices:\n  - name: a\n')
    writeFileSync(two, 'devices:\n  - name: b\n')
    expect(await run('apply', '-f', one, '-f', two, '--yes')).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        `two.yaml:2: the rule of its file is lists: replace, that of ${one}:4 is lists: add`,
      ),
    })
    writeFileSync(one, 'lists: append\ndevices: []\n')
    expect(await run('apply', '-f', one, '--yes')).toMatchObject({
      code: 2,
      err: expect.stringContaining('one.yaml:1: lists must be one of replace, add'),
    })
  })

  testAll('with a bad row is refused, and with --keep-going applied without it', async () => {
    await run('import', 'netbox', dump, '--yes', '--managed-by', 'first')
    const refused = await run('import', 'netbox', dump, '--yes', '--managed-by', 'second')
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('netbox.sql: devices "')])
    expect(refused.err).toContain('managed_by: is managed by "first"')
    const kept = await run('import', 'netbox', dump, '--yes', '--managed-by', 'second', '--keep-going')
    expect(kept.code).toBe(1)
  })
})

describe('a NetBox by its URL', () => {
  test('is read from here: its token never reaches Plat', async () => {
    const { code, out } = await runWith({
      argv: ['import', 'netbox', `${NETBOX}/api/`, '--yes'],
      env: { NETBOX_TOKEN: TOKEN },
    })
    expect([code, out]).toEqual([0, expect.stringContaining('Done: creates ')])
    expect(new Set(tokens)).toEqual(new Set([`Token ${TOKEN}`]))
  })

  test('takes its token from a file, or names what is missing', async () => {
    const file = join(folder, 'token')
    writeFileSync(file, `${TOKEN}\n`)
    expect((await run('import', 'netbox', NETBOX, '--token-file', file, '--dry-run')).code).toBe(0)
    expect(await run('import', 'netbox', NETBOX)).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        'the token of the NetBox is missing: --token-file FILE, or the variable NETBOX_TOKEN',
      ),
    })
  })
})

describe('a spreadsheet', () => {
  const put = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }

  test('has the resource of its name, and its columns are mapped, saved and loaded', async () => {
    const saved = join(folder, 'mapping.yaml')
    const file = put('devices.csv', 'Gerät;IP;Serial;Paint\nweb;10.0.0.1;X1;red\n')
    const first = await run('import', 'csv', file, '--map', 'Gerät=name', '--save-mapping', saved, '--yes')
    expect([first.code, first.out]).toEqual([0, expect.stringContaining('Done: creates 1 device')])
    expect(parse(readFileSync(saved, 'utf8'))).toEqual({
      resource: 'devices',
      columns: { Gerät: 'name', IP: 'addresses', Serial: 'serial' },
    })
    const shown = await run('device', 'list', '-o', 'json')
    expect(JSON.parse(shown.out)).toMatchObject([
      { name: 'web', addresses: [{ ip: '10.0.0.1' }], serial: 'X1', description: 'Paint: red' },
    ])
    const other = put('other.csv', readFileSync(file, 'utf8'))
    expect(await run('import', 'csv', other, '--mapping', saved, '--yes')).toMatchObject({
      code: 0,
      err: 'Nothing to do.\n',
    })
  })

  testAll('of another name needs its resource', async () => {
    const file = put('stock.csv', 'name,ip\nweb,10.0.0.1\n')
    expect(await run('import', 'csv', file, '--yes')).toMatchObject({
      code: 2,
      err: expect.stringContaining('resource: is required for a spreadsheet'),
    })
    expect((await run('import', 'csv', file, '--resource', 'devices', '--yes')).code).toBe(0)
  })

  test('with a bad row names the line, the column and the value', async () => {
    const file = put(
      'devices.csv',
      'Inventory of Berlin\n\nName;IP Address;Note\nweb;10.0.0.300;"two\nlines"\ndb;10.0.0.2;\nx;a;b;c\n',
    )
    const wide = await run('import', 'csv', file, '--yes')
    expect([wide.code, wide.err]).toEqual([
      2,
      expect.stringContaining('devices.csv:7: has 4 cells, and there are 3 columns'),
    ])
    put('devices.csv', 'Inventory of Berlin\n\nName;IP Address;Note\ndb;10.0.0.2;"two\nlines"\nweb;10.0.0.300;\n')
    expect(await run('import', 'csv', file, '--yes')).toMatchObject({
      code: 2,
      err: expect.stringContaining('devices.csv:6: devices "web": addresses[0].ip: column IP Address, "10.0.0.300": '),
    })
    expect((await run('device', 'list', '-q')).out).toBe('')
  })

  test.each(['--skip-bad', '--keep-going'])(
    'with bad rows is imported without them by %s, which gives them back',
    async (flag) => {
      const file = put(
        'devices.csv',
        'Name,IP,MAC,Note\nweb,10.0.0.300,,"a ""b"""\ndb,10.0.0.2,00:11:22:33:44:55,\nx,a,b,c,d\nmail,10.0.0.3,none of ours,\nMAIL,10.0.0.4,,\n',
      )
      const tried = await run('import', 'csv', file, flag, '--dry-run')
      expect([tried.code, existsSync(join(folder, 'devices.bad.csv'))]).toEqual([0, false])
      const { code, out, err } = await run('import', 'csv', file, flag, '--yes')
      expect([code, out]).toEqual([1, expect.stringContaining('Done: creates 1 device')])
      expect(err).toContain('devices.csv:4: ')
      expect(err).toContain('devices.csv:2: devices "web": addresses[0].ip: column IP, "10.0.0.300": ')
      expect(err).toContain('devices.csv:5: devices "mail": addresses[0].mac_address: column MAC, "none of ours": ')
      expect(err).toContain(`note: the 4 rows that were not imported are in ${join(folder, 'devices.bad.csv')}`)
      const bad = readFileSync(join(folder, 'devices.bad.csv'), 'utf8')
      expect(bad).toBe(
        'Name,IP,MAC,Note\r\nweb,10.0.0.300,,"a ""b"""\r\nx,a,b,c,d\r\nmail,10.0.0.3,none of ours,\r\nMAIL,10.0.0.4,,\r\n',
      )
      put(
        'devices.bad.csv',
        bad.replace('10.0.0.300', '10.0.0.30').replace('x,a,b,c,d\r\n', '').replace('none of ours', ''),
      )
      expect(await run('import', 'csv', join(folder, 'devices.bad.csv'), '--yes')).toMatchObject({
        code: 0,
        out: expect.stringContaining('Done: creates 2 devices'),
      })
      const { out: shown } = await run('device', 'list', '-o', 'json')
      expect(
        (JSON.parse(shown) as { name: string; addresses: { ip: string }[] }[]).map(({ name, addresses }) => [
          name,
          ...addresses.map(({ ip }) => ip),
        ]),
      ).toEqual([
        ['db', '10.0.0.2'],
        ['mail', '10.0.0.3', '10.0.0.4'],
        ['web', '10.0.0.30'],
      ])
    },
  )

  test('makes no datacenter and no space that only bad rows name, with --skip-bad', async () => {
    const file = put(
      'devices.csv',
      'Name,Site,VRF,IP,Custom\na,Good,Green,10.0.0.1,\nb,Bad 1,Red 1,10.0.0.300,\nc,good,Red 2,10.0.0.301,\nd,Bad 2,Green,10.0.0.4,x,too many\n',
    )
    const tried = await run('import', 'csv', file, '--skip-bad', '--dry-run')
    expect(tried.out).not.toContain('Bad')
    const { code, out, err } = await run('import', 'csv', file, '--skip-bad', '--yes')
    expect(code).toBe(1)
    expect(out).toContain('Read: 4 rows\n')
    expect(out).toContain('Done: creates 1 space, 1 datacenter and 1 device.')
    expect(err).toContain('devices.csv:3: devices "b": addresses[0].ip: column IP, "10.0.0.300": ')
    expect(err).not.toContain('there is no')
    const names = async (noun: string) =>
      (JSON.parse((await run(noun, 'list', '-o', 'json')).out) as { name: string }[]).map(({ name }) => name)
    expect(await names('datacenter')).toEqual(['Good'])
    expect(await names('space')).toEqual(['Green'])
    expect(readFileSync(join(folder, 'devices.bad.csv'), 'utf8').split('\r\n').slice(1, -1)).toHaveLength(3)
  })

  test('one row is read as one row', async () => {
    const { out } = await run('import', 'csv', put('devices.csv', 'name\nweb\n'), '--dry-run')
    expect(out).toStartWith('Read: 1 row\n')
  })

  test('names datacenters and spaces that are not there, and they are made once', async () => {
    const list = put(
      'devices.csv',
      'Name,Site,IP Address,VRF\na,Berlin,10.0.0.1/24,Blue\nb,berlin,10.0.0.2/24,Global\nc,,10.0.0.1/24,\n',
    )
    const first = await run('import', 'csv', list, '--yes')
    expect([first.code, first.out]).toEqual([0, expect.stringContaining('+ datacenter Berlin')])
    expect(await run('import', 'csv', list, '--yes')).toMatchObject({ code: 0, err: 'Nothing to do.\n' })
    const names = async (noun: string) =>
      (JSON.parse((await run(noun, 'list', '-o', 'json')).out) as { name: string }[]).map(({ name }) => name)
    expect([await names('datacenter'), await names('space')]).toEqual([['Berlin'], ['Blue']])
  })

  test('with an owner keeps the datacenters that it made', async () => {
    const list = put('devices.csv', 'Name,Site\na,Berlin\n')
    await run('import', 'csv', list, '--yes', '--managed-by', 'sheet')
    expect(await run('import', 'csv', list, '--yes', '--managed-by', 'sheet', '--prune')).toMatchObject({
      code: 0,
      err: 'Nothing to do.\n',
    })
  })

  test('takes a column of an address by hand', async () => {
    const list = put('devices.csv', 'Name,IP,Karte\nweb,10.0.0.1,00-11-22-33-44-55\n')
    expect((await run('import', 'csv', list, '--map', 'Karte=mac_address', '--yes')).code).toBe(0)
    const { out } = await run('device', 'list', '-o', 'json')
    expect(JSON.parse(out)).toMatchObject([{ addresses: [{ ip: '10.0.0.1', mac_address: '00:11:22:33:44:55' }] }])
  })
})

describe('--to inbox', () => {
  const HOSTS = '10.0.0.5 web.example.org\n10.0.0.9 db\n10.0.1.5 lab\n192.0.2.1 far\n'
  const found = async () => {
    const { out } = await run('discovery', 'list', '-o', 'json')
    return (JSON.parse(out) as { ip: string; hostname: string; status: string; network_id: string }[]).map((one) =>
      [one.ip, one.hostname, one.status].join(' '),
    )
  }
  let hosts: string
  beforeEach(async () => {
    hosts = join(folder, 'hosts')
    writeFileSync(hosts, HOSTS)
    for (const subnet of ['10.0.0.0/16', '10.0.0.0/24'])
      await run('network', 'create', '--name', subnet, '--subnet', subnet)
  })

  test('records the hosts in their most specific networks, and names the others', async () => {
    const { code, out } = await run('import', 'hosts', hosts, '--to', 'inbox', '--yes')
    expect([code, out]).toEqual([
      1,
      'Found: 2 in 10.0.0.0/24 (10.0.0.0/24)\nFound: 1 in 10.0.0.0/16 (10.0.0.0/16)\nLeft: 192.0.2.1 is in no network\n' +
        'Done: see them with plat discovery list.\n',
    ])
    expect((await found()).sort()).toEqual(['10.0.0.5 web.example.org up', '10.0.0.9 db up', '10.0.1.5 lab up'])
    expect((await run('device', 'list', '-q')).out).toBe('')
  })

  test('records them in the networks of one address space', async () => {
    const lab = JSON.parse((await run('space', 'create', 'Lab', '-o', 'json')).out).id
    await run('network', 'create', '--name', 'lab', '--subnet', '10.0.0.0/25', '--space-id', lab)
    const all = await run('import', 'hosts', hosts, '--to', 'inbox', '--dry-run')
    expect(all.out).toStartWith('Found: 2 in 10.0.0.0/24')
    const { out } = await run('import', 'hosts', hosts, '--to', 'inbox', '--dry-run', '--space', 'lab')
    expect(out).toStartWith('Found: 2 in lab (10.0.0.0/25)\nLeft: 10.0.1.5 is in no network')
    expect(await run('import', 'hosts', hosts, '--space', 'lab')).toMatchObject({ code: 2 })
  })

  test('leaves the addresses that the source does not have as they are', async () => {
    await run('import', 'hosts', hosts, '--to', 'inbox', '--yes')
    writeFileSync(hosts, '10.0.0.9 db\n')
    expect((await run('import', 'hosts', hosts, '--to', 'inbox', '--yes')).code).toBe(0)
    expect((await found()).sort()).toEqual(['10.0.0.5 web.example.org up', '10.0.0.9 db up', '10.0.1.5 lab up'])
  })

  testAll('of many scattered hosts is several recordings', async () => {
    const many = Array.from({ length: 1500 }, (_, n) => `10.0.${100 + (n >> 7)}.${(n & 127) * 2} h${n}`)
    writeFileSync(hosts, many.join('\n'))
    const { code, out } = await run('import', 'hosts', hosts, '--to', 'inbox', '--yes', '-o', 'json')
    const { recorded, left } = JSON.parse(out)
    expect([code, recorded.length, recorded[0].hosts, left]).toEqual([0, 1, 1500, []])
    expect(recorded[0].scan_ids.length).toBeGreaterThan(1)
    expect((await found()).filter((one) => one.endsWith(' up'))).toHaveLength(1500)
  })

  test('shows them with --dry-run, and is refused without hosts or without --yes', async () => {
    expect((await run('import', 'hosts', hosts, '--to', 'inbox', '--dry-run')).out).toStartWith('Found: 2')
    expect(await found()).toEqual([])
    expect((await run('import', 'hosts', hosts, '--to', 'inbox')).err).toContain('--yes')
    expect(await run('import', 'netbox', dump, '--to', 'inbox', '--yes')).toMatchObject({
      code: 2,
      err: expect.stringContaining('the source has no hosts'),
    })
  })
})

test.each([
  ['an unknown format', ['import', 'netbx', 'x.sql'], 'there is no format netbx'],
  ['a missing file', ['import', 'netbox', '/nowhere.sql'], "can't read /nowhere.sql"],
  ['a URL of another format', ['import', 'phpipam', 'http://x.test'], 'only a NetBox is read by its URL'],
  ['a flag without a source', ['import', '.', '--save', 'x.yaml'], '--save needs a format and a source'],
  ['a proposal without a source', ['import', '.', '--propose'], 'error: --propose needs a format and a source'],
  ['a map without a field', ['import', 'netbox', '/etc/hostname', '--map', 'Name'], '--map takes COLUMN=FIELD'],
])('%s is refused', async (_, argv, message) => {
  expect(await run(...argv)).toMatchObject({ code: 2, err: expect.stringContaining(message) })
  expect(existsSync('x.yaml')).toBe(false)
})

test('a file that is cut off is refused with its end', async () => {
  writeFileSync(dump, pgDump('4.2').slice(0, 3000))
  expect(await run('import', 'netbox', dump, '--yes')).toMatchObject({
    code: 2,
    err: expect.stringContaining('file: byte 3000'),
  })
})
