/**
 * The VLANs that a network belongs to: VLANs of its number in its datacenter, else in the nearest datacenter above that has one, else VLANs
 * of its number without a datacenter. Browser-safe.
 */

/** A number in a datacenter, or without one. */
export type Numbered = { readonly vlan_id: number | null; readonly datacenter_id: string | null }

/** The number and the datacenter as a key. No id contains a space. */
export type VlanScopeKey = `${number} ${string}`

export const buildVlanScopeKey = (vlanId: number, datacenterId: string | null): VlanScopeKey =>
  `${vlanId} ${datacenterId ?? ''}`

/** The parents of the datacenters that are below another one, by id. */
export type Parents = ReadonlyMap<string, string>

/** @param all datacenters */
export const listParents = (
  all: Iterable<{ readonly id: string; readonly parent_id?: string | null | undefined }>,
): Parents => new Map([...all].flatMap(({ id, parent_id }) => (parent_id ? [[id, parent_id] as const] : [])))

/**
 * Returns the scope of the VLANs that a network belongs to; undefined for a network without a VLAN.
 * @param named the scopes that have VLANs
 */
export const pickVlanScope = (
  { vlan_id, datacenter_id }: Numbered,
  named: { readonly has: (key: VlanScopeKey) => boolean },
  parents: Parents,
): VlanScopeKey | undefined => {
  if (vlan_id === null) return undefined
  const passed = new Set<string>()
  for (let id = datacenter_id; id !== null && !passed.has(id); id = parents.get(id) ?? null) {
    const own = buildVlanScopeKey(vlan_id, id)
    if (named.has(own)) return own
    passed.add(id)
  }
  const common = buildVlanScopeKey(vlan_id, null)
  return named.has(common) ? common : undefined
}
