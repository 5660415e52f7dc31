/** Takes in hosts that were heard: as a quick scan that saw each of them, and that never says that another one is gone. */
import { lockPlacementShared } from '../../inventory/placement-lock.ts'
import { findSpaceKey } from '../../inventory/spaces/keys.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { getNetworkAndBroadcast, parseCidrOrThrow } from '../../net/cidr.ts'
import { formatIp, type Ip, parseIp } from '../../net/ip.ts'
import { isMulticastMac, parseMac } from '../../net/mac.ts'
import { type FoundHost, UNPROBED } from '../../scanner/protocol.ts'
import { ingest } from '../devices/ingest.ts'
import type { Observation } from '../devices/records.ts'
import { processInBatches } from '../scans/batches.ts'
import { buildAddressFilter } from '../scans/scan-rules.ts'
import { findListened, type ListenedRow } from './listened.ts'

/** A listener learns addresses and names, as the first stage of a scan does. */
const NO_SCAN = { source: 'listen', scanId: '', previousScanId: '', type: 'quick', stage: 'liveness' } as const
/** As the scanner weighs ARP (evidence.ts). */
const HEARD = { source: 'arp', weight: 0.6, detail: 'was heard' } as const
const MAX_EVIDENCE = 8
const MAX_NAMES = 8

const toMac = (text: string): string => {
  const mac = parseMac(text) ?? ''
  return mac !== '' && isMulticastMac(mac) ? '' : mac
}

/** Keeps the facts that a listener can know: others would replace the findings of scans. */
const toObservation = (
  { mac: told, macSource, vendor, evidence, names }: FoundHost,
  ip: Ip,
  now: string,
): Observation => {
  const mac = toMac(told)
  return {
    ip: formatIp(ip),
    mac,
    macSource: mac === '' ? '' : macSource || 'arp',
    vendor,
    ...UNPROBED,
    evidence: evidence.length > 0 ? evidence.slice(0, MAX_EVIDENCE) : [HEARD],
    names: names.slice(0, MAX_NAMES),
    heardAt: now,
  }
}

/** Returns the function that is true for addresses that a host may have. */
const buildHostFilter = (network: ListenedRow): ((ip: Ip) => boolean) => {
  const isInside = buildAddressFilter(network, network)
  const ends = getNetworkAndBroadcast(parseCidrOrThrow(network.subnet))
  return (ip) => isInside(ip) && ip.value !== ends?.network.value && ip.value !== ends?.broadcast.value
}

const storeSightings = async (tx: Ctx, networkId: string, hosts: readonly FoundHost[]): Promise<number> => {
  // Until commit, no network is deleted or moved to another space.
  await lockPlacementShared(tx)
  const network = await findListened(tx, networkId)
  if (!network) return 0
  const isWanted = buildHostFilter(network)
  const heard = hosts.flatMap((host) => {
    const ip = parseIp(host.ip)
    return ip && isWanted(ip) ? [toObservation(host, ip, tx.now)] : []
  })
  await ingest(tx, { ...NO_SCAN, networkId, space: await findSpaceKey(tx, network) }, heard)
  return heard.length
}

export type Heard = { readonly networkId: string; readonly hosts: readonly FoundHost[] }
/** Numbers of hosts. */
export type TakenIn = { readonly accepted: number; readonly dropped: number }

/** Stores hosts that were heard in a network. Drops hosts outside it, excluded hosts, and all where its rule does not listen. */
export const takeInSightings = async (ctx: Ctx, { networkId, hosts }: Heard): Promise<TakenIn> => {
  if (hosts.length === 0) return { accepted: 0, dropped: 0 }
  // Keyed by the first host of each batch, because a transaction may run twice.
  const accepted = new Map<FoundHost | undefined, number>()
  // A host that is lost in a power failure is heard again, so no batch waits for the disk.
  await processInBatches(ctx, { items: hosts, options: { deferSync: true } }, async (tx, some) => {
    accepted.set(some[0], await storeSightings(tx, networkId, some))
    return true
  })
  const total = accepted.values().reduce((sum, one) => sum + one, 0)
  return { accepted: total, dropped: hosts.length - total }
}
