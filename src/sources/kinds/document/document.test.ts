/** Documents: keys of rows, formats, evidence, and files that are refused. */
import { describe, expect, test } from 'bun:test'
import type { OutboundRequest } from '../../../base/security/outbound.ts'
import { FetchLog } from '../../fetch/fetch-log.ts'
import { fetchSnapshot } from '../../fetch/run-job.ts'
import type { Json, Options, SnapshotRows } from '../source-kind.ts'
import { document } from './kind.ts'
import { fromFile, toFile } from './snapshot.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

const convert = async (file: string | Uint8Array, options: Options = {}): Promise<SnapshotRows> =>
  await document.convert(fromFile(typeof file === 'string' ? encode(file) : file), {
    options,
    ref: 'document',
    now: new Date('2026-11-30T12:00:00Z'),
  })

const listKeys = (rows: readonly Record<string, unknown>[] = []): unknown[] => rows.map(({ refs }) => refs)

const ESTATE = `# yaml-language-server: $schema=estate.schema.json
datacenters:
  - name: Amsterdam
networks:
  - {name: lan, subnet: 10.0.0.0/24, datacenter: Amsterdam}
  - {name: lan, subnet: 10.0.1.0/24}
pools:
  - {name: web, network: lan, start_ip: 10.0.0.20, end_ip: 10.0.0.99}
devices:
  - name: web-1
    refs: {cmdb: CI0012}
    datacenter: Amsterdam
    managed_by: git
    addresses: [{ip: 10.0.0.5, mac_address: "52:54:00:00:00:01"}]
  - {id: db, name: db-1}
ports:
  - {device: web-1, name: eth0, mac_address: "52:54:00:00:00:02"}
relationships:
  - {parent: WEB-1, type: depends_on, child_id: db}
reservations:
  - {pool: {name: web, network: lan}, ip_address: 10.0.0.30}
`

