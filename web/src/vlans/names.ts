/** The names of the VLANs of networks, and the numbers without a name. Pure functions. */
import {
  buildVlanScopeKey,
  type Numbered,
  type Parents,
  pickVlanScope,
  type VlanScopeKey,
} from '../../../src/inventory/vlans/vlan-scope.ts'
import type { Vlan } from './fields.ts'

/** Returns the names of the VLANs that a network belongs to; '' for none. */
export type VlanNames = (network: Numbered) => string

type Named = Pick<Vlan, 'vlan_id' | 'datacenter_id' | 'name'>

export const createVlanNames = (vlans: readonly Named[], parents: Parents): VlanNames => {
  const named = new Map<VlanScopeKey, string>()
  for (const { vlan_id, datacenter_id, name } of vlans) {
    const key = buildVlanScopeKey(vlan_id, datacenter_id)
    const others = named.get(key)
    named.set(key, others === undefined ? name : `${others}, ${name}`)
  }
  return (network) => {
    const place = pickVlanScope(network, named, parents)
    return place === undefined ? '' : (named.get(place) ?? '')
  }
}

/** A number that networks of a datacenter use, and that no VLAN names. */
export type UnnamedNumber = {
  readonly vlan_id: number
  readonly datacenter_id: string | null
  /** The number of the networks. */
  readonly count: number
}

/** Returns the numbers without a name, by number and then by the id of the datacenter. */
export const listUnnamedNumbers = (
  networks: readonly Numbered[],
  vlans: readonly Named[],
  parents: Parents,
): UnnamedNumber[] => {
  const named = new Set(vlans.map(({ vlan_id, datacenter_id }) => buildVlanScopeKey(vlan_id, datacenter_id)))
  const found = new Map<VlanScopeKey, UnnamedNumber>()
  for (const { vlan_id, datacenter_id } of networks) {
    if (vlan_id === null || pickVlanScope({ vlan_id, datacenter_id }, named, parents) !== undefined) continue
    const key = buildVlanScopeKey(vlan_id, datacenter_id)
    found.set(key, { vlan_id, datacenter_id, count: (found.get(key)?.count ?? 0) + 1 })
  }
  const getDatacenterId = ({ datacenter_id }: UnnamedNumber): string => datacenter_id ?? ''
  return [...found.values()].sort((a, b) => a.vlan_id - b.vlan_id || (getDatacenterId(a) < getDatacenterId(b) ? -1 : 1))
}
