/** Random writes to the estate by a seed, and the reads that they may affect. Many of the writes are refused. */
import { INVENTORY, type Resource } from '../../src/inventory/resources.ts'
import type { TestCaller } from '../app/app.ts'
import { buildTextChange, createExamples } from './examples.ts'
import { gearChanges } from './gear-changes.ts'
import { KINDS } from './kinds.ts'

/** Numbers that follow from a seed (mulberry32). */
const randomOf = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const SUBNETS = [
  ...['10.0.0.0/8', '10.1.0.0/16', '10.1.2.0/24', '10.1.2.0/25', '10.1.2.64/26', '10.1.2.96/30', '10.1.3.0/24'],
  ...['10.1.0.0/22', '10.1.2.0/24', '2001:db8::/32', '2001:db8:1::/48', '2001:db8:1::/61', '2001:db8:1:4::/64'],
]
const IPS = [
  ...[
    '10.1.2.1',
    '10.1.2.65',
    '10.1.2.70',
    '10.1.2.97',
    '10.1.2.98',
    '10.1.2.130',
    '10.1.3.4',
    '10.1.0.9',
    '10.200.0.1',
  ],
  ...['192.0.2.7', '2001:db8:1::5', '2001:db8:1:4::1', '2001:db8:2::1', '2001:db8:1:7::9'],
]
const NAMES = ['web', 'Web-01', 'db', 'Łódź', 'ÉCLAIR', 'größe', '東京', 'srv%_x', 'a.b-c', 'WEB']
const TAGS = ['Prod', 'édge', 'a', 'b-1']
const DOMAINS = ['Web.example.com', 'db.example.com', '*.lab.example']
const STATUSES = ['planned', 'active', 'maintenance']
const OWNERS = ['', 'git', 'git/ams']
const TYPES = ['contains', 'connected_to', 'depends_on']

type Kind = Resource

