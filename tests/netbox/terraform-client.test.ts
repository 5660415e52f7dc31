/** The client of the Terraform provider for NetBox creates, updates, reads and deletes in Plat. Its answers agree, so no plan has a difference. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type PlatTarget, startPlat } from '../../testing/netbox/clients/plat.ts'
import { goProgram } from '../../testing/netbox/clients/run.ts'

let plat: PlatTarget
beforeAll(async () => {
  plat = await startPlat()
}, 120_000)
afterAll(() => plat.stop())

test('the calls of the Terraform provider read back what they have written', async () => {
  const { out } = await plat.run([goProgram('provider'), plat.url, plat.token])
  const seen: Record<string, unknown>[] = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const description = 'By Terraform'
  expect(seen).toMatchObject([
    { object: 'tag', name: 'tf tag', slug: 'tf-tag', color: '00bcd4', description },
    { object: 'role', name: 'TF server', slug: 'tf-role', color: 'ff9800', vm_role: true },
    { object: 'platform', name: 'TF OS', slug: 'tf-os' },
    { object: 'manufacturer', name: 'TF maker', slug: 'tf-maker' },
    { object: 'device type', manufacturer: 'TF maker', model: 'TF 1000', part_number: 'TF-1000-A', u_height: 2 },
    { object: 'site', name: 'TF site', slug: 'tf-site', description, physical_address: 'Main Street 1' },
    { object: 'VRF', name: 'TF VRF' },
    { object: 'VLAN', vid: 777, name: 'tf-vlan', site: 'TF site' },
    { object: 'prefix', prefix: '10.77.0.0/16', scope_type: 'dcim.site', scope: 'TF site', vlan: 'tf-vlan' },
    { object: 'prefix of a VRF', prefix: '10.77.0.0/16', vrf: 'TF VRF', description: 'In a VRF' },
    { object: 'next prefix', prefix: '10.77.0.0/24', description: 'TF next' },
    { object: 'range', start_address: '10.77.9.10/16', end_address: '10.77.9.20/16', size: 11 },
    { object: 'address', address: '10.77.8.8/16', dns_name: 'tf.example.net', description },
    // Outside of the prefix 10.77.0.0/24.
    { object: 'next address of the prefix', address: '10.77.1.0/16', dns_name: 'tf-1.example.net' },
    { object: 'next address of the prefix', address: '10.77.1.1/16', dns_name: 'tf-2.example.net' },
    { object: 'next address of the range', address: '10.77.9.10/16', dns_name: 'tf-3.example.net' },
    { object: 'device', name: 'tf-device', serial: 'TF-1', asset_tag: 'TF-A-1', status: 'planned', tags: ['tf tag'] },
    { object: 'interface', device: 'tf-device', name: 'eth0', type: '1000base-t', speed: 1_000_000, description },
    { object: 'address of the device', address: '10.77.8.9/16', assigned_object: 'eth0' },
    { object: 'primary address', primary_ip4: '10.77.8.9/16' },
  ])
}, 120_000)
