/** Reads committed events once for all listeners, and disconnects a listener that does not keep up. */

import type { Logger } from '../../base/runtime/log.ts'
import type { UnderWay } from '../../database/database.ts'
import { splitBatches } from '../../database/query/batches.ts'
import type { Caller } from '../../kernel/caller.ts'
import { eventRoutes } from './api.ts'
import { type Audience, type Bytes, buildAudience, createEncoding, type Wanted } from './audience.ts'
import { Gaps, isMissingOne } from './gaps.ts'
import type { StoredEvent } from './store.ts'
import type { VisibleData } from './visible-events.ts'

export type Listener = {
  readonly caller: Pick<Caller, 'userId' | 'username' | 'via' | 'credentialId' | 'permissions' | 'scopedPermissions'>
  readonly wanted: Wanted
  /** The number of bytes that the response has taken. */
  readonly sentBytes: () => number
  /** @returns false when the listener does not keep up */
  readonly send: (bytes: Bytes) => boolean
  /** Resolves when the response buffer is empty or the response has ended. */
  readonly drained: () => Promise<void>
  /** Ends the response after its buffer. */
  readonly end: () => void
  /** Ends the response at once: discards its buffer and sends `last` instead. */
  readonly cut: (last?: Bytes) => void
}

export type FeedSource = {
  readonly after: (seq: number, most: number) => Promise<readonly StoredEvent[]>
  readonly ends: () => Promise<{ readonly first: number; readonly last: number }>
  readonly underWay: () => Promise<UnderWay | undefined>
  /** Returns the timeline of the database; undefined if it is unknown or there is only one. */
  readonly timeline: () => number | undefined
  /** Reads which of the events listeners with a part of the estate receive. */
  readonly sight: (events: readonly StoredEvent[]) => Promise<VisibleData>
}

type Options = {
  readonly source: FeedSource
  readonly log: Logger
  /** The largest number of listeners of a user; beyond it the oldest is disconnected. */
  readonly perUser: number
  /** Awaited between reading and sending events. Afterwards only authorized listeners remain. */
  readonly revalidated: () => Promise<void> | undefined
}

const BATCH = 500
/** The number of missed events that a listener is sent at once. */
const PIECE = 50
/** The delay before a missing number is read again. */
const MISSING_MS = 20
export const HEARTBEAT_MS = 15_000

/** The reconnect delay of a disconnected client. Each reconnect disconnects the next feed. */
export const LIMIT_RETRY_MS = 60_000

/** Names the route in the log of disconnected listeners. */
const ROUTE = eventRoutes.stream.http.split(' ')[1]

const encoder = new TextEncoder()
const HEARTBEAT = encoder.encode(': here\n\n')
const RESET = encoder.encode('event: reset\ndata: {}\n\n')
const limitText = (perUser: number): string =>
  `retry: ${LIMIT_RETRY_MS}\nevent: limit\ndata: {"feeds_per_user":${perUser},"retry_ms":${LIMIT_RETRY_MS}}\n\n`

export type Feed = {
  /** Sends the events after `lastSeq`. If it is undefined, sends the events committed after this call has resolved. */
  readonly follow: (listener: Listener, lastSeq: number | undefined) => Promise<void>
  readonly leave: (listener: Listener) => void
  /** Called after a commit that recorded events. */
  readonly wake: () => void
  /** Disconnects a listener that is no longer authorized. */
  readonly dismiss: (listener: Listener) => void
  readonly listeners: () => readonly Listener[]
  readonly close: () => Promise<void>
}