describe('an estate document', () => {
  test('each row has a key: its ref, else its id, else its name in the object that holds it', async () => {
    const { documents } = await convert(ESTATE)
    expect(listKeys(documents.datacenters)).toEqual([{ document: 'Amsterdam' }])
    expect(listKeys(documents.networks)).toEqual([
      { document: 'lan/10.0.0.0/24/Amsterdam' },
      { document: 'lan/10.0.1.0/24' },
    ])
    expect(listKeys(documents.pools)).toEqual([{ document: 'lan/web' }])
    expect(listKeys(documents.devices)).toEqual([{ cmdb: 'CI0012', document: 'cmdb:CI0012' }, { document: 'db' }])
    expect(listKeys(documents.reservations)).toEqual([{ document: 'web/10.0.0.30' }])
  })

  test('ports and relationships name their devices by the keys, and rows have no ids and no owner', async () => {
    const { documents } = await convert(ESTATE)
    expect(documents.ports).toEqual([
      { device: { ref: 'document:cmdb:CI0012' }, name: 'eth0', mac_address: '52:54:00:00:00:02' },
    ])
    expect(documents.relationships).toEqual([
      { parent: { ref: 'document:cmdb:CI0012' }, type: 'depends_on', child: { ref: 'document:db' } },
    ])
    expect(documents.devices?.flatMap((row) => Object.keys(row))).not.toContain('managed_by')
    expect(documents.devices?.flatMap((row) => Object.keys(row))).not.toContain('id')
  })

  test('a device has the MAC addresses of its addresses and ports, and its datacenter is its place', async () => {
    const { about } = await convert(ESTATE)
    expect(about.get('devices cmdb:CI0012')).toEqual({
      type: 'device',
      place: 'Amsterdam',
      macs: ['52:54:00:00:00:01', '52:54:00:00:00:02'],
    })
  })

  test('the same document as JSON gives the same rows', async () => {
    const json = JSON.stringify(Bun.YAML.parse(ESTATE))
    expect(await convert(json)).toEqual(await convert(ESTATE))
  })

  test('the option key names a field or a custom field', async () => {
    const file = {
      devices: [
        { name: 'a', serial: 'S1' },
        { name: 'b', custom: { asset: 7 } },
      ],
    }
    expect(listKeys((await convert(JSON.stringify(file), { key: 'serial' })).documents.devices)[0]).toEqual({
      document: 'S1',
    })
    expect(listKeys((await convert(JSON.stringify(file), { key: 'asset' })).documents.devices)[1]).toEqual({
      document: '7',
    })
  })

  test('the second row of a key is left, and the report says how to tell them apart', async () => {
    const { documents, report } = await convert(JSON.stringify({ devices: [{ name: 'a' }, { name: 'a' }] }))
    expect(documents.devices).toHaveLength(1)
    expect(report.left.map(({ what, count, why }) => [what, count, why])).toEqual([
      ['device', 1, 'its id is there twice: name another field by options.key'],
    ])
    expect(report.read).toMatchObject({ device: 2 })
  })

  test('packs become rows, without the fields that name kinds of other packs', async () => {
    const { documents } = await convert(JSON.stringify({ packs: ['virtualization'], devices: [{ name: 'a' }] }))
    expect(documents.kinds?.map(({ id }) => id)).toEqual(['clusters'])
    const fields = documents['custom-fields']?.map(({ resource, name }) => `${resource}.${name}`) ?? []
    expect(fields).toContain('devices.cluster')
    expect(fields).not.toContain('clusters.tenant')
  })

  test('a list is a list of rows of the resource in the options', async () => {
    const rows = JSON.stringify([{ name: 'a' }, { name: 'b' }])
    expect((await convert(rows, { resource: 'devices' })).documents.devices).toHaveLength(2)
    await expect(convert(rows, { format: 'estate' })).rejects.toThrow('options.resource')
  })

  test.each([
    ['half of it', '{"devices":[{"name":"a"},{"na', /JSON/],
    ['an unknown list', 'devices: []\nservers: []\n', /servers: is no list/],
    ['a list that is none', '{"devices": {"a": 1}}', /devices: must be a list/],
    ['a row that is none', '{"devices": [1]}', /devices\[0\]: must be an object/],
    ['a deep row', `{"devices":[{"name":${'['.repeat(70)}${']'.repeat(70)}}]}`, /deeper than 64/],
    ['aliases without end', `devices:\n${buildAliases()}`, /alias/i],
    ['another text', 'hello world\n', /format: is not known/],
  ])('%s is refused with the place', async (_, file, message) => {
    await expect(convert(file)).rejects.toThrow(message)
  })
})

/** A YAML that is small, and whose value is large. */
function buildAliases(): string {
  const levels = Array.from(
    { length: 9 },
    (_, i) =>
      `&a${i} [${
        i === 0
          ? 'x'
          : Array(9)
              .fill(`*a${i - 1}`)
              .join(', ')
      }]`,
  )
  return `  - {name: x, tags: [${levels.join(', ')}]}\n`
}

describe('a spreadsheet', () => {
  const CSV = 'Asset,Host Name,IP\nA-1,web-1,10.0.0.5\nA-2,web-2,10.0.0.6\nA-3,web-3,10.0.0.7,more\n'
  const MAPPED = { resource: 'devices', mapping: { 'Host Name': 'name' }, key: 'asset' }

  test('a column gives the ids, and a row that cannot be read is left', async () => {
    const { documents, report } = await convert(CSV, MAPPED)
    expect(documents.devices?.map(({ name, refs }) => [name, refs])).toEqual([
      ['web-1', { document: 'A-1' }],
      ['web-2', { document: 'A-2' }],
    ])
    expect(report.left.filter(({ what }) => what === 'row')).toEqual([
      { what: 'row', count: 1, why: expect.stringContaining('line 4') },
    ])
  })

  test('without the option the name is the id', async () => {
    const { documents } = await convert(CSV, { ...MAPPED, key: '' })
    expect(listKeys(documents.devices)).toEqual([{ document: 'web-1' }, { document: 'web-2' }])
  })

  test('a key that is no column is refused', async () => {
    await expect(convert(CSV, { ...MAPPED, key: 'serial' })).rejects.toThrow('options.key')
  })
})

