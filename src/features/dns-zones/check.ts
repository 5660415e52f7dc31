/** Transfers a zone and compares it: the report, the RRsets that are no longer blocked, and repairs. */
import type { DnsClient } from '../../platform/dns/client.ts'
import { DnsError } from '../../platform/dns/dns-error.ts'
import type { Ctx } from '../ctx.ts'
import { driftOf } from './drift.ts'
import { HOLDS, judged, type ServerRrset } from './judge.ts'
import { push } from './push.ts'
import * as rrsets from './rrset-store.ts'
import type { Run } from './run.ts'
import type { DriftEntry, DriftReport } from './schema.ts'
import { serverRrsets } from './server-rrsets.ts'
import * as store from './store.ts'
import type { SyncOptions } from './sync.ts'
import { rrsetKey } from './wanted.ts'

export const MOST_ENTRIES = 10_000

/** Of a zone that was never compared. */
export const noReport = (zone_id: string): DriftReport => ({
  ...{ zone_id, checked_at: null, server_serial: null, missing: 0, changed: 0, blocked: 0, foreign: 0 },
  ...{ entries: [], is_cut: false },
})

const countsOf = (entries: readonly DriftEntry[]) => {
  const counts = { missing: 0, changed: 0, blocked: 0, foreign: 0 }
  for (const { kind } of entries) counts[kind]++
  return counts
}

/** Stores a report with its number of drifted RRsets, and emits the event if drift began or ended. */
export const saveReport = async (
  ctx: Ctx,
  report: DriftReport,
  onTransition: (ctx: Ctx, transition: 'drift_detected' | 'drift_resolved', zoneId: string) => Promise<void>,
): Promise<void> => {
  const before = (await store.findState(ctx, report.zone_id))?.drift_count ?? 0
  const drift_count = report.missing + report.changed
  await store.saveReport(ctx, report)
  await store.updateState(ctx, report.zone_id, { drift_count })
  if (before === 0 && drift_count > 0) await onTransition(ctx, 'drift_detected', report.zone_id)
  if (before > 0 && drift_count === 0) await onTransition(ctx, 'drift_resolved', report.zone_id)
}

/** Looks again at blocked RRsets: the server may hold them now as they are wanted, or nothing in their place. */
const unblock = async ({ ctx, write, zone }: Run, server: ReadonlyMap<string, ServerRrset>): Promise<void> => {
  const blocked = await rrsets.query(ctx, zone.id).where('state', '=', 'blocked').execute()
  const again = blocked.map(rrsets.rrsetOf).flatMap((one) => {
    const there = server.get(rrsetKey(one.name, one.type))
    if (!one.message.startsWith(HOLDS)) return []
    const next = judged(one, there)
    return next.state === 'blocked' || isHidden(one.name, one.type, server) ? [] : [next]
  })
  if (again.length > 0) await write((inner) => rrsets.save(inner, zone.id, again))
}

/** True if the server holds something at the name that excludes the type (RFC 2181 section 10.1). */
const isHidden = (name: string, type: string, server: ReadonlyMap<string, ServerRrset>): boolean =>
  type === 'CNAME'
    ? [...server.keys()].some((key) => key.startsWith(`${name} `) && key !== rrsetKey(name, 'CNAME'))
    : server.has(rrsetKey(name, 'CNAME'))

export type CheckOptions = SyncOptions & {
  readonly onTransition: (ctx: Ctx, transition: 'drift_detected' | 'drift_resolved', zoneId: string) => Promise<void>
}

/** A server that could not be asked is asked again so soon, the first time and later. */
const RETRY_MS = { first: 5000, later: 60_000 } as const

