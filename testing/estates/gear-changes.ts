/** Random racks, device types, ports, cables and custom fields, for `estate-changes.ts`. */

type Gear = 'custom-fields' | 'device-types' | 'racks' | 'ports' | 'cables'

type Dice<Kind extends string> = {
  readonly below: (n: number) => number
  readonly one: <T>(list: readonly T[]) => T
  /** Mostly of a new object; some are gone. */
  readonly idOf: (kind: Kind) => string
  readonly create: (kind: Kind, path: string, body: unknown) => Promise<void>
  readonly send: (method: string, path: string, body?: unknown) => Promise<unknown>
  /** The fields that name the owner and the refs of an object. */
  readonly common: () => object
}

const FIELDS = [
  { resource: 'devices', name: 'owner', type: 'text', searchable: true },
  { resource: 'devices', name: 'serial', type: 'text', unique: true },
  { resource: 'devices', name: 'watts', type: 'integer', maximum: 900 },
  { resource: 'devices', name: 'sites', type: 'reference', reference_to: 'datacenters', multiple: true },
  { resource: 'devices', name: 'home', type: 'reference', reference_to: 'racks' },
  { resource: 'addresses', name: 'ttl', type: 'integer', default: 300 },
  { resource: 'addresses', name: 'peer', type: 'reference', reference_to: 'devices' },
  { resource: 'networks', name: 'owner', type: 'text', searchable: true },
  { resource: 'racks', name: 'tier', type: 'choice', choices: ['a', 'Ö'], default: 'a' },
  { resource: 'ports', name: 'uplink', type: 'boolean' },
  { resource: 'cables', name: 'serial', type: 'text', unique: true },
] as const

const PORTS = ['eth0', 'Gi0/2', 'Gi0/10', 'ETH0', 'psu', '1']

