/** The truths of an address: as it is documented, seen, named and leased. Two of them may contradict. */

import { isGlobalIdentity } from '../macs.ts'
import { type HostNames, haveCommonName, toDocumentedNames, toHostNames } from '../names.ts'
import type { ForwardNames } from './forward-names.ts'

export const SOURCES = ['documented', 'seen', 'named', 'leased'] as const
export type Source = (typeof SOURCES)[number]

export type Truth = {
  readonly device_id?: string
  readonly name: string
  readonly mac_address?: string
  readonly at: string
}

type Known = {
  readonly truth: Truth
  readonly names: HostNames
  /** The MACs that identify an interface. */
  readonly macs: readonly string[]
}

export type Truths = Readonly<Record<Source, Known | undefined>>

/** A row of an address that is up or leased, and one of its documented devices. */
export type AddressRow = {
  /** 1 for an address that the last scan saw. */
  readonly is_up: number
  /** Its network and the key of the address. */
  readonly place: string
  readonly ip: string
  readonly last_seen: string
  /** '' for none, as the other texts of the address. */
  readonly seen_mac: string
  /** Between blanks, as the other names. */
  readonly seen_names: string
  readonly ptr_names: string
  readonly lease_names: string
  readonly lease_mac: string
  readonly lease_end: string
  readonly discovered_id: string
  readonly device_id: string | null
  readonly device_name: string | null
  readonly device_hostname: string | null
  readonly device_mac: string | null
  readonly device_updated_at: string | null
  /** Between blanks. */
  readonly domains: string | null
  readonly reservation_id: string | null
  readonly reservation_hostname: string | null
  readonly reservation_mac: string | null
  readonly reservation_updated_at: string | null
}

const toNames = (text: string): string[] => (text === '' ? [] : text.split(' '))

const listMacs = (...macs: readonly string[]): string[] => macs.filter((mac) => mac !== '' && isGlobalIdentity(mac))

/** Joins the names and MACs of several documented devices of an address: one that agrees suffices. */
const toDocumented = (rows: readonly AddressRow[]): Known | undefined => {
  const [first] = rows
  if (!first) return undefined
  const devices = rows.filter(({ device_id }) => device_id !== null)
  const [device] = devices
  if (device) {
    const each = devices.map(({ device_hostname, domains, device_name }) =>
      toDocumentedNames(device_hostname ?? '', domains?.split(' ') ?? [], device_name ?? ''),
    )
    const names = { names: each.flatMap((one) => one.names), labels: each.flatMap((one) => one.labels) }
    const mac_address = device.device_mac ?? ''
    return {
      truth: {
        device_id: device.device_id ?? '',
        name: device.device_name ?? '',
        mac_address,
        at: device.device_updated_at ?? '',
      },
      ...{ names, macs: listMacs(...devices.map(({ device_mac }) => device_mac ?? '')) },
    }
  }
  const { reservation_id, reservation_hostname, reservation_mac, reservation_updated_at } = first
  if (reservation_id === null) return undefined
  const [name, mac_address] = [reservation_hostname ?? '', reservation_mac ?? '']
  return {
    truth: { name, mac_address, at: reservation_updated_at ?? '' },
    ...{ names: toDocumentedNames(name, [], ''), macs: listMacs(mac_address) },
  }
}

type Asked = {
  /** Leases that have ended count for nothing. */
  readonly now: string
  /** The names of the address that only a DNS server has. */
  readonly forward?: ForwardNames | undefined
}

/** @param rows of one address */
export const readTruths = (rows: readonly AddressRow[], { now, forward }: Asked): Truths => {
  const documented = toDocumented(rows)
  const [row] = rows
  if (!row) return { documented, seen: undefined, named: undefined, leased: undefined }
  const { is_up, seen_mac, seen_names, ptr_names, lease_names, lease_mac, lease_end, last_seen } = row
  const isUp = is_up === 1
  const [own, ofLease] = [seen_names, lease_names].map(toNames)
  const ptr = isUp ? toNames(ptr_names) : []
  const named = [...ptr, ...(forward?.names ?? [])]
  const build = (names: readonly string[] = [], mac: string | undefined, at: string): Known => ({
    truth: { name: names[0] ?? '', ...(mac !== undefined && { mac_address: mac }), at },
    ...{ names: toHostNames(names), macs: listMacs(mac ?? '') },
  })
  return {
    documented,
    seen: isUp ? build(own, seen_mac, last_seen) : undefined,
    named: named.length === 0 ? undefined : build(named, undefined, ptr.length > 0 ? last_seen : (forward?.at ?? '')),
    leased: lease_end > now ? build(ofLease, lease_mac, lease_end) : undefined,
  }
}

export type Contradiction = { readonly one: Source; readonly other: Source; readonly field: 'MAC' | 'name' }

/** Returns the first two truths that contradict: by MACs that differ, or by names none of which is one of the other. */
export const findContradiction = (truths: Truths): Contradiction | undefined => {
  for (const [at, one] of SOURCES.entries())
    for (const other of SOURCES.slice(at + 1)) {
      const [mine, theirs] = [truths[one], truths[other]]
      if (!mine || !theirs) continue
      const haveMacs = mine.macs.length > 0 && theirs.macs.length > 0
      if (haveMacs && !mine.macs.some((mac) => theirs.macs.includes(mac))) return { one, other, field: 'MAC' }
      const haveNames = mine.names.names.length > 0 && theirs.names.names.length > 0
      if (haveNames && !haveCommonName(mine.names, theirs.names)) return { one, other, field: 'name' }
    }
  return undefined
}
