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
import type { Checkpoint, FromScanner, Progress, ScanPlan } from '../../scanner/protocol.ts'
import { type Ingestion, type InSpace, ingest } from '../devices/ingest.ts'
import { noteRun } from '../rules/rules.ts'
import type { Scan } from '../schema.ts'
import { processInBatches } from './batches.ts'
import { findScanUser } from './credential-user.ts'
import { finish } from './finish.ts'
import { planFor } from './plan.ts'
import { scanIssue } from './scan-rules.ts'
import * as store from './scan-store.ts'
import { fail } from './scans.ts'

/** A scan is resumed so many times if its process died. */
const MAX_RESUMES = 3
/** After that time too much may have changed to go on from there. */
const RESUME_WITHIN_MS = 600_000
/** Events after which there may be something to start or to stop. */
const NEWS = ['scan.queued', 'scan.cancelled', 'scan.failed', 'scan.deleted', 'network.deleted'] as const

export type RunnerOptions = {
  readonly config: Config
  readonly secrets: Secrets
  readonly metrics: Metrics
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

const parseCheckpoint = (text: string): Checkpoint | null =>
  // The stored JSON was reported by a scanner.
  text === '' ? null : (JSON.parse(text) as Checkpoint)

/** The scanner counts its own targets, which may be slightly fewer. */
const computeScanned = ({ total_hosts }: Scan, { scanned, total }: Progress): number =>
  total === 0 ? 0 : Math.min(total_hosts, Math.round((scanned / total) * total_hosts))

export const createRunner = ({ config, secrets, metrics, kernel, startScan }: RunnerOptions): Runner => {
  const me = Bun.randomUUIDv7()
  const running = new Map<string, Running>()
  const scansTotal = metrics.counter('discovery_scans_total', 'Discovery scans')
  const durations = metrics.summary('discovery_scan_duration_milliseconds', 'Time of a discovery scan', 'type')
  const collectAfter = createScanCollector()
  let isClosed = false
  let turn: Promise<void> = Promise.resolve()
  let isAsked = false

  const mine = (id: string) => ({ id, from: ['running'] as const, holder: me })

  const storeBatch = async (
    ctx: Ctx,
    entry: Running,
    ingestion: InSpace<Omit<Ingestion, 'stage'>>,
    { progress, hosts, checkpoint }: Extract<FromScanner, { type: 'batch' }>,
  ): Promise<boolean> => {
    const { scan, began } = entry
    const { stage } = progress
    const scanned_hosts = computeScanned(scan, progress)
    began.scanned ??= scanned_hosts
    // Rows lost in a power failure are found again: the scan resumes from the last durable checkpoint.
    const work = { items: hosts, options: { deferSync: true } }
    return processInBatches(ctx, work, async (tx, some, isLast) => {
      const seconds = Math.max(0.001, (Date.parse(tx.now) - began.atMs) / 1000)
      const hosts_per_second = Math.round(((scanned_hosts - (began.scanned ?? 0)) / seconds) * 10) / 10
      const state = { stage, scanned_hosts, hosts_per_second, found_hosts: progress.found }
      if (!(await store.change(tx, mine(scan.id), state))) return false
      await ingest(tx, { ...ingestion, stage }, some)
      // Stored with the last of its hosts, so that a resumed scan finds all of them.
      if (isLast) await store.setState(tx, scan.id, { checkpoint: JSON.stringify(checkpoint) })
      return true
    })
  }

  const handle = async (
    ctx: Ctx,
    entry: Running,
    ingestion: InSpace<Omit<Ingestion, 'stage'>>,
    report: FromScanner,
  ): Promise<void> => {
    const { id } = entry.scan
    if (report.type === 'ready')
      await ctx.write(async (tx) => {
        await store.setState(tx, id, { privilege: JSON.stringify(report.privilege) })
        if (report.privilege.advice !== '') await store.addNote(tx, id, `More privileges: ${report.privilege.advice}`)
      })
    else if (report.type === 'note') await ctx.write((tx) => store.addNote(tx, id, report.text))
    else if (report.type === 'batch') {
      if (!(await storeBatch(ctx, entry, ingestion, report))) entry.process?.cancel()
      collectAfter(report.hosts.length)
    }
  }

  const complete = async (ctx: Ctx, { scan }: Running, previousScanId: string): Promise<void> => {
    await finish(ctx, scan, previousScanId)
    await ctx.write(async (tx) => {
      const ended = { status: 'completed' as const, stage: '' as const, scanned_hosts: scan.total_hosts }
      if (!(await store.change(tx, mine(scan.id), { ...ended, completed_at: tx.now }))) return
      await store.setState(tx, scan.id, { checkpoint: '' })
      await noteRun(tx, scan.rule_id)
      const completed = await store.find(tx, scan.id)
      if (completed) await tx.emit('discovery.completed', completed)
    })
    durations.observe(scan.scan_type, Date.now() - Date.parse(scan.started_at ?? scan.created_at))
  }

  const conclude = async (ctx: Ctx, entry: Running, previousScanId: string, end: ScanEnd): Promise<void> => {
    const { id } = entry.scan
    if (entry.isInterrupted) return
    if (end.result === 'done') await complete(ctx, entry, previousScanId)
    else if (end.result === 'failed') await ctx.write((tx) => fail(tx, entry.scan, end.message))
    // One that was called off is on record as such; one that died is taken up at the next look.
    else if (end.result === 'died' && !isClosed) await ctx.write((tx) => store.addNote(tx, id, end.message))
  }

  const run = async (ctx: Ctx, entry: Running): Promise<void> => {
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
    const previousScanId = (await store.findCompletedBefore(ctx, network.id, scan.id)) ?? ''
    const hasLogin = buildLoginFilter(plan)
    const space = await findSpaceKey(ctx, network)
    const of = { networkId: network.id, scanId: scan.id, space }
    const ingestion = { ...of, type: scan.scan_type, previousScanId, hasLogin }
    const isWanted = (await store.find(ctx, scan.id))?.status === 'running'
    if (isClosed || !isWanted) return
    const process = startScan(plan, (report) =>
      handle(ctx, entry, ingestion, report).catch((error: unknown) => {
        entry.isInterrupted = isPassing(ctx, error)
        throw error
      }),
    )
    entry.process = process
    await conclude(ctx, entry, previousScanId, await process.ended)
  }

  /** Runs a scan that this process has taken, until nothing more is to be written for it. */
  const begin = (given: Ctx, scan: Scan, held: Held): void => {
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
    entry.done = run(ctx, entry)
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
        ask()
      })
  }

  /** Returns false if the scan has to wait, or has ended. */
  const take = async (ctx: Ctx, { id, network_id }: Open): Promise<boolean> => {
    const taken = await ctx.write(async (tx) => {
      const started = { status: 'running' as const, started_at: tx.now }
      // Another instance may have begun one since the look.
      await store.lockStarts(tx)
      if ((await store.countRunning(tx)) >= config.discoveryMaxConcurrent) return undefined
      if (await store.isNetworkBusy(tx, network_id)) return undefined
      if (!(await store.change(tx, { id, from: ['pending'] }, started))) return undefined
      const held = await store.leases.take(tx, [id], me)
      const scan = await store.find(tx, id)
      if (scan) await tx.emit('discovery.started', scan)
      return scan && { scan, held }
    })
    if (!taken) return false
    scansTotal.add()
    begin(ctx, taken.scan, taken.held)
    return true
  }

  const isLeftBehind = ({ id, status, holder, left_ms }: Open, ctx: Ctx): boolean => {
    if (status !== 'running' || running.has(id)) return false
    // Another holder in a database of one instance is an earlier process.
    return holder === me || (ctx.store.sql.besideOthers(() => Number(left_ms) >= 0) ?? true)
  }

  const takeUp = async (ctx: Ctx, { id, holder, left_ms, resumes }: Open): Promise<void> => {
    const taken = await ctx.write(async (tx) => {
      const scan = await store.find(tx, id)
      if (!scan) return undefined
      const reason =
        resumes >= MAX_RESUMES
          ? `its process died ${resumes + 1} times`
          : Number(left_ms) > RESUME_WITHIN_MS
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
      await store.addNote(tx, id, 'resumes from its checkpoint')
      return { scan, held }
    })
    if (taken) begin(ctx, taken.scan, taken.held)
  }

  const poll = async (ctx: Ctx): Promise<void> => {
    if (isClosed) return
    const open = await store.open(ctx)
    const wanted = new Set(
      open.filter(({ status, holder }) => status === 'running' && holder === me).map(({ id }) => id),
    )
    for (const [id, { process }] of running) if (!wanted.has(id)) process?.cancel()
    for (const one of open) if (isLeftBehind(one, ctx)) await takeUp(ctx, one)
    const tried = new Set(open.filter(({ status }) => status === 'running').map(({ network_id }) => network_id))
    let count = tried.size
    for (const one of open) {
      if (count >= config.discoveryMaxConcurrent || isClosed) break
      if (one.status !== 'pending' || tried.has(one.network_id)) continue
      tried.add(one.network_id)
      if (await take(ctx, one)) count++
    }
  }

  /** One poll at a time; changes since its start are seen by the next. */
  const maintain = (ctx: Ctx): Promise<void> => {
    const next = turn.then(() => poll(ctx))
    // A failed poll rejects for its caller; the next one starts fresh.
    turn = next.catch(() => {})
    return next
  }

  const ask = (): void => {
    if (isAsked || isClosed) return
    isAsked = true
    setImmediate(() => {
      isAsked = false
      if (isClosed) return
      const job = { name: 'discovery.run-scans', summary: '', everyMs: 0, run: maintain }
      turn = kernel()
        .runJob(job)
        // The timer polls again and logs failures.
        .catch(() => {})
    })
  }

  return {
    maintain,
    ask,
    onCommit: (events) => {
      if (hasEvent(events, ...NEWS)) ask()
    },
    close: async () => {
      isClosed = true
      await turn
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

const buildLoginFilter = ({ ssh }: ScanPlan): ((ip: string) => boolean) => {
  const ips = new Set(ssh.map(({ ip }) => ip))
  return (ip) => ips.has('') || ips.has(ip)
}
