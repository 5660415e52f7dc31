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
  const lines = out.trim().split('\n')
  expect(lines.filter((line) => !/^\S+ \d+$/.test(line))).toEqual([])
  expect(lines).toHaveLength(39)
  expect(lines).toEqual(
    expect.arrayContaining([
      ...['dcim/sites 4', 'dcim/regions 3', 'dcim/site-groups 3', 'dcim/locations 3', 'dcim/racks 3', 'dcim/cables 3'],
      ...[
        'dcim/devices 12',
        'dcim/interfaces 23',
        'dcim/mac-addresses 4',
        'dcim/platforms 3',
        'dcim/inventory-items 0',
      ],
      ...[
        'ipam/ip-addresses 21',
        'ipam/vrfs 2',
        'ipam/vlans 4',
        'ipam/vlan-groups 1',
        'ipam/services 3',
        'ipam/roles 2',
      ],
      ...['extras/tags 3', 'virtualization/virtual-machines 3', 'virtualization/interfaces 4'],
    ]),
  )
}, 120_000)