describe('a list of hosts', () => {
  const LEASES = '0 52:54:00:00:00:01 10.0.0.5 web-1 *\n0 52:54:00:00:00:02 10.0.0.6 * *\n'

  test('leases are evidence, and no device is a row', async () => {
    const { documents, hosts, report } = await convert(LEASES)
    expect(documents).toEqual({})
    expect(hosts.map(({ ip, mac_address, hostname }) => [ip, mac_address, hostname])).toEqual([
      ['10.0.0.5', '52:54:00:00:00:01', 'web-1'],
      ['10.0.0.6', '52:54:00:00:00:02', undefined],
    ])
    expect(report.read).toEqual({ lease: 2 })
    expect(report.made).toEqual({})
  })

  test('the option makes devices of them', async () => {
    const { documents, hosts } = await convert(LEASES, { hosts: 'devices' })
    expect(hosts).toEqual([])
    expect(documents.devices?.map(({ name }) => name)).toEqual(['web-1', '10.0.0.6'])
  })

  test('an inventory of Ansible documents machines', async () => {
    const { documents, hosts } = await convert('[web]\nweb-1 ansible_host=10.0.0.5\n')
    expect(hosts).toEqual([])
    expect(listKeys(documents.devices)).toEqual([{ document: 'web-1' }])
  })

  test('a zone file takes its origin from the options', async () => {
    const { hosts } = await convert('$TTL 300\na IN A 10.0.0.1\n', { origin: 'example.org' })
    expect(hosts.map(({ hostname }) => hostname)).toEqual(['a.example.org'])
  })
})

describe('the request', () => {
  const fetchFile = async (body: string, given: { options?: Options; secrets?: Record<string, string> } = {}) => {
    const asked: OutboundRequest[] = []
    const send = async (request: OutboundRequest) => {
      asked.push(request)
      return { status: 200, body: encode(body), isCut: false, headers: new Headers() }
    }
    const { options = {}, secrets = {} } = given
    const url = 'https://cmdb.example.org/export.json?all=1'
    const job = { url, options, secrets, nowMs: 0 }
    const asking = { send, log: new FetchLog(secrets), timeoutMs: 60_000 }
    const snapshot: Json = await fetchSnapshot(document, job, asking)
    return { snapshot, asked, headers: new Headers(asked[0]?.headers) }
  }

  test('the URL is asked once with its query and the token', async () => {
    const { asked, headers } = await fetchFile(ESTATE, { secrets: { token: 'abcdefgh' } })
    expect(asked.map(({ url }) => url)).toEqual(['https://cmdb.example.org/export.json?all=1'])
    expect(headers.get('authorization')).toBe('Bearer abcdefgh')
  })

  test('a header of the options gets its secret', async () => {
    const { headers } = await fetchFile(ESTATE, {
      options: { header: 'X-Api-Key' },
      secrets: { header_value: 'abcdefgh' },
    })
    expect(headers.get('x-api-key')).toBe('abcdefgh')
    expect(headers.has('authorization')).toBe(false)
  })

  test('an empty answer and a web page are errors', async () => {
    await expect(fetchFile('')).rejects.toMatchObject({ code: 'bad_answer' })
    await expect(fetchFile('<!doctype html><title>Sign in</title>')).rejects.toMatchObject({ code: 'wrong_url' })
  })
})

test('a file of any bytes is pushed as it is', () => {
  const bytes = new Uint8Array([0x50, 0x4b, 0x03, 0x04, 0xff, 0x00])
  expect(Buffer.from(toFile(fromFile(bytes)))).toEqual(Buffer.from(bytes))
  expect(Buffer.from(toFile(fromFile(encode('name\nü\n')))).toString()).toBe('name\nü\n')
})

test('options with an unknown name or value are refused', () => {
  const bad = [
    { formats: 'csv' },
    { format: 'word' },
    { resource: 'server' },
    { header: 'Host' },
    { header: 'a b' },
    { hosts: 'all' },
  ]
  expect(bad.filter((one) => document.Options.safeParse(one).success)).toEqual([])
})
