// A second import of a file takes nothing away that the file does not have. All formats, and the rows of an import.
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Inventory, inventory } from '../../../testing/estates/inventory.ts'
import { mysqlDump } from '../../../testing/estates/phpipam.ts'
import { rackdFile } from '../../../testing/estates/rackd.ts'
import { rest } from '../../../testing/netbox/forms.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { INVENTORY } from '../../inventory/resources.ts'

const ESTATE = join(import.meta.dir, '../../../examples/estate')

const NMAP = `<?xml version="1.0"?>
<nmaprun><host><status state="up"/><address addr="10.3.0.7" addrtype="ipv4"/>
<hostnames><hostname name="scan-1.example.net" type="PTR"/></hostnames></host><runstats><finished exit="success"/></runstats></nmaprun>`

const FILES: readonly (readonly [format: string, file: string | Uint8Array])[] = [
  ['netbox', rest('4.6')],
  ['phpipam', mysqlDump(true)],
  ['rackd', rackdFile()],
  ['nmap', NMAP],
  ['arp-scan', '10.3.1.7\t52:54:00:aa:bb:cc\tQEMU\n'],
  ['isc-leases', 'lease 10.3.2.5 {\n  binding state active;\n  client-hostname "lease-1";\n}\n'],
  [
    'kea-leases',
    'address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state\n10.3.3.5,,,3600,4102444800,1,0,0,kea-1,0\n',
  ],
  ['dnsmasq-leases', '0 52:54:00:aa:bb:cd 10.3.4.5 pc-1 *\n'],
  ['zone', '$ORIGIN example.org.\nweb A 10.3.5.5\nwww CNAME web\n'],
  ['hosts', '10.3.6.5 host-1.example.org alias-1\n'],
  ['csv', 'name,ip,tags,os\nsheet-1,10.3.7.5,prod,Debian\nsheet-2,,,\n'],
]

type Device = Awaited<ReturnType<Inventory['api']['devices']['get']>>
type Address = Device['addresses'][number]

/** Returns the id of a pool that has an address; undefined if the address is in no space of its own. */
const poolFor = async ({ api }: Inventory, { ip, space_id, network_id }: Address, name: string) => {
  const space = space_id === undefined ? {} : { space_id }
  const subnet = ip.includes(':') ? `${ip}/64` : `${ip}/24`
  const network = network_id ?? (await api.networks.create({ name, subnet, ...space })).id
  return (await api.pools.create({ name, network_id: network, start_ip: ip, end_ip: ip })).id
}

/** Fills everything in that a source may not have, and that it has left empty. @param hasTypes the source tells the types of addresses */
const enrich = async (inv: Inventory, device: Device, at: number, hasTypes: boolean): Promise<void> => {
  const { id, addresses, domains, tags } = device
  const filled: Address[] = []
  for (const [i, address] of addresses.entries()) {
    const isPooled = address.pool_id !== null || i > 0 || at > 3
    const pool_id = isPooled ? address.pool_id : await poolFor(inv, address, `enriched-${id}`)
    filled.push({
      ...address,
      type: hasTypes ? address.type : 'service',
      port: address.port ?? 8443,
      pool_id,
      label: address.label || `label-${i}`,
      mac_address:
        address.mac_address || `52:54:00:00:${String(at % 100).padStart(2, '0')}:${String(i % 100).padStart(2, '0')}`,
      dns_name: address.dns_name || `a${at}-${i}.enriched.example`,
      switch_port: address.switch_port || 'sw-9 Gi1/0/1',
      custom: { ...address.custom, note: `kept ${i}` },
    })
  }
  const second = { ip: `192.0.2.${(at % 250) + 1}`, label: 'by hand' }
  await inv.api.devices.update({
    ...{ id, addresses: [...filled, second], domains: [...domains, `extra-${at}.example`], tags: [...tags, 'by-hand'] },
    ...{ hostname: device.hostname || `h${at}.example`, os: device.os || 'filled', username: device.username || 'ops' },
    ...{ location: device.location || 'Room 9', custom: { ...device.custom, owner: 'neteng', teams: ['a', 'b'] } },
  })
}

const defineFields = async ({ api }: Inventory): Promise<void> => {
  await api.customFields.create({ resource: 'devices', name: 'owner', type: 'text' })
  await api.customFields.create({ resource: 'addresses', name: 'note', type: 'text' })
  await api.customFields.create({
    ...{ resource: 'devices', name: 'teams', type: 'choice', multiple: true, choices: ['a', 'b', 'c'] },
  })
}

type Converted = { readonly documents: Readonly<Record<string, unknown>> }

const convert = async ({ app, admin }: Inventory, format: string, file: string | Uint8Array): Promise<Converted> => {
  const response = await app.fetch(
    new Request(`http://plat.test/api/estate/convert?format=${format}&resource=devices`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${admin.key}` },
      body: file as string,
    }),
  )
  expect(response.status).toBe(200)
  return (await response.json()) as Converted
}

const importRows = async ({ app, admin }: Inventory, query: string, rows: readonly object[]) => {
  const response = await app.fetch(
    new Request(`http://plat.test/api/estate/import?${query}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${admin.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(rows),
    }),
  )
  const lines = (await response.text()).trimEnd().split('\n')
  const { result } = JSON.parse(lines.at(-1) ?? '') as { result?: Record<string, unknown> }
  if (!result) throw new Error(lines.at(-1))
  return result
}

