/**
 * The live feed: reads what was committed once for all who listen, and hands each what it may see and wants. A listener that
 * does not keep up is let go: it comes back and says where it was.
 */
import { batches } from '../../platform/db/batches.ts'
import type { UnderWay } from '../../platform/db/database.ts'
import type { Caller } from '../../platform/operation/caller.ts'
import type { Logger } from '../../platform/runtime/log.ts'
import { eventRoutes } from './api.ts'
import { type Audience, audienceOf, type Bytes, createEncoding, type Wanted } from './audience.ts'
import { Gaps, isMissingOne } from './gaps.ts'
import type { StoredEvent } from './store.ts'

export type Listener = {
  readonly caller: Pick<Caller, 'userId' | 'username' | 'via' | 'credentialId' | 'permissions'>
  readonly wanted: Wanted
  /** Bytes that the answer has taken to be sent. */
  readonly sentBytes: () => number
  /** @returns false when it does not keep up */
  readonly send: (bytes: Bytes) => boolean
  /** Resolves when nothing waits in the answer, or it has ended. */
  readonly drained: () => Promise<void>
  /** Ends the answer after what waits in it. */
  readonly end: () => void
  /** Ends the answer at once: what waits in it is thrown away, and `last` sent in its place. */
  readonly cut: (last?: Bytes) => void
}

export type FeedSource = {
  readonly after: (seq: number, most: number) => Promise<readonly StoredEvent[]>
  readonly ends: () => Promise<{ readonly first: number; readonly last: number }>
  readonly underWay: () => Promise<UnderWay | undefined>
}

type Options = {
  readonly source: FeedSource
  readonly log: Logger
  /** Most listeners of a user; the oldest makes room for the next one. */
  readonly perUser: number
  /** Awaited after events were read and before they are sent: by then only those listen who may. */
  readonly revalidated: () => Promise<void> | undefined
}

const BATCH = 500
/** Events that a listener is sent at once of what it has missed. */
const PIECE = 50
/** How soon a number that was missing is looked for again. */
const MISSING_MS = 20
export const HEARTBEAT_MS = 15_000

/** How long a client waits whose place another one took: each that comes back takes the place of the next. */
export const LIMIT_RETRY_MS = 60_000

/** As the log names the answers that are cut off. */
const ROUTE = eventRoutes.stream.http.split(' ')[1]

const encoder = new TextEncoder()
const HEARTBEAT = encoder.encode(': here\n\n')
const RESET = encoder.encode('event: reset\ndata: {}\n\n')
const limitText = (perUser: number): string =>
  `retry: ${LIMIT_RETRY_MS}\nevent: limit\ndata: {"feeds_per_user":${perUser},"retry_ms":${LIMIT_RETRY_MS}}\n\n`

export type Feed = {
  /** Follows from after an event, or from the moment of the call: what is committed once this has resolved will be sent. */
  readonly follow: (listener: Listener, lastSeq: number | undefined) => Promise<void>
  readonly leave: (listener: Listener) => void
  /** Something was committed. */
  readonly wake: () => void
  /** Ends a listener that may not listen any more, at once. */
  readonly dismiss: (listener: Listener) => void
  readonly listeners: () => readonly Listener[]
  readonly close: () => Promise<void>
}

