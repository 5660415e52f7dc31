// Lookup and search reveal nothing about objects that the caller may not list: no name, id, count, state or flag.
// Adding objects of some kinds changes no answer for callers who may list none of these kinds.
import { beforeAll, describe, expect, test } from 'bun:test'
import type { TestCaller } from '../../../testing/app/app.ts'
import { discoveryApp } from '../../../testing/discovery.ts'
import { ask } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const KINDS = [
  ...([
    'networks:list',
    'pools:list',
    'datacenters:list',
    'devices:list',
    'discovery:list',
    'reservations:list',
  ] as const),
  ...(['relationships:list', 'conflicts:list', 'audit:list'] as const),
]
type Kind = (typeof KINDS)[number]

/** None, each one, all but one, and some between; the same in each run. */
const SUBSETS: readonly (readonly Kind[])[] = [
  [],
  ...KINDS.map((kind) => [kind]),
  ...KINDS.map((kind) => KINDS.filter((other) => other !== kind)),
  ...Array.from({ length: 8 }, (_, seed) => KINDS.filter((_, i) => ((seed * 37 + 11) >> (i % 7)) & 1)),
]

const LOOKUPS = [
  ...['10.0.1.10', '10.0.1.20', '10.0.1.30', '10.0.1.0', '10.0.1.255', '10.0.9.9', '10.0.1.99', '2001:db8:1::10'],
  ...['10.0.1.0/24', '10.0.1.8/29', '10.0.0.0/8', '10.0.2.0/24', '0.0.0.0/0', '2001:db8::/32'],
  ...['web-01', 'web-01.example.com', 'new-01.example.com', 'printer-7.example.com', '00:1b:21:00:00:0a'],
]
const SEARCHES = [
  'web',
  'servers',
  'static',
  'dublin',
  'printer',
  '10.0.1.10',
  '10.0.1.30',
  '10.0.0.0/8',
  'example.com',
]
const PATHS = [
  ...LOOKUPS.map((query) => `GET /api/lookup/${encodeURIComponent(query)}`),
  ...SEARCHES.map((q) => `GET /api/search?q=${encodeURIComponent(q)}`),
]

