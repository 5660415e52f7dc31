/** DNS zones: their settings, the lanes that bring them to their servers, and drift. */

import type { Logger } from '../../base/runtime/log.ts'
import type { Metrics } from '../../base/runtime/metrics.ts'
import { AppError, invalidField, notFound } from '../../contract/errors.ts'
import { containsText } from '../../database/query/contains.ts'
import type { Tables } from '../../database/tables.ts'
import { matchSpace } from '../../inventory/spaces/keys.ts'
import type { Job } from '../../kernel/context.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { hasEvent } from '../../kernel/events.ts'
import { createLanes, type Hold } from '../../kernel/jobs/lanes.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { listRows } from '../../kernel/list.ts'
import { DnsError } from '../client/dns-error.ts'
import { createClients, createUnreachableError, type DnsProviderOptions } from '../providers/dns-providers.ts'
import { dnsZones } from './api.ts'
import type { ZoneTransition } from './events.ts'
import { addMetrics } from './metrics.ts'
import { createChangeListener, createReactions } from './reactions.ts'
import * as rrsets from './rrset-store.ts'
import type { DnsZone, ZoneSettings } from './schema.ts'
import { createZoneSerializer, serializeRrset, serializeZone, toStoredState, ZONE_TABLES } from './serialize.ts'
import { create, remove, update } from './settings.ts'
import * as store from './store.ts'
import { type CheckOptions, checkIfDue, checkZone, createEmptyReport } from './sync/check.ts'
import { computeSyncChanges, planSync } from './sync/dry-plan.ts'
import { resolve } from './sync/resolve.ts'
import { openRun, type Run, ZoneChangedError } from './sync/run.ts'
import { computeWaiting, syncZone } from './sync/sync.ts'

export type DnsZoneOptions = DnsProviderOptions & {
  readonly kernel: () => Kernel<Tables>
  readonly log: Logger
  readonly metrics: Metrics
}

const LOOK_MS = 1000
const LINGER_MS = 80
const MEASURE_MS = 10_000
const REST_MS = 30_000
/** The longest wait of a call for a server. */
const PATIENCE_MS = 30_000