export const createFeed = ({ source, log, perUser, revalidated }: Options): Feed => {
  type Group = Audience & { readonly members: Set<Listener> }
  /** All listeners, each with its group. Members of a group receive the same events. */
  const groupOf = new Map<Listener, Group>()
  const groups = new Map<string, Group>()
  /** Listeners that still read earlier events. */
  const joining = new Set<Listener>()
  const byUser = new Map<string | undefined, Set<Listener>>()
  const limit = encoder.encode(limitText(perUser))
  /** The last event that was sent to listeners that have caught up; undefined without listeners. */
  let position: number | undefined
  let pumping: Promise<void> | undefined
  let isAwake = false
  let gaps = new Gaps()
  /** The timeline of the position. */
  let timeline: number | undefined
  let isClosed = false

  const leave = (listener: Listener): void => {
    const group = groupOf.get(listener)
    if (!group) return
    groupOf.delete(listener)
    joining.delete(listener)
    group.members.delete(listener)
    if (group.members.size === 0) groups.delete(group.key)
    const own = byUser.get(listener.caller.userId)
    own?.delete(listener)
    if (own?.size === 0) byUser.delete(listener.caller.userId)
    // Events need not be read while there are no listeners.
    if (groupOf.size === 0) position = undefined
  }

  const drop = (listener: Listener): void => {
    leave(listener)
    listener.end()
  }

  const logCut = (listener: Listener, reason: string): void => {
    if (!groupOf.has(listener)) return
    const { username: user } = listener.caller
    log.warn('answer cut off', { reason, user, route: ROUTE, bytes: listener.sentBytes() })
  }

  const cut = (listener: Listener, last?: Bytes): void => {
    leave(listener)
    listener.cut(last)
  }

  const join = (listener: Listener): void => {
    const { userId } = listener.caller
    const own = byUser.get(userId) ?? new Set()
    // A set iterates in insertion order.
    for (const oldest of own) {
      if (own.size < perUser) break
      logCut(oldest, 'too many live feeds of this user')
      cut(oldest, limit)
    }
    byUser.set(userId, own.add(listener))
    const audience = buildAudience(listener.caller, listener.wanted)
    const group = groups.get(audience.key) ?? { ...audience, members: new Set() }
    groups.set(group.key, group)
    group.members.add(listener)
    groupOf.set(listener, group)
    joining.add(listener)
  }

  const send = (listener: Listener, bytes: Bytes): boolean => {
    if (bytes.length === 0 || listener.send(bytes)) return true
    logCut(listener, 'its client does not keep up')
    drop(listener)
    return false
  }

  const hasParts = (): boolean => [...groups.values()].some(({ parts }) => parts.size > 0)

  const sendToAll = (events: readonly StoredEvent[], sight: VisibleData | undefined): void => {
    const encoded = createEncoding(events, sight)
    for (const group of groups.values()) {
      const bytes = encoded(group)
      for (const listener of group.members) if (!joining.has(listener)) send(listener, bytes)
    }
  }

  const readOn = async (before: number): Promise<{ found: readonly StoredEvent[]; events: readonly StoredEvent[] }> => {
    const inRow = await source.after(before, BATCH)
    if (!isMissingOne(inRow, before)) return { found: inRow, events: inRow }
    // After the gap was seen and before the rows are read again, so that their end is final.
    gaps.note(inRow)
    const underWay = await source.underWay()
    const found = await source.after(before, BATCH)
    return { found, events: gaps.settled(found, before, underWay) }
  }

  /** After a promotion, events may be lost and their numbers given to others: all listeners must read again. */
  const resetAll = async (): Promise<void> => {
    const { last } = await source.ends()
    position = last
    gaps = new Gaps()
    for (const listener of [...groupOf.keys()]) send(listener, RESET)
  }

  const followTimeline = async (): Promise<void> => {
    const present = source.timeline()
    if (present === undefined || present === timeline) return
    if (timeline !== undefined) await resetAll()
    timeline = present
  }

  const pump = async (): Promise<void> => {
    while (isAwake && position !== undefined && !isClosed) {
      isAwake = false
      await followTimeline()
      const before = position
      const { found, events } = await readOn(before)
      const sight = hasParts() ? await source.sight(events) : undefined
      await revalidated()
      // All listeners may have left and others joined during the reads.
      if (position !== before) continue
      if (!sight && hasParts()) {
        isAwake = true
        continue
      }
      if (events.length < found.length) setTimeout(wake, MISSING_MS)
      else isAwake ||= found.length === BATCH
      const last = events.at(-1)
      if (!last) continue
      position = last.seq
      sendToAll(events, sight)
    }
  }

  const wake = (): void => {
    isAwake = true
    if (position === undefined || isClosed) return
    pumping ??= pump()
      .catch((error: unknown) => log.error('the live feed could not be read', { error }))
      .finally(() => {
        pumping = undefined
        if (isAwake && groupOf.size > joining.size && !isClosed) setTimeout(wake, 0)
      })
  }

  /** @returns the event after which a listener begins */
  const begin = async (listener: Listener, lastSeq: number | undefined): Promise<number> => {
    const { first, last } = await source.ends()
    const isKept = lastSeq !== undefined && lastSeq >= first - 1 && lastSeq <= last
    if (lastSeq !== undefined && !isKept) send(listener, RESET)
    const at = isKept ? lastSeq : last
    if (joining.has(listener) && position === undefined) {
      position = at
      timeline = source.timeline()
    }
    return at
  }

  const catchUp = async (listener: Listener, beginning: number): Promise<void> => {
    let at = beginning
    while (joining.has(listener) && position !== undefined) {
      const group = groupOf.get(listener)
      if (!group) return
      if (at >= position) {
        joining.delete(listener)
        return wake()
      }
      const events = (await source.after(at, BATCH)).filter(({ seq }) => seq <= (position ?? seq))
      for (const some of splitBatches(events, PIECE)) {
        const sight = group.parts.size > 0 ? await source.sight(some) : undefined
        if (!joining.has(listener) || !send(listener, createEncoding(some, sight)(group))) return
        // Backpressure: the missed events may be many, and stay in the database until the client reads.
        await listener.drained()
      }
      at = events.at(-1)?.seq ?? position
    }
  }

  const heartbeat = setInterval(() => {
    for (const listener of [...groupOf.keys()]) send(listener, HEARTBEAT)
  }, HEARTBEAT_MS)
  heartbeat.unref()

  return {
    follow: async (listener, lastSeq) => {
      if (isClosed) return listener.end()
      join(listener)
      try {
        const at = await begin(listener, lastSeq)
        catchUp(listener, at).catch((error: unknown) => {
          log.error('the missed events of a listener could not be read', { error })
          drop(listener)
        })
      } catch (error) {
        leave(listener)
        throw error
      }
    },
    leave,
    wake,
    dismiss: (listener) => cut(listener),
    listeners: () => [...groupOf.keys()],
    close: async () => {
      isClosed = true
      clearInterval(heartbeat)
      for (const listener of [...groupOf.keys()]) drop(listener)
      await pumping
    },
  }
}
