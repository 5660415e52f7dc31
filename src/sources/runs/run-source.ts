/** One run of a source in its lane: begins, reads, judges, and ends. */
import type { Config } from '../../base/config/config.ts'
import { createBreathe } from '../../base/runtime/pause.ts'
import { SealedValueError, type Secrets } from '../../base/security/crypto.ts'
import { recordEvidence } from '../../discovery/leases/leases.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Hold } from '../../kernel/jobs/lanes.ts'
import { parseMac } from '../../net/mac.ts'
import type { Means } from '../../record/history/kinds.ts'
import { loadFields } from '../../resource/custom/definitions.ts'
import { isFetched } from '../checks.ts'
import { FetchError } from '../fetch/fetch-error.ts'
import type { SourceReader } from '../fetch/process.ts'
import type { FetchFacts, FetchFailure, SourceOutcome } from '../fetch/protocol.ts'
import { findEmptyType } from '../judge/guards.ts'
import { type JudgeOutcome, judgeRun } from '../judge/judge.ts'
import { compareRows } from '../judge/object-reads.ts'
import { writeDifferences } from '../judge/object-store.ts'
import type { JudgedSource } from '../judge/row.ts'
import { SOURCE_KINDS } from '../kinds/index.ts'
import type { SourceKind } from '../kinds/source-kind.ts'
import type { SourceRun } from '../schema.ts'
import { settleStatus } from '../status.ts'
import * as store from '../store.ts'
import type { SourceRunRow } from '../table.ts'
import { createFindAddresses } from './discovered-addresses.ts'
import { buildJob } from './job.ts'
import { listUnaddressed, MAX_WARNINGS, readRows } from './read-rows.ts'
import * as runs from './run-store.ts'
import { computeNextMs } from './schedule.ts'

/** The source was changed or deleted: its run is on record as cancelled. */
export class RunEndedError extends Error {
  override readonly name = 'RunEndedError'
}

export type RunOptions = {
  readonly secrets: Secrets
  readonly config: Pick<Config, 'sourceTargets' | 'ssrfAllowPrivateTargets'>
  readonly reader: SourceReader
  readonly means: Means
  readonly now: () => Date
  /** Called with the kind, the result and the duration of each run. */
  readonly onEnded: (kind: string, result: string, ms: number) => void
}

export type Begun = {
  readonly stored: store.Stored
  readonly kind: SourceKind
  readonly run: SourceRunRow
  readonly generation: number
}

const INTERRUPTED = 'the server ended during the run'

/** Ends runs that an instance has left behind. */
const endInterrupted = async (tx: Ctx, id: string, left: readonly SourceRunRow[]): Promise<void> => {
  if (left.length === 0) return
  const change = { status: 'failed', error_code: 'interrupted', message: INTERRUPTED, completed_at: tx.now }
  for (const run of left) await runs.update(tx, run.id, change)
  const state = await store.findState(tx, id)
  const failures = (state?.failures ?? 0) + 1
  await store.updateState(tx, id, { failures, message: INTERRUPTED, next_run_ms: Date.parse(tx.now) })
  await settleStatus(tx, id)
}

/** Begins the run that is due, or that was asked for; undefined without one. */
export const beginRun = async (tx: Ctx, id: string, pushed?: runs.NewRun): Promise<Begun | undefined> => {
  await store.lockState(tx, id)
  const stored = await store.find(tx, id)
  const kind = stored && SOURCE_KINDS[stored.source.kind]
  if (!kind) return undefined
  const open = await runs.findOpen(tx, id)
  await endInterrupted(
    tx,
    id,
    open.filter(({ status }) => status === 'running'),
  )
  const state = await store.findState(tx, id)
  if (!state) return undefined
  const isReadable = stored.source.enabled && isFetched(kind, stored.source)
  const isDue = isReadable && state.next_run_ms !== null && state.next_run_ms <= Date.parse(tx.now)
  const asked = pushed ? await runs.insert(tx, pushed) : open.find(({ status }) => status === 'pending')
  const scheduled = { source_id: id, trigger: 'schedule', applies: true, force: false } as const
  const run = asked ?? (isDue ? await runs.insert(tx, scheduled) : undefined)
  if (!run) {
    // A source that is no longer read by itself.
    if (!isReadable && state.next_run_ms !== null) await store.updateState(tx, id, { next_run_ms: null })
    return undefined
  }
  const begun = { status: 'running', started_at: tx.now }
  await runs.update(tx, run.id, begun)
  await store.updateState(tx, id, { last_run_at: tx.now, next_run_ms: null })
  return { stored, kind, run: { ...run, ...begun }, generation: state.generation }
}

