/** Transfers a zone and compares it: the report, the RRsets that are no longer blocked, and repairs. */

import { createBreathe } from '../../../base/runtime/pause.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import type { DnsClient } from '../../client/client.ts'
import { DnsError } from '../../client/dns-error.ts'
import type { ZoneTransition } from '../events.ts'
import { noteWhole } from '../reactions.ts'
import * as rrsets from '../rrset-store.ts'
import type { DriftReport } from '../schema.ts'
import * as store from '../store.ts'
import { compareWithServer, HOLDS, type ServerRrset } from './compare-rrset.ts'
import type { Delegation } from './delegations.ts'
import { buildRrsetKey, parseRrsetKey } from './desired-rrsets.ts'
import { computeDrift } from './drift.ts'
import { push } from './push.ts'
import type { Run } from './run.ts'
import type { SyncOptions } from './sync.ts'
import { TransferFailedError, transferZone } from './transfer.ts'

/** Returns the report of a zone that was never compared. */
export const createEmptyReport = (zone_id: string): DriftReport => ({
  ...{ zone_id, checked_at: null, server_serial: null, missing: 0, changed: 0, blocked: 0, foreign: 0 },
  ...{ entries: [], is_cut: false },
})

/** Stores a report with its number of drifted RRsets, and emits the event if drift began or ended. */
export const saveReport = async (
  ctx: Ctx,
  report: DriftReport,
  emitTransition: (ctx: Ctx, event: ZoneTransition, zoneId: string) => Promise<void>,
): Promise<void> => {
  const before = (await store.findState(ctx, report.zone_id))?.drift_count ?? 0
  const drift_count = report.missing + report.changed
  await store.updateReport(ctx, report)
  await store.updateState(ctx, report.zone_id, { drift_count })
  if (before === 0 && drift_count > 0) await emitTransition(ctx, 'dns.drift_detected', report.zone_id)
  if (before > 0 && drift_count === 0) await emitTransition(ctx, 'dns.drift_resolved', report.zone_id)
}

/** Looks again at blocked RRsets: the server may hold them now as they are wanted, or nothing in their place. */
const unblock = async ({ ctx, write, zone }: Run, server: ReadonlyMap<string, ServerRrset>): Promise<void> => {
  const blocked = await rrsets.selectRrsets(ctx, zone.id).where('state', '=', 'blocked').execute()
  const excluded = await findExcludedNames(blocked, server)
  const again = blocked.map(rrsets.toRrset).flatMap((one) => {
    const there = server.get(buildRrsetKey(one.name, one.type))
    if (!one.message.startsWith(HOLDS)) return []
    const next = compareWithServer(one, there)
    return next.state === 'blocked' || excluded.has(buildRrsetKey(one.name, one.type)) ? [] : [next]
  })
  if (again.length > 0) await write((inner) => rrsets.save(inner, zone.id, again))
}

/** Returns the keys of RRsets that other types of the same name on the server exclude (RFC 2181 section 10.1). */
const findExcludedNames = async (
  blocked: readonly { readonly name: string; readonly type: string }[],
  server: ReadonlyMap<string, ServerRrset>,
): Promise<ReadonlySet<string>> => {
  const excluded = new Set<string>()
  const cnames = new Set<string>()
  for (const { name, type } of blocked) {
    if (type === 'CNAME') cnames.add(name)
    else if (server.has(buildRrsetKey(name, 'CNAME'))) excluded.add(buildRrsetKey(name, type))
  }
  if (cnames.size === 0) return excluded
  const breathe = createBreathe()
  for (const key of server.keys()) {
    const { name, type } = parseRrsetKey(key)
    if (type !== 'CNAME' && cnames.has(name)) excluded.add(buildRrsetKey(name, 'CNAME'))
    await breathe()
  }
  return excluded
}

export type CheckOptions = SyncOptions & {
  readonly emitTransition: (ctx: Ctx, event: ZoneTransition, zoneId: string) => Promise<void>
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
    if (isFirst && state.transfer_error === '') await onFailed(inner, zone.id)
  })
}

/** Ends the error of earlier checks. The failures of updates end with an update. */
const endFailure = async ({ ctx, write, zone }: Run): Promise<void> => {
  const state = await store.findState(ctx, zone.id)
  if (state && state.error !== '' && state.failures === 0)
    await write((inner) => store.updateState(inner, zone.id, { error: '' }))
}

/** The most delegations of a server that are kept. */
const MAX_DELEGATIONS = 1000

/** Returns the delegations on the server that are not of Plat. */
const listServerDelegations = (
  stored: readonly rrsets.Rrset[],
  server: ReadonlyMap<string, ServerRrset>,
): Delegation[] => {
  const own = new Set(stored.flatMap(({ name, type, published }) => (type === 'NS' && published ? [name] : [])))
  const found = [...server].flatMap(([key, { values }]) => {
    const { name, type } = parseRrsetKey(key)
    return type === 'NS' && !own.has(name) ? [{ name, servers: values }] : []
  })
  return found.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, MAX_DELEGATIONS)
}

/** Compares without changing anything on the server. */
const compare = async (run: Run, client: DnsClient, options: CheckOptions): Promise<DriftReport> => {
  const { ctx, write, zone } = run
  const { serial, rrsets: server } = await transferZone(run, client, options)
  await unblock(run, server)
  const stored = await rrsets.findAllInSteps({ db: ctx.store.read, store: ctx.store }, zone.id)
  const noted = await rrsets.findChanges(ctx, zone.id)
  const waiting = new Set(noted.map(({ name }) => name))
  const { counts, entries } = await computeDrift({ stored, waiting, isWatched: zone.mode === 'watched' }, server)
  const delegations = JSON.stringify(listServerDelegations(stored, server))
  const isMoved = (await store.findState(ctx, zone.id))?.delegations !== delegations
  const now = options.now()
  const report: DriftReport = {
    ...{ zone_id: zone.id, checked_at: now.toISOString(), server_serial: serial },
    ...counts,
    ...{ entries, is_cut: entries.length < counts.missing + counts.changed + counts.blocked + counts.foreign },
  }
  await write(async (inner) => {
    await saveReport(inner, report, options.emitTransition)
    await store.updateState(inner, zone.id, {
      ...{ server_serial: serial, compared_serial: serial, last_checked_at: report.checked_at, delegations },
      check_ms: now.getTime() + zone.check_interval_seconds * 1000,
    })
    if (isMoved) await noteWhole(inner, [zone.id])
  })
  return report
}

/** Transfers and compares a zone; repairs it if its settings say so. @throws DnsError, which is on record then */
export const checkZone = async (run: Run, options: CheckOptions): Promise<DriftReport> => {
  const { ctx, zone } = run
  try {
    const client = await options.createClient(ctx, zone.provider_id ?? '')
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
    const isRecorded = error instanceof TransferFailedError
    if (error instanceof DnsError && !isRecorded) await recordFailure(run, error, options)
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
    const client = await options.createClient(ctx, zone.provider_id)
    const server_serial = await client.serial(zone.name, options.signal)
    const isDrifted = zone.repair && zone.mode === 'managed' && state.drift_count > 0
    if (server_serial !== state.compared_serial || state.transfer_failures > 0 || isDrifted) {
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