export const createFeed = ({ source, log, perUser, revalidated }: Options): Feed => {
  type Group = Audience & { readonly members: Set<Listener> }
  /** All who listen, each with those that are sent the same. */
  const places = new Map<Listener, Group>()
  const groups = new Map<string, Group>()
  /** Those that still read what came before. */
  const joining = new Set<Listener>()
  const byUser = new Map<string | undefined, Set<Listener>>()
  const limit = encoder.encode(limitText(perUser))
  /** The last event that the live ones were sent; undefined while nobody listens. */
  let position: number | undefined
  let pumping: Promise<void> | undefined
  let isAwake = false
  const gaps = new Gaps()
  let isClosed = false

  const leave = (listener: Listener): void => {
    const group = places.get(listener)
    if (!group) return
    places.delete(listener)
    joining.delete(listener)
    group.members.delete(listener)
    if (group.members.size === 0) groups.delete(group.key)
    const own = byUser.get(listener.caller.userId)
    own?.delete(listener)
    if (own?.size === 0) byUser.delete(listener.caller.userId)
    // Nobody listens: what happens meanwhile need not be read.
    if (places.size === 0) position = undefined
  }

  const drop = (listener: Listener): void => {
    leave(listener)
    listener.end()
  }

  const tell = (listener: Listener, reason: string): void => {
    if (!places.has(listener)) return
    const { username: user } = listener.caller
    log.warn('answer cut off', { reason, user, route: ROUTE, bytes: listener.sentBytes() })
  }

  const cut = (listener: Listener, last?: Bytes): void => {
    leave(listener)
    listener.cut(last)
  }

  const join = (listener: Listener): void => {
    const { userId, permissions } = listener.caller
    const own = byUser.get(userId) ?? new Set()
    // A set keeps the order in which they came.
    for (const oldest of own) {
      if (own.size < perUser) break
      tell(oldest, 'too many live feeds of this user')
      cut(oldest, limit)
    }
    byUser.set(userId, own.add(listener))
    const audience = audienceOf(permissions, listener.wanted)
    const group = groups.get(audience.key) ?? { ...audience, members: new Set() }
    groups.set(group.key, group)
    group.members.add(listener)
    places.set(listener, group)
    joining.add(listener)
  }

  const send = (listener: Listener, bytes: Bytes): boolean => {
    if (bytes.length === 0 || listener.send(bytes)) return true
    tell(listener, 'its client does not keep up')
    drop(listener)
    return false
  }

  const sendToAll = (events: readonly StoredEvent[]): void => {
    const encoded = createEncoding(events)
    for (const group of groups.values()) {
      const bytes = encoded(group)
      for (const listener of group.members) if (!joining.has(listener)) send(listener, bytes)
    }
  }

  const readOn = async (before: number): Promise<{ found: readonly StoredEvent[]; events: readonly StoredEvent[] }> => {
    const inRow = await source.after(before, BATCH)
    if (!isMissingOne(inRow, before)) return { found: inRow, events: inRow }
    // Who may still bring what is missing is to be asked after it was missed, and before it is looked for.
    gaps.note(inRow)
    const underWay = await source.underWay()
    const found = await source.after(before, BATCH)
    return { found, events: gaps.settled(found, before, underWay) }
  }

  const pump = async (): Promise<void> => {
    while (isAwake && position !== undefined && !isClosed) {
      isAwake = false
      const before = position
      const { found, events } = await readOn(before)
      await revalidated()
      // Meanwhile everyone may have left, and others come.
      if (position !== before) continue
      if (events.length < found.length) setTimeout(wake, MISSING_MS)
      else isAwake ||= found.length === BATCH
      const last = events.at(-1)
      if (!last) continue
      position = last.seq
      sendToAll(events)
    }
  }

  const wake = (): void => {
    isAwake = true
    if (position === undefined || isClosed) return
    pumping ??= pump()
      .catch((error: unknown) => log.error('the live feed could not be read', { error }))
      .finally(() => {
        pumping = undefined
        if (isAwake && places.size > joining.size && !isClosed) setTimeout(wake, 0)
      })
  }

  /** @returns the event after which a listener begins */
  const begin = async (listener: Listener, lastSeq: number | undefined): Promise<number> => {
    const { first, last } = await source.ends()
    const isKept = lastSeq !== undefined && lastSeq >= first - 1 && lastSeq <= last
    if (lastSeq !== undefined && !isKept) send(listener, RESET)
    const at = isKept ? lastSeq : last
    if (joining.has(listener)) position ??= at
    return at
  }

  const catchUp = async (listener: Listener, beginning: number): Promise<void> => {
    let at = beginning
    while (joining.has(listener) && position !== undefined) {
      const group = places.get(listener)
      if (!group) return
      if (at >= position) {
        joining.delete(listener)
        return wake()
      }
      const events = (await source.after(at, BATCH)).filter(({ seq }) => seq <= (position ?? seq))
      for (const some of batches(events, PIECE)) {
        if (!joining.has(listener) || !send(listener, createEncoding(some)(group))) return
        // As fast as it is read: what was missed may be much, and is kept in the database.
        await listener.drained()
      }
      at = events.at(-1)?.seq ?? position
    }
  }

  const heartbeat = setInterval(() => {
    for (const listener of [...places.keys()]) send(listener, HEARTBEAT)
  }, HEARTBEAT_MS)
  heartbeat.unref()

  return {
    follow: async (listener, lastSeq) => {
      if (isClosed) return listener.end()
      join(listener)
      try {
        const at = await begin(listener, lastSeq)
        catchUp(listener, at).catch((error: unknown) => {
          log.error('what a listener has missed could not be read', { error })
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
    listeners: () => [...places.keys()],
    close: async () => {
      isClosed = true
      clearInterval(heartbeat)
      for (const listener of [...places.keys()]) drop(listener)
      await pumping
    },
  }
}
