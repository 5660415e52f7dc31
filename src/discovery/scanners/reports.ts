/** Stores the reports of a scanner about a scan. Any instance takes any request; a repeated one does nothing. */
import { invalidField, notFound } from '../../contract/errors.ts'
import type { Network } from '../../inventory/networks/api.ts'
import { getNetworkOrThrow } from '../../inventory/networks/networks.ts'
import type { EnrolledScanner } from '../../inventory/scanners/state-row-store.ts'
import { findSpaceKey } from '../../inventory/spaces/keys.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { parseIp } from '../../net/ip.ts'
import { type FoundHost, type Progress, STAGES } from '../../scanner/protocol.ts'
import type { ReportsAnswer } from '../../scanner/wire.ts'
import { noteRun } from '../rules/rules.ts'
import { findScanUser } from '../scans/credential-user.ts'
import { findLoginFilter } from '../scans/plan.ts'
import { computeScanned, type Intake, storeBatch, storePrivilege } from '../scans/reports.ts'
import { buildAddressFilter } from '../scans/scan-rules.ts'
import * as store from '../scans/scan-store.ts'
import { fail } from '../scans/scans.ts'
import type { Scan } from '../schema.ts'
import type { ReportsBody } from './api.ts'
import { restore } from './claims.ts'
import { findConcerned } from './queries.ts'
import { type Report, readReports } from './untrusted.ts'

type Reporting = Pick<ReportsBody, 'lease' | 'seq'> & {
  readonly scanner: Pick<EnrolledScanner, 'id' | 'name' | 'tags' | 'use_credentials'>
  readonly scanId: string
}

type Batch = Extract<Report, { type: 'batch' }>

/** A request is taken in, or has its answer already. */
type Verdict = { readonly scan: Scan } | { readonly answer: ReportsAnswer }

/** @throws AppError NOT_FOUND for a scan that the scanner does not have, VALIDATION_ERROR for a number that is too high */
const judge = async (ctx: Ctx, { scanner, scanId, lease, seq }: Reporting): Promise<Verdict> => {
  const scan = await store.find(ctx, scanId)
  const taking = await store.findTaking(ctx, scanId)
  const error = notFound('scan of this scanner', scanId)
  if (!scan || scan.scanner_id !== scanner.id || taking?.lease !== lease) throw error
  const cancel = scan.status === 'cancelled'
  if (seq <= taking.seq || cancel) return { answer: { ack: taking.seq, cancel } }
  if (scan.status !== 'running' || taking.is_done === 1) throw error
  if (seq > taking.seq + 1) throw invalidField('seq', `is ${seq}, and the next one is ${taking.seq + 1}`)
  return { scan }
}

/** Returns the scan in a transaction that keeps others off it, if the request is still the next one. */
const lockNext = async (tx: Ctx, { scanner, scanId, lease, seq }: Reporting): Promise<Scan | undefined> => {
  const scan = await store.lock(tx, scanId)
  if (scan?.status !== 'running' || scan.scanner_id !== scanner.id) return undefined
  const taking = await store.findTaking(tx, scanId)
  return taking?.lease === lease && taking.seq === seq - 1 && taking.is_done === 0 ? scan : undefined
}

/** Progress only rises. */
const createAdvance =
  (reporting: Reporting): Intake['advance'] =>
  async (tx, progress) => {
    const scan = await lockNext(tx, reporting)
    if (!scan) return false
    const scanned_hosts = Math.max(scan.scanned_hosts, computeScanned(scan, progress))
    const found_hosts = Math.max(scan.found_hosts, Math.min(scan.total_hosts, progress.found))
    const seconds = Math.max(1, (Date.parse(tx.now) - Date.parse(scan.started_at ?? tx.now)) / 1000)
    const hosts_per_second = Math.round((scanned_hosts / seconds) * 10) / 10
    const stage = scan.stage !== '' && isLater(scan.stage, progress.stage) ? scan.stage : progress.stage
    return store.change(tx, { id: scan.id, from: ['running'] }, { stage, scanned_hosts, found_hosts, hosts_per_second })
  }

const isLater = (one: Progress['stage'], other: Progress['stage']): boolean =>
  STAGES.indexOf(one) > STAGES.indexOf(other)

const buildHostFilter = (network: Network, scan: Scan): ((host: FoundHost) => boolean) => {
  const isWanted = buildAddressFilter(network, scan)
  return ({ ip: text }) => {
    const ip = parseIp(text)
    return ip !== undefined && isWanted(ip)
  }
}

const buildIntake = async (
  ctx: Ctx,
  reporting: Reporting,
  { scan, network, hasKeys }: { readonly scan: Scan; readonly network: Network; readonly hasKeys: boolean },
): Promise<Intake> => {
  const previousScanId = (await store.findCompletedBefore(ctx, network.id, scan.id)) ?? ''
  const space = await findSpaceKey(ctx, network)
  const mayLogIn = hasKeys && scan.scan_type === 'deep' && reporting.scanner.use_credentials
  const logins = mayLogIn && { hasLogin: await findLoginFilter(ctx, { network, user: await findScanUser(ctx, scan) }) }
  return {
    ingestion: { networkId: network.id, scanId: scan.id, space, type: scan.scan_type, previousScanId, ...logins },
    advance: createAdvance(reporting),
  }
}

