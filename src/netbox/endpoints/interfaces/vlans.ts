/** The VLANs of the numbers that interfaces have. */
import { buildVlanKey } from '../../numbers/keys.ts'
import { PLACES } from '../../world/places.ts'
import { VLANS } from '../../world/sets.ts'
import { createPortVlan, findVlan, type ShownVlan } from '../../world/vlans.ts'
import type { World } from '../../world/world.ts'

/** Returns the VLAN of a number at the datacenter of a device, else the number that networks there or above have. */
export const findVlanAt = (world: World, datacenterId: string | null, vid: number): ShownVlan => {
  const own = findVlan(world, vid, datacenterId)
  if (own) return own
  const above = world.get(PLACES).listUpwards(datacenterId)
  for (const id of [...above.map(({ key }) => key), null]) {
    const numbered = world.get(VLANS).find(buildVlanKey(id, vid))
    if (numbered) return numbered
  }
  return createPortVlan(datacenterId, vid)
}
