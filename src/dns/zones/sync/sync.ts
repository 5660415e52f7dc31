/** Brings a zone to its server: computes the changed names, blocks too large a deletion, and sends the difference. */

import type { Logger } from '../../../base/runtime/log.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import type { DnsClient } from '../../client/client.ts'
import { DnsError } from '../../client/dns-error.ts'
import type { Rrset } from '../rrset-store.ts'
import * as rrsets from '../rrset-store.ts'
import { raiseSerial } from '../serial.ts'
import * as store from '../store.ts'
import { compareWithServer, type ServerRrset } from './compare-rrset.ts'
import { findDanglingFilter } from './compute.ts'
import { checkDeletionLimit } from './deletion-limit.ts'
import { buildRrsetKey } from './desired-rrsets.ts'
import { compute } from './recompute.ts'
import type { Run } from './run.ts'
import { createSend } from './send.ts'
import { isWaiting, TransferFailedError, transferZone } from './transfer.ts'
import { orderRrsets } from './update-message.ts'

export type SyncOptions = {
  readonly createClient: (ctx: Ctx, providerId: string) => Promise<DnsClient>
  readonly now: () => Date
  readonly log: Logger
  readonly onResult: (result: string) => void
  /** Emitted once, when a zone begins to fail. */
  readonly onFailed: (ctx: Ctx, zoneId: string) => Promise<void>
  readonly signal: AbortSignal
}

const RRSETS_AT_ONCE = 5000
/** The rounds of sending: each acts on the answers to the one before. */
const ROUNDS = 5
/** The pause of RRsets that other programs change between the rounds. */
const REST_MS = 5000
const WAITS_S = [1, 5, 15, 60, 300] as const

/** Returns the reason for which nothing of the zone may be sent; '' without one. */
const findHeldReason = async ({ ctx, zone }: Run): Promise<string> =>
  checkDeletionLimit(zone, await rrsets.countGoing(ctx, zone.id))

const isFileChanged = (before: readonly Rrset[], after: readonly Rrset[]): boolean => {
  const old = new Map(before.map((one) => [buildRrsetKey(one.name, one.type), one]))
  return after.some((one) => {
    const known = old.get(buildRrsetKey(one.name, one.type))
    return (
      JSON.stringify([known?.published, known?.published_ttl]) !== JSON.stringify([one.published, one.published_ttl])
    )
  })
}

/** Publishes the RRsets of a zone without a server. */
const publish = async ({ ctx, write, zone }: Run, now: Date): Promise<void> => {
  for (;;) {
    const part = await rrsets.findPending(ctx, zone.id, RRSETS_AT_ONCE)
    if (part.length === 0) return
    await write(async (inner) => {
      await rrsets.save(
        inner,
        zone.id,
        part.map((one) => ({ ...one, state: 'published', published: one.wanted, published_ttl: one.wanted_ttl })),
      )
      await raiseSerial(inner, zone, now)
    })
  }
}

/** The errors of servers that permit no transfer. */
const NO_TRANSFER: ReadonlySet<string> = new Set(['refused', 'zone_not_there', 'failed'])

/** True if the prerequisites of updates must find the same as a transfer would have. */
const isWithoutTransfer = (error: unknown): boolean =>
  error instanceof TransferFailedError || (error instanceof DnsError && NO_TRANSFER.has(error.kind))

/** Adopts the RRsets of a server that Plat has published nothing on: one transfer in place of a question for each. */
const adopt = async (run: Run, client: DnsClient, options: SyncOptions): Promise<void> => {
  const { ctx, write, zone } = run
  if ((await rrsets.countGoing(ctx, zone.id)).published > 0) return
  const state = await store.findState(ctx, zone.id)
  if (state && isWaiting(state, options.now())) return
  const pending = await rrsets.findPending(ctx, zone.id, Number.MAX_SAFE_INTEGER)
  if (pending.length === 0) return
  let there: ReadonlyMap<string, ServerRrset>
  try {
    there = (await transferZone(run, client, options)).rrsets
  } catch (error) {
    // A key may be permitted to update and not to transfer.
    if (isWithoutTransfer(error)) return
    throw error
  }
  const found = pending.flatMap((one) => {
    const own = there.get(buildRrsetKey(one.name, one.type))
    return own ? [compareWithServer(one, own)] : []
  })
  for (let from = 0; from < found.length; from += RRSETS_AT_ONCE)
    await write((inner) => rrsets.save(inner, zone.id, found.slice(from, from + RRSETS_AT_ONCE)))
}

