/**
 * An estate for tests that look for words in answers. Each resource of the registry has an object, and the texts of the object carry the
 * name of the resource.
 */
import { expect } from 'bun:test'
import { INVENTORY, type Resource } from '../../src/inventory/resources.ts'
import { createExamples } from './examples.ts'
import type { People } from './people.ts'

export type Marked = {
  /** The ids of the objects, by the resource that a field refers to. */
  readonly ids: Readonly<Record<string, string>>
  /** The words of each resource, which no other resource has. */
  readonly words: Readonly<Record<string, readonly string[]>>
}

/** Returns a text that only an object of the resource has. */
export const wordOf = (resource: string): string => `mark-${resource}`

/** The nouns besides the resources with objects that carry their name. */
const OTHERS = ['discovery', 'feeds', 'webhook', 'credentials', 'scopes', 'groups', 'proposals', 'policies']
/** Texts of a resource besides its word. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  networks: ['10.77.0.0/16', '10.77.4.0/22', '10.77.4.0/24'],
  devices: ['02:00:00:00:77:01'],
}
// The name of a custom field is a key of the values.
const WORDS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [...INVENTORY.filter((resource) => resource !== 'custom-fields'), ...OTHERS].map((resource) => [
    resource,
    [wordOf(resource), ...(MORE[resource] ?? [])],
  ]),
)

type Ids = Readonly<Record<string, string>>

const device = (n: number, { datacenters: datacenter_id, pools: pool_id }: Ids, mount: object) => ({
  hostname: `${wordOf('devices')}-${n}`,
  datacenter_id,
  mount,
  addresses: [{ ip: `10.77.6.${n}`, pool_id, mac_address: `02:00:00:00:77:0${n}` }, { ip: '10.77.6.9' }],
})

/** Fields of objects that other objects surround. The other resources have objects from their facts. */
const BODIES: Readonly<Partial<Record<Resource, (ids: Ids) => object>>> = {
  'custom-fields': () => ({ resource: 'devices', type: 'text', name: 'owner' }),
  // Its id is no text of the kind, but that of its objects and fields.
  kinds: () => ({ id: 'a-kind', nested: true, located: true }),
  datacenters: () => ({}),
  spaces: () => ({}),
  'device-types': () => ({ manufacturer: wordOf('device-types'), model: 'm' }),
  vlans: ({ datacenters: datacenter_id }) => ({ datacenter_id, vlan_id: 77 }),
  networks: ({ datacenters: datacenter_id }) => ({ subnet: '10.77.4.0/22', datacenter_id, vlan_id: 77 }),
  pools: () => ({ start_ip: '10.77.6.1', end_ip: '10.77.6.99' }),
  reservations: () => ({ ip_address: '10.77.6.50', hostname: wordOf('reservations') }),
  racks: ({ datacenters: datacenter_id }) => ({ datacenter_id }),
  devices: (ids) => ({ ...device(1, ids, { rack_id: ids.racks, position: 1 }), name: `${wordOf('devices')} 1` }),
  ports: () => ({}),
  relationships: ({ child: child_id }) => ({ child_id, type: 'contains', notes: wordOf('relationships') }),
}

export const buildMarkedEstate = async ({ admin }: People): Promise<Marked> => {
  const ids: Record<string, string> = {}
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const { status, body: answer } = await admin.ask(`POST /api/${path}`, body)
    expect([path, status, answer]).toEqual([path, 201, answer])
    return answer as Record<string, string>
  }
  const make = async (resource: string, path: string, body: object): Promise<string> => {
    const { id = '' } = await post(path, { name: wordOf(resource), description: wordOf(resource), ...body })
    ids[resource] = id
    return id
  }
  const examples = createExamples(ids, {}, wordOf)
  let panel: Record<string, string> = {}
  for (const resource of INVENTORY) {
    const { path, body } = examples.build(resource)
    const at = path.replace('/api/', '')
    const { [resource]: arrange } = BODIES
    // A cable has the panel at its other end.
    if (resource === 'cables')
      await make('cables', at, { a: { port_id: ids.ports }, b: { port_id: panel.id }, label: wordOf('cables') })
    else await make(resource, at, arrange?.(ids) ?? body)
    if (resource === 'devices') {
      const two = { name: `${wordOf('devices')} 2`, ...device(2, ids, { rack_id: ids.racks }) }
      ids.child = (await post('devices', two)).id ?? ''
      expect((await admin.ask(`PUT /api/devices/${ids.devices}`, { custom: { owner: 'x' } })).status).toBe(200)
    }
    if (resource === 'ports')
      panel = await post(`devices/${ids.child}/ports`, { name: `${wordOf('ports')} panel`, pass_through: true })
  }
  const { datacenters: datacenter_id, networks: network_id, devices } = ids
  const inDatacenter = { datacenter_id, vlan_id: 77 }
  await post('networks', { name: `${wordOf('networks')} outer`, subnet: '10.77.0.0/16', ...inDatacenter })
  await post('networks', { name: `${wordOf('networks')} inner`, subnet: '10.77.4.0/24', ...inDatacenter })
  const far = await post(`devices/${devices}/ports`, { name: `${wordOf('ports')} far` })
  await post('cables', {
    a: { port_id: panel.id, side: 'rear' },
    b: { port_id: far.id },
    label: `${wordOf('cables')} behind`,
  })
  const scan = await post(`discovery/networks/${network_id}/results`, {
    hosts: [{ ip: '10.77.6.1', mac_address: '02:00:00:00:78:01', hostname: `${wordOf('discovery')}.example` }],
  })
  ids.scans = scan.id ?? ''
  const list = async (path: string) => (await admin.ask(`GET /api/${path}`)).body as Record<string, string>[]
  ids.discovery = (await list(`discovery/devices?network_id=${network_id}`))[0]?.id ?? ''
  ids.conflicts = (await list('conflicts'))[0]?.id ?? ''
  ids['discovery-rules'] = (await post('discovery/rules', { network_id, enabled: false })).id ?? ''
  await make('feeds', 'feeds', { format: 'hosts' })
  await make('webhook', 'webhooks', { url: 'https://hooks.example/', events: ['cable.created'] })
  ids.webhooks = ids.webhook ?? ''
  await make('groups', 'groups', {})
  const change = { operation: 'devices.update', input: { id: devices, os: 'x' }, note: wordOf('proposals') }
  const proposal = { title: wordOf('proposals'), operations: [change], open: true }
  ids.proposals = (await post('proposals', proposal)).id ?? ''
  await post(`proposals/${ids.proposals}/comments`, { text: wordOf('proposals') })
  await make('policies', 'policies', { group_id: ids.groups })
  await make('scopes', 'scopes', { datacenter_ids: [datacenter_id] })
  return { ids, words: WORDS }
}
