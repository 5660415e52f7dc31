/** The VLANs that networks and ports belong to, by their numbers and datacenters. */
import { sql } from 'kysely'
import { listParents, type Parents, pickVlanScope } from '../../inventory/vlans/vlan-scope.ts'
import { buildVlanKey, parseVlanKey } from '../numbers/keys.ts'
import type { Counter } from './counters.ts'
import { PLACES, type Place } from './places.ts'
import { VLANS, type VlanMember } from './sets.ts'
import type { Loaded, Member } from './small-set.ts'
import type { World } from './world.ts'

const buildScopes = <T extends VlanMember>(all: readonly T[]): Map<string, T> => {
  const scopes = new Map<string, T>()
  // Several groups may have the number: the first VLAN by name counts.
  for (const one of all) {
    const scope = `${one.vid} ${one.datacenterId ?? ''}`
    if (one.vlan && !scopes.has(scope)) scopes.set(scope, one)
  }
  return scopes
}

const buildParents = (places: readonly Place[]): Parents =>
  listParents(places.map(({ key, parentKey }) => ({ id: key, parent_id: parentKey })))

/** Sets are the same for many requests. */
const vlanScopes = new WeakMap<Loaded<VlanMember>, Map<string, Member<VlanMember>>>()
const placeParents = new WeakMap<Loaded<Place>, Parents>()

const remember = <K extends object, V>(cache: WeakMap<K, V>, key: K, build: () => V): V => {
  const known = cache.get(key)
  if (known) return known
  const built = build()
  cache.set(key, built)
  return built
}

/** Returns the VLAN of a number at a datacenter: a VLAN, or the number that networks there have. */
export const findVlan = (
  world: World,
  vid: number | null,
  datacenterId: string | null,
): Member<VlanMember> | undefined => {
  if (vid === null) return undefined
  const [vlans, places] = [world.get(VLANS), world.get(PLACES)]
  const scopes = remember(vlanScopes, vlans, () => buildScopes(vlans.all))
  const parents = remember(placeParents, places, () => buildParents(places.all))
  const scope = pickVlanScope({ vlan_id: vid, datacenter_id: datacenterId }, scopes, parents)
  return scope ? scopes.get(scope) : vlans.find(buildVlanKey(datacenterId, vid))
}

export type ShownVlan = Member<VlanMember>

/** Makes the VLAN of a number that only ports have there. */
export const createPortVlan = (datacenterId: string | null, vid: number): ShownVlan => ({
  key: buildVlanKey(datacenterId, vid),
  kind: 'ipam.vlan',
  name: `VLAN ${vid}`,
  ...{ vid, datacenterId, vlan: undefined, number: 0, slug: '' },
})

/** Returns the VLANs of the keys whose numbers ports have at their datacenters. The set of VLANs lacks them: it would change with each port. */
export const findPortVlans = async ({ ctx }: World, keys: readonly string[]): Promise<ShownVlan[]> => {
  const wanted = keys.flatMap((key) => parseVlanKey(key) ?? [])
  if (wanted.length === 0) return []
  const ids = wanted.map(({ datacenterId }) => datacenterId ?? '')
  const vids = wanted.map(({ vid }) => vid)
  const rows = await ctx.db
    .selectFrom('ports')
    .innerJoin('devices', 'devices.id', 'ports.device_id')
    .select(['devices.datacenter_id', 'ports.vlan_id', 'ports.tagged_vlan_ids'])
    .distinct()
    .where(({ eb, or }) =>
      or([
        eb('devices.datacenter_id', 'in', ids),
        ...(ids.includes('') ? [eb('devices.datacenter_id', 'is', null)] : []),
      ]),
    )
    .where(({ eb, or }) => or([eb('ports.vlan_id', 'in', vids), eb('ports.tagged_vlan_ids', '<>', '[]')]))
    .execute()
  const used = new Set(
    rows.flatMap(({ datacenter_id: id, vlan_id: untagged, tagged_vlan_ids: tagged }) =>
      // The column holds the JSON of a list of numbers.
      [untagged, ...(JSON.parse(tagged) as number[])].map((vid) => `${id ?? ''} ${vid}`),
    ),
  )
  return wanted.map(({ datacenterId, vid }) => createPortVlan(datacenterId, vid)).filter(({ key }) => used.has(key))
}

/** Counts the networks of VLANs, by their keys. */
export const VLAN_PREFIXES: Counter = {
  name: 'VLAN prefixes',
  tables: ['vlans', 'networks', 'datacenters'],
  count: async (ctx) => {
    const scopes = buildScopes(await VLANS.read(ctx))
    const parents = buildParents(await PLACES.read(ctx))
    const rows = await ctx.db
      .selectFrom('networks')
      .select(['vlan_id', 'datacenter_id', sql<number | string>`count(*)`.as('n')])
      .where('vlan_id', 'is not', null)
      .groupBy(['vlan_id', 'datacenter_id'])
      .execute()
    const counts = new Map<string, number>()
    for (const { n, ...numbered } of rows) {
      const scope = pickVlanScope(numbered, scopes, parents)
      const named = scope && scopes.get(scope)
      const key = named ? named.key : buildVlanKey(numbered.datacenter_id, numbered.vlan_id ?? 0)
      counts.set(key, (counts.get(key) ?? 0) + Number(n))
    }
    return counts
  },
}
