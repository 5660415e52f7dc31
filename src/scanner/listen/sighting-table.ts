/** Decides which of the heard hosts are reported, and when. Bounded in memory, and in the hosts of a second. Pure. */
import { isMulticastMac } from '../../net/mac.ts'
import { buildEvidence, type Source } from '../evidence.ts'
import { type FoundHost, type FoundName, UNPROBED } from '../protocol.ts'
import type { VendorOf } from '../sys/vendors.ts'
import type { Sighting } from '../wire.ts'
import type { Heard } from './frames.ts'

/** Pairs of an address and a MAC. */
export const MAX_PAIRS = 65_536
/** Hosts reported in a second. */
export const MAX_TOLD_PER_SECOND = 200
/** Hosts of one message. */
const MAX_TOLD_AT_ONCE = 100
/** Time of silence after which a host is due at once. */
export const AWAY_MS = 600_000
/** Time between two sightings of a host that goes on to be heard. */
export const AGAIN_MS = 300_000
/** An address keeps its MAC for so long. */
export const KEEPS_MAC_MS = 10_000
const MAX_CLIENT_NAMES = 4096

const NO_MAC = '00:00:00:00:00:00'

type Entry = {
  readonly networkId: string
  readonly ip: string
  mac: string
  macSource: FoundHost['macSource']
  readonly evidence: Map<Source, string>
  readonly names: Map<FoundName['source'], string>
  heardMs: number
  toldMs: number
  macSinceMs: number
}

export type SightingTable = {
  /** @param networkIds the networks that have the address */
  readonly hear: (heard: Heard, networkIds: readonly string[], nowMs: number) => void
  /** Remembers the name that a client of DHCP gave before it had an address. */
  readonly nameClient: (mac: string, name: FoundName) => void
  /** Returns the hosts that are due, as many as the rate permits. */
  readonly take: (nowMs: number) => Sighting[]
  /** True if something is due. */
  readonly isDue: () => boolean
  /** Removes the addresses that are listened to no more. */
  readonly keepOnly: (isKept: (networkId: string, ip: string) => boolean) => void
  readonly size: () => number
}

const buildKey = (networkId: string, ip: string): string => `${networkId} ${ip}`

/** Removes the entry that was used the longest time ago. */
const dropOldest = (map: Map<string, unknown>): string | undefined => {
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
  return oldest
}

export const createSightingTable = (vendorOf: VendorOf): SightingTable => {
  /** In the order in which they were last heard. */
  const entries = new Map<string, Entry>()
  const clientNames = new Map<string, FoundName>()
  /** Keys of hosts that come before hosts that are only reported again. */
  const urgent = new Set<string>()
  const again = new Set<string>()
  let allowance = MAX_TOLD_PER_SECOND
  let allowedMs = Number.NEGATIVE_INFINITY

  const createEntry = (networkId: string, { ip, mac, macSource }: Heard, nowMs: number): Entry => ({
    ...{ networkId, ip, mac, macSource, evidence: new Map(), names: new Map() },
    ...{ heardMs: nowMs, toldMs: nowMs, macSinceMs: nowMs },
  })

  /** Returns true if the address passes to another MAC; undefined where it may not. */
  const takeMac = (entry: Entry, { mac, macSource, isTentative }: Heard, nowMs: number): boolean | undefined => {
    if (mac === '' || mac === entry.mac) return false
    if (entry.mac !== '') {
      if (isTentative || nowMs - entry.macSinceMs < KEEPS_MAC_MS) return undefined
      entry.names.clear()
      entry.evidence.clear()
    }
    entry.mac = mac
    entry.macSource = macSource
    entry.macSinceMs = nowMs
    return true
  }

  /** Returns true if a name is new. */
  const takeNames = (entry: Entry, names: readonly (FoundName | undefined)[]): boolean => {
    let isNew = false
    for (const one of names) {
      if (one === undefined || entry.names.get(one.source) === one.name) continue
      entry.names.set(one.source, one.name)
      isNew = true
    }
    return isNew
  }

  const hearIn = (networkId: string, heard: Heard, nowMs: number): void => {
    const key = buildKey(networkId, heard.ip)
    const known = entries.get(key)
    const entry = known ?? createEntry(networkId, heard, nowMs)
    const isPassed = takeMac(entry, heard, nowMs)
    if (isPassed === undefined) return
    if (known) entries.delete(key)
    else if (entries.size === MAX_PAIRS) {
      const gone = dropOldest(entries) ?? ''
      urgent.delete(gone)
      again.delete(gone)
    }
    entries.set(key, entry)
    entry.evidence.set(heard.source, heard.detail)
    const isNamed = takeNames(entry, [heard.name, clientNames.get(entry.mac)])
    if (!known || isPassed || isNamed || nowMs - entry.heardMs >= AWAY_MS) urgent.add(key)
    else if (nowMs - entry.toldMs >= AGAIN_MS) again.add(key)
    entry.heardMs = nowMs
  }

  const toHost = ({ ip, mac, macSource, evidence, names }: Entry): FoundHost => ({
    ip,
    mac,
    macSource: mac === '' ? '' : macSource,
    vendor: mac === '' ? '' : vendorOf(mac),
    ...UNPROBED,
    evidence: [...evidence].map(([source, detail]) => buildEvidence(source, detail)),
    names: [...names].map(([source, name]) => ({ name, source })),
  })

  const takeKeys = (count: number): string[] => {
    const keys: string[] = []
    for (const due of [urgent, again])
      for (const key of due) {
        if (keys.length === count) return keys
        urgent.delete(key)
        again.delete(key)
        keys.push(key)
      }
    return keys
  }

  return {
    hear: (heard, networkIds, nowMs) => {
      if (heard.mac === NO_MAC || (heard.mac !== '' && isMulticastMac(heard.mac))) return
      for (const networkId of networkIds) hearIn(networkId, heard, nowMs)
    },
    nameClient: (mac, name) => {
      clientNames.delete(mac)
      if (clientNames.size === MAX_CLIENT_NAMES) dropOldest(clientNames)
      clientNames.set(mac, name)
    },
    take: (nowMs) => {
      const earned = ((nowMs - allowedMs) * MAX_TOLD_PER_SECOND) / 1000
      allowance = Math.min(MAX_TOLD_PER_SECOND, allowance + earned)
      allowedMs = nowMs
      const keys = takeKeys(Math.min(MAX_TOLD_AT_ONCE, Math.floor(allowance)))
      allowance -= keys.length
      const told = keys.flatMap((key) => entries.get(key) ?? [])
      for (const entry of told) entry.toldMs = nowMs
      return [...Map.groupBy(told, ({ networkId }) => networkId)].map(([network_id, some]) => ({
        network_id,
        hosts: some.map(toHost),
      }))
    },
    isDue: () => urgent.size + again.size > 0,
    keepOnly: (isKept) => {
      for (const [key, { networkId, ip }] of entries) {
        if (isKept(networkId, ip)) continue
        entries.delete(key)
        urgent.delete(key)
        again.delete(key)
      }
    },
    size: () => entries.size,
  }
}