/** Returns all objects of the inventory as they are stored. */
const inventoryOf = async ({ admin }: Inventory): Promise<Record<string, unknown>> => {
  const lists = INVENTORY.map(async (resource) => {
    const path = ['ports', 'cables', 'relationships', 'reservations'].includes(resource)
      ? `/api/estate/export?resource=${resource}`
      : `/api/${resource}`
    return [resource, await (await admin.request('GET', path)).json()] as const
  })
  return Object.fromEntries(await Promise.all(lists))
}

describe.each(onSqlite())('on %s', (dialect) => {
  describe.each(FILES)('a second import of %s', (format, file) => {
    const inv = inventory(dialect)

    test('changes nothing that people have filled in, and writes no history', async () => {
      await defineFields(inv)
      const { documents } = await convert(inv, format, file)
      expect(documents).toMatchObject({ lists: 'add', empty: 'keep' })
      await inv.api.estate.apply(documents)
      const devices = await inv.api.devices.list({})
      expect(devices.length).toBeGreaterThan(0)
      for (const [at, device] of devices.entries()) await enrich(inv, device, at, format === 'rackd')
      const [before, history] = [await inventoryOf(inv), await inv.api.history.list({})]
      inv.advance(1000)
      expect(await inv.api.estate.apply({ ...documents, dry_run: true })).toMatchObject({ changed: false, changes: [] })
      expect(await inv.api.estate.apply(documents)).toMatchObject({ changed: false, changes: [] })
      expect(await inventoryOf(inv)).toEqual(before)
      expect(await inv.api.history.list({})).toEqual(history)
    })
  })

  describe('an estate that an earlier version has imported from NetBox', () => {
    const inv = inventory(dialect)
    const EARLIER = {
      ...({ lists: 'add', empty: 'keep' } as const),
      datacenters: [{ name: 'Amsterdam', description: 'slug: ams', refs: { netbox: 'dcim.site.1' } }],
      devices: [
        {
          ...{
            name: 'sw-1',
            datacenter: { ref: 'netbox:dcim.site.1' },
            location: 'Room 1',
            description: 'serial: SN1',
          },
          ...{ tags: ['prod', 'role:core', 'tenant:acme-corp'], refs: { netbox: 'dcim.device.1' } },
        },
      ],
    }

    test('gains places and fields, moves its devices to their location, and keeps its tags', async () => {
      await inv.api.estate.apply(EARLIER)
      const { documents } = await convert(inv, 'netbox', rest('4.6'))
      await inv.api.estate.apply(documents)
      const places = await inv.api.datacenters.list({})
      const nameOf = (id: string | null | undefined) => places.find((place) => place.id === id)?.name
      expect(places.map(({ name, parent_id }) => [name, nameOf(parent_id)])).toContainEqual([
        'Amsterdam',
        'Netherlands',
      ])
      const site = await inv.api.datacenters.get({ id: 'netbox:dcim.site.1' })
      expect([site.custom?.slug, site.description.includes('slug')]).toEqual(['ams', false])
      const device = await inv.api.devices.get({ id: 'netbox:dcim.device.1' })
      expect(device).toMatchObject({ name: 'sw-1', role: 'Core switch', serial: 'SN1', asset_tag: 'AT-1' })
      expect(nameOf(device.datacenter_id)).toBe('Room 1')
      expect(device.tags.toSorted()).toEqual(['prod', 'role:core', 'tenant:acme-corp'])
      expect(await inv.api.estate.apply(documents)).toMatchObject({ changed: false })
    })
  })

  describe('rows of an import', () => {
    const inv = inventory(dialect)

    test('of a whole estate change nothing that people have filled in', async () => {
      await defineFields(inv)
      const files = INVENTORY.filter((resource) => readdirSync(ESTATE).includes(`${resource}.json`))
      const load = async () => {
        const updated: unknown[] = []
        for (const resource of files) {
          const rows = JSON.parse(readFileSync(join(ESTATE, `${resource}.json`), 'utf8')) as object[]
          const result = await importRows(inv, `resource=${resource}`, rows)
          expect(result).toMatchObject({ failed: 0 })
          updated.push(result.updated)
        }
        return updated
      }
      await load()
      const devices = await inv.api.devices.list({})
      for (const [at, device] of devices.entries()) await enrich(inv, device, at, true)
      const [network] = await inv.api.networks.list({})
      const pools = await inv.api.pools.all({})
      for (const { id, tags } of pools) await inv.api.pools.update({ id, tags: [...tags, 'by-hand'] })
      if (network)
        await inv.api.networks.update({ id: network.id, vlan_id: network.vlan_id ?? 77, description: 'kept' })
      // The file tells the description of the network, so that it is changed.
      const [before, history] = [await inventoryOf(inv), await inv.api.history.list({})]
      inv.advance(1000)
      expect((await load()).reduce<number>((sum, n) => sum + Number(n), 0)).toBe(1)
      const after = await inventoryOf(inv)
      expect({ ...after, networks: 0 }).toEqual({ ...before, networks: 0 })
      expect((await inv.api.history.list({})).length).toBe(history.length + 1)
    })
  })
})
