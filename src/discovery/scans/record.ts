/** Takes in a scan that was made elsewhere, exactly as one of ours: the same functions, and nothing is sent. */

import { AppError, type FieldIssue, invalidField, orNotFound, rejectIssues } from '../../contract/errors.ts'
import type { Network } from '../../inventory/networks/api.ts'
import { getNetworkOrThrow } from '../../inventory/networks/networks.ts'
import { findSpaceKey } from '../../inventory/spaces/keys.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { addFence } from '../../kernel/fence.ts'
import type { Held } from '../../kernel/jobs/leases.ts'
import { cidrHolds, parseCidrOrThrow } from '../../net/cidr.ts'
import { parseIp, type SpaceKey } from '../../net/ip.ts'
import { parseMac } from '../../net/mac.ts'
import { parseExcludes, rangeHolds } from '../../net/range.ts'
import type { Evidence, FoundHost } from '../../scanner/protocol.ts'
import { ingest } from '../devices/ingest.ts'
import type { RecordedHost, ScanRecord } from '../inputs.ts'
import type { Scan } from '../schema.ts'
import { processInBatches } from './batches.ts'
import { toCredentialUser } from './credential-user.ts'
import { finish } from './finish.ts'
import { buildScan } from './new-scan.ts'
import { countFor } from './scan-rules.ts'
import * as store from './scan-store.ts'

const MAX_ISSUES = 20
/** Evidence that an own scan would report for the same host (evidence.ts of the scanner). */
const WEIGHTS = { arp: 0.6, icmp: 0.5, 'tcp-open': 0.5 } as const
const STAGE = { quick: 'liveness', full: 'ports', deep: 'services' } as const

const buildEvidence = ({ mac_address, open_ports, rtt_ms }: RecordedHost): Evidence[] => {
  const seen = (source: keyof typeof WEIGHTS, detail: string): Evidence => ({ source, weight: WEIGHTS[source], detail })
  const all = [
    ...(mac_address === '' ? [] : [seen('arp', `answered ARP from ${mac_address}`)]),
    ...(rtt_ms === null ? [] : [seen('icmp', `answered ping in ${rtt_ms} ms`)]),
    ...open_ports.slice(0, 1).map((port) => seen('tcp-open', `tcp/${port} open`)),
  ]
  return all.length > 0 ? all : [seen('icmp', 'was there')]
}

const toHost = (recorded: RecordedHost): FoundHost => {
  const { ip, vendor, hostname, os, os_confidence, rtt_ms, open_ports, services, ssh_host_key } = recorded
  const mac = parseMac(recorded.mac_address) ?? ''
  return {
    ip,
    mac,
    macSource: mac === '' ? '' : 'arp',
    vendor,
    rttMs: rtt_ms,
    ttl: null,
    evidence: buildEvidence(recorded),
    names: hostname === '' ? [] : [{ name: hostname, source: 'ptr' }],
    openPorts: open_ports,
    services: services.map((one) => ({ ...one, details: {} })),
    os,
    osConfidence: os === '' ? 0 : os_confidence,
    osVotes: os === '' ? [] : [{ os, weight: os_confidence, because: 'recorded' }],
    sshHostKey: ssh_host_key,
    tlsCertificate: '',
    snmp: null,
  }
}

/** Whom the network does not hold, or who was left out, cannot have been found. */
const validateHosts = ({ subnet }: Network, { hosts, exclude_ips }: ScanRecord): FieldIssue[] => {
  const block = parseCidrOrThrow(subnet)
  const { ranges } = parseExcludes(exclude_ips)
  const seen = new Set<string>()
  const validateIp = (text: string): string | undefined => {
    const ip = parseIp(text)
    if (!ip || !cidrHolds(block, ip)) return `is not in ${subnet}`
    if (ranges.some((range) => rangeHolds(range, ip))) return 'is excluded'
    if (seen.has(text)) return 'is there twice'
    seen.add(text)
    return undefined
  }
  return hosts.flatMap(({ ip }, i) => {
    const message = validateIp(ip)
    return message === undefined ? [] : [{ field: `hosts[${i}].ip`, message }]
  })
}

