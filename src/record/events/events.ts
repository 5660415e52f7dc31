/** The retention of events, and the notification of listeners of newly recorded ones. */

import type { Config } from '../../base/config/config.ts'
import type { Logger } from '../../base/runtime/log.ts'
import type { Db } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import type { Feature } from '../../kernel/ctx.ts'
import { type Events, hasEvent } from '../../kernel/events.ts'
import type { CheckCredentials } from '../../people/sessions/credential-check.ts'
import { eventRoutes } from './api.ts'
import { createFeed, type Feed, type Listener } from './feed.ts'
import { announcing } from './record.ts'
import { createRevalidation } from './revalidation.ts'
import * as store from './store.ts'
import { streamTo } from './stream.ts'
import { loadSight } from './visible-events.ts'

export type EventOptions = {
  readonly db: Db<Tables>
  readonly log: Logger
  readonly now: () => Date
  readonly config: Pick<Config, 'feedsPerUser'>
  readonly checkCredentials: CheckCredentials
}

/** Listeners can catch up on events of this period. */
const KEPT_MS = 24 * 60 * 60 * 1000
const PURGE_MS = 10 * 60 * 1000
const PURGE_BATCH = 2000
type AccessNoun = 'user' | 'role' | 'key' | 'session' | 'scope' | 'grant' | 'group'
/** After these events the listeners or their permissions may have changed. */
const ABOUT_ACCESS: Readonly<Record<Extract<keyof Events, `${AccessNoun}.${string}`>, true>> = {
  'user.created': true,
  'user.updated': true,
  'user.deactivated': true,
  'user.deleting': true,
  'user.deleted': true,
  'user.password-changed': true,
  'user.roles-changed': true,
  'role.created': true,
  'role.updated': true,
  'role.deleting': true,
  'role.deleted': true,
  'key.created': true,
  'key.rotated': true,
  'key.deleted': true,
  'session.ended': true,
  'scope.created': true,
  'scope.changing': true,
  'scope.updated': true,
  'scope.deleting': true,
  'scope.deleted': true,
  'grant.created': true,
  'grant.deleted': true,
  'group.created': true,
  'group.updated': true,
  'group.deleting': true,
  'group.deleted': true,
  'group.member-added': true,
  'group.member-removed': true,
}

export const eventsFeature = ({ db, log, now, config, checkCredentials }: EventOptions): Feature => {
  const scope = { db: db.read, store: db }
  const feed: Feed = createFeed({
    source: {
      after: (seq, most) => store.findAfter(scope, seq, most),
      ends: () => store.findEnds(scope),
      underWay: () => db.sql.underWay(db.read),
      timeline: () => db.cluster?.timeline(),
      sight: (events) => loadSight(scope, events),
    },
    log,
    perUser: config.feedsPerUser,
    revalidated: () => revalidation.settled(),
  })
  const revalidation = createRevalidation({
    check: checkCredentials,
    listeners: feed.listeners,
    dismiss: feed.dismiss,
    // Reads events that another process has written, because their notification may be lost.
    polled: feed.wake,
    scopes: async () => db.revision(['scopes']),
    now,
  })
  const follow = async (listener: Listener, lastSeq: number | undefined): Promise<void> => {
    await feed.follow(listener, lastSeq)
    try {
      // The session may have ended since the request was admitted.
      await revalidation.admit(listener)
    } catch (error) {
      feed.leave(listener)
      throw error
    }
  }
  const onEvents = (names: readonly string[]): void => {
    if (names.some((name) => Object.hasOwn(ABOUT_ACCESS, name))) revalidation.request()
    if (hasEvent(names, 'event.recorded')) feed.wake()
  }
  const before = async (moment: string): Promise<number | undefined> => {
    // Events of that moment are deleted. No event has the number -1, so the client gets a reset.
    if (Date.parse(moment) < Date.now() - KEPT_MS) return -1
    const first = await store.findFirstSince(scope, moment)
    return first === undefined ? undefined : first - 1
  }
  return {
    operations: [],
    routes: [{ route: eventRoutes.stream, handler: streamTo({ follow, leave: feed.leave, before }) }],
    reactions: announcing,
    onCommit: onEvents,
    onRemoteCommit: onEvents,
    onNotificationGap: () => {
      revalidation.request()
      feed.wake()
    },
    jobs: [
      {
        name: 'events.remove-old',
        summary: 'Deletes events that are older than a day',
        everyMs: PURGE_MS,
        run: async (ctx) => {
          const { first, last } = await store.findEnds(ctx)
          const since = await store.findFirstSince(ctx, new Date(Date.parse(ctx.now) - KEPT_MS).toISOString())
          // Keeps the last event, because the next number follows from it.
          const end = since ?? last
          for (let to = first; to < end; ) {
            to = Math.min(to + PURGE_BATCH, end)
            await ctx.write((inner) => store.removeBefore(inner, to))
          }
        },
      },
    ],
    // Shutdown would wait for responses that never end.
    onShutdown: () => void feed.close(),
    close: async () => {
      revalidation.close()
      await feed.close()
    },
  }
}
