/** A call of each write that a role in a scope allows, about one half of the doubled estate of `halves.ts`. */
import type { Resource } from '../../src/inventory/resources.ts'
import { isInScopes } from '../../src/resource/facts.ts'
import { buildTextChange, type Create } from '../estates/examples.ts'
import { KINDS } from '../estates/kinds.ts'
import { COMMON_KIND, type Half } from './halves.ts'

/** Where calls are made: a half, and its number in addresses. */
export type Where = {
  readonly ids: Half
  readonly n: 1 | 2
  /** Returns a create with the values of the facts, about objects of the half. */
  readonly build: (resource: Resource) => Create
  /** Creates an object as the admin. @returns its id */
  readonly make: (path: string, body: object) => Promise<string>
  /** Changes an object as the admin. */
  readonly put: (path: string, body: object) => Promise<unknown>
  /** Counts the objects of a kind, from 1. */
  readonly count: (kind: string) => number
}

export type WriteCall = { readonly http: string; readonly body?: object }

type Drafts = Readonly<Partial<Record<Resource, (where: Where) => object>>>

/** Drafts with addresses that are free in the half, and devices that stay in it. The other resources have drafts from their facts. */
const DRAFTS: Drafts = {
  devices: ({ ids, count }) => ({ name: `device ${count('device')}`, datacenter_id: ids.datacenters }),
  networks: ({ n, ids, count }) => {
    const number = count('network')
    // In no network: one of both halves holds all addresses that begin with 10.
    const subnet = `172.${16 + n}.${number}.0/24`
    return { name: `network ${number}`, datacenter_id: ids.datacenters, subnet }
  },
  pools: ({ n, count }) => {
    const ip = `10.${n}.0.${120 + count('pool')}`
    return { name: `pool ${ip}`, start_ip: ip, end_ip: ip }
  },
  objects: ({ ids, count }) => ({
    ...{ kind_id: COMMON_KIND, name: `object ${count('object')}`, datacenter_id: ids.datacenters },
  }),
  reservations: ({ n, count }) => ({ ip_address: `10.${n}.0.${70 + count('reservation')}`, purpose: 'x' }),
}

/** Returns the create of an object in a half. */
const buildCreate = (where: Where, resource: Resource): { readonly path: string; readonly body: object } => {
  const { path, body } = where.build(resource)
  return { path, body: DRAFTS[resource]?.(where) ?? body }
}
const draft = (where: Where, resource: Resource): object => buildCreate(where, resource).body
/** Creates an object in a half as the admin. @returns its id */
export const makeInHalf = (where: Where, resource: Resource): Promise<string> => {
  const { path, body } = buildCreate(where, resource)
  return where.make(path.replace('/api/', ''), body)
}

type Writes = Readonly<Record<string, (where: Where) => WriteCall | Promise<WriteCall>>>

