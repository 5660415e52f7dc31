/** Records the events that leave Plat: one row for each event, at the end of the transaction of its change. */

import { pause } from '../../base/runtime/pause.ts'
import { waitForAll } from '../../base/runtime/wait-for-all.ts'
import { splitBatches } from '../../database/query/batches.ts'
import type { Tables } from '../../database/tables.ts'
import type { DiscoveredDevice, Scan } from '../../discovery/schema.ts'
import type { Conflict } from '../../inventory/conflicts/schema.ts'
import type { Scanner } from '../../inventory/scanners/api.ts'
import type { PlacedEvent } from '../../kernel/announced-event.ts'
import { collectEarlier } from '../../kernel/changes/change-record.ts'
import type { Ctx, Reactions } from '../../kernel/ctx.ts'
import type { EventRecorder } from '../../kernel/event-recorder.ts'
import { type EventName, OBJECT_EVENTS } from './catalogue.ts'
import { buildObjectEvents } from './object-events.ts'
import * as store from './store.ts'

declare module '../../kernel/events.ts' {
  interface Events {
    /** These events are being recorded together. The name also wakes the feed. */
    'event.recorded': readonly Recorded[]
  }
}

/** `data` is JSON. `change_id` is '' for an event of an object without a history. */
export type Recorded = {
  readonly event: string
  readonly resource_id: string
  readonly data: string
  readonly change_id: string
  readonly created_at: string
}

/** The number of events that are written before the event loop runs again. */
const AT_ONCE = 256

const announce = (ctx: Ctx, name: EventName, resourceId: string, value: object): void =>
  ctx.announce({ name, resourceId, data: JSON.stringify(value) })

const announceObject =
  (name: EventName) =>
  async <T extends { readonly id: string }>(ctx: Ctx, object: T): Promise<void> =>
    announce(ctx, name, object.id, object)

/** Maps events between features to events of the catalog that follow from no change of an object with a history. */
export const announcing: Reactions = {
  'pool.utilization_high': async (ctx, high: { readonly pool_id: string }) =>
    announce(ctx, 'pool.utilization_high', high.pool_id, high),
  'conflict.detected': announceObject('conflict.detected')<Conflict>,
  'conflict.resolved': announceObject('conflict.resolved')<Conflict>,
  'dns.drift_detected': announceObject('dns.drift_detected'),
  'dns.drift_resolved': announceObject('dns.drift_resolved'),
  'dns.sync_failed': announceObject('dns.sync_failed'),
  'source.failed': announceObject('source.failed'),
  'source.recovered': announceObject('source.recovered'),
  'source.waiting': announceObject('source.waiting'),
  'discovery.started': announceObject('discovery.started')<Scan>,
  'discovery.completed': announceObject('discovery.completed')<Scan>,
  'discovery.device_found': announceObject('discovery.device_found')<DiscoveredDevice>,
  'discovery.device_gone': announceObject('discovery.device_gone')<DiscoveredDevice>,
  'discovery.device_returned': announceObject('discovery.device_returned')<DiscoveredDevice>,
  'scanner.online': announceObject('scanner.online')<Scanner>,
  'scanner.offline': announceObject('scanner.offline')<Scanner>,
}

const write = async (ctx: Ctx, events: readonly Recorded[]): Promise<void> => {
  // The subscriptions of webhooks are read beside the insert.
  if (events.length > 0) await waitForAll([store.insertAll(ctx, events), ctx.emit('event.recorded', events)])
}

const toRecorded = (ctx: Ctx, { name, resourceId, data }: PlacedEvent): Recorded => ({
  ...{ event: name, resource_id: resourceId, data, change_id: '', created_at: ctx.now },
})

export const eventRecorder: EventRecorder<Tables> = {
  objectEvents: new Set(OBJECT_EVENTS.map(({ name }) => name)),
  record: async (ctx, changes, announced) => {
    const earlier = collectEarlier(changes)
    const names: string[] = []
    let next = 0
    const record = async (events: readonly Recorded[]): Promise<void> => {
      for (const part of splitBatches(events, AT_ONCE)) await write(ctx, part)
      for (const { event } of events) names.push(event)
    }
    /** Takes the announced events that come before a write. */
    const takeUntil = (write: number): Recorded[] => {
      const from = next
      while ((announced[next]?.position ?? Number.POSITIVE_INFINITY) <= write) next++
      return announced.slice(from, next).map((one) => toRecorded(ctx, one))
    }
    for (const batch of splitBatches(changes, AT_ONCE)) {
      const events: Recorded[] = []
      for (const { firstWrite, ...event } of await buildObjectEvents(ctx, batch, earlier))
        events.push(...takeUntil(firstWrite), { ...event, change_id: ctx.changeId, created_at: ctx.now })
      await record(events)
      if (changes.length > AT_ONCE) await pause()
    }
    await record(announced.slice(next).map((one) => toRecorded(ctx, one)))
    return names
  },
}
