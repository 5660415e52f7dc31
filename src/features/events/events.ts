/** The rules of events: what is kept for how long, and who is woken when something is on record. */
import type { Db, Standing } from '../../platform/db/database.ts'
import type { Logger } from '../../platform/log.ts'
import type { Feature } from '../ctx.ts'
import type { Tables } from '../tables.ts'
import { eventRoutes } from './api.ts'
import { createFeed, type Listener, type Rights } from './feed.ts'
import { RECORDED, recording } from './record.ts'
import * as store from './store.ts'
import { streamTo } from './stream.ts'

export type EventOptions = { readonly db: Db<Tables>; readonly log: Logger }

/** What a listener has missed is kept this long. */
const KEPT_MS = 24 * 60 * 60 * 1000
const PURGE_MS = 10 * 60 * 1000
const PURGE_BATCH = 2000
/** Where other processes write to the same database, and do not tell. */
const OTHERS_MS = 1000
/** And where they do: what was told by one that died over it is found out by then. */
const OTHERS_TELL_MS = 5000

/** After these, who may see what may be another one: listeners come back and are judged anew. */
const ABOUT_ACCESS = /^(user|role|key|session)\./
/** What `ABOUT_ACCESS` is told of, for when it is not told. */
const ACCESS = ['user_roles', 'roles', 'role_permissions', 'api_keys'] as const
/** The same, but that it changes with each sign-in as well: looked at after a time when nothing was heard. */
const PEOPLE = ['users'] as const

export const eventsFeature = ({ db, log }: EventOptions): Feature => {
  const scope = { db: db.read, store: db }
  const feed = createFeed({
    source: {
      after: (seq, most) => store.after(scope, seq, most),
      ends: () => store.ends(scope),
      underWay: () => db.sql.underWay(db.read),
    },
    log,
  })
  const rightsBy = (standing: Standing): Rights => ({
    access: standing.revision(ACCESS),
    people: standing.revision(PEOPLE),
  })
  const rightsNow = async (): Promise<Rights> => rightsBy(await db.standing())
  /** Those of a listener may have changed before it was one. */
  const follow = async (listener: Listener, lastSeq: number | undefined): Promise<void> => {
    await feed.follow(listener, lastSeq)
    try {
      const { access } = await rightsNow()
      feed.release((rights) => rights.access !== access)
    } catch (error) {
      feed.leave(listener)
      throw error
    }
  }
  let lookedMs = 0
  /** What others have done, whether it was heard of or not. */
  const look = async (wasSilent: boolean): Promise<void> => {
    if (feed.listeners() === 0) return
    lookedMs = performance.now()
    feed.wake()
    const { access, people } = await rightsNow()
    feed.release((rights) => rights.access !== access || (wasSilent && rights.people !== people))
  }
  /** While the database is away there is nothing to be seen; the feed itself says so in the log. */
  const tryLook = (wasSilent: boolean): void => void look(wasSilent).catch(() => {})
  const tick = (): void => {
    const isHearing = db.peers?.isHearing() === true
    if (performance.now() - lookedMs >= (isHearing ? OTHERS_TELL_MS : OTHERS_MS)) tryLook(!isHearing)
  }
  const others = db.sql.hasOneWriter ? undefined : setInterval(tick, OTHERS_MS)
  others?.unref()
  const told = (names: readonly string[]): void => {
    if (names.includes(RECORDED)) feed.wake()
    if (names.some((name) => ABOUT_ACCESS.test(name))) feed.release()
  }
  const before = async (moment: string): Promise<number | undefined> => {
    // Whatever came then is no longer kept: there is no such number, which says so.
    if (Date.parse(moment) < Date.now() - KEPT_MS) return -1
    const first = await store.firstSince(scope, moment)
    return first === undefined ? undefined : first - 1
  }
  return {
    operations: [],
    routes: [{ route: eventRoutes.stream, handler: streamTo({ follow, leave: feed.leave, before, rightsBy }) }],
    reactions: recording,
    committed: told,
    heard: told,
    missed: () => tryLook(true),
    jobs: [
      {
        name: 'events.remove-old',
        summary: 'Deletes events that are older than a day',
        everyMs: PURGE_MS,
        run: async (ctx) => {
          const { first, last } = await store.ends(ctx)
          const since = await store.firstSince(ctx, new Date(Date.parse(ctx.now) - KEPT_MS).toISOString())
          // The last one stays: the next number follows from it.
          const end = since ?? last
          for (let to = first; to < end; ) {
            to = Math.min(to + PURGE_BATCH, end)
            await ctx.write((inner) => store.removeBefore(inner, to))
          }
        },
      },
    ],
    // Answers that never end would be waited for in vain.
    beginStop: () => void feed.close(),
    close: async () => {
      clearInterval(others)
      await feed.close()
    },
  }
}