/** Records that the server could not be asked. Updates are not delayed by it. */
const recordFailure = async ({ write, zone }: Run, error: DnsError, { now, onFailed }: CheckOptions): Promise<void> => {
  await write(async (inner) => {
    const state = await store.findState(inner, zone.id)
    const isFirst = state?.error === ''
    const waitMs = Math.min(zone.check_interval_seconds * 1000, isFirst ? RETRY_MS.first : RETRY_MS.later)
    const check_ms = now().getTime() + waitMs
    await store.updateState(inner, zone.id, { check_ms, ...(state?.failures === 0 && { error: error.message }) })
    if (isFirst) await onFailed(inner, zone.id)
  })
}

/** Ends the error of earlier checks. The failures of updates end with an update. */
const endFailure = async ({ ctx, write, zone }: Run): Promise<void> => {
  const state = await store.findState(ctx, zone.id)
  if (state && state.error !== '' && state.failures === 0)
    await write((inner) => store.updateState(inner, zone.id, { error: '' }))
}

/** Compares without changing anything on the server. */
const compare = async (run: Run, client: DnsClient, options: CheckOptions): Promise<DriftReport> => {
  const { ctx, write, zone } = run
  const { serial, rrsets: server } = await serverRrsets(client, zone.name, options.signal)
  await unblock(run, server)
  const stored = await rrsets.allInSteps({ db: ctx.store.read, store: ctx.store }, zone.id)
  const noted = await rrsets.changes(ctx, zone.id)
  const waiting = new Set(noted.map(({ name }) => name))
  const entries = driftOf({ stored, waiting, isWatched: zone.mode === 'watched' }, server)
  const now = options.now()
  const report: DriftReport = {
    ...{ zone_id: zone.id, checked_at: now.toISOString(), server_serial: serial },
    ...countsOf(entries),
    ...{ entries: entries.slice(0, MOST_ENTRIES), is_cut: entries.length > MOST_ENTRIES },
  }
  await write(async (inner) => {
    await saveReport(inner, report, options.onTransition)
    await store.updateState(inner, zone.id, {
      ...{ server_serial: serial, compared_serial: serial, last_checked_at: report.checked_at },
      check_ms: now.getTime() + zone.check_interval_seconds * 1000,
    })
  })
  return report
}

/** Transfers and compares a zone; repairs it if its settings say so. @throws DnsError, which is on record then */
export const checkZone = async (run: Run, options: CheckOptions): Promise<DriftReport> => {
  const { ctx, zone } = run
  try {
    const client = await options.clientOf(ctx, zone.provider_id ?? '')
    const report = await compare(run, client, options)
    const drifted = report.entries.filter(({ kind }) => kind === 'missing' || kind === 'changed')
    if (zone.repair && zone.mode === 'managed' && drifted.length > 0) {
      await push(run, { client, entries: drifted, options })
      const repaired = await compare(run, client, options)
      await endFailure(run)
      return repaired
    }
    await endFailure(run)
    return report
  } catch (error) {
    if (error instanceof DnsError) await recordFailure(run, error, options)
    throw error
  }
}

/** Asks for the serial when a check is due, and compares the zone if it is another one. */
export const checkIfDue = async (run: Run, options: CheckOptions): Promise<void> => {
  const { ctx, write, zone } = run
  const state = await store.findState(ctx, zone.id)
  const now = options.now()
  if (!state || zone.provider_id === null || state.check_ms > now.getTime()) return
  try {
    const client = await options.clientOf(ctx, zone.provider_id)
    const server_serial = await client.serial(zone.name, options.signal)
    const isDrifted = zone.repair && zone.mode === 'managed' && state.drift_count > 0
    if (server_serial !== state.compared_serial || isDrifted) {
      await checkZone(run, options)
      return
    }
    const check_ms = now.getTime() + zone.check_interval_seconds * 1000
    await write((inner) =>
      store.updateState(inner, zone.id, { server_serial, check_ms, last_checked_at: now.toISOString() }),
    )
    await endFailure(run)
  } catch (error) {
    if (!(error instanceof DnsError)) throw error
    // `checkZone` has recorded its own.
    if ((await store.findState(ctx, zone.id))?.check_ms === state.check_ms) await recordFailure(run, error, options)
  }
}