const buildRecordedScan = (ctx: Ctx, network: Network, { scan_type, exclude_ips }: ScanRecord): Scan => {
  // Sends nothing, so the limits of scans do not apply.
  const limits = { discoveryAllowedSubnets: [], discoveryAllowLocal: true }
  const { total, issues } = countFor(network, exclude_ips, limits)
  rejectIssues(issues)
  return buildScan(ctx, {
    network,
    total,
    scan_type,
    exclude_ips,
    // Until all of it is stored.
    status: 'failed',
    error_message: 'it was not put on record to its end',
    started_at: ctx.now,
    completed_at: ctx.now,
  })
}

/** Stores hosts and completes the scan. */
const storeHosts = async (
  ctx: Ctx,
  { scan, space }: { readonly scan: Scan; readonly space: SpaceKey },
  hosts: readonly RecordedHost[],
): Promise<Scan> => {
  const { id: scanId, network_id: networkId, scan_type: type } = scan
  const previousScanId = (await store.findCompletedBefore(ctx, networkId, scanId)) ?? ''
  const ingestion = { networkId, space, scanId, type, stage: STAGE[type], previousScanId }
  const items = hosts.map(toHost)
  await processInBatches(ctx, { items }, async (tx, some) => {
    await ingest(tx, ingestion, some)
    return true
  })
  await finish(ctx, scan, previousScanId)
  return ctx.write(async (tx) => {
    const ended = { status: 'completed' as const, error_message: '', completed_at: tx.now }
    const counts = { scanned_hosts: scan.total_hosts, found_hosts: items.length }
    await store.change(tx, { id: scanId, from: ['failed'] }, { ...ended, ...counts })
    await store.addNote(tx, scanId, 'made elsewhere, and put on record')
    const completed = orNotFound(await store.find(tx, scanId), 'scan', scanId)
    await tx.emit('discovery.completed', completed)
    return completed
  })
}

/** @throws AppError NOT_FOUND if the scan was deleted, VALIDATION_ERROR if another one has taken the network */
const renewOrThrow = async (tx: Ctx, id: string, held: Held): Promise<void> => {
  if (await store.leases.renew(tx, held)) return
  if (!(await store.find(tx, id))) throw new AppError('NOT_FOUND', 'The scan was deleted while it was put on record')
  throw invalidField(
    'scan',
    'was interrupted: another one of this network may have begun, or the network was moved to another address space',
  )
}

/**
 * Holds the network against other scans and recordings until it ends: each would mark the hosts of the other as down.
 * @throws AppError VALIDATION_ERROR while another one of the network runs or is recorded
 */
export const record = async (ctx: Ctx, input: ScanRecord): Promise<Scan> => {
  const network = await getNetworkOrThrow(ctx, input.id)
  const issues = validateHosts(network, input)
  rejectIssues(issues.slice(0, MAX_ISSUES))
  const scan = buildRecordedScan(ctx, network, input)
  const { held, space } = await ctx.write(async (tx) => {
    await store.lockStarts(tx)
    if (await store.isNetworkBusy(tx, network.id)) throw invalidField('scan', 'another one of this network is running')
    // Before the insert, which fails if the network is gone. From now on, a move of the network to another space ends the recording.
    const space = await findSpaceKey(tx, await getNetworkOrThrow(tx, network.id))
    await store.insert(tx, scan, toCredentialUser(ctx.caller))
    // Its own id is the holder, by which recordings are found.
    return { held: await store.leases.take(tx, [scan.id], scan.id), space }
  })
  try {
    return await storeHosts(
      addFence(ctx, (tx) => renewOrThrow(tx, scan.id, held)),
      { scan, space },
      input.hosts,
    )
  } catch (error) {
    // If that fails, the network is free after a while.
    await ctx.write((tx) => store.leases.release(tx, held)).catch(() => {})
    throw error
  }
}
