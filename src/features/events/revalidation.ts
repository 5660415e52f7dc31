/**
 * Sees to it that listeners of the live feed are those who may listen: one whose session or key has ended, or who may see other
 * events by now, is dismissed. Asks at once when something about access is committed, at the earliest expiry that is known, and
 * in less than a second, because another process may have changed the database and told nobody.
 */

import type { Permission } from '../../platform/operation/operation.ts'
import type { CheckCredentials, Held } from '../sessions/credential-check.ts'
import { EVENTS } from './catalogue.ts'
import type { Listener } from './feed.ts'

/** How often the stores are asked where nothing was heard. */
const EVERY_MS = 750
/** No sooner than this after an answer; an expiry that others move all the time must not keep a process busy. */
const LEAST_MS = 20
/** A listener that could not be judged for longer is dismissed. */
const MOST_UNJUDGED_MS = 10_000
const NEEDED: Permission = 'events:read'

type Options = {
  readonly check: CheckCredentials
  readonly listeners: () => readonly Listener[]
  readonly dismiss: (listener: Listener) => void
  /** Called after each regular look. */
  readonly looked: () => void
  readonly now: () => Date
}

export type Revalidation = {
  /** Judges a listener that has just come. @throws AppError where the stores can't be asked */
  readonly admit: (listener: Listener) => Promise<void>
  /** Something about access was committed: all listeners are judged again. */
  readonly request: () => void
  /** Resolves when every listener was judged since the last request and the last expiry; undefined where that is so already. */
  readonly settled: () => Promise<void> | undefined
  readonly close: () => void
}

/** All by which it is decided what somebody hears of. */
const DECISIVE = [...new Set(EVENTS.map(({ permission }) => permission))]

const seesTheSame = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  DECISIVE.every((permission) => one.has(permission) === other.has(permission))

export const createRevalidation = ({ check, listeners, dismiss, looked, now }: Options): Revalidation => {
  type Judged = { readonly expiresMs: number; readonly atMs: number }
  const judged = new WeakMap<Listener, Judged>()
  let earliestMs = Number.POSITIVE_INFINITY
  let isDue = false
  let running: Promise<void> | undefined
  let nextMs = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false

  const judge = (listener: Listener, held: Held | undefined): void => {
    if (held?.permissions.has(NEEDED) && seesTheSame(held.permissions, listener.caller.permissions)) {
      judged.set(listener, { expiresMs: held.expiresMs, atMs: now().getTime() })
      earliestMs = Math.min(earliestMs, held.expiresMs)
    } else dismiss(listener)
  }

  const heldBy = (held: ReadonlyMap<string, Held>, { caller }: Listener): Held | undefined =>
    caller.credentialId === undefined ? undefined : held.get(caller.credentialId)

  const judgeAll = async (): Promise<void> => {
    const all = listeners()
    const held = await check(all.map(({ caller }) => caller))
    for (const listener of all) judge(listener, heldBy(held, listener))
    // Also of those that came during the check.
    earliestMs = listeners().reduce((least, one) => Math.min(least, judged.get(one)?.expiresMs ?? least), Infinity)
  }

  /** The stores can't be asked: what is known of a listener holds until it expires, and not for long. */
  const judgeByWhatIsKnown = (): void => {
    const atMs = now().getTime()
    const oldestMs = atMs - MOST_UNJUDGED_MS
    for (const listener of listeners()) {
      const known = judged.get(listener)
      if (!known || known.expiresMs <= atMs || known.atMs < oldestMs) dismiss(listener)
    }
  }

  const run = async (): Promise<void> => {
    do {
      isDue = false
      try {
        await judgeAll()
      } catch (error) {
        isDue = true
        judgeByWhatIsKnown()
        throw error
      }
    } while (isDue && !isClosed)
  }

  const settle = (): Promise<void> => {
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }

  const look = async (): Promise<void> => {
    timer = undefined
    try {
      await settle()
    } catch {
      // The next look asks again. What reads the events says in the log that the database is away.
    } finally {
      looked()
      schedule()
    }
  }

  /** Listeners that come may bring the next look forward, and never put it off. */
  const schedule = (): void => {
    if (isClosed || listeners().length === 0) return
    const waitMs = Math.min(EVERY_MS, Math.max(LEAST_MS, earliestMs - now().getTime()))
    const atMs = performance.now() + waitMs
    if (timer !== undefined && nextMs <= atMs) return
    clearTimeout(timer)
    nextMs = atMs
    timer = setTimeout(look, waitMs)
    timer.unref()
  }

  return {
    admit: async (listener) => {
      judge(listener, heldBy(await check([listener.caller]), listener))
      schedule()
    },
    request: () => {
      isDue = true
      settle().catch(() => {})
    },
    settled: () => {
      isDue ||= earliestMs <= now().getTime()
      return isDue ? settle() : running
    },
    close: () => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