const getOrThrow = async (ctx: Ctx, id: string): Promise<ZoneSettings> => {
  const zone = await store.find(ctx, id)
  if (!zone) throw notFound('dns-zone', id)
  return zone
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'

/** @throws AppError VALIDATION_ERROR for a zone without a server */
const requireServer = ({ provider_id }: ZoneSettings): void => {
  if (provider_id === null) throw invalidField('provider_id', 'the zone has none: there is no server to compare with')
}

export const dnsZonesFeature = (options: DnsZoneOptions): Feature => {
  const { now, log, metrics } = options
  const clients = createClients(options)
  const lanes = createLanes({ noun: 'zone', leases: store.leases, lockFree: store.lockFreeState })
  const closing = new AbortController()
  const { counted, measure } = addMetrics(metrics)

  const buildOptions = (signal: AbortSignal): CheckOptions => ({
    ...{ now, log, signal, onResult: counted },
    createClient: (ctx, providerId) => clients({ db: ctx.store.read }, providerId),
    onFailed: (ctx, zoneId) => emitZone(ctx, 'dns.sync_failed', zoneId),
    emitTransition: emitZone,
  })

  /** Emits an event of the catalog with the zone as it is sent. */
  const emitZone = async (ctx: Ctx, event: ZoneTransition | 'dns.sync_failed', zoneId: string): Promise<void> => {
    const zone = await store.find(ctx, zoneId)
    if (zone) await ctx.emit(event, await serializeZone(ctx, zone))
  }

  const runLane = async (ctx: Ctx, hold: Hold): Promise<void> => {
    const own = buildOptions(closing.signal)
    const run = await openRun(ctx, hold)
    if (!run) return
    const error = await syncZone(run, own)
    if (!error) await checkIfDue(run, own)
  }

  let isPolling = false
  let isAgain = false
  let isClosing = false

  /** Zones that failed by an internal error, such as a full disk. */
  const resting = new Set<string>()

  const start = (ctx: Ctx, zoneId: string): void => {
    lanes
      .tryHold(ctx, zoneId, (hold) => runLane(ctx, hold))
      .then(wake)
      .catch((error: unknown) => {
        // The next poll begins with the settings as they are then.
        if (error instanceof ZoneChangedError || isClosing) return
        log.error('a DNS zone could not be synchronized', { zone_id: zoneId, error })
        resting.add(zoneId)
        setTimeout(() => resting.delete(zoneId), REST_MS).unref()
      })
  }

  const poll = async (ctx: Ctx): Promise<void> => {
    isAgain = isPolling
    if (isPolling) return
    isPolling = true
    try {
      do {
        isAgain = false
        const due = isClosing ? [] : await store.findDueZones(ctx, now().getTime())
        for (const id of due) if (!lanes.isBusy(id) && !resting.has(id)) start(ctx, id)
      } while (isAgain)
    } finally {
      isPolling = false
    }
  }

  let waking: ReturnType<typeof setTimeout> | undefined

  /** Starts lanes soon: changes that follow each other closely are sent together. */
  const wake = (): void => {
    if (isClosing) return
    waking ??= setTimeout(() => {
      waking = undefined
      // Errors are logged where they occur, and the next poll tries again.
      options
        .kernel()
        .runJob(job)
        .catch(() => {})
    }, LINGER_MS)
  }

  const job: Job<Tables> = {
    name: 'dns.sync',
    summary: 'Sends changed names to DNS servers, and compares zones',
    everyMs: LOOK_MS,
    runsAtStart: true,
    onEveryInstance: true,
    run: poll,
  }

  /** Runs work of a caller on a zone, for at most 30 s. */
  const runForCaller = async <T>(
    ctx: Ctx,
    id: string,
    work: (run: Run, own: CheckOptions) => Promise<T>,
  ): Promise<T> => {
    const signal = AbortSignal.any([ctx.signal, closing.signal, AbortSignal.timeout(PATIENCE_MS)])
    try {
      return await lanes.hold(ctx, id, async (hold) => {
        const run = await openRun(ctx, hold)
        if (!run) throw notFound('dns-zone', id)
        return await work(run, buildOptions(signal))
      })
    } catch (error) {
      if (error instanceof DnsError) throw createUnreachableError(error)
      if (error instanceof ZoneChangedError)
        throw new AppError('UNAVAILABLE', `${error.message} concurrently; try again`)
      if (isTimeout(error))
        throw new AppError('PROVIDER_UNREACHABLE', `the server took longer than ${PATIENCE_MS / 1000} s`)
      throw error
    }
  }

  const sync = async (ctx: Ctx, id: string, isForced: boolean): Promise<DnsZone> =>
    runForCaller(ctx, id, async (run, own) => {
      await ctx.showChanges(() => computeSyncChanges(ctx, run.zone, isForced))
      await run.write((inner) => rrsets.note(inner, [{ zone_id: id, name: rrsets.WHOLE }]))
      const error = await syncZone(run, own, { isForced, isNow: true }).catch((failure: unknown) => {
        // The lane sends the rest.
        if (!isTimeout(failure)) throw failure
      })
      if (error) throw error
      return serializeZone({ db: ctx.store.read }, run.zone)
    })

  return {
    operations: implement(dnsZones, {
      list: async (ctx, { name, kind, provider_id, space_id, ...page }) => {
        const revision = await ctx.store.revision([...ZONE_TABLES])
        let query = store.query(ctx)
        if (name) query = query.where(containsText('name', name))
        if (kind) query = query.where('kind', '=', kind)
        if (provider_id) query = query.where('provider_id', '=', provider_id)
        if (space_id !== undefined) query = query.where(matchSpace(space_id))
        const completed = await createZoneSerializer(ctx)
        return listRows(ctx, { revision, query, page, row: (row) => completed(store.toSettings(row)) })
      },
      create,
      get: async (ctx, { id }) => serializeZone(ctx, await getOrThrow(ctx, id)),
      update,
      delete: async (ctx, { id }) => remove(ctx, id),
      rrsets: async (ctx, { id, state, name, type, ...page }) => {
        const revision = await ctx.store.revision([...ZONE_TABLES])
        const zone = await getOrThrow(ctx, id)
        const isHeld = ((await store.findState(ctx, id))?.held ?? '') !== ''
        let query = rrsets.selectRrsets(ctx, id)
        if (state) query = query.where('state', '=', toStoredState(state, isHeld) ?? '')
        if (name) query = query.where(containsText('name', name))
        if (type) query = query.where('type', '=', type.toUpperCase())
        return listRows(ctx, {
          revision,
          query,
          page,
          row: (row) => serializeRrset(rrsets.toRrset(row), zone.name, isHeld),
        })
      },
      sync: async (ctx, { id, dry_run, force = false }) => {
        const zone = await getOrThrow({ ...ctx, db: ctx.store.read }, id)
        if (dry_run) return planSync(ctx, zone)
        if (zone.mode === 'watched') throw invalidField('mode', 'a watched zone is never written')
        return sync(ctx, id, force)
      },
      check: async (ctx, { id }) => {
        requireServer(await getOrThrow({ ...ctx, db: ctx.store.read }, id))
        return runForCaller(ctx, id, async (run, own) => checkZone(await computeWaiting(run, now), own))
      },
      drift: async (ctx, { id }) => {
        await getOrThrow(ctx, id)
        return (await store.findReport(ctx, id)) ?? createEmptyReport(id)
      },
      resolve: async (ctx, { id, ...input }) => {
        const zone = await getOrThrow({ ...ctx, db: ctx.store.read }, id)
        if (!input.entries && !input.kind) throw invalidField('entries', 'is required without a kind')
        if (input.direction === 'pull') ctx.require('dns:create')
        else if (zone.mode === 'watched') throw invalidField('mode', 'a watched zone is never written')
        requireServer(zone)
        return runForCaller(ctx, id, async (run, own) => resolve(await computeWaiting(run, now), input, own))
      },
    }),
    reactions: createReactions(),
    ...createChangeListener(),
    onCommit: (names) => {
      if (hasEvent(names, 'dns-zone.noted')) wake()
    },
    jobs: [
      job,
      {
        name: 'dns.measure',
        summary: 'Counts changes and zones for the metrics',
        everyMs: MEASURE_MS,
        runsAtStart: true,
        onEveryInstance: true,
        run: measure,
      },
    ],
    close: async () => {
      isClosing = true
      clearTimeout(waking)
      closing.abort()
      await lanes.close()
    },
  }
}
