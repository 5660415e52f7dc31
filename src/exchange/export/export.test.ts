// An exported document: an apply of it changes nothing, and on an empty server it makes the same bytes.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { parse } from 'yaml'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const TIMEOUT_MS = 60_000

/** Texts that YAML 1.1 or 1.2 take for something else, or that break lines. */
const HOSTILE = [
  ...['yes', 'No', 'on', 'null', '~', 'Null', 'true', '0x1F', '0o17', '017', '1e3', '12:30:45', '.inf', '=', '<<'],
  ...['- a', 'a: b', 'a #b', '# a', '@a', '%a', '&a', '*a', '!a', '|', '>', "'", '"', '`', '{', '[', '2026-01-01'],
  ...[
    'two\nlines',
    'ends\n',
    '\n begins',
    ' spaces ',
    'tab\tin',
    '  two\n   indented',
    'é 漢字 🙂',
    '\u2028',
    '\\n',
    '---',
  ],
]

const document = (created: readonly string[]) => ({
  datacenters: [
    { name: 'Amsterdam', location: 'somewhere', refs: { netbox: 'dcim.site.1' }, managed_by: 'git' },
    { name: 'berlin' },
  ],
  networks: [
    { name: 'lan', subnet: '10.0.0.0/24', datacenter: 'Amsterdam', vlan_id: 7, description: 'd' },
    { name: 'lan', subnet: '10.0.0.0/24', datacenter: 'berlin' },
    { name: 'lan', subnet: '10.0.0.0/24' },
    { name: 'Lan', subnet: '10.1.0.0/24' },
    { name: '10.1.0.0/24', subnet: '10.2.0.0/24' },
    { name: 'six', subnet: '2001:db8::/64' },
  ],
  pools: [
    {
      name: 'p',
      network: { name: 'lan', datacenter: 'berlin' },
      start_ip: '10.0.0.10',
      end_ip: '10.0.0.20',
      tags: ['b', 'a'],
    },
    { name: 'p', network: 'six', start_ip: '2001:db8::10', end_ip: '2001:db8::20' },
  ],
  devices: [
    ...created.map((text, i) => ({
      name: `hostile-${String(i).padStart(2, '0')}`,
      description: text,
      location: text.replaceAll('\n', ' '),
      tags: text.trim() === '' ? [] : [text.trim().slice(0, 100)],
    })),
    {
      name: 'full',
      hostname: 'full.example.net',
      make_model: 'm',
      os: 'o',
      status: 'maintenance',
      datacenter: 'berlin',
      username: 'u',
      domains: ['b.example.net', 'a.example.net'],
      refs: { z: '1', a: 'x' },
      managed_by: 'git',
      addresses: [
        {
          ip: '10.0.0.11',
          network: { name: 'lan', datacenter: 'berlin' },
          pool: 'p',
          label: 'eth0',
          port: 22,
          switch_port: 's 1',
          interface: 'eth0',
        },
        { ip: '2001:db8::1', network: 'six', type: 'management' },
        { ip: '192.0.2.1' },
      ],
    },
    { name: 'twin', datacenter: 'Amsterdam' },
    { name: 'twin', datacenter: 'berlin', os: 'b' },
    { name: 'Twin' },
  ],
  relationships: [
    { parent: 'full', child: { name: 'twin', datacenter: 'berlin' }, type: 'contains', notes: 'n' },
    { parent: { name: 'twin', datacenter: 'Amsterdam' }, child: 'full', type: 'depends_on' },
  ],
  reservations: [
    {
      pool: { name: 'p', network: 'six' },
      ip_address: '2001:db8::11',
      purpose: 'x',
      expires_at: '2099-01-01T00:00:00Z',
    },
    {
      pool: { name: 'p', network: { name: 'lan', datacenter: 'berlin' } },
      ip_address: '10.0.0.12',
      hostname: 'h',
      mac_address: '52:54:00:00:00:01',
    },
  ],
})

