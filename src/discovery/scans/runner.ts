/**
 * Runs queued scans, each in its own process, and stores their reports. Reaches the scanner only through process.ts: its reports arrive
 * by `onReport`.
 */

import type { Config } from '../../base/config/config.ts'
import { createScanCollector } from '../../base/runtime/gc.ts'
import type { Metrics } from '../../base/runtime/metrics.ts'
import type { Secrets } from '../../base/security/crypto.ts'
import type { Tables } from '../../database/tables.ts'
import { getNetworkOrThrow } from '../../inventory/networks/networks.ts'
import { findSpaceKey } from '../../inventory/spaces/keys.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { hasEvent } from '../../kernel/events.ts'
import { addFence } from '../../kernel/fence.ts'
import { type Held, LostLeaseError } from '../../kernel/jobs/leases.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { ScanEnd, ScanProcess, startScan } from '../../scanner/process.ts'
import type { FromScanner } from '../../scanner/protocol.ts'
import { createAskedJob } from '../asked-job.ts'
import type { Scan } from '../schema.ts'
import { findScanUser } from './credential-user.ts'
import { buildLoginFilter, parseCheckpoint, planFor } from './plan.ts'
import { complete, computeScanned, type Intake, storeBatch, storePrivilege } from './reports.ts'
import { scanIssue } from './scan-rules.ts'
import * as store from './scan-store.ts'
import { fail } from './scans.ts'

/** A scan is resumed so many times if its process died. */
const MAX_RESUMES = 3
/** After that time too much may have changed to go on from there. */
const RESUME_WITHIN_MS = 600_000
/** Events after which there may be something to start or to stop. */
const NEWS = ['scan.queued', 'scan.cancelled', 'scan.failed', 'scan.deleted', 'scan.done', 'network.deleted'] as const

export type RunnerOptions = {
  readonly config: Config
  readonly secrets: Secrets
  readonly metrics: Metrics
  /** Counts the scans that are begun, here or by a scanner. */
  readonly startedTotal: ReturnType<Metrics['counter']>
  readonly kernel: () => Kernel<Tables>
  readonly startScan: typeof startScan
}

export type Runner = {
  /** Starts queued scans, stops cancelled ones, and resumes interrupted ones. */
  readonly maintain: (ctx: Ctx) => Promise<void>
  /** Something was committed, here or by another instance. */
  readonly onCommit: (events: readonly string[]) => void
  /** Looks at once. */
  readonly ask: () => void
  /** Stops every scan. Running scans are resumed at the next start. */
  readonly close: () => Promise<void>
}

type Running = {
  /** Writes for as long as the scan is ours. */
  readonly ctx: Ctx
  readonly scan: Scan
  readonly held: Held
  process: ScanProcess | undefined
  /** Resolves when nothing more is written for it. */
  done: Promise<void>
  readonly began: { readonly atMs: number; scanned: number | undefined }
  /** Its last report could not be stored, because the database was away: it resumes from its checkpoint. */
  isInterrupted: boolean
}

/** True if the scan is resumed later. */
const isPassing = ({ store }: Ctx, error: unknown): boolean => store.sql.isConnectionLost(error)

type Open = Awaited<ReturnType<typeof store.open>>[number]

type Taken = { readonly scan: Scan; readonly held: Held }
type Work = (ctx: Ctx, entry: Running) => Promise<void>

