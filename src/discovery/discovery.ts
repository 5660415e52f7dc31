/** The discovery feature: handlers, jobs, and reactions to changes of documented objects. */

import { getTemporaryFolder } from '../base/runtime/unnamed-file.ts'
import type { Tables } from '../database/tables.ts'
import { readFollowed } from '../inventory/devices/devices.ts'
import type { Device } from '../inventory/devices/schema.ts'
import type { Network } from '../inventory/networks/api.ts'
import * as relationships from '../inventory/relationships/relationships.ts'
import type { OnObjectsChanged } from '../kernel/context.ts'
import { type Ctx, type Feature, implement } from '../kernel/ctx.ts'
import { discovery, discoveryRules, inbox, scans } from './api.ts'
import * as credentialStore from './credential-store.ts'
import { discoveredHandlers } from './devices/discovered-devices.ts'
import { matchWord } from './devices/discovered-list.ts'
import * as discoveredStore from './devices/discovered-store.ts'
import * as networkKeys from './devices/network-keys.ts'
import { classify, reclassify, toDrafts } from './inbox/classify.ts'
import * as documented from './inbox/documented-store.ts'
import { listComparedFields } from './inbox/findings.ts'
import { inboxHandlers } from './inbox/inbox.ts'
import { create as createLock, lockHandlers, remove as removeLock } from './inbox/locks.ts'
import { discoveryLocks } from './inbox/locks-api.ts'
import { removeTopologyLinks } from './inbox/topology-links.ts'
import { createLeaseHandlers } from './leases/leases.ts'
import { leases } from './leases/leases-api.ts'
import { createLeaseReader } from './leases/process.ts'
import { createListener, type ListenerOptions } from './listening/listener.ts'
import { moveDiscovery } from './move-to-space.ts'
import { presence } from './presence/api.ts'
import { presenceHandlers } from './presence/presence.ts'
import { forgetPresence } from './presence/retention.ts'
import { failWaiting, forgetOld, forgetScans, startDue } from './rules/retention.ts'
import * as ruleStore from './rules/rule-store.ts'
import { create as createRule, remove as removeRule, ruleHandlers, update as updateRule } from './rules/rules.ts'
import { createScannerWire, type WireOptions } from './scanners/scanner-wire.ts'
import { listLocalNetworks } from './scans/local-networks.ts'
import { createRunner, type RunnerOptions } from './scans/runner.ts'
import * as scanStore from './scans/scan-store.ts'
import { scanHandlers } from './scans/scans.ts'

/** The condition that a search over everything finds discovered devices by. */
export const matchFoundWord = matchWord

/**
 * Builds the condition that discovered devices with an address are found by, also where it is not their first: each is a line of the
 * text.
 */
export const buildAddressCondition = (ip: string) => matchWord(`\n${ip}\n`)

/** The key under which an address of a network is stored. */
export const buildNetworkKey = networkKeys.buildNetworkKey

/** Number of scans that run. */
export const countRunning = scanStore.countRunning

const SECOND_MS = 1000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** Compares the discovered devices at new and changed devices again with them. Deleted ones are released before they are deleted. */
const compareDevices: OnObjectsChanged<Tables> = async (ctx, changes) => {
  const all = await readFollowed(ctx, changes)
  const made = all.flatMap(({ before, after }) => (!before && after && after.addresses.length > 0 ? [after.id] : []))
  const changed = all.flatMap(({ before, after }) =>
    before && after && !Bun.deepEquals(listComparedFields(before), listComparedFields(after)) ? [after.id] : [],
  )
  if (made.length === 0 && changed.length === 0) return
  // Nothing is matched with a device before there is one.
  const [at, matched] = [
    made.length > 0 ? await documented.findDiscoveredAt(ctx, made) : [],
    changed.length > 0 ? await documented.findDiscovered(ctx, changed) : [],
  ]
  await reclassify(ctx, [...new Set([...at, ...matched])])
}

/** For the history. */
export type { ScanLimits } from './scans/scan-rules.ts'
export const { lockDocuments } = documented
export const findRuleDocuments = ruleStore.findDocuments
export const locks = { create: createLock, remove: removeLock }
export const rules = { create: createRule, update: updateRule, remove: removeRule }

/** Removes the promotion of devices that are deleted. */
const release = async (ctx: Ctx, devices: readonly Device[]): Promise<void> => {
  const ids = devices.map(({ id }) => id)
  const gone = new Set(ids)
  await documented.removeLocksByDevices(ctx, ids)
  const discovered = await documented.findDiscovered(ctx, ids)
  if (discovered.length === 0) return
  const { byId } = await discoveredStore.loadByIds(ctx, discovered)
  for (const record of byId.values()) {
    const { doc } = record
    if (!doc) continue
    const isTheirs = doc.promoted_to_device_id !== null && gone.has(doc.promoted_to_device_id)
    const device = isTheirs ? { ...doc, promoted_to_device_id: null, promoted_at: null, updated_at: ctx.now } : doc
    await discoveredStore.save(ctx, await classify(ctx, doc.network_id, toDrafts(record, { device }), gone))
  }
}

