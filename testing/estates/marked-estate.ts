/**
 * An estate for tests that look for words in answers. Each resource has an object, and the texts of the object carry the name of the
 * resource.
 */
import { expect } from 'bun:test'
import type { People } from './people.ts'

export type Marked = {
  /** The ids of the objects, by the resource that a field refers to. */
  readonly ids: Readonly<Record<string, string>>
  /** The words of each resource, which no other resource has. */
  readonly words: Readonly<Record<string, readonly string[]>>
}

/** Returns a text that only an object of the resource has. */
export const wordOf = (resource: string): string => `mark-${resource}`

const WORDS: Readonly<Record<string, readonly string[]>> = {
  datacenters: [wordOf('datacenters')],
  networks: [wordOf('networks'), '10.77.0.0/16', '10.77.4.0/22', '10.77.4.0/24'],
  pools: [wordOf('pools')],
  reservations: [wordOf('reservations')],
  vlans: [wordOf('vlans')],
  spaces: [wordOf('spaces')],
  racks: [wordOf('racks')],
  devices: [wordOf('devices'), '02:00:00:00:77:01'],
  ports: [wordOf('ports')],
  cables: [wordOf('cables')],
  relationships: [wordOf('relationships')],
  'device-types': [wordOf('device-types')],
  discovery: [wordOf('discovery')],
  feeds: [wordOf('feeds')],
  webhook: [wordOf('webhook')],
  credentials: [wordOf('credentials')],
  scopes: [wordOf('scopes')],
  groups: [wordOf('groups')],
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
  const datacenter_id = await make('datacenters', 'datacenters', {})
  await make('spaces', 'spaces', {})
  await make('device-types', 'device-types', { manufacturer: wordOf('device-types'), model: 'm' })
  const inDatacenter = { datacenter_id, vlan_id: 77 }
  await make('vlans', 'vlans', inDatacenter)
  await post('networks', { name: `${wordOf('networks')} outer`, subnet: '10.77.0.0/16', ...inDatacenter })
  const network_id = await make('networks', 'networks', { subnet: '10.77.4.0/22', ...inDatacenter })
  await post('networks', { name: `${wordOf('networks')} inner`, subnet: '10.77.4.0/24', ...inDatacenter })
  const pool_id = await make('pools', `networks/${network_id}/pools`, { start_ip: '10.77.6.1', end_ip: '10.77.6.99' })
  await make('reservations', `pools/${pool_id}/reservations`, {
    ip_address: '10.77.6.50',
    hostname: wordOf('reservations'),
  })
  const rack_id = await make('racks', 'racks', { datacenter_id })
  const device = (n: number, more: object) => ({
    name: `${wordOf('devices')} ${n}`,
    hostname: `${wordOf('devices')}-${n}`,
    datacenter_id,
    addresses: [{ ip: `10.77.6.${n}`, pool_id, mac_address: `02:00:00:00:77:0${n}` }, { ip: '10.77.6.9' }],
    ...more,
  })
  const devices = await make('devices', 'devices', device(1, { mount: { rack_id, position: 1 } }))
  const { id: child = '' } = await post('devices', device(2, { mount: { rack_id } }))
  ids.child = child
  await make('custom-fields', 'custom-fields', { resource: 'devices', type: 'text', name: 'owner' })
  expect((await admin.ask(`PUT /api/devices/${devices}`, { custom: { owner: 'x' } })).status).toBe(200)
  const panel = await post(`devices/${child}/ports`, { name: `${wordOf('ports')} panel`, pass_through: true })
  await make('ports', `devices/${devices}/ports`, {})
  await make('cables', 'cables', { a: { port_id: ids.ports }, b: { port_id: panel.id }, label: wordOf('cables') })
  const far = await post(`devices/${devices}/ports`, { name: `${wordOf('ports')} far` })
  await post('cables', {
    a: { port_id: panel.id, side: 'rear' },
    b: { port_id: far.id },
    label: `${wordOf('cables')} behind`,
  })
  await admin.ask(`POST /api/devices/${devices}/relationships`, {
    child_id: child,
    type: 'contains',
    notes: wordOf('relationships'),
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
  await make('webhook', 'webhooks', { url: 'https://hooks.example/', events: ['cable.created', 'vlan.created'] })
  ids.webhooks = ids.webhook ?? ''
  await make('groups', 'groups', {})
  await make('scopes', 'scopes', { datacenter_ids: [datacenter_id] })
  return { ids, words: WORDS }
}