const sendAll = async (run: Run, options: SyncOptions): Promise<void> => {
  const { createClient, onResult, signal, now } = options
  const { ctx, write, zone } = run
  if (zone.provider_id === null) return
  const first = await rrsets.findPending(ctx, zone.id, 1)
  if (first.length === 0) return
  const client = await createClient(ctx, zone.provider_id)
  await adopt(run, client, options)
  const send = createSend({ client, zone: zone.name, signal, onResult })
  for (let round = 0; round < ROUNDS; ) {
    const part = await rrsets.findPending(ctx, zone.id, RRSETS_AT_ONCE)
    if (part.length === 0) return
    for (const some of orderRrsets(part))
      await send(some, {
        // On record before it is sent: a crash between the answer of the server and the commit ends in `compareWithServer`.
        before: (sending) => write((inner) => rrsets.save(inner, zone.id, sending)),
        after: (done) =>
          write(async (inner) => {
            await rrsets.save(inner, zone.id, done)
            if (isFileChanged(some, done)) await raiseSerial(inner, zone, now())
          }),
      })
    if (part.length < RRSETS_AT_ONCE) round++
  }
}

/** Records that the server did not take an update, and when it is tried again. */
const recordFailure = async ({ write, zone }: Run, error: DnsError, { now, onFailed }: SyncOptions): Promise<void> => {
  await write(async (inner) => {
    const state = await store.findState(inner, zone.id)
    const failures = state?.failures ?? 0
    const waitS = WAITS_S[Math.min(failures, WAITS_S.length - 1)] ?? 0
    const retry_ms = now().getTime() + waitS * 1000
    await store.updateState(inner, zone.id, { error: error.message, failures: failures + 1, retry_ms })
    if (state?.error === '') await onFailed(inner, zone.id)
  })
}

/** Ends the failures of updates. The error of a check stays until a check succeeds. */
const clearFailure = async ({ ctx, write, zone }: Run): Promise<void> => {
  const state = await store.findState(ctx, zone.id)
  if (state && state.failures > 0)
    await write((inner) => store.updateState(inner, zone.id, { error: '', failures: 0, retry_ms: 0 }))
}

/** Records the reason for which the zone is held, if it is another one. */
const recordHeld = async ({ ctx, write, zone }: Run, held: string): Promise<void> => {
  const state = await store.findState(ctx, zone.id)
  if (state?.held !== held) await write((inner) => store.updateState(inner, zone.id, { held }))
}

const dropChanges = async ({ ctx, write, zone }: Run): Promise<void> => {
  const noted = await rrsets.findChanges(ctx, zone.id)
  if (noted.length > 0)
    await write((inner) =>
      rrsets.removeChanges(
        inner,
        zone.id,
        noted.map(({ id }) => id),
      ),
    )
}

const finish = async ({ ctx, write, zone }: Run, now: Date): Promise<void> => {
  const [left] = await rrsets.findPending(ctx, zone.id, 1)
  const change = left ? { retry_ms: now.getTime() + REST_MS } : { last_synced_at: now.toISOString() }
  await write((inner) => store.updateState(inner, zone.id, change))
}

/** Computes the changes that wait, and sends nothing. */
export const computeWaiting = async (run: Run, now: () => Date): Promise<Run> =>
  (await findDanglingFilter(run.ctx, run.zone)) === undefined ? await compute(run, now) : run

export type SyncTerms = { readonly isForced?: boolean; readonly isNow?: boolean }

/**
 * Runs the lane of a zone once.
 * @returns the error of its server, which is on record then
 */
export const syncZone = async (
  first: Run,
  options: SyncOptions,
  { isForced = false, isNow = isForced }: SyncTerms = {},
): Promise<DnsError | undefined> => {
  const run = await computeWaiting(first, options.now)
  // Also if its filter came to lead to nothing while the names were computed.
  const dangling = await findDanglingFilter(run.ctx, run.zone)
  if (dangling !== undefined) {
    await recordHeld(run, dangling.message)
    await dropChanges(run)
    return undefined
  }
  const { ctx, zone } = run
  const held = isForced || zone.mode === 'watched' ? '' : await findHeldReason(run)
  await recordHeld(run, held)
  if (held !== '') return undefined
  if (zone.mode === 'watched' || zone.provider_id === null) {
    if (zone.mode !== 'watched') await publish(run, options.now())
    await finish(run, options.now())
    return undefined
  }
  const state = await store.findState(ctx, zone.id)
  if (!isNow && state && state.retry_ms > options.now().getTime()) return undefined
  try {
    await sendAll(run, options)
  } catch (error) {
    if (!(error instanceof DnsError)) throw error
    await recordFailure(run, error, options)
    return error
  }
  await clearFailure(run)
  await finish(run, options.now())
  return undefined
}
