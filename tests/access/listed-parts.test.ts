// A part of an answer appears with the permission to list its resource, and only then: everywhere, in a scope, in the past, over routes
// with an answer that is not JSON, and in answers to writes.
import { beforeAll, describe, expect, test } from 'bun:test'
import { buildMarkedEstate, type Marked, wordOf } from '../../testing/estates/marked-estate.ts'
import { type People, type Person, people } from '../../testing/estates/people.ts'
import { halves, textOf } from '../../testing/hostile/halves.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

/** The permission to ask, the request, and the resource of which the answer has a part. */
const PARTS: readonly (readonly [string, string, string])[] = [
  ['relationships:list', 'devices/{devices}/related', 'devices'],
  ['relationships:list', 'devices/{devices}/relationships?include=names', 'devices'],
  ['racks:read', 'racks/{racks}/elevation', 'devices'],
  ['cables:list', 'cables', 'devices'],
  ['cables:list', 'cables', 'ports'],
  ['cables:read', 'cables/{cables}', 'devices'],
  ['cables:read', 'cables/{cables}', 'ports'],
  ['cables:read', 'ports/{ports}/trace', 'cables'],
  ['cables:list', 'devices/{devices}/paths', 'devices'],
  ['cables:list', 'devices/{devices}/paths', 'ports'],
  ['ports:list', 'devices/{devices}/ports?include=peers', 'devices'],
  ['devices:read', 'devices/{devices}?include=networks', 'networks'],
  ['networks:read', 'networks/{networks}/tree', 'networks'],
  ['networks:read', 'networks/{networks}/tree', 'pools'],
  ['discovery:list', 'discovery/inbox', 'devices'],
]

