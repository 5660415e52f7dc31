/**
 * A Plat in which each list of the NetBox API has objects of all shapes: the small estate of a NetBox, imported beside all custom fields that serve
 * as fields of NetBox, and objects as only Plat has them.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../run-command.ts'
import type { Dialect } from '../servers/servers.ts'
import { type Door, openDoor } from './door.ts'
import { rest } from './forms.ts'

const FIELDS = join(import.meta.dir, '../../examples/netbox-fields.yaml')

/** Runs a command as an administrator. @throws if it fails */
export const runAsAdmin = async ({ app }: Door, ...argv: string[]): Promise<void> => {
  const { key } = await app.as('admin')
  const { code, err } = await runCommand({ app, key }, { argv })
  if (code !== 0) throw new Error(`plat ${argv.join(' ')}: ${err}`)
}

/** Defines the custom fields that serve as fields of NetBox. */
export const applyFields = (door: Door): Promise<void> => runAsAdmin(door, 'apply', '-f', FIELDS, '--yes')

const importEstate = async (door: Door): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'plat-filled-'))
  try {
    const file = join(folder, 'netbox.json')
    writeFileSync(file, rest('4.6'))
    await runAsAdmin(door, 'import', 'netbox', file, '--yes')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Makes objects without a site, a role or a type, of equal names, with letters beyond ASCII, and with values of custom fields. */
const addOwn = async ({ api }: Door): Promise<void> => {
  const field = { resource: 'devices' as const, searchable: true }
  await api.customFields.create({ ...field, name: 'keeper', type: 'text' })
  await api.customFields.create({ ...field, name: 'watts', type: 'integer', searchable: false })
  await api.customFields.create({ resource: 'networks', name: 'audited', type: 'date' })
  await api.customFields.create({ resource: 'networks', name: 'public', type: 'boolean' })
  const zurich = await api.datacenters.create({ name: 'Zürich', location: 'Straße 1' })
  const hall = await api.datacenters.create({ name: 'Hall', parent_id: zurich.id, custom: { place_type: 'location' } })
  const other = await api.datacenters.create({ name: 'Other' })
  await api.datacenters.create({ name: 'Hall', parent_id: other.id, custom: { place_type: 'location' } })
  const green = await api.spaces.create({ name: 'grün' })
  await api.vlans.create({ vlan_id: 30, name: 'Gäste', datacenter_id: zurich.id, group: 'Büro' })
  await api.networks.create({ name: 'lan', subnet: '10.8.0.0/16', datacenter_id: zurich.id, custom: { public: true } })
  const inner = { name: 'büro', subnet: '10.8.1.0/24', vlan_id: 30, custom: { audited: '2026-01-02', public: false } }
  const lan = await api.networks.create({ ...inner, datacenter_id: hall.id, description: 'Inner' })
  await api.networks.create({ name: '10.8.1.0/25', subnet: '10.8.1.0/25', datacenter_id: hall.id, vlan_id: 77 })
  await api.networks.create({ name: 'six', subnet: '2001:db8:8::/48' })
  await api.networks.create({ name: 'again', subnet: '10.8.1.0/24', space_id: green.id })
  const pool = await api.pools.create({
    network_id: lan.id,
    name: 'Tür',
    start_ip: '10.8.1.200',
    end_ip: '10.8.1.220',
    tags: ['größe'],
  })
  await api.reservations.create({
    pool_id: pool.id,
    ip_address: '10.8.1.205',
    hostname: 'drucker.example',
    purpose: 'Flur',
  })
  const rack = await api.racks.create({ name: 'Z1', datacenter_id: hall.id, height: 20 })
  const address = { interface: 'eth0', hostname: 'zeta.example', label: 'Haupt', mac_address: '02:00:00:00:00:08' }
  const zeta = await api.devices.create({
    ...{ name: 'Zeta', datacenter_id: hall.id, os: 'IOS XE', role: 'Kern', tags: ['größe', 'prod'], serial: 'Z-1' },
    ...{
      make_model: 'Cisco 9300',
      description: 'first\nsecond',
      asset_tag: 'Z-A',
      custom: { keeper: 'Ämter', watts: 70 },
    },
    addresses: [{ ip: '10.8.1.5', ...address }, { ip: '2001:db8:8::5' }, { ip: '10.99.0.1', interface: 'eth1' }],
    mount: { rack_id: rack.id, position: 3 },
  })
  await api.ports.create({ device_id: zeta.id, name: 'eth0', type: '10gbase-t', mac_address: '02:00:00:00:00:18' })
  await api.devices.create({ name: 'bare', status: 'maintenance', custom: { watts: 5 } })
  await api.devices.create({ name: 'Bare twin', addresses: [{ ip: '10.8.1.6', network_id: lan.id }], tags: ['größe'] })
  const machine = {
    name: 'zm',
    tags: ['vm', 'prod'],
    os: 'IOS XE',
    custom: { keeper: 'ops' },
    datacenter_id: zurich.id,
  }
  await api.devices.create({ ...machine, addresses: [{ ip: '10.8.1.7', interface: 'ens1' }] })
}

/** Opens a Plat with the estate. */
export const openFilled = async (dialect: Dialect): Promise<Door> => {
  const door = await openDoor(dialect)
  await importEstate(door)
  await applyFields(door)
  await addOwn(door)
  return door
}