export const createRunner = ({ config, secrets, metrics, startedTotal, kernel, startScan }: RunnerOptions): Runner => {
  const me = Bun.randomUUIDv7()
  const running = new Map<string, Running>()
  const durations = metrics.summary('discovery_scan_duration_milliseconds', 'Time of a discovery scan', 'type')
  const collectAfter = createScanCollector()
  let isClosed = false

  const createAdvance =
    ({ scan, began }: Running): Intake['advance'] =>
    async (tx, progress) => {
      const scanned_hosts = computeScanned(scan, progress)
      began.scanned ??= scanned_hosts
      const seconds = Math.max(0.001, (Date.parse(tx.now) - began.atMs) / 1000)
      const hosts_per_second = Math.round(((scanned_hosts - began.scanned) / seconds) * 10) / 10
      const state = { stage: progress.stage, scanned_hosts, hosts_per_second, found_hosts: progress.found }
      return store.change(tx, { id: scan.id, from: ['running'], holder: me }, state)
    }

  const handle = async (ctx: Ctx, entry: Running, intake: Intake, report: FromScanner): Promise<void> => {
    const { id } = entry.scan
    if (report.type === 'ready')
      await ctx.write(async (tx) => store.addNotes(tx, id, await storePrivilege(tx, id, report)))
    else if (report.type === 'note') await ctx.write((tx) => store.addNote(tx, id, report.text))
    else if (report.type === 'batch') {
      // Stored with the last of its hosts, so that a resumed scan finds all of them.
      const checkpoint = JSON.stringify(report.checkpoint)
      const isOurs = await storeBatch(ctx, intake, report, (tx) => store.setState(tx, id, { checkpoint }))
      if (!isOurs) entry.process?.cancel()
      collectAfter(report.hosts.length)
    }
  }

  const completeOwn = async (ctx: Ctx, { scan }: Running, previousScanId: string): Promise<void> => {
    await complete(ctx, { scan, holder: me, previousScanId })
    durations.observe(scan.scan_type, Date.now() - Date.parse(scan.started_at ?? scan.created_at))
  }

  const conclude = async (ctx: Ctx, entry: Running, previousScanId: string, end: ScanEnd): Promise<void> => {
    const { id } = entry.scan
    if (entry.isInterrupted) return
    if (end.result === 'done') await completeOwn(ctx, entry, previousScanId)
    else if (end.result === 'failed') await ctx.write((tx) => fail(tx, entry.scan, end.message))
    // One that was called off is on record as such; one that died is taken up at the next look.
    else if (end.result === 'died' && !isClosed) await ctx.write((tx) => store.addNote(tx, id, end.message))
  }

  const findPrevious = async (ctx: Ctx, { network_id, id }: Scan): Promise<string> =>
    (await store.findCompletedBefore(ctx, network_id, id)) ?? ''

  /** Completes a scan that a scanner in another place has made. */
  const finishRemote: Work = async (ctx, entry) => {
    if (!isClosed) await completeOwn(ctx, entry, await findPrevious(ctx, entry.scan))
  }

  const run: Work = async (ctx, entry) => {
    const { scan } = entry
    const network = await getNetworkOrThrow(ctx, scan.network_id)
    // The subnet, the address space or the settings may have changed since the scan was queued or interrupted.
    const issue = await scanIssue(ctx, network, config)
    if (issue) {
      await ctx.write((tx) => fail(tx, scan, issue.message))
      return
    }
    const state = await store.findState(ctx, scan.id)
    const checkpoint = parseCheckpoint(state?.checkpoint ?? '')
    const user = await findScanUser(ctx, scan)
    const { plan, notes } = await planFor(ctx, { scan, user, network, checkpoint }, { config, secrets })
    for (const note of notes) await ctx.write((tx) => store.addNote(tx, scan.id, note))
    const previousScanId = await findPrevious(ctx, scan)
    const hasLogin = buildLoginFilter(new Set(plan.ssh.map(({ ip }) => ip)))
    const space = await findSpaceKey(ctx, network)
    const of = { networkId: network.id, scanId: scan.id, space }
    const ingestion = { ...of, type: scan.scan_type, previousScanId, hasLogin }
    const intake: Intake = { ingestion, advance: createAdvance(entry) }
    const isWanted = (await store.find(ctx, scan.id))?.status === 'running'
    if (isClosed || !isWanted) return
    const process = startScan(plan, (report) =>
      handle(ctx, entry, intake, report).catch((error: unknown) => {
        entry.isInterrupted = isPassing(ctx, error)
        throw error
      }),
    )
    entry.process = process
    await conclude(ctx, entry, previousScanId, await process.ended)
  }

  /** Works on a scan that this process has taken, until nothing more is to be written for it. */
  const begin = (given: Ctx, { scan, held }: Taken, work: Work): void => {
    const ctx = addFence(given, store.leases.fence(held))
    const stop = store.leases.keep(held, given.write)
    const entry: Running = {
      ctx,
      scan,
      held,
      process: undefined,
      done: Promise.resolve(),
      began: { atMs: Date.parse(scan.started_at ?? scan.created_at), scanned: undefined },
      isInterrupted: false,
    }
    running.set(scan.id, entry)
    entry.done = work(ctx, entry)
      .catch(async (error: unknown) => {
        if (error instanceof LostLeaseError)
          return ctx.log.info('a scan continues at another instance', { scan: scan.id })
        if (isPassing(ctx, error))
          return ctx.log.warn('a scan was interrupted, and resumes later', { scan: scan.id, error })
        ctx.log.error('a scan could not be run', { scan: scan.id, error })
        await ctx.write((tx) => fail(tx, scan, 'the server could not run it; its log says why'))
      })
      // If that cannot be written either, the scan is resumed as an abandoned one.
      .catch((error: unknown) => ctx.log.error('a failed scan could not be recorded', { scan: scan.id, error }))
      .finally(() => {
        stop()
        running.delete(scan.id)
        job.ask()
      })
  }

  /** Returns false if the scan has to wait, or has ended. */
  const take = async (ctx: Ctx, { id, network_id }: Open): Promise<boolean> => {
    const taken = await ctx.write(async (tx) => {
      const started = { status: 'running' as const, started_at: tx.now }
      // Another instance may have begun one since the look.
      await store.lockStarts(tx)
      if ((await store.countOwnRunning(tx)) >= config.discoveryMaxConcurrent) return undefined
      if (await store.isNetworkBusy(tx, network_id)) return undefined
      // Scanners take the scans of networks with a label.
      if ((await getNetworkOrThrow(tx, network_id)).scanner !== '') return undefined
      if (!(await store.change(tx, { id, from: ['pending'] }, started))) return undefined
      const held = await store.leases.take(tx, [id], me)
      const scan = await store.find(tx, id)
      if (scan) await tx.emit('discovery.started', scan)
      return scan && { scan, held }
    })
    if (!taken) return false
    startedTotal.add()
    begin(ctx, taken, run)
    return true
  }

  const isLeftBehind = ({ id, status, holder, left_ms, scanner_id, is_done }: Open, ctx: Ctx): boolean => {
    if (status !== 'running' || running.has(id)) return false
    // Its scanner runs it.
    if (scanner_id !== null && is_done === 0) return false
    // Another holder in a database of one instance is an earlier process.
    return holder === me || (ctx.store.sql.besideOthers(() => Number(left_ms) >= 0) ?? true)
  }

  const takeUp = async (ctx: Ctx, { id, holder, left_ms, resumes, scanner_id }: Open): Promise<void> => {
    const isRemote = scanner_id !== null
    const taken = await ctx.write(async (tx) => {
      const scan = await store.find(tx, id)
      if (!scan) return undefined
      const reason =
        resumes >= MAX_RESUMES
          ? `its process died ${resumes + 1} times`
          : !isRemote && Number(left_ms) > RESUME_WITHIN_MS
            ? 'the server was stopped for too long to go on from where it was'
            : undefined
      if (reason !== undefined) {
        await fail(tx, scan, reason)
        return undefined
      }
      // Its holder released it, or died.
      const times = holder === '' ? resumes : resumes + 1
      if (!(await store.change(tx, { id, from: ['running'], holder }, { resumes: times }))) return undefined
      const held = await store.leases.take(tx, [id], me)
      if (!isRemote) await store.addNote(tx, id, 'resumes from its checkpoint')
      return { scan, held }
    })
    if (taken) begin(ctx, taken, isRemote ? finishRemote : run)
  }

  const poll = async (ctx: Ctx): Promise<void> => {
    const open = await store.open(ctx)
    const wanted = new Set(
      open.filter(({ status, holder }) => status === 'running' && holder === me).map(({ id }) => id),
    )
    for (const [id, { process }] of running) if (!wanted.has(id)) process?.cancel()
    for (const one of open) if (isLeftBehind(one, ctx)) await takeUp(ctx, one)
    const underWay = open.filter(({ status }) => status === 'running')
    const tried = new Set(underWay.map(({ network_id }) => network_id))
    let count = underWay.filter(({ scanner_id }) => scanner_id === null).length
    for (const one of open) {
      if (count >= config.discoveryMaxConcurrent || isClosed) break
      if (one.status !== 'pending' || one.scanner !== '' || tried.has(one.network_id)) continue
      tried.add(one.network_id)
      if (await take(ctx, one)) count++
    }
  }

  const job = createAskedJob({ name: 'discovery.run-scans', kernel, work: poll })

  return {
    maintain: job.run,
    ask: job.ask,
    onCommit: (events) => {
      if (hasEvent(events, ...NEWS)) job.ask()
    },
    close: async () => {
      isClosed = true
      await job.close()
      const left = [...running.values()]
      for (const { process } of left) process?.cancel()
      await Promise.all(left.map(({ done }) => done))
      for (const { ctx, scan, held } of left)
        await ctx
          .write((tx) => store.leases.release(tx, held))
          // Another server takes it up a little later.
          .catch((error: unknown) => ctx.log.warn('a scan could not be left in good order', { scan: scan.id, error }))
    },
  }
}
