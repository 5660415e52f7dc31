/** The VLANs that a network belongs to: VLANs of its number in its datacenter, else VLANs of its number without one. Browser-safe. */

/** A number in a datacenter, or without one. */
export type Numbered = { readonly vlan_id: number | null; readonly datacenter_id: string | null }

/** The number and the datacenter as a key. No id contains a space. */
export type VlanScopeKey = `${number} ${string}`

export const buildVlanScopeKey = (vlanId: number, datacenterId: string | null): VlanScopeKey =>
  `${vlanId} ${datacenterId ?? ''}`

/**
 * Returns the scope of the VLANs that a network belongs to; undefined for a network without a VLAN.
 * @param named the scopes that have VLANs
 */
export const pickVlanScope = (
  { vlan_id, datacenter_id }: Numbered,
  named: { readonly has: (key: VlanScopeKey) => boolean },
): VlanScopeKey | undefined => {
  if (vlan_id === null) return undefined
  const own = buildVlanScopeKey(vlan_id, datacenter_id)
  if (datacenter_id === null || named.has(own)) return named.has(own) ? own : undefined
  const common = buildVlanScopeKey(vlan_id, null)
  return named.has(common) ? common : undefined
}