export const gearChanges = <Kind extends string>(dice: Dice<Kind | Gear>) => {
  const { below, one, idOf, create, send, common } = dice
  const values: Readonly<Record<string, () => unknown>> = {
    owner: () => one(['Net', 'Öl', 'ops', null, '']),
    serial: () => one(['s-1', 'S-1', 's-2', 's-3', null]),
    watts: () => one([20, '100', 500, 901, null]),
    sites: () => one([null, [idOf('datacenters' as Kind)], [idOf('datacenters' as Kind), idOf('datacenters' as Kind)]]),
    home: () => one([null, idOf('racks'), idOf('racks')]),
    ttl: () => one([60, '60', null]),
    peer: () => one([null, idOf('devices' as Kind)]),
    tier: () => one(['a', 'Ö', null]),
    uplink: () => one([true, 'false', null]),
  }
  /** Some values of a resource, which has no others; seldom one that no field has. */
  const custom = (resource: (typeof FIELDS)[number]['resource'], least = 0): { custom?: unknown } => {
    const names = FIELDS.filter((field) => field.resource === resource).map(({ name }) => name)
    const some = names.filter(() => below(3) === 0)
    if (some.length < least || below(3) === 0) return below(20) === 0 ? { custom: one([null, { none: 1 }]) } : {}
    return { custom: Object.fromEntries(some.map((name) => [name, values[name]?.()])) }
  }
  const rack = () => ({
    name: one(['R1', 'R2']),
    datacenter_id: one([null, null, idOf('datacenters' as Kind)]),
    height: one([4, 6, 42]),
    first_unit: one([0, 1]),
    numbering: one(['bottom_up', 'top_down']),
    max_power_w: one([null, 500]),
    ...common(),
    ...custom('racks'),
  })
  const mount = () => ({
    rack_id: idOf('racks'),
    position: one([null, 1, 1.5, 2, 3, 4]),
    height: one([undefined, 0.5, 1, 2]),
    face: one(['front', 'rear']),
    full_depth: one([undefined, false]),
    slot: one(['1/1', '1/2', '2/2']),
    power_w: one([undefined, 80]),
  })
  const type = () => ({
    manufacturer: one(['Acme', 'ACME', 'Bcorp']),
    model: one(['S2', 'Panel', 'Öl']),
    height: one([0, 1, 1.5]),
    power_w: one([null, 90]),
    ports: one([[], [{ name: 'eth0' }, { name: 'psu', kind: 'power' }], [{ name: '1', pass_through: true }]]),
    ...common(),
  })
  const port = () => ({
    name: one(PORTS),
    kind: one(['network', 'network', 'power']),
    type: one(['', '1000base-t']),
    speed_mbps: one([null, 1000]),
    mac_address: one(['', '52:54:00:00:00:01', '52:54:00:00:00:02']),
    enabled: one([true, false]),
    parent_id: one([null, null, null, idOf('ports')]),
    pass_through: one([false, false, true]),
    vlan_id: one([null, 1]),
    tagged_vlan_ids: one([[], [2, 1]]),
    ...common(),
    ...custom('ports'),
  })
  const end = () =>
    one([
      { port_id: idOf('ports') },
      { port_id: idOf('ports'), side: 'rear' },
      { device_id: idOf('devices' as Kind), port: one(PORTS) },
    ])
  const cable = () => ({
    type: one(['', 'cat6']),
    label: one(['', 'c-1', 'C-1', 'Ö']),
    length_m: one([null, 1.5]),
    status: one(['connected', 'planned']),
    ...common(),
    ...custom('cables'),
  })
  const partOf = <T extends object>(whole: T): Partial<T> =>
    // Some fields of the object.
    Object.fromEntries(Object.entries(whole).filter(() => below(5) < 2)) as Partial<T>
  const portItem = () =>
    one([
      { op: 'create', port: { device_id: idOf('devices' as Kind), ...port() } },
      { op: 'update', id: idOf('ports'), port: partOf(port()) },
      { op: 'delete', id: idOf('ports') },
    ])
  const newPort = () => create('ports', `/api/devices/${idOf('devices' as Kind)}/ports`, port())
  const newCable = () => create('cables', '/api/cables', { a: end(), b: end(), ...cable() })

  const writes: readonly (readonly [weight: number, write: () => Promise<unknown>])[] = [
    [3, () => create('racks', '/api/racks', rack())],
    [2, () => create('device-types', '/api/device-types', type())],
    [6, newPort],
    [8, newCable],
    [1, () => create('custom-fields', '/api/custom-fields', one(FIELDS))],
    [2, () => send('PUT', `/api/racks/${idOf('racks')}`, partOf(rack()))],
    [1, () => send('PUT', `/api/device-types/${idOf('device-types')}`, partOf(type()))],
    [4, () => send('PUT', `/api/ports/${idOf('ports')}`, partOf(port()))],
    [2, () => send('PUT', `/api/cables/${idOf('cables')}`, partOf(cable()))],
    [6, () => send('PUT', `/api/devices/${idOf('devices' as Kind)}`, { mount: one([null, mount(), mount()]) })],
    [6, () => send('PUT', `/api/devices/${idOf('devices' as Kind)}`, custom('devices', 1))],
    [2, () => send('POST', `/api/device-types/${idOf('device-types')}/apply`, {})],
    [2, () => send('POST', '/api/ports/bulk', { atomic: false, operations: [portItem(), portItem(), portItem()] })],
    [1, () => send('DELETE', `/api/racks/${idOf('racks')}`)],
    [1, () => send('DELETE', `/api/device-types/${idOf('device-types')}`)],
    [2, () => send('DELETE', `/api/ports/${idOf('ports')}`)],
    [1, () => send('DELETE', `/api/cables/${idOf('cables')}`)],
    [1, () => send('DELETE', `/api/custom-fields/${idOf('custom-fields')}?force=true`)],
  ]

  return {
    writes,
    /** The fields of a device that name racks, types and values. */
    ofDevice: () => ({
      ...custom('devices'),
      ...(below(4) === 0 && { mount: mount() }),
      ...(below(4) === 0 && { device_type_id: idOf('device-types') }),
    }),
    ofAddress: () => custom('addresses'),
    ofNetwork: () => custom('networks'),
    begin: async (): Promise<void> => {
      for (const field of FIELDS) await create('custom-fields', '/api/custom-fields', field)
      for (const name of ['R1', 'R2']) await create('racks', '/api/racks', { name, height: 6 })
      await create('device-types', '/api/device-types', {
        manufacturer: 'Acme',
        model: 'S1',
        ports: [{ name: 'eth0' }],
      })
    },
    /** Makes ports and cables of the first devices. */
    connect: async (): Promise<void> => {
      for (let n = 0; n < 3; n++) await newPort()
      for (let n = 0; n < 2; n++) await newCable()
    },
    lists: [
      ...['/api/custom-fields', '/api/custom-fields?resource=devices', '/api/racks', '/api/racks?name=r1'],
      ...[
        '/api/device-types',
        '/api/ports',
        '/api/ports?mac=52:54:00:00:00:02',
        '/api/ports?kind=power',
        '/api/cables',
      ],
      ...['/api/cables?label=c-1', '/api/cables?status=planned&limit=1', '/api/devices?custom.owner=net'],
      ...['/api/devices?custom.watts.min=100&limit=2', '/api/devices?sort=-custom.watts', '/api/racks?custom.tier=a'],
      ...['/api/devices?custom.serial=*', '/api/ports?custom.uplink=true', '/api/cables?custom.serial=s-1'],
      ...['/api/search?q=net', '/api/search?q=%C3%B6l', '/api/devices/search?q=ops', '/api/search?q=525400000001'],
      ...['racks', 'device-types', 'ports', 'cables'].flatMap((list) => [`/api/${list}/nb:1`, `/api/${list}/sn:2`]),
      ...['racks', 'device-types', 'ports', 'cables'].map((list) => `/api/${list}?managed_by=git`),
    ],
    reads: (device: string): string[] => {
      const [rack, port, cable, type] = [idOf('racks'), idOf('ports'), idOf('cables'), idOf('device-types')]
      return [
        ...[`/api/racks/${rack}`, `/api/racks/${rack}/elevation`, `/api/devices?rack_id=${rack}`],
        ...[`/api/ports/${port}`, `/api/ports/${port}/trace`, `/api/cables/${cable}`, `/api/device-types/${type}`],
        ...[`/api/devices/${device}/ports?include=peers`, `/api/devices/${device}/paths`],
        ...[`/api/cables?device_id=${device}`, `/api/custom-fields/${idOf('custom-fields')}`],
      ]
    },
  }
}