describe.each(onSqlite())('on %s', (dialect) => {
  const apps: TestApp[] = []
  let first: TestCaller
  let second: TestCaller
  beforeAll(async () => {
    for (let i = 0; i < 2; i++) apps.push(await testApp({ dialect }))
    const [one, two] = apps
    if (!one || !two) throw new Error('there are two servers')
    first = await one.as('admin')
    second = await two.as('admin')
    await applied(first, document(HOSTILE))
  }, TIMEOUT_MS)
  afterAll(() => Promise.all(apps.map((app) => app.close())), TIMEOUT_MS)

  const applied = async (to: TestCaller, body: object, query = '') => {
    const response = await to.request('POST', `/api/estate/apply${query}`, body)
    const answer = (await response.json()) as { changes?: unknown; error?: string; details?: unknown }
    if (response.status !== 200) throw new Error(JSON.stringify(answer.details ?? answer.error))
    return answer
  }
  const exported = async (from: TestCaller, query: string): Promise<string> => {
    const response = await from.request('GET', `/api/estate/export${query}`)
    expect(response.status).toBe(200)
    return response.text()
  }

  test.each(['json', 'yaml'])('as %s, an apply of it changes nothing', async (format) => {
    const text = await exported(first, `?format=${format}`)
    const body = (format === 'json' ? JSON.parse(text) : parse(text)) as object
    expect((await applied(first, body, '?dry_run=true')).changes).toEqual([])
  })

  test('on an empty server it makes the same bytes', async () => {
    const [json, yaml] = [await exported(first, ''), await exported(first, '?format=yaml')]
    await applied(second, parse(yaml) as object)
    expect(await exported(second, '?format=yaml')).toBe(yaml)
    expect(await exported(second, '')).toBe(json)
    expect(parse(yaml)).toEqual(JSON.parse(json))
    for (const text of ['"id"', 'created_at', 'updated_at', 'created_by', 'network_id', 'pool_id', 'datacenter_id'])
      expect(json).not.toContain(text)
  })

  test('texts stay as they were given, also for a reader of YAML 1.1', async () => {
    const yaml = await exported(first, '?format=yaml&resource=devices')
    for (const version of ['1.1', '1.2'] as const) {
      const { devices } = parse(yaml, { version }) as { devices: { name: string; description?: string }[] }
      const read = devices.filter(({ name }) => name.startsWith('hostile-')).map(({ description }) => description)
      expect(read).toEqual(HOSTILE)
    }
  })

  test('of an owner: only its objects, without its name', async () => {
    const { devices, datacenters, networks } = JSON.parse(await exported(first, '?managed_by=git'))
    expect([devices.length, devices[0].name, 'managed_by' in devices[0], datacenters.length, networks]).toEqual([
      ...[1, 'full', false, 1, undefined],
    ])
  })

  test('has a tag that changes with the estate', async () => {
    const response = await first.request('GET', '/api/estate/export')
    await response.text()
    const headers = { 'If-None-Match': response.headers.get('etag') ?? '' }
    expect((await first.request('GET', '/api/estate/export', undefined, headers)).status).toBe(304)
    const { id } = await first.api.datacenters.create({ name: 'new' })
    const changed = await first.request('GET', '/api/estate/export', undefined, headers)
    expect([changed.status, (await changed.text()).includes('"new"')]).toEqual([200, true])
    await first.api.datacenters.delete({ id })
  })

  test('objects that nothing tells apart carry their ids', async () => {
    const ids = []
    for (let i = 0; i < 2; i++) ids.push((await first.api.devices.create({ name: 'same' })).id)
    const [parent_id = '', child_id = ''] = ids
    await first.api.relationships.create({ device_id: parent_id, child_id, type: 'contains' })
    const body = JSON.parse(await exported(first, ''))
    const same = body.devices.filter(({ name }: { name: string }) => name === 'same')
    expect(same.map(({ id }: { id: string }) => id).sort()).toEqual([...ids].sort())
    expect(body.relationships).toContainEqual({ parent: { id: parent_id }, child: { id: child_id }, type: 'contains' })
    expect((await applied(first, body, '?dry_run=true')).changes).toEqual([])
    for (const id of ids) await first.api.devices.delete({ id })
  })

  test('holds what the caller may list, and refers to the rest by ids', async () => {
    const [app] = apps
    const reader = await app?.as(['devices:list'])
    if (!reader) throw new Error('there is a reader')
    const body = JSON.parse(await exported(reader, ''))
    expect(Object.keys(body)).toEqual(['devices'])
    const full = body.devices.find(({ name }: { name: string }) => name === 'full')
    expect(Object.keys(full.datacenter)).toEqual(['id'])
    expect((await reader.request('GET', '/api/estate/export?resource=networks')).status).toBe(403)
  })
})