/** Returns the hosts of the network, each once. */
const selectHosts = (hosts: readonly FoundHost[], isWanted: (host: FoundHost) => boolean): FoundHost[] => [
  ...new Map(hosts.filter(isWanted).map((host) => [host.ip, host])).values(),
]

const toProgress = ({ progress }: Batch, { stage }: Scan): Progress =>
  progress ?? { stage: stage || 'liveness', scanned: 0, total: 0, found: 0, probesPerSecond: 0 }

/** Stores the hosts. Returns the number of hosts outside the network; undefined if the scan is lost. */
const storeHosts = async (
  ctx: Ctx,
  reporting: Reporting,
  { scan, batches }: { readonly scan: Scan; readonly batches: readonly Batch[] },
): Promise<number | undefined> => {
  const network = await getNetworkOrThrow(ctx, scan.network_id)
  const hasKeys = batches.some(({ hosts }) => hosts.some(({ sshHostKey }) => sshHostKey !== ''))
  const intake = await buildIntake(ctx, reporting, { scan, network, hasKeys })
  const isWanted = buildHostFilter(network, scan)
  let dropped = 0
  for (const batch of batches) {
    const hosts = selectHosts(batch.hosts, isWanted)
    dropped += batch.hosts.filter((host) => !isWanted(host)).length
    if (!(await storeBatch(ctx, intake, { progress: toProgress(batch, scan), hosts }))) return undefined
  }
  return dropped
}

const end = async (tx: Ctx, scan: Scan, report: Report, { scanner }: Reporting): Promise<void> => {
  const { id } = scan
  if (report.type === 'done') {
    await store.change(tx, { id, from: ['running'] }, { is_done: 1, hosts_per_second: 0 })
    await tx.emit('scan.done')
  } else if (report.type === 'failed') await fail(tx, scan, report.message || 'the scanner could not run it')
  else if (report.type === 'cancelled') {
    const cancelled = { status: 'cancelled' as const, stage: '' as const, completed_at: tx.now }
    await store.change(tx, { id, from: ['running'] }, cancelled)
    await store.addNote(tx, id, `cancelled by the scanner ${scanner.name}`)
    await noteRun(tx, scan.rule_id)
    await tx.emit('scan.cancelled')
  }
}

/** Stores everything but hosts, and the number of the request. Returns false if the scan is lost. */
const conclude = async (
  tx: Ctx,
  reporting: Reporting,
  { reports, dropped }: { readonly reports: readonly Report[]; readonly dropped: number },
): Promise<boolean> => {
  const scan = await lockNext(tx, reporting)
  if (!scan) return false
  const notes: string[] = []
  let checkpoint: string | undefined
  for (const report of reports) {
    if (report.type === 'ready') notes.push(...(await storePrivilege(tx, scan.id, report)))
    else if (report.type === 'note') notes.push(report.text)
    else if (report.type === 'batch' && report.checkpoint) checkpoint = JSON.stringify(report.checkpoint)
  }
  if (dropped > 0) notes.push(`${dropped} hosts were dropped: they are not in the network, or excluded`)
  await store.addNotes(tx, scan.id, notes)
  await store.setState(tx, scan.id, { seq: reporting.seq, ...(checkpoint !== undefined && { checkpoint }) })
  const last = reports.at(-1)
  if (last) await end(tx, scan, last, reporting)
  return true
}

/** Gives a scan back to its former holder, unless another scanner has taken it. */
const returnToHolder = async (ctx: Ctx, { scanner, scanId, lease }: Reporting): Promise<void> => {
  const scan = await store.find(ctx, scanId)
  if (scan?.status !== 'pending') return
  await ctx.write(async (tx) => {
    await store.lockStarts(tx)
    const known = (await findConcerned(tx, [scanner.id], [{ scan_id: scanId, lease }])).get(scanId)
    const isTheirs = known?.lease === lease && [scanner.name, ...scanner.tags].includes(known.scanner)
    if (isTheirs) await restore(tx, scanner, known)
  })
}

const isEnd = ({ type }: Report): boolean => type === 'done' || type === 'failed' || type === 'cancelled'

/** @throws AppError NOT_FOUND, VALIDATION_ERROR */
export const answerReports = async (
  ctx: Ctx,
  { reports: sent, ...given }: Omit<Reporting, 'lease' | 'seq'> & ReportsBody,
): Promise<ReportsAnswer> => {
  const reporting: Reporting = given
  await returnToHolder(ctx, reporting)
  const verdict = await judge(ctx, reporting)
  if ('answer' in verdict) return verdict.answer
  const all = readReports(sent)
  const endsAt = all.findIndex(isEnd)
  const reports = endsAt === -1 ? all : all.slice(0, endsAt + 1)
  const batches = reports.flatMap((one) => (one.type === 'batch' ? [one] : []))
  const dropped = batches.length > 0 ? await storeHosts(ctx, reporting, { scan: verdict.scan, batches }) : 0
  const isStored = dropped !== undefined && (await ctx.write((tx) => conclude(tx, reporting, { reports, dropped })))
  if (isStored) return { ack: reporting.seq, cancel: false }
  // A concurrent request has stored it, or the scan is not theirs any more.
  const now = await judge(ctx, reporting)
  return 'answer' in now ? now.answer : { ack: reporting.seq - 1, cancel: false }
}