const removeNetwork = async (ctx: Ctx, { id }: Network): Promise<void> => {
  await scanStore.removeOfNetwork(ctx, id)
  await removeTopologyLinks(ctx, await discoveredStore.removeOfNetwork(ctx, id))
  const rule = await ruleStore.findByNetwork(ctx, id)
  if (rule) await ruleStore.deleteRow(ctx, rule)
  await credentialStore.removePins(ctx, id)
}

/** Compares the devices at both ends of new and deleted relationships. */
const compareEnds: OnObjectsChanged<Tables> = async (ctx, changes) => {
  const ends = changes.flatMap(({ id, change }) => {
    const { parent_id, child_id } = relationships.parseId(id)
    return change === 'update' ? [] : [parent_id, child_id]
  })
  await reclassify(ctx, await documented.findDiscovered(ctx, ends))
}

type Options = Omit<RunnerOptions & WireOptions & ListenerOptions, 'startedTotal'>

export const discoveryFeature = (options: Options): Feature => {
  const { config, metrics } = options
  const startedTotal = metrics.counter('discovery_scans_total', 'Discovery scans')
  const runner = createRunner({ ...options, startedTotal })
  const wire = createScannerWire({ ...options, startedTotal })
  const listener = createListener(options)
  const notify = (events: readonly string[]): void => {
    runner.onCommit(events)
    listener.onCommit(events)
    wire.onCommit(events)
  }
  return {
    routes: wire.routes,
    operations: [
      ...implement(scans, scanHandlers(options)),
      ...implement(discovery, { ...discoveredHandlers, localNetworks: (ctx) => listLocalNetworks(ctx, config) }),
      ...implement(discoveryRules, ruleHandlers(config)),
      ...implement(inbox, inboxHandlers),
      ...implement(discoveryLocks, lockHandlers),
      ...implement(presence, presenceHandlers),
      ...implement(leases, createLeaseHandlers(createLeaseReader(getTemporaryFolder(config.dataDir)))),
    ],
    reactions: {
      ...wire.reactions,
      'devices.deleting': release,
      'network.locking-scans': scanStore.lockStarts,
      'network.changed-space': moveDiscovery,
      'network.deleting': removeNetwork,
    },
    follows: { device: compareDevices, relationship: compareEnds },
    jobs: [
      ...wire.jobs,
      {
        name: 'discovery.run-scans',
        summary: 'Runs queued scans, and resumes interrupted ones',
        everyMs: 2 * SECOND_MS,
        runsAtStart: true,
        onEveryInstance: true,
        run: runner.maintain,
      },
      {
        name: 'discovery.listen',
        summary: 'Listens to the networks of rules that say so, where an interface of this server is in them',
        everyMs: 5 * SECOND_MS,
        runsAtStart: true,
        onEveryInstance: true,
        run: listener.maintain,
      },
      {
        name: 'discovery.start-due',
        summary: 'Starts the scans of rules that are due',
        everyMs: 5 * SECOND_MS,
        runsAtStart: true,
        run: (ctx) => startDue(ctx, config),
      },
      {
        name: 'discovery.fail-waiting',
        summary: 'Fails scans that no scanner has taken for 24 hours',
        everyMs: 60 * SECOND_MS,
        runsAtStart: true,
        run: failWaiting,
      },
      {
        name: 'discovery.forget-old',
        summary:
          'Deletes discovered devices that were not promoted and that no scan has seen for DISCOVERY_CLEANUP_DAYS',
        everyMs: DAY_MS,
        runsAtStart: true,
        run: (ctx) =>
          forgetOld(ctx, { days: config.discoveryCleanupDays, randomMacDays: config.discoveryRandomMacCleanupDays }),
      },
      {
        name: 'discovery.forget-presence',
        summary:
          'Deletes presence that ended more than PRESENCE_RETENTION_DAYS ago, and that of networks that are deleted',
        everyMs: HOUR_MS,
        runsAtStart: true,
        run: (ctx) => forgetPresence(ctx, config.presenceRetentionDays),
      },
      {
        name: 'discovery.forget-scans',
        summary: 'Deletes scans that ended more than 90 days ago, except the newest 20 of each network',
        everyMs: DAY_MS,
        runsAtStart: true,
        run: forgetScans,
      },
    ],
    onCommit: notify,
    onRemoteCommit: (events) => {
      notify(events)
      wire.onRemoteEvents(events)
    },
    onNotificationGap: () => {
      runner.ask()
      listener.ask()
      wire.onNotificationGap()
    },
    onShutdown: wire.onShutdown,
    close: async () => {
      await Promise.all([runner.close(), listener.close()])
    },
  }
}