export const estateChanges = (caller: Pick<TestCaller, 'request'>, seed: number, now: () => number) => {
  const random = randomOf(seed)
  const below = (n: number): number => Math.floor(random() * n)
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T
  const some = <T>(list: readonly T[], most: number): T[] => Array.from({ length: below(most + 1) }, () => one(list))
  const maybe = <T>(value: T, share = 0.4): T | null => (random() < share ? value : null)
  const ids = Object.fromEntries(INVENTORY.map((kind) => [kind, [] as string[]])) as Record<Kind, string[]>
  /** Mostly of a new one; some are gone. */
  const idOf = (kind: Kind): string => (random() < 0.1 ? 'none' : one(['none', ...ids[kind].slice(-5), ...ids[kind]]))

  const send = async (method: string, path: string, body?: unknown) => {
    const response = await caller.request(method, path, body)
    const text = await response.text()
    if (response.status >= 500) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    // Writes answer with JSON, imports with lines.
    const answer = text.startsWith('{') && !text.includes('\n') ? (JSON.parse(text) as Record<string, unknown>) : {}
    return { isDone: response.status < 300, answer }
  }
  const create = async (kind: Kind, path: string, body: unknown): Promise<void> => {
    const { isDone, answer } = await send('POST', path, body)
    const made = kind === 'reservations' && Array.isArray(answer.reservations) ? answer.reservations : [answer]
    if (isDone) ids[kind].push(...made.map(({ id }) => String(id)))
  }
  /** Mostly the default space. */
  const space = () => one([null, null, 'default', idOf('spaces')])
  const refs = () => ({ [one(['nb', 'sn'])]: random() < 0.2 ? null : one(['1', '2', '3', 'ü/1']) })
  const maybeRefs = () => (random() < 0.3 ? refs() : undefined)
  const gear = gearChanges<Kind>({
    ...{ below, one, idOf, create, send },
    common: () => ({ managed_by: one(OWNERS), refs: maybeRefs() }),
  })
  const address = () => {
    const ip = one(IPS)
    const isPooled = ip.startsWith('10.1.2.6') || ip.startsWith('10.1.2.9')
    return {
      ip,
      network_id: maybe(idOf('networks'), 0.15),
      pool_id: isPooled ? maybe(idOf('pools'), 0.3) : null,
      mac_address: one(['', '52:54:00:00:00:01', '52:54:00:00:00:02']),
      interface: one(['', 'eth0']),
      dns_name: one(['', '', 'mail.lab.example', 'relay.lab.example']),
      ...(random() < 0.3 && { space_id: space() }),
      ...gear.ofAddress(),
    }
  }
  const device = () => ({
    name: one(NAMES),
    hostname: random() < 0.5 ? one(['WEB.example.com', 'db-1', 'db-1.lab']) : '',
    status: one(STATUSES),
    description: one(['', 'Straße 5', 'rack 50%_']),
    datacenter_id: maybe(idOf('datacenters'), 0.3),
    tags: some(TAGS, 3),
    domains: some(DOMAINS, 2),
    addresses: some([0, 0, 0], 3).map(address),
    managed_by: one(OWNERS),
    refs: maybeRefs(),
    ...gear.ofDevice(),
  })
  const network = () => ({
    name: one(NAMES),
    subnet: one(SUBNETS),
    vlan_id: maybe(1 + below(3)),
    datacenter_id: maybe(idOf('datacenters')),
    managed_by: one(OWNERS),
    refs: maybeRefs(),
    space_id: space(),
    ...gear.ofNetwork(),
  })
  const vlan = () => ({
    vlan_id: 1 + below(3),
    name: one(NAMES),
    group: one(['', 'Ärger', 'b']),
    datacenter_id: maybe(idOf('datacenters')),
    managed_by: one(OWNERS),
    refs: maybeRefs(),
  })
  const range = () =>
    one([
      ['10.1.2.60', '10.1.2.99'],
      ['10.1.3.1', '10.1.3.9'],
      ['2001:db8:1::1', '2001:db8:1::ff'],
    ])
  const pool = () => {
    const [start_ip, end_ip] = range()
    return { name: one(NAMES), start_ip, end_ip, tags: some(TAGS, 2), managed_by: one(OWNERS), refs: maybeRefs() }
  }
  const partOf = <T extends object>(whole: T): Partial<T> =>
    // Some fields of the object.
    Object.fromEntries(Object.entries(whole).filter(() => random() < 0.4)) as Partial<T>
  const expiry = () => maybe(new Date(now() + 60_000 * (1 + below(240))).toISOString())
  const bulkItem = () =>
    one([
      { op: 'create', device: device() },
      { op: 'update', id: idOf('devices'), device: partOf(device()) },
      { op: 'delete', id: idOf('devices') },
    ])

  const counts: Record<string, number> = {}
  const build = (resource: Kind) => {
    const others = Object.fromEntries(INVENTORY.map((kind) => [kind, idOf(kind)]))
    return createExamples({ ...others, child: idOf('devices') }, counts).build(resource)
  }
  const ofExample = (resource: Kind): [path: string, body: object] => {
    const { path, body } = build(resource)
    return [path, { ...body, managed_by: one(OWNERS), refs: maybeRefs() }]
  }
  const ofKinds: readonly (readonly [weight: number, write: () => Promise<unknown>])[] = KINDS.flatMap(
    ({ resource, facts, path }) => [
      [1, () => create(resource, ...ofExample(resource))] as const,
      [
        1,
        () => {
          const change = { ...buildTextChange(facts, one(NAMES)), managed_by: one(OWNERS), refs: maybeRefs() }
          return send('PUT', `${path}/${idOf(resource)}`, change)
        },
      ] as const,
      [
        1,
        () => send('DELETE', `${path}/${idOf(resource)}${resource === 'custom-fields' ? '?force=true' : ''}`),
      ] as const,
    ],
  )

  const writes: readonly (readonly [weight: number, write: () => Promise<unknown>])[] = [
    [
      2,
      () =>
        create('datacenters', '/api/datacenters', {
          ...{ name: one(NAMES), location: one(['', 'Köln', 'Rack 1']) },
          ...(random() < 0.4 && { parent_id: idOf('datacenters') }),
        }),
    ],
    [2, () => send('PUT', `/api/datacenters/${idOf('datacenters')}`, { parent_id: maybe(idOf('datacenters'), 0.7) })],
    [2, () => create('spaces', '/api/spaces', { name: one(NAMES), reachable: random() < 0.5, refs: maybeRefs() })],
    [2, () => send('PUT', `/api/spaces/${idOf('spaces')}`, { name: one(NAMES), description: one(['', 'ü']) })],
    [3, () => send('PUT', `/api/networks/${idOf('networks')}`, { space_id: space() })],
    [6, () => create('networks', '/api/networks', network())],
    [3, () => create('vlans', '/api/vlans', vlan())],
    [4, () => create('pools', `/api/networks/${idOf('networks')}/pools`, pool())],
    [9, () => create('devices', '/api/devices', device())],
    [
      3,
      () =>
        create('reservations', `/api/pools/${idOf('pools')}/reservations`, {
          ip_address: one(IPS),
          hostname: one(['', 'db-1']),
          mac_address: one(['', '52:54:00:00:00:02', '5254.0000.0003']),
          expires_at: expiry(),
          managed_by: one(OWNERS),
        }),
    ],
    [
      2,
      () =>
        create('reservations', `/api/pools/${idOf('pools')}/allocate`, { count: 1 + below(2), expires_at: expiry() }),
    ],
    [
      3,
      () =>
        send('POST', `/api/devices/${idOf('devices')}/relationships`, {
          child_id: idOf('devices'),
          type: one(TYPES),
          notes: one(['', 'ü']),
          managed_by: one(OWNERS),
        }),
    ],
    [9, () => send('PUT', `/api/devices/${idOf('devices')}`, partOf(device()))],
    [3, () => send('PUT', `/api/devices/nb:${one(['1', '2', '3'])}`, device())],
    [1, () => send('PUT', '/api/datacenters/nb:1', { name: one(NAMES) })],
    [5, () => send('PUT', `/api/networks/${idOf('networks')}`, partOf(network()))],
    [2, () => send('PUT', `/api/pools/${idOf('pools')}`, partOf(pool()))],
    [2, () => send('PUT', `/api/vlans/${idOf('vlans')}`, partOf(vlan()))],
    [
      1,
      () =>
        send('PUT', `/api/reservations/${idOf('reservations')}`, {
          notes: 'later',
          ...one([{}, { mac_address: null }, { mac_address: '52-54-00-00-00-02' }]),
          expires_at: expiry(),
          refs: maybeRefs(),
        }),
    ],
    [3, () => send('DELETE', `/api/devices/${idOf('devices')}`)],
    [3, () => send('DELETE', `/api/networks/${idOf('networks')}`)],
    [1, () => send('DELETE', `/api/devices/${idOf('devices')}/relationships/${idOf('devices')}/${one(TYPES)}`)],
    [3, () => send('POST', '/api/devices/bulk', { atomic: false, operations: [bulkItem(), bulkItem(), bulkItem()] })],
    [2, () => send('POST', '/api/estate/import?resource=devices', [device(), { ...device(), id: idOf('devices') }])],
    [
      1,
      () => send('POST', '/api/estate/import?resource=networks', [network(), { ...network(), id: idOf('networks') }]),
    ],
  ]
  const all = [...ofKinds, ...writes, ...gear.writes].flatMap(([weight, write]) =>
    Array.from({ length: weight }, () => write),
  )

  const lists = [
    ...gear.lists,
    ...['/api/devices?status=active', '/api/devices?tags=Prod', '/api/devices?tags=Prod&tags=a&limit=2'],
    ...['/api/networks?include=utilization', '/api/networks?name=web', '/api/networks?vlan_id=1&limit=2'],
    ...['/api/pools?include=utilization', '/api/pools?tags=a', '/api/vlans?vlan_id=1&limit=1&offset=1'],
    ...['/api/vlans?group=%C3%A4rger', '/api/vlans?name=web'],
    ...INVENTORY.flatMap((list) => [`/api/${list}`, `/api/${list}?limit=2&offset=1`, `/api/${list}?managed_by=git`]),
    ...KINDS.flatMap(({ path }) => ['nb:1', 'sn:2', 'nb:%C3%BC%2F1'].map((ref) => `${path}/${ref}`)),
    ...['/api/devices?datacenter_id=nb:1', '/api/networks/sn:2/devices'],
    ...['/api/devices?managed_by=git%2Fams&status=active&limit=2'],
    ...[
      '/api/networks?space_id=default',
      '/api/devices?space_id=default&limit=2',
      '/api/datacenters?name=web',
      '/api/devices/search?q=10.1.0.0%2F16',
    ],
    ...[
      'web',
      'łódź',
      'prod 10.1',
      'db example',
      '50%25_',
      '2001:db8:1',
      '10.1.2.65',
      'e',
      'xyz',
      'mail.lab',
      '52-54-00-00-00-01',
      '525400000002',
    ].map((q) => `/api/devices/search?q=${encodeURIComponent(decodeURIComponent(q))}`),
    ...['web', '10.1.2.65', '10.1.2.0/24', 'köln', 'prod'].map((q) => `/api/search?q=${encodeURIComponent(q)}`),
    ...['10.1.2.65', '10.1.2.99', '10.1.2.0/24', '10.1.0.0/16', '10.1.2.64/28', '2001:db8:1::5', '2001:db8:1::/48'].map(
      (query) => `/api/lookup/${encodeURIComponent(query)}`,
    ),
    ...[
      '/api/lookup/db-1',
      '/api/lookup/mail.lab.example',
      '/api/lookup/52:54:00:00:00:02',
      '/api/lookup/web.example.com',
      '/api/lookup/192.0.2.9',
    ],
  ]

  return {
    /** Makes something to begin with. */
    begin: async (): Promise<void> => {
      await create('datacenters', '/api/datacenters', { name: 'Kraków' })
      await create('spaces', '/api/spaces', { name: 'lab' })
      await gear.begin()
      for (const subnet of ['10.1.0.0/16', '10.1.2.0/24', '2001:db8::/32'])
        await create('networks', '/api/networks', { name: one(NAMES), subnet })
      await create('pools', `/api/networks/${ids.networks[1]}/pools`, {
        ...pool(),
        start_ip: '10.1.2.60',
        end_ip: '10.1.2.99',
      })
      for (const name of ['web', 'db']) await create('devices', '/api/devices', { name, addresses: [{ ip: one(IPS) }] })
      await gear.connect()
      for (const { resource } of KINDS) if (ids[resource].length === 0) await create(resource, ...ofExample(resource))
    },
    /** Writes something. */
    change: async (): Promise<void> => void (await one(all)()),
    /** Returns the paths of reads: some lists, and some objects, which may be gone. */
    reads: (): string[] => {
      const [network, pool, device] = [idOf('networks'), idOf('pools'), idOf('devices')]
      const [datacenter, space] = [idOf('datacenters'), idOf('spaces')]
      return [
        ...lists.filter(() => random() < 0.2),
        ...gear.reads(device),
        ...KINDS.map(({ resource, path }) => `${path}/${idOf(resource)}`),
        ...[`/api/networks/${network}/devices`, `/api/networks/${network}/utilization`],
        ...[`/api/devices?network_id=${network}&limit=2`, `/api/devices?network_id=${network}&tags=a`],
        ...[`/api/networks/${network}/pools`, `/api/pools/${pool}/heatmap`],
        ...[
          `/api/pools/${pool}/reservations`,
          `/api/datacenters/${datacenter}/devices`,
          `/api/devices?datacenter_id=${datacenter}`,
        ],
        ...['10.1.2.65', '10.1.2.0%2F24'].map((query) => `/api/lookup/${query}?space_id=${space}`),
        ...[`/api/networks?space_id=${space}`, `/api/devices?space_id=${space}`],
        ...[`/api/devices/${device}/relationships?include=names`, `/api/vlans?datacenter_id=${datacenter}`],
        ...[`/api/datacenters?within=${datacenter}`, `/api/datacenters?parent_id=${datacenter}`],
        ...[`/api/racks?datacenter_id=${datacenter}`, `/api/networks?datacenter_id=${datacenter}`],
        ...[`/api/devices/${device}/related`, `/api/devices/${device}/related?type=contains`],
      ]
    },
  }
}
