/** A call of each write that a role in a scope allows, about one half of the doubled estate of `halves.ts`. */
import type { Half } from './halves.ts'

/** Where calls are made: a half, and its number in addresses. */
export type Where = {
  readonly ids: Half
  readonly n: 1 | 2
  /** Creates an object as the admin. @returns its id */
  readonly make: (path: string, body: object) => Promise<string>
  /** Changes an object as the admin. */
  readonly put: (path: string, body: object) => Promise<unknown>
  /** Counts the objects of a kind, from 1. */
  readonly count: (kind: string) => number
}

export type WriteCall = { readonly http: string; readonly body?: object }

const inDatacenter = ({ ids, count }: Where, kind: string) => {
  const number = count(kind)
  return { number, draft: { name: `${kind} ${number}`, datacenter_id: ids.datacenters } }
}
const device = (where: Where) => inDatacenter(where, 'device').draft
const rack = (where: Where) => inDatacenter(where, 'rack').draft
const network = (where: Where) => {
  const { number, draft } = inDatacenter(where, 'network')
  // In no network: one of both halves holds all addresses that begin with 10.
  return { ...draft, subnet: `172.${16 + where.n}.${number}.0/24` }
}
const vlan = (where: Where) => {
  const { number, draft } = inDatacenter(where, 'vlan')
  return { ...draft, vlan_id: 100 + number }
}
const pool = ({ n, count }: Where) => {
  const number = count('pool')
  const ip = `10.${n}.0.${120 + number}`
  return { name: `pool ${number}`, start_ip: ip, end_ip: ip }
}
const port = ({ count }: Where) => ({ name: `port ${count('port')}` })
const cable = ({ ids, count }: Where) => {
  const port = `cabled ${count('cable')}`
  return { a: { device_id: ids.devices, port }, b: { device_id: ids.child, port } }
}
const reservation = ({ n, count }: Where) => ({ ip_address: `10.${n}.0.${70 + count('reservation')}`, purpose: 'x' })

const change = (path: string, id: string | undefined, body: object): WriteCall => ({
  http: `PUT /api/${path}/${id}`,
  body,
})
const removal = (path: string, id: string | undefined): WriteCall => ({ http: `DELETE /api/${path}/${id}` })

type Items = { readonly noun: string; readonly id: string | undefined; readonly gone: string; readonly draft: object }

const bulk = (path: string, { noun, id, gone, draft }: Items): WriteCall => ({
  http: `POST /api/${path}/bulk`,
  body: {
    operations: [
      { op: 'create', [noun]: draft },
      { op: 'update', id, [noun]: { description: 'in bulk' } },
      { op: 'delete', id: gone },
    ],
  },
})