/** Further permissions that the caller needs for the part. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  'cables devices': ['ports:list'],
  'cables/{cables} devices': ['ports:list'],
  'devices/{devices}/paths devices': ['ports:list'],
  'devices/{devices}/ports?include=peers devices': ['cables:list'],
}

describe.each(onSqlite())('a part of an answer on %s', (dialect) => {
  const all: People = people(dialect)
  let estate: Marked
  beforeAll(async () => {
    estate = await buildMarkedEstate(all)
    // A difference from the documentation, which an item of the inbox shows.
    const host = { ip: '10.77.6.1', mac_address: '02:00:00:00:78:01', hostname: 'other.example' }
    const scan = { scan_type: 'quick', hosts: [host] }
    const at = `POST /api/discovery/networks/${estate.ids.networks}/results`
    expect((await all.admin.ask(at, scan)).status).toBe(201)
  }, 60_000)

  const pathOf = (path: string): string => path.replace(/\{(\w+)\}/g, (_, name: string) => estate.ids[name] ?? 'none')
  const may = (...permissions: string[]): Promise<Person> => all.person({ permissions })
  const textFor = async ({ ask }: Person, path: string): Promise<string> => {
    const answer = await ask(`GET /api/${pathOf(path)}`)
    expect([path, answer.status]).toEqual([path, 200])
    return textOf(answer)
  }

  test.each(PARTS)('with %s, %s needs the list of %s', async (permission, path, resource) => {
    const listed = `${resource}:list`
    const beside = BESIDE[`${path} ${resource}`] ?? []
    const others = permission === 'networks:read' ? ` outer` : ''
    const word = `${wordOf(resource)}${resource === 'networks' ? others : ''}`
    const without = await may(permission, ...beside)
    expect(await textFor(without, path)).not.toContain(word)
    expect(await textFor(await may(permission, ...beside, listed), path)).toContain(word)
  })

  test.each(PARTS.filter(([permission]) => !permission.startsWith('discovery')))(
    'in the past as well: with %s, %s needs the list of %s',
    async (permission, path, resource) => {
      const at = `${path}${path.includes('?') ? '&' : '?'}as_of=0s`
      const beside = BESIDE[`${path} ${resource}`] ?? []
      const word = `${wordOf(resource)}${permission === 'networks:read' && resource === 'networks' ? ' outer' : ''}`
      expect(await textFor(await may(permission, ...beside), at)).not.toContain(word)
      expect(await textFor(await may(permission, ...beside, `${resource}:list`), at)).toContain(word)
    },
  )

  test('answers about an object that exists, and 404 about one that does not', async () => {
    const { ask } = await may('relationships:list', 'networks:read', 'cables:list', 'ports:list')
    expect((await ask(`GET /api/${pathOf('devices/{devices}/related')}`)).body).toEqual([])
    expect((await ask('GET /api/devices/none/related')).status).toBe(404)
    expect((await ask('GET /api/networks/none/tree')).status).toBe(404)
    expect((await ask('GET /api/devices/none/paths')).status).toBe(404)
  })

  test('the heatmap of a pool names no hidden device, and its addresses stay used', async () => {
    const entriesOf = async (...permissions: string[]) => {
      const { body } = await (await may('pools:read', ...permissions)).ask(`GET /api/pools/${estate.ids.pools}/heatmap`)
      return (body as { ip: string; status: string; device_id?: string }[]).filter(({ ip }) => ip === '10.77.6.1')
    }
    expect(await entriesOf()).toEqual([{ ip: '10.77.6.1', status: 'used' }])
    expect(await entriesOf('devices:list')).toEqual([
      { ip: '10.77.6.1', status: 'used', device_id: estate.ids.devices ?? '' },
    ])
  })

  test('the heatmap of a network names no hidden device and no hidden network, and their addresses stay as they are', async () => {
    const entriesOf = async (...permissions: string[]) => {
      const { ask } = await may('networks:read', ...permissions)
      const { body } = await ask(`GET /api/networks/${estate.ids.networks}/heatmap`)
      return (body as { ip: string }[]).filter(({ ip }) => ip === '10.77.6.1' || ip === '10.77.4.7')
    }
    const [inside, used] = [
      { ip: '10.77.4.7', status: 'reserved' },
      { ip: '10.77.6.1', status: 'used' },
    ]
    expect<unknown>(await entriesOf()).toEqual([inside, used])
    expect<unknown>(await entriesOf('devices:list')).toEqual([inside, { ...used, device_id: estate.ids.devices }])
    const [named, other] = await entriesOf('networks:list')
    expect(named).toHaveProperty('network_id')
    expect<unknown>(other).toEqual(used)
  })

  test('free addresses are those of the pools and of the networks that the caller may list', async () => {
    const freeFor = async (...permissions: string[]) =>
      (await (await may(...permissions)).ask('GET /api/addresses/free?limit=50')).body as Record<string, unknown>[]
    const ofPool = { kind: 'pool', id: estate.ids.pools, name: wordOf('pools'), network_id: estate.ids.networks }
    const found = { ip: '10.77.6.3', available_ips: 95 }
    expect<unknown>(await freeFor('pools:list')).toEqual([{ ...ofPool, subnet: '', datacenter_id: null, ...found }])
    const networks = await freeFor('networks:list')
    expect(new Set(networks.map(({ kind }) => kind))).toEqual(new Set(['network']))
    const both = await freeFor('networks:list', 'pools:list')
    expect(both).toHaveLength(networks.length + 1)
    const place = { subnet: '10.77.4.0/22', datacenter_id: estate.ids.datacenters }
    expect<unknown>(both.find(({ kind }) => kind === 'pool')).toEqual({ ...ofPool, ...place, ...found })
    expect((await (await may('devices:list')).ask('GET /api/addresses/free')).status).toBe(403)
  })

  test('is the use of a rack, the networks of a VLAN, the networks in a network and the users of a custom field', async () => {
    const partOf = async (path: string, permissions: readonly string[]): Promise<unknown> =>
      (await (await may(...permissions)).ask(`GET /api/${pathOf(path)}`)).body
    const racks = 'racks?include=usage'
    expect(await partOf(racks, ['racks:list'])).toMatchObject([{ usage: { devices: 0 } }])
    expect(await partOf(racks, ['racks:list', 'devices:list'])).toMatchObject([{ usage: { devices: 2 } }])
    const vlan = 'vlans/{vlans}'
    expect(await partOf(vlan, ['vlans:read'])).toMatchObject({ network_ids: [] })
    const { network_ids } = (await partOf(vlan, ['vlans:read', 'networks:list'])) as { network_ids: string[] }
    expect(network_ids).toHaveLength(3)
    const use = 'networks/{networks}/utilization'
    expect(await partOf(use, ['networks:read'])).not.toHaveProperty('children')
    expect(await partOf(use, ['networks:read', 'networks:list'])).toMatchObject({ children: 1 })
    const fields = 'custom-fields?include=usage'
    expect(await partOf(fields, ['custom-fields:list'])).toMatchObject([{ objects: 0 }])
    expect(await partOf(fields, ['custom-fields:list', 'devices:list'])).toMatchObject([{ objects: 1 }])
  })

  test('is a count of a scope, which is null without the permission', async () => {
    const path = `GET /api/scopes/${estate.ids.scopes}/counts`
    const none = { datacenters: null, networks: null, pools: null, devices: null }
    const counts = async (...permissions: string[]) => {
      const { ask } = await may('scopes:read', 'scopes:list', ...permissions)
      const { body } = await ask(path)
      const listed = (await ask('GET /api/scopes?include=counts')).body as { counts: unknown }[]
      expect(listed.map((one) => one.counts)).toEqual([body])
      return body
    }
    expect(await counts()).toEqual(none)
    expect(await counts('devices:list')).toEqual({ ...none, devices: 2 })
    expect(await counts('networks:list', 'datacenters:list')).toEqual({ ...none, networks: 3, datacenters: 1 })
  })

  test('is in a route without JSON with the same permission', async () => {
    const sent = async (path: string, ...permissions: string[]): Promise<string> => {
      const response = await all.app.send(`GET /api/${pathOf(path)}`, { key: (await may(...permissions)).key })
      expect([path, response.status]).toEqual([path, 200])
      return response.text()
    }
    const svg = 'racks/{racks}/elevation.svg'
    expect(await sent(svg, 'racks:read')).not.toContain(wordOf('devices'))
    expect(await sent(svg, 'racks:read', 'devices:list')).toContain(wordOf('devices'))
    const file = 'estate/export'
    const ofCables = await sent(file, 'cables:list')
    for (const other of ['devices', 'ports', 'networks']) expect(ofCables).not.toContain(wordOf(other))
    expect(ofCables).toContain(estate.ids.ports ?? '')
    expect(await sent(file, 'cables:list', 'ports:list')).toContain(wordOf('ports'))
    expect(await sent(file, 'ports:list')).not.toContain(wordOf('devices'))
  })

  test('a part is withheld from the answer to a write with the ETag that the caller reads as its If-Match', async () => {
    const { ask } = await may('cables:read', 'cables:update', 'vlans:read', 'vlans:update')
    for (const path of [`cables/${estate.ids.cables}`, `vlans/${estate.ids.vlans}`]) {
      const read = await ask(`GET /api/${path}`)
      const headers = { 'If-Match': read.headers.get('etag') ?? '' }
      const written = await ask(`PUT /api/${path}`, { description: `changed ${path}` }, headers)
      expect([path, written.status]).toEqual([path, 200])
      const text = JSON.stringify(written.body)
      for (const other of ['devices', 'ports', 'networks']) expect(text).not.toContain(wordOf(other))
      expect(written.body).toEqual((await ask(`GET /api/${path}`)).body)
    }
  })
})

describe.each(onSqlite())('a caller who may list in a scope only, on %s', (dialect) => {
  const all = people(dialect)
  const estate = halves(all)

  test('finds no object outside in any part', async () => {
    const { own, other, scope } = await estate()
    const everywhere = ['relationships:list', 'racks:read', 'cables:read', 'cables:list', 'networks:read', 'pools:read']
    const person = await all.person({ permissions: everywhere })
    const inScope = await all.role('devices:list', 'ports:list', 'networks:list', 'pools:list')
    const grant = { role_id: inScope.id, user_id: person.id, scope_id: scope }
    expect((await all.admin.ask('POST /api/grants', grant)).status).toBe(201)
    for (const half of [own, other])
      for (const n of [1, 2]) {
        const id = n === 1 ? half.devices : half.child
        const mount = { rack_id: half.racks, position: n }
        expect((await all.admin.ask(`PUT /api/devices/${id}`, { mount })).status).toBe(200)
      }
    const wordsFor = async (path: string): Promise<string[]> => {
      const answer = await person.ask(`GET /api/${path}`)
      expect([path, answer.status]).toEqual([path, 200])
      const words = textOf(answer).match(/\b(?:alpha|omega)[ -](?:machine|guest|pool|net|parent|part|eth|up)\b/g)
      return [...new Set(words)].sort()
    }
    expect(await wordsFor(`devices/${own.devices}/related`)).toEqual(['alpha machine'])
    expect(await wordsFor(`devices/${other.devices}/related`)).toEqual(['alpha machine'])
    expect(await wordsFor(`devices/${other.child}/related`)).toEqual([])
    expect(await wordsFor(`racks/${own.racks}/elevation`)).toEqual(['alpha machine'])
    expect(await wordsFor(`racks/${other.racks}/elevation`)).toEqual([])
    expect(await wordsFor('cables')).toEqual(['alpha machine', 'alpha-up'])
    expect(await wordsFor(`cables/${other.cables}`)).toEqual([])
    expect(await wordsFor(`ports/${other.ports}/trace`)).toEqual([])
    expect(await wordsFor(`networks/${other.networks}/tree`)).toEqual(['omega net'])
    expect(await wordsFor(`networks/${own.networks}/tree`)).toEqual(['alpha net', 'alpha pool'])
    const used = (await person.ask(`GET /api/pools/${own.pools}/heatmap`)).body as { ip: string; device_id?: string }[]
    const named = used.filter(({ device_id }) => device_id !== undefined).map(({ ip }) => ip)
    expect(named).toEqual(expect.arrayContaining(['10.1.0.11', '10.1.0.12']))
    const outside = (await person.ask(`GET /api/pools/${other.pools}/heatmap`)).body as { device_id?: string }[]
    expect(outside.some(({ device_id }) => device_id)).toBe(false)
  })
})
