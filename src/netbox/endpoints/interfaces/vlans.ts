/** The VLANs of the numbers that interfaces have. */
import { buildVlanKey } from '../../numbers/keys.ts'
import { PLACES } from '../../world/places.ts'
import { VLANS, type VlanMember } from '../../world/sets.ts'
import type { Member } from '../../world/small-set.ts'
import type { World } from '../../world/world.ts'

export type ShownVlan = Member<VlanMember>

/** Returns the VLAN of a number at a datacenter. */
export type FindVlan = (datacenterId: string | null, vid: number) => ShownVlan

const buildKey = (datacenterId: string | null, vid: number): string => `${vid} ${datacenterId ?? ''}`

/** Makes the VLAN of a number that no VLAN has, and no network in the datacenter or above. */
const createStandIn = (datacenterId: string | null, vid: number): ShownVlan => ({
  key: buildVlanKey(datacenterId, vid),
  kind: 'ipam.vlan',
  name: `VLAN ${vid}`,
  ...{ vid, datacenterId, vlan: undefined, number: 0, slug: '' },
})

const indexByPlace = (world: World): ReadonlyMap<string, ShownVlan> => {
  const byPlace = new Map<string, ShownVlan>()
  for (const vlan of world.get(VLANS).all) {
    const key = buildKey(vlan.datacenterId, vlan.vid)
    if (!byPlace.has(key)) byPlace.set(key, vlan)
  }
  return byPlace
}

/** The VLAN is that of the datacenter, else of the nearest one above that has one, else one without a datacenter. */
export const createVlanFinder = (world: World): FindVlan => {
  let byPlace: ReadonlyMap<string, ShownVlan> | undefined
  return (datacenterId, vid) => {
    byPlace ??= indexByPlace(world)
    const places = world.get(PLACES).listUpwards(datacenterId)
    for (const id of [datacenterId, ...places.map(({ key }) => key), null]) {
      const found = byPlace.get(buildKey(id, vid))
      if (found) return found
    }
    return createStandIn(datacenterId, vid)
  }
}

/** Parses the key of a VLAN that is only a number. Ids of VLANs hold no blank. */
export const parseVlanKey = (
  key: string,
): { readonly datacenterId: string | null; readonly vid: number } | undefined => {
  const [id, vid] = key.split(' ')
  return id === undefined || vid === undefined ? undefined : { datacenterId: id || null, vid: Number(vid) }
}