type Ended = Partial<FetchFacts> & {
  /** '' if the same snapshot must be converted again. */
  readonly snapshotHash?: string
  readonly left?: SourceRun['left']
  readonly read?: SourceRun['read']
  readonly more?: SourceRun['warnings']
} & (
    | { readonly failure: FetchFailure | { readonly code: ''; readonly message: string } }
    | { readonly judged: JudgeOutcome }
  )

/** Stores the end of a run, and when the next one is due. */
const endRun = async (tx: Ctx, { stored, kind, run }: Begun, ended: Ended, nowMs: number): Promise<void> => {
  const { source } = stored
  const failure = 'failure' in ended ? ended.failure : undefined
  const judged = 'judged' in ended ? ended.judged : undefined
  const completed_at = new Date(nowMs).toISOString()
  await runs.update(tx, run.id, {
    ...{ status: failure ? 'failed' : 'completed', error_code: failure?.code ?? '', completed_at },
    ...{ message: failure?.message ?? judged?.message ?? '', product: ended.product ?? '' },
    ...{ requests: ended.requests ?? 0, bytes: ended.bytes ?? 0, log: JSON.stringify(ended.log ?? []) },
    ...{ read: JSON.stringify(ended.read ?? {}), left_over: JSON.stringify(ended.left ?? []) },
    warnings: JSON.stringify([...(ended.warnings ?? []), ...(ended.more ?? [])].slice(0, MAX_WARNINGS)),
    ...(judged && { result: judged.result, counts: JSON.stringify(judged.counts), change_id: judged.changeId }),
  })
  const state = await store.findState(tx, source.id)
  const failures = failure ? (state?.failures ?? 0) + 1 : 0
  const retryAfterSeconds = failure && 'retryAfterSeconds' in failure ? failure.retryAfterSeconds : undefined
  const isHeld = judged?.result === 'held'
  await store.updateState(tx, source.id, {
    ...{ failures, next_run_ms: computeNextMs(kind, source, { nowMs, failures, retryAfterSeconds }) },
    ...(failure
      ? { message: failure.message }
      : { last_success_at: completed_at, is_held: isHeld ? 1 : 0, snapshot_hash: ended.snapshotHash ?? '' }),
    ...(isHeld && { message: judged.message }),
    ...(ended.product && { product: ended.product }),
  })
  await settleStatus(tx, source.id)
}

const HOUR_MS = 3_600_000
/** A host of a list that is read by hand is known so long. */
const KNOWN_MS = 24 * HOUR_MS

/** Returns the settings in the form in which a row is judged. */
export const toJudged = (source: store.SourceSettings): JudgedSource => ({
  ...source,
  ...{ options: JSON.stringify(source.options), custom: JSON.stringify(source.custom) },
})

type Done = Extract<SourceOutcome, { readonly isDone: true }>
type Converted = Exclude<Done, { readonly isSame: true }>