describe.each(onSqlite())('an object that may not be listed, on %s', (dialect) => {
  const inv = discoveryApp(dialect, { AUDIT_ENABLED: 'true' })
  /** The ids of the created objects, by name. */
  const ids: Record<string, string> = {}
  const made = async (name: string, object: Promise<{ id: string }>): Promise<void> => {
    ids[name] = (await object).id
  }
  const idOf = (name: string): string => ids[name] ?? ''
  const network = (name: string, subnet: string) =>
    made(name, inv.api.networks.create({ name, subnet, datacenter_id: idOf('Dublin') }))
  const device = (name: string, ip: string, more: object = {}) =>
    made(name, inv.api.devices.create({ name, addresses: [{ ip }], ...more }))
  const found = (...hosts: readonly { ip: string; mac_address?: string; hostname?: string }[]) =>
    inv.ask(`POST /api/discovery/networks/${idOf('Servers')}/results`, { scan_type: 'quick', hosts })

  /** The objects that are added in order, and the kinds that each step creates or changes. */
  const STEPS: readonly {
    readonly what: string
    readonly kinds: readonly Kind[]
    readonly add: () => Promise<unknown>
  }[] = [
    {
      what: 'a datacenter',
      kinds: ['datacenters:list'],
      add: () => made('Dublin', inv.api.datacenters.create({ name: 'Dublin', location: 'web servers' })),
    },
    {
      what: 'networks',
      kinds: ['networks:list'],
      add: async () => {
        await network('Campus', '10.0.0.0/16')
        await network('Servers', '10.0.1.0/24')
        await network('Six', '2001:db8:1::/64')
        for (let n = 0; n < 30; n++) await network(`web ${n}`, `10.9.${n}.0/24`)
      },
    },
    {
      what: 'a pool',
      kinds: ['pools:list'],
      add: () =>
        made(
          'Static',
          inv.api.pools.create({
            network_id: idOf('Servers'),
            name: 'Static',
            start_ip: '10.0.1.1',
            end_ip: '10.0.1.99',
          }),
        ),
    },
    {
      what: 'what a scan has found',
      kinds: ['discovery:list'],
      add: () =>
        found(
          { ip: '10.0.1.10', mac_address: '00:1b:21:00:00:0a', hostname: 'web-01.example.com' },
          { ip: '10.0.1.30', mac_address: '00:1b:21:00:00:0b', hostname: 'printer-7.example.com' },
        ),
    },
    {
      what: 'devices, one of which was found',
      kinds: ['devices:list', 'discovery:list'],
      add: async () => {
        await device('web-01', '10.0.1.10', { hostname: 'web-01.example.com', datacenter_id: idOf('Dublin') })
        await device('db-01', '10.0.1.11')
        await device('twin-a', '10.0.9.9')
        await device('web-06', '2001:db8:1::10')
      },
    },
    { what: 'another device', kinds: ['devices:list'], add: () => device('web-02', '10.0.1.99') },
    {
      what: 'a device that is in conflict',
      kinds: ['devices:list', 'conflicts:list'],
      add: () => device('twin-b', '10.0.9.9'),
    },
    {
      what: 'a reservation',
      kinds: ['reservations:list'],
      add: () =>
        made(
          'new-01',
          inv.api.reservations.create({
            pool_id: idOf('Static'),
            ip_address: '10.0.1.20',
            hostname: 'new-01.example.com',
          }),
        ),
    },
    {
      what: 'a relationship',
      // The entry is filed under the device, and audit:list shows the whole trail.
      kinds: ['relationships:list', 'audit:list'],
      add: () =>
        inv.api.relationships.create({ device_id: idOf('web-01'), child_id: idOf('db-01'), type: 'depends_on' }),
    },
  ]

  type Person = { readonly may: ReadonlySet<Kind>; readonly caller: TestCaller }
  let people: Person[] = []
  let writer: Person
  const answers = async ({ caller }: Person): Promise<readonly unknown[]> => {
    const all: unknown[] = []
    for (const path of PATHS) {
      const { status, body, etag } = await ask(caller, path)
      all.push({ path, status, body, etag })
    }
    return all
  }

  beforeAll(async () => {
    people = []
    // The rules are the same on both databases: a third of the subsets on PostgreSQL.
    for (const subset of dialect === 'sqlite' ? SUBSETS : SUBSETS.filter((_, i) => i % 3 === 0))
      people.push({ may: new Set(subset), caller: await inv.app.as(['search:read', ...subset]) })
    // The actions to allocate free space depend on write permissions, and must not reveal anything either.
    const creates = ['devices:create', 'reservations:create', 'networks:create', 'devices:read', 'networks:read']
    writer = { may: new Set(), caller: await inv.app.as(['search:read', ...creates]) }
    people.push(writer)
  }, 60_000)

  test('changes no answer when it is added', async () => {
    const before = new Map<Person, readonly unknown[]>()
    for (const person of people) before.set(person, await answers(person))
    let compared = 0
    for (const { what, kinds, add } of STEPS) {
      await add()
      for (const person of people) {
        const now = await answers(person)
        if (!kinds.some((kind) => person.may.has(kind))) {
          compared++
          expect({ what, may: [...person.may], answers: now }).toEqual({
            what,
            may: [...person.may],
            answers: before.get(person) ?? [],
          })
        }
        before.set(person, now)
      }
    }
    expect(compared).toBeGreaterThan(STEPS.length * 5)
  }, 240_000)

  // All objects exist from here on.
  const as = async (...permissions: string[]) => (await inv.app.as(['search:read', ...permissions])).api
  const EVERYTHING = [
    'datacenters',
    ...[
      'networks',
      'inside',
      'pools',
      'devices',
      'discovered',
      'reservations',
      'relationships',
      'conflicts',
      'changes',
    ],
  ]
  const partsIn = (answer: object): string[] => EVERYTHING.filter((part) => part in answer)

  test('a hidden object is found neither by only search:read nor by reading single objects', async () => {
    for (const path of PATHS) {
      const { body } = await ask(writer.caller, path)
      expect(partsIn(body as object)).toEqual([])
      if (path.includes('/search')) expect(body).toEqual({ results: [] })
      else expect(body).toMatchObject({ known: path.includes('%2F') ? expect.any(Boolean) : false, more: [] })
    }
  })

  test.each([
    ['networks:list', '10.0.1.10', ['networks']],
    ['networks:list', '10.0.0.0/8', ['inside']],
    ['pools:list', '10.0.1.10', ['pools']],
    ['pools:list', '10.0.0.0/8', ['pools']],
    ['devices:list', '10.0.1.10', ['devices']],
    ['devices:list', '10.0.1.0/24', ['devices']],
    ['devices:list', 'web-01', ['devices']],
    ['discovery:list', '10.0.1.30', ['discovered']],
    ['discovery:list', '10.0.1.10', ['discovered']],
    ['discovery:list', '10.0.1.0/24', ['discovered']],
    ['discovery:list', '00:1b:21:00:00:0a', ['discovered']],
    ['reservations:list', '10.0.1.20', ['reservations']],
    ['conflicts:list', '10.0.9.9', ['conflicts']],
    ['relationships:list', '10.0.1.10', []],
    ['datacenters:list', '10.0.1.10', []],
    ['audit:list', '10.0.1.10', []],
  ])('the permission %s shows of %s: %j', async (permission, query, parts) => {
    expect(partsIn(await (await as(permission)).lookup.show({ query }))).toEqual(parts)
  })

  test.each([
    [['devices:list'], '10.0.1.10', 'assigned'],
    [['networks:list'], '10.0.1.10', 'free'],
    [['discovery:list'], '10.0.1.10', 'discovered'],
    [['networks:list', 'reservations:list'], '10.0.1.10', 'free'],
    [['reservations:list'], '10.0.1.20', 'reserved'],
    [['networks:list', 'devices:list'], '10.0.1.20', 'free'],
    [['networks:list'], '10.0.1.0', 'network_address'],
    [['devices:list'], '10.0.1.0', 'outside'],
    [['devices:list'], '10.0.1.0/24', 'assigned'],
    [['networks:list'], '10.0.1.0/24', 'network'],
    [['reservations:list'], '10.0.1.8/29', 'outside'],
  ])('with %j the state of %s is %s', async (permissions, query, state) => {
    expect((await (await as(...permissions)).lookup.show({ query })).state).toBe(state as never)
  })

  test.each([
    [['devices:list', 'reservations:list'], 4],
    [['devices:list'], 3],
    [['reservations:list'], 1],
    [['networks:list'], 0],
  ])('with %j so many addresses of a network are taken: %i', async (permissions, taken) => {
    expect((await (await as(...permissions)).lookup.show({ query: '10.0.1.0/24' })).taken).toBe(taken)
  })

  test.each([
    ['networks:list', 'network'],
    ['pools:list', 'pool'],
    ['datacenters:list', 'datacenter'],
    ['devices:list', 'device'],
    ['discovery:list', 'discovered_device'],
  ])('only the permission %s finds %s and nothing else', async (permission, type) => {
    const api = await as(permission)
    const found = await Promise.all(SEARCHES.map((q) => api.search.all({ q })))
    const types = new Set(found.flatMap(({ results }) => results.map((one) => one.type)))
    expect([...types]).toEqual([type as never])
  })
})
