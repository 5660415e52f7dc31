/** Ports in words: speeds, VLANs, the other ends of cables, and the order of names. Pure functions. */
import { formatNumbers } from './range.ts'

const UNITS = [
  [1_000_000, 'Tbit/s'],
  [1000, 'Gbit/s'],
  [1, 'Mbit/s'],
] as const

/** @example formatSpeed(2500) // '2.5 Gbit/s' */
export const formatSpeed = (mbps: number | null): string => {
  if (mbps === null) return ''
  const [size, unit] = UNITS.find(([one]) => mbps >= one) ?? UNITS[2]
  return `${mbps / size} ${unit}`
}

type Vlans = { readonly vlan_id: number | null; readonly tagged_vlan_ids: readonly number[] }

/** @example formatVlans({ vlan_id: 10, tagged_vlan_ids: [20, 21] }) // '10, tagged 20-21' */
export const formatVlans = ({ vlan_id, tagged_vlan_ids }: Vlans): string =>
  [
    ...(vlan_id === null ? [] : [String(vlan_id)]),
    ...(tagged_vlan_ids.length === 0 ? [] : [`tagged ${formatNumbers(tagged_vlan_ids)}`]),
  ].join(', ')

type PeerName = { readonly device: string; readonly port: string }

export const formatPeer = ({ device, port }: PeerName): string => `${device} ${port}`

/** Splits a name before its last number. @example splitName('Gi0/12') // { prefix: 'Gi0/', label: '12' } */
export const splitName = (name: string): { readonly prefix: string; readonly label: string } => {
  const [, prefix = '', label = name] = /^(.*?)(\d+)$/.exec(name) ?? []
  return { prefix, label }
}

export type Group<P> = { readonly prefix: string; readonly ports: readonly P[] }

/** Groups ports in their order by the part of the name before the last number; others are a group of their own. */
export const collectGroups = <P extends { readonly name: string }>(ports: readonly P[]): readonly Group<P>[] => {
  const groups = Map.groupBy(ports, ({ name }) => splitName(name).prefix)
  return [...groups].map(([prefix, found]) => ({ prefix, ports: found }))
}