/** Keyed by the operation, and a word where one operation has several cases. */
export const HALF_WRITES: Readonly<Record<string, (where: Where) => WriteCall | Promise<WriteCall>>> = {
  'datacenters.update': ({ ids }) => change('datacenters', ids.datacenters, { location: 'here' }),
  'vlans.create': (where) => ({ http: 'POST /api/vlans', body: vlan(where) }),
  'vlans.update': ({ ids }) => change('vlans', ids.vlans, { description: 'x' }),
  'vlans.delete': async (where) => removal('vlans', await where.make('vlans', vlan(where))),
  'networks.create': (where) => ({ http: 'POST /api/networks', body: network(where) }),
  'networks.update': ({ ids }) => change('networks', ids.networks, { description: 'x' }),
  'networks.delete': async (where) => removal('networks', await where.make('networks', network(where))),
  'networks.bulk': async (where) => {
    const gone = await where.make('networks', network(where))
    return bulk('networks', { noun: 'network', id: where.ids.networks, gone, draft: network(where) })
  },
  'networks.allocate': async (where) => {
    const id = await where.make('networks', network(where))
    return { http: `POST /api/networks/${id}/allocate`, body: { prefix_length: 28 } }
  },
  'networks.split': async (where) => {
    const id = await where.make('networks', network(where))
    return { http: `POST /api/networks/${id}/split`, body: { prefix_length: 25 } }
  },
  'networks.merge': async (where) => {
    const { subnet, ...rest } = network(where)
    const low = await where.make('networks', { ...rest, subnet: subnet.replace('.0/24', '.0/25') })
    const high = await where.make('networks', { ...rest, subnet: subnet.replace('.0/24', '.128/25') })
    return { http: 'POST /api/networks/merge', body: { network_ids: [low, high] } }
  },
  'pools.create': (where) => ({ http: `POST /api/networks/${where.ids.networks}/pools`, body: pool(where) }),
  'pools.update': ({ ids }) => change('pools', ids.pools, { description: 'x' }),
  'pools.delete': async (where) =>
    removal('pools', await where.make(`networks/${where.ids.networks}/pools`, pool(where))),
  'reservations.create': (where) => ({
    http: `POST /api/pools/${where.ids.pools}/reservations`,
    body: reservation(where),
  }),
  'reservations.update': ({ ids }) => change('reservations', ids.reservations, { notes: 'x' }),
  'reservations.delete': async (where) =>
    removal('reservations', await where.make(`pools/${where.ids.pools}/reservations`, reservation(where))),
  'reservations.allocate': ({ ids }) => ({ http: `POST /api/pools/${ids.pools}/allocate`, body: { count: 2 } }),
  'reservations.allocate for a device': ({ ids }) => ({
    http: `POST /api/pools/${ids.pools}/allocate`,
    body: { device_id: ids.child },
  }),
  'racks.create': (where) => ({ http: 'POST /api/racks', body: rack(where) }),
  'racks.update': ({ ids }) => change('racks', ids.racks, { description: 'x' }),
  'racks.delete': async (where) => removal('racks', await where.make('racks', rack(where))),
  'devices.create': (where) => ({ http: 'POST /api/devices', body: device(where) }),
  'devices.update': ({ ids }) => change('devices', ids.devices, { description: 'x' }),
  'devices.delete': async (where) => removal('devices', await where.make('devices', device(where))),
  'devices.bulk': async (where) => {
    const gone = await where.make('devices', device(where))
    return bulk('devices', { noun: 'device', id: where.ids.devices, gone, draft: device(where) })
  },
  'ports.create': (where) => ({ http: `POST /api/devices/${where.ids.devices}/ports`, body: port(where) }),
  'ports.update': ({ ids }) => change('ports', ids.ports, { description: 'x' }),
  'ports.delete': async (where) =>
    removal('ports', await where.make(`devices/${where.ids.devices}/ports`, port(where))),
  'ports.bulk': async (where) => {
    const gone = await where.make(`devices/${where.ids.devices}/ports`, port(where))
    const draft = { ...port(where), device_id: where.ids.devices }
    return bulk('ports', { noun: 'port', id: where.ids.ports, gone, draft })
  },
  'ports.adopt': ({ ids }) => ({ http: `POST /api/devices/${ids.devices}/ports/adopt`, body: {} }),
  'device-types.apply': async (where) => {
    const type = { manufacturer: 'x', model: `type ${where.n}.${where.count('type')}` }
    const id = await where.make('device-types', type)
    const one = await where.make('devices', { ...device(where), device_type_id: id })
    await where.put(`device-types/${id}`, { ports: [port(where)] })
    return { http: `POST /api/device-types/${id}/apply`, body: { device_ids: [one] } }
  },
  'cables.create': (where) => ({ http: 'POST /api/cables', body: cable(where) }),
  'cables.update': ({ ids }) => change('cables', ids.cables, { description: 'x' }),
  'cables.delete': async (where) => removal('cables', await where.make('cables', cable(where))),
  'cables.bulk': async (where) => {
    const gone = await where.make('cables', cable(where))
    return bulk('cables', { noun: 'cable', id: where.ids.cables, gone, draft: cable(where) })
  },
  'relationships.create': ({ ids }) => ({
    http: `POST /api/devices/${ids.devices}/relationships`,
    body: { child_id: ids.child, type: 'depends_on' },
  }),
  'relationships.delete': async (where) => {
    const child = await where.make('devices', device(where))
    await where.make(`devices/${where.ids.devices}/relationships`, { child_id: child, type: 'contains' })
    return { http: `DELETE /api/devices/${where.ids.devices}/relationships/${child}/contains` }
  },
}
