/** The VLANs that networks belong to, by their numbers and datacenters. */
import { sql } from 'kysely'
import { listParents, type Parents, pickVlanScope } from '../../inventory/vlans/vlan-scope.ts'
import { buildVlanKey } from '../numbers/keys.ts'
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
