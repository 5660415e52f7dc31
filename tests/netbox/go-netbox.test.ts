/** go-netbox, whose types are strict, decodes every list of Plat. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type PlatTarget, startPlat } from '../../testing/netbox/clients/plat.ts'
import { goProgram } from '../../testing/netbox/clients/run.ts'

let plat: PlatTarget
beforeAll(async () => {
  plat = await startPlat()
}, 120_000)
afterAll(() => plat.stop())

test('go-netbox decodes every list, with all objects of the estate', async () => {
  const { out } = await plat.run([goProgram('strict'), plat.url, plat.token])
  const counts = Object.fromEntries(
    out
      .trim()
      .split('\n')
      .map((line) => /^(\S+) (.*)$/.exec(line)?.slice(1) ?? []),
  )
  expect(counts).toEqual({
    'dcim/sites': '4',
    'dcim/regions': '3',
    'dcim/site-groups': '3',
    'dcim/locations': '3',
    'dcim/devices': '12',
    'dcim/interfaces': '23',
    'dcim/mac-addresses': '4',
    'dcim/cables': '3',
    'dcim/racks': '3',
    'dcim/device-types': '4',
    'dcim/device-roles': '4',
    'dcim/platforms': '3',
    'dcim/manufacturers': '3',
    'dcim/rack-roles': '0',
    'dcim/virtual-chassis': '0',
    'dcim/inventory-items': '0',
    'extras/tags': '3',
    'extras/custom-fields': '5',
    'extras/config-contexts': '0',
    'extras/journal-entries': '0',
    'ipam/roles': '2',
    'ipam/vlan-groups': '1',
    'ipam/prefixes': '13',
    'ipam/ip-addresses': '21',
    'ipam/ip-ranges': '2',
    'ipam/vrfs': '2',
    'ipam/vlans': '4',
    'ipam/services': '3',
    'ipam/aggregates': '0',
    'ipam/rirs': '0',
    'tenancy/tenants': '3',
    'tenancy/tenant-groups': '0',
    'tenancy/contacts': '0',
    'virtualization/virtual-machines': '3',
    'virtualization/interfaces': '4',
    'virtualization/clusters': '2',
    'virtualization/cluster-types': '1',
    'virtualization/cluster-groups': '0',
    'virtualization/virtual-disks': '0',
  })
}, 120_000)
