/**
 * Keeps unauthorized listeners off the live feed. A listener is disconnected when its session or key has ended, or when the events that
 * it may see have changed. Checks after each committed change of access, at the earliest known expiry, and at least every 750 ms: a
 * notification of another process may be lost.
 */

import type { Caller } from '../../kernel/caller.ts'
import { type CheckCredentials, getCredentialName, type Held } from '../../people/sessions/credential-check.ts'
import { formatParts, getParts, NEEDED } from './audience.ts'
import { EVENTS } from './catalogue.ts'
import type { Listener } from './feed.ts'
import { PART_PERMISSIONS } from './withheld.ts'

/** The interval of checks without a notification. */
const EVERY_MS = 750
/** The shortest interval between checks, so that a steadily moving expiry can't keep a process busy. */
const LEAST_MS = 20
/** A listener that could not be checked for longer is disconnected. */
const MAX_UNVERIFIED_MS = 10_000

type Options = {
  readonly check: CheckCredentials
  readonly listeners: () => readonly Listener[]
  readonly dismiss: (listener: Listener) => void
  /** Called after each periodic check. */
  readonly polled: () => void
  readonly now: () => Date
  /** Tells the definitions of all scopes from others. */
  readonly scopes: () => Promise<string>
}

export type Revalidation = {
  /** Checks a new listener. @throws AppError when the stores are unavailable */
  readonly admit: (listener: Listener) => Promise<void>
  /** Checks all listeners again, after a commit that changed access. */
  readonly request: () => void
  /** Resolves when every listener has been checked since the last request and expiry; undefined if so now. */
  readonly settled: () => Promise<void> | undefined
  readonly close: () => void
}

/** The permissions that decide which events a listener receives. */
const DECISIVE = [...new Set([NEEDED, ...EVENTS.map(({ permission }) => permission), ...PART_PERMISSIONS])]

type Rights = Pick<Caller, 'permissions' | 'scopedPermissions'>

/** Returns true if both receive the same parts of the events of the same parts of the estate. */
const seesSameEvents = (one: Rights, other: Rights): boolean =>
  DECISIVE.every((permission) => formatParts(getParts(one, permission)) === formatParts(getParts(other, permission)))

export const createRevalidation = ({ check, listeners, dismiss, polled, now, scopes }: Options): Revalidation => {
  type Evaluated = { readonly expiresMs: number; readonly atMs: number; readonly scopes: string | undefined }
  const evaluated = new WeakMap<Listener, Evaluated>()
  let earliestMs = Number.POSITIVE_INFINITY
  let isDue = false
  let running: Promise<void> | undefined
  let nextMs = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false

  /** Returns the scopes of all listeners with a part of the estate, or undefined without such. */
  const loadScopes = async (all: readonly Listener[]): Promise<string | undefined> =>
    all.some(({ caller }) => caller.scopedPermissions) ? scopes() : undefined

  const evaluate = (listener: Listener, held: Held | undefined, current: string | undefined): void => {
    const own = listener.caller.scopedPermissions && current
    const known = evaluated.get(listener)
    // A change of scopes may show or hide objects that no event tells of: the client reads again.
    const isSame = !known || known.scopes === own
    if (held && isSame && getParts(held, NEEDED) && seesSameEvents(held, listener.caller)) {
      evaluated.set(listener, { expiresMs: held.expiresMs, atMs: now().getTime(), scopes: own })
      earliestMs = Math.min(earliestMs, held.expiresMs)
    } else dismiss(listener)
  }

  const getHeld = (held: ReadonlyMap<string, Held>, { caller }: Listener): Held | undefined =>
    held.get(getCredentialName(caller))

  const evaluateAll = async (): Promise<void> => {
    const all = listeners()
    // Before the rights, which may be of a later state.
    const current = await loadScopes(all)
    const held = await check(all.map(({ caller }) => caller))
    for (const listener of all) evaluate(listener, getHeld(held, listener), current)
    // Includes listeners that joined during the check.
    earliestMs = listeners().reduce((least, one) => Math.min(least, evaluated.get(one)?.expiresMs ?? least), Infinity)
  }

  /** If the stores are unavailable, the last check holds until its expiry, and at most 10 seconds. */
  const dismissExpired = (): void => {
    const atMs = now().getTime()
    const oldestMs = atMs - MAX_UNVERIFIED_MS
    for (const listener of listeners()) {
      const known = evaluated.get(listener)
      if (!known || known.expiresMs <= atMs || known.atMs < oldestMs) dismiss(listener)
    }
  }

  const run = async (): Promise<void> => {
    do {
      isDue = false
      try {
        await evaluateAll()
      } catch (error) {
        isDue = true
        dismissExpired()
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

  const poll = async (): Promise<void> => {
    timer = undefined
    try {
      await settle()
    } catch {
      // The next poll tries again. The reader of events logs that the database is unavailable.
    } finally {
      polled()
      schedule()
    }
  }

  /** A new listener may bring the next poll forward, but never delays it. */
  const schedule = (): void => {
    if (isClosed || listeners().length === 0) return
    const waitMs = Math.min(EVERY_MS, Math.max(LEAST_MS, earliestMs - now().getTime()))
    const atMs = performance.now() + waitMs
    if (timer !== undefined && nextMs <= atMs) return
    clearTimeout(timer)
    nextMs = atMs
    timer = setTimeout(poll, waitMs)
    timer.unref()
  }

  return {
    admit: async (listener) => {
      const current = await loadScopes([listener])
      evaluate(listener, getHeld(await check([listener.caller]), listener), current)
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
