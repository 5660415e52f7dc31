/** Ansible makes the same inventory of Plat as of the NetBox that Plat has imported. The NetBox is recorded. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { compareInventories } from '../../testing/netbox/clients/compare.ts'
import { listInventory } from '../../testing/netbox/clients/inventory.ts'
import { type PlatTarget, startPlat } from '../../testing/netbox/clients/plat.ts'
import { readInventory } from '../../testing/netbox/recorded/recorded.ts'

let plat: PlatTarget
beforeAll(async () => {
  plat = await startPlat()
}, 120_000)
afterAll(() => plat.stop())

test('nb_inventory finds the same groups with the same hosts, and variables that differ as listed', async () => {
  const differences = compareInventories(readInventory(), await listInventory(plat))
  expect(differences).toEqual({ groups: [], hosts: [], variables: [], unused: [] })
}, 120_000)