/** Records machines that are only evidence, as DHCP leases are. */
const recordHosts = async (ctx: Ctx, source: store.SourceSettings, hosts: Converted['hosts'], nowMs: number) => {
  if (hosts.length === 0) return
  const lastsMs = source.interval_minutes === 0 ? KNOWN_MS : Math.max(HOUR_MS, 2 * source.interval_minutes * 60_000)
  const expiresAt = new Date(nowMs + lastsMs).toISOString()
  await recordEvidence(ctx, {
    space_id: source.space_id,
    detail: `is in the source ${source.name}`,
    hosts: hosts.map(({ ip, mac_address = '', hostname = '' }) => ({
      ...{ ip, mac: parseMac(mac_address) ?? '', hostname, expiresAt },
    })),
  })
}

/** The parts of the end of a run that its reading gives. */
type ReadFacts = Pick<Ended, 'snapshotHash' | 'left' | 'read' | 'more' | 'product'>

type Storing<D extends Done> = { readonly outcome: D; readonly signal: AbortSignal; readonly now: () => Date }

/** Compares the converted rows with the stored ones, and stores them. @throws FetchError of a guard */
const storeConverted = async (
  ctx: Ctx,
  { stored: { source }, kind, run }: Begun,
  { outcome, signal, now }: Storing<Converted>,
): Promise<ReadFacts & { readonly hasMissing: boolean }> => {
  const scope = { db: ctx.store.read, store: ctx.store }
  const { report, hosts, snapshotHash = '' } = outcome
  const unaddressed = listUnaddressed(outcome, source)
  const { said, types, warnings, isUnknown } = await readRows(outcome, source, {
    fields: await loadFields({ ...ctx, ...scope }, 'devices'),
    findAddresses: await createFindAddresses(scope, unaddressed),
  })
  const empty = await findEmptyType(scope, { sourceId: source.id, said: types, maybeEmpty: kind.maybeEmpty })
  if (run.force === 0 && empty !== undefined) throw new FetchError('empty', `${empty}. The account needs ${kind.needs}`)
  const differences = await compareRows(scope, source.id, { said, isUnknown, breathe: createBreathe(signal) })
  // The stored rows no longer match the last snapshot, however this run ends.
  await ctx.write((tx) => store.updateState(tx, source.id, { snapshot_hash: '' }))
  await writeDifferences(ctx.write, source.id, differences)
  await recordHosts(ctx, source, hosts, now().getTime())
  // These also depend on discovered devices, on definitions of custom fields, and on the time.
  const isTimed = hosts.length > 0 || kind.dependsOnTime?.(source.options) === true
  const isRepeatable = unaddressed.length === 0 && !isTimed && Object.keys(source.custom).length === 0
  return {
    left: report.left.map(({ what, count, why }) => ({ what, count, why })),
    ...{ read: report.read, more: [...report.warnings, ...warnings] },
    snapshotHash: isRepeatable ? snapshotHash : '',
    hasMissing: differences.missing.length > 0,
  }
}

/** Returns the counts and warnings of the last run, whose snapshot is the same. */
const readSame = async (
  ctx: Ctx,
  { run }: Begun,
  outcome: Extract<Done, { readonly isSame: true }>,
): Promise<ReadFacts> => {
  const state = await store.findState({ db: ctx.store.read }, run.source_id)
  // A push is compared before its turn: another snapshot may have been read since.
  if (state?.snapshot_hash !== outcome.snapshotHash)
    throw new FetchError('interrupted', 'another snapshot was read before this one: send it again')
  const last = await runs.findLastCompleted({ db: ctx.store.read }, run.source_id)
  const told = last && runs.toRun(last)
  return {
    ...{ snapshotHash: outcome.snapshotHash ?? '', product: outcome.product || (told?.product ?? '') },
    ...(told && { left: told.left, read: told.read, more: told.warnings }),
  }
}

/** Returns only the counts and messages. */
const pickFacts = (outcome: SourceOutcome): FetchFacts => {
  const { product, requests, bytes, latencyMs, certificate, warnings, log } = outcome
  return { product, requests, bytes, latencyMs, certificate, warnings, log }
}