/** Creates, changes and removals of objects that a scope contains, from the facts of their resources. */
const KIND_WRITES: Writes = Object.fromEntries(
  KINDS.filter(({ facts }) => isInScopes(facts)).flatMap(({ resource, facts, path }): [string, Writes[string]][] => {
    const update: Writes[string] = ({ ids }) => ({
      ...{ http: `PUT ${path}/${ids[resource]}`, body: buildTextChange(facts) },
    })
    // A scope lists its datacenters, so no role in a scope makes or deletes one.
    if (resource === 'datacenters') return [[`${resource}.update`, update]]
    return [
      [
        `${resource}.create`,
        (where) => {
          const { path: at, body } = buildCreate(where, resource)
          return { http: `POST ${at}`, body }
        },
      ],
      [`${resource}.update`, update],
      [`${resource}.delete`, async (where) => ({ http: `DELETE ${path}/${await makeInHalf(where, resource)}` })],
    ]
  }),
)

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
export const HALF_WRITES: Writes = {
  ...KIND_WRITES,
  'networks.bulk': async (where) => {
    const gone = await makeInHalf(where, 'networks')
    return bulk('networks', { noun: 'network', id: where.ids.networks, gone, draft: draft(where, 'networks') })
  },
  'networks.allocate': async (where) => {
    const id = await makeInHalf(where, 'networks')
    return { http: `POST /api/networks/${id}/allocate`, body: { prefix_length: 28 } }
  },
  'networks.split': async (where) => {
    const id = await makeInHalf(where, 'networks')
    return { http: `POST /api/networks/${id}/split`, body: { prefix_length: 25 } }
  },
  'networks.merge': async (where) => {
    const { subnet, ...rest } = draft(where, 'networks') as { readonly subnet: string }
    const low = await where.make('networks', { ...rest, subnet: subnet.replace('.0/24', '.0/25') })
    const high = await where.make('networks', { ...rest, subnet: subnet.replace('.0/24', '.128/25') })
    return { http: 'POST /api/networks/merge', body: { network_ids: [low, high] } }
  },
  'reservations.allocate': ({ ids }) => ({ http: `POST /api/pools/${ids.pools}/allocate`, body: { count: 2 } }),
  'reservations.allocate for a device': ({ ids }) => ({
    http: `POST /api/pools/${ids.pools}/allocate`,
    body: { device_id: ids.child },
  }),
  'networks.allocate-ip': ({ ids, n, count }) => ({
    // In the pool, and free.
    http: `POST /api/networks/${ids.networks}/allocate-ip`,
    body: { ip: `10.${n}.0.${80 + count('allocation')}` },
  }),
  'networks.allocate-ip in a pool that it makes': async (where) => {
    const id = await makeInHalf(where, 'networks')
    return { http: `POST /api/networks/${id}/allocate-ip`, body: { create_pool: true } }
  },
  'networks.allocate-ip for a device': ({ ids }) => ({
    http: `POST /api/networks/${ids.networks}/allocate-ip`,
    body: { device_id: ids.child },
  }),
  'devices.bulk': async (where) => {
    const gone = await makeInHalf(where, 'devices')
    return bulk('devices', { noun: 'device', id: where.ids.devices, gone, draft: draft(where, 'devices') })
  },
  'objects.bulk': async (where) => {
    const gone = await makeInHalf(where, 'objects')
    return bulk('objects', { noun: 'object', id: where.ids.objects, gone, draft: draft(where, 'objects') })
  },
  'ports.bulk': async (where) => {
    const gone = await makeInHalf(where, 'ports')
    const port = { ...draft(where, 'ports'), device_id: where.ids.devices }
    return bulk('ports', { noun: 'port', id: where.ids.ports, gone, draft: port })
  },
  'ports.adopt': ({ ids }) => ({ http: `POST /api/devices/${ids.devices}/ports/adopt`, body: {} }),
  'device-types.apply': async (where) => {
    const type = { manufacturer: 'x', model: `type ${where.n}.${where.count('type')}` }
    const id = await where.make('device-types', type)
    const one = await where.make('devices', { ...draft(where, 'devices'), device_type_id: id })
    await where.put(`device-types/${id}`, { ports: [draft(where, 'ports')] })
    return { http: `POST /api/device-types/${id}/apply`, body: { device_ids: [one] } }
  },
  'cables.bulk': async (where) => {
    const gone = await makeInHalf(where, 'cables')
    return bulk('cables', { noun: 'cable', id: where.ids.cables, gone, draft: draft(where, 'cables') })
  },
  'relationships.create': ({ ids }) => ({
    http: `POST /api/devices/${ids.devices}/relationships`,
    body: { child_id: ids.child, type: 'depends_on' },
  }),
  'relationships.delete': async (where) => {
    const child = await makeInHalf(where, 'devices')
    await where.make(`devices/${where.ids.devices}/relationships`, { child_id: child, type: 'contains' })
    return { http: `DELETE /api/devices/${where.ids.devices}/relationships/${child}/contains` }
  },
}
