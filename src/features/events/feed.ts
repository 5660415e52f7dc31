/**
 * The live feed: reads what was committed once for all who listen, and hands each what it may see and wants. A listener that
 * does not keep up is let go: it comes back and says where it was.
 */
import type { UnderWay } from '../../platform/db/database.ts'
import type { Logger } from '../../platform/log.ts'
import { permissionFor } from './catalogue.ts'
import { Gaps, isMissingOne } from './gaps.ts'
import type { StoredEvent } from './store.ts'

export type Wanted = {
  readonly permissions: ReadonlySet<string>
  /** Names, and families as `device.*`; undefined for all. */
  readonly types: readonly string[] | undefined
  readonly resource: string | undefined
}

/** How often what says who may see what was changed. */
export type Rights = { readonly access: string; readonly people: string }

export type Listener = {
  readonly wanted: Wanted
  /** By which it was judged. */
  readonly rights: Rights
  /** @returns false when it does not keep up */
  readonly send: (text: string) => boolean
  readonly end: () => void
}

export type FeedSource = {
  readonly after: (seq: number, most: number) => Promise<readonly StoredEvent[]>
  readonly ends: () => Promise<{ readonly first: number; readonly last: number }>
  readonly underWay: () => Promise<UnderWay | undefined>
}

type Options = { readonly source: FeedSource; readonly log: Logger }

const BATCH = 500
/** How soon a number that was missing is looked for again. */
const MISSING_MS = 20
export const HEARTBEAT_MS = 15_000

export const textOf = ({ seq, event, data, created_at }: StoredEvent): string =>
  `id: ${seq}\nevent: ${event}\ndata: {"event":"${event}","timestamp":"${created_at}","data":${data}}\n\n`

const isWanted = ({ types, resource, permissions }: Wanted, { event, resource_id }: StoredEvent): boolean => {
  const permission = permissionFor(event)
  if (permission === undefined || !permissions.has(permission)) return false
  if (resource !== undefined && resource !== resource_id) return false
  return types === undefined || types.includes(event) || types.includes(`${event.slice(0, event.indexOf('.'))}.*`)
}

export type Feed = {
  /** Follows from after an event, or from the moment of the call: what is committed once this has resolved will be sent. */
  readonly follow: (listener: Listener, lastSeq: number | undefined) => Promise<void>
  readonly leave: (listener: Listener) => void
  /** Something was committed. */
  readonly wake: () => void
  /** Lets everyone go of whom it holds, who then come back with the rights they have by now. */
  readonly release: (isOutdated?: (rights: Rights) => boolean) => void
  readonly listeners: () => number
  readonly close: () => Promise<void>
}

export const createFeed = ({ source, log }: Options): Feed => {
  const live = new Set<Listener>()
  /** Those that still read what came before. */
  const joining = new Set<Listener>()
  /** The last event that the live ones were sent; undefined while nobody listens. */
  let position: number | undefined
  let pumping: Promise<void> | undefined
  let isAwake = false
  const gaps = new Gaps()
  let isClosed = false

  const leave = (listener: Listener): void => {
    live.delete(listener)
    joining.delete(listener)
    // Nobody listens: what happens meanwhile need not be read.
    if (live.size === 0 && joining.size === 0) position = undefined
  }

  const drop = (listener: Listener): void => {
    leave(listener)
    listener.end()
  }

  const send = (listener: Listener, events: readonly StoredEvent[]): boolean => {
    const text = events
      .filter((event) => isWanted(listener.wanted, event))
      .map(textOf)
      .join('')
    if (text === '' || listener.send(text)) return true
    drop(listener)
    return false
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
      // Meanwhile everyone may have left, and others come.
      if (position !== before) continue
      if (events.length < found.length) setTimeout(wake, MISSING_MS)
      else isAwake ||= found.length === BATCH
      const last = events.at(-1)
      if (!last) continue
      position = last.seq
      for (const listener of live) send(listener, events)
    }
  }

  const wake = (): void => {
    isAwake = true
    if (position === undefined || isClosed) return
    pumping ??= pump()
      .catch((error: unknown) => log.error('the live feed could not be read', { error }))
      .finally(() => {
        pumping = undefined
        if (isAwake && live.size > 0 && !isClosed) setTimeout(wake, 0)
      })
  }

  /** @returns the event after which a listener begins */
  const begin = async (listener: Listener, lastSeq: number | undefined): Promise<number> => {
    const { first, last } = await source.ends()
    const isKept = lastSeq !== undefined && lastSeq >= first - 1 && lastSeq <= last
    if (lastSeq !== undefined && !isKept && !listener.send('event: reset\ndata: {}\n\n')) drop(listener)
    const at = isKept ? lastSeq : last
    if (joining.has(listener)) position ??= at
    return at
  }

  const catchUp = async (listener: Listener, beginning: number): Promise<void> => {
    let at = beginning
    while (joining.has(listener) && position !== undefined) {
      if (at >= position) {
        joining.delete(listener)
        live.add(listener)
        return wake()
      }
      const events = (await source.after(at, BATCH)).filter(({ seq }) => seq <= (position ?? seq))
      if (!send(listener, events)) return
      at = events.at(-1)?.seq ?? position
    }
  }

  const heartbeat = setInterval(() => {
    for (const listener of [...live, ...joining]) if (!listener.send(': here\n\n')) drop(listener)
  }, HEARTBEAT_MS)
  heartbeat.unref()

  const release: Feed['release'] = (isOutdated = () => true) => {
    for (const listener of [...live, ...joining]) if (isOutdated(listener.rights)) drop(listener)
  }

  return {
    follow: async (listener, lastSeq) => {
      if (isClosed) return listener.end()
      joining.add(listener)
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
    release,
    listeners: () => live.size + joining.size,
    close: async () => {
      isClosed = true
      clearInterval(heartbeat)
      release()
      await pumping
    },
  }
}
