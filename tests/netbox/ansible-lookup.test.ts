/** The lookup plugin of Ansible's collection for NetBox reads Plat. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type PlatTarget, startPlat } from '../../testing/netbox/clients/plat.ts'
import { program } from '../../testing/netbox/clients/run.ts'

let plat: PlatTarget
beforeAll(async () => {
  plat = await startPlat()
}, 120_000)
afterAll(() => plat.stop())

test('nb_lookup finds devices, addresses and VLANs by filters', async () => {
  const { out } = await plat.run(['ansible-playbook', program('lookup.yml')])
  expect(out).toContain('found srv-fra-1,srv-fra-2,srv-fra-3 10.1.0.10/24,2001:db8:1::10/64 30')
}, 120_000)