export type Reading = {
  readonly hold: Hold
  readonly begun: Begun
  readonly signal: AbortSignal
  /** Returns the converted snapshot of a push, once. */
  readonly takeOutcome?: (() => SourceOutcome | undefined) | undefined
}

const toFailure = (error: unknown): FetchFailure | undefined => {
  if (error instanceof FetchError)
    return {
      ...{ code: error.code, message: error.message },
      ...(error.retryAfterSeconds !== undefined && { retryAfterSeconds: error.retryAfterSeconds }),
    }
  if (error instanceof SealedValueError)
    return { code: 'key', message: `the secrets of the source cannot be decrypted: ${error.message}` }
  return undefined
}

type Reached = Partial<FetchFacts> & ReadFacts & { readonly failure?: FetchFailure; readonly hasMissing?: boolean }

/** Fetches unless there is an outcome, and stores its rows. The converted rows are no longer in memory when it returns. */
const readToEnd = async (ctx: Ctx, options: RunOptions, { begun, signal, takeOutcome }: Reading): Promise<Reached> => {
  const fetch = async () => {
    const state = await store.findState({ db: ctx.store.read }, begun.stored.source.id)
    const job = buildJob(options, { ...begun, known: state?.snapshot_hash ?? '' }, 'fetch')
    return await options.reader.read(job, { signal })
  }
  let facts: Partial<FetchFacts> = {}
  try {
    const outcome = takeOutcome?.() ?? (await fetch())
    facts = pickFacts(outcome)
    if (!outcome.isDone) return { ...facts, failure: outcome.error }
    if (outcome.isSame) return { ...facts, ...(await readSame(ctx, begun, outcome)) }
    return { ...facts, ...(await storeConverted(ctx, begun, { outcome, signal, now: options.now })) }
  } catch (error) {
    const failure = toFailure(error)
    if (!failure) throw error
    return { ...facts, failure }
  }
}

/** Reads, judges and applies. */
const runToEnd = async (ctx: Ctx, options: RunOptions, reading: Reading): Promise<Ended> => {
  const { begun, signal } = reading
  const { hasMissing = false, failure, ...read } = await readToEnd(ctx, options, reading)
  if (failure) return { ...read, failure }
  const { source } = begun.stored
  // The time of a job is that of its start. A row that has just been marked as missing may be due at once.
  const judgedAt = hasMissing ? await ctx.write(async (tx) => tx.now) : ctx.now
  const judged = await judgeRun({ ...ctx, now: judgedAt }, options.means, {
    ...{ source: toJudged(source), signal, force: begun.run.force === 1 },
    applies: source.mode === 'auto' && begun.run.applies === 1,
  })
  return { ...read, judged }
}

/**
 * Runs a source that has begun, in its lane.
 * @throws RunEndedError, LostLeaseError, the reason of the signal
 */
export const runSource = async (ctx: Ctx, options: RunOptions, reading: Reading): Promise<void> => {
  const { hold, begun, signal } = reading
  const { source } = begun.stored
  const startMs = performance.now()
  /** Refuses the writes of a run whose source was changed. */
  const write: Ctx['write'] = (work, more) =>
    hold.write(async (tx) => {
      const state = await store.lockState(tx, source.id)
      if (state?.generation !== begun.generation) throw new RunEndedError(`the source ${source.name} was changed`)
      return await work(tx)
    }, more)
  const finish = async (ended: Ended): Promise<void> => {
    await write((tx) => endRun(tx, begun, ended, options.now().getTime()))
    const result = 'judged' in ended ? ended.judged.result : ended.failure.code || 'failed'
    options.onEnded(source.kind, result, performance.now() - startMs)
  }
  try {
    await finish(await runToEnd({ ...ctx, write }, options, reading))
  } catch (error) {
    if (error instanceof RunEndedError || signal.aborted) throw error
    await finish({ failure: { code: '', message: 'an internal error; the log of the server says more' } })
    throw error
  }
}
