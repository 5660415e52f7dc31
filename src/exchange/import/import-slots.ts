/** Limits concurrent imports and applies: each uses disk, memory and, in its transaction, the only writer of SQLite. */
import { AppError } from '../../contract/errors.ts'
import type { Caller } from '../../kernel/caller.ts'

/** The limit of this process. */
export const MAX_IMPORTS = 2
/** The time after which a client should try again. */
const RETRY_AFTER_S = 10
/** The time for which an apply waits for its turn. */
const MAX_WAIT_MS = 500

/** Releases a slot, once. */
type Release = () => void

export type Slots = {
  /** @param now RFC 3339 @throws AppError RATE_LIMIT_EXCEEDED */
  readonly take: (caller: Caller, now: string) => Release
  /** Waits half a second for a slot. @throws AppError RATE_LIMIT_EXCEEDED */
  readonly enter: (caller: Caller) => Promise<Release>
}

/** @param noun of the work, in the singular: `import` */
export const createSlots = (noun: string): Slots => {
  const plural = noun.replace(/y$/, 'ie')
  const taken = new Set<string>()
  /** Called after a release, in the order of their calls. */
  const waiting = new Set<() => void>()

  const tryTake = ({ userId, credentialId }: Caller): Release | string => {
    const who = userId ?? `key ${credentialId}`
    if (taken.has(who)) return `You have an ${noun} in progress, and a user can run one at a time`
    if (taken.size >= MAX_IMPORTS)
      return `The server runs ${MAX_IMPORTS} ${plural}s at a time, and has them in progress`
    taken.add(who)
    let isMine = true
    return () => {
      if (!isMine) return
      isMine = false
      taken.delete(who)
      for (const retry of [...waiting]) retry()
    }
  }
  const createRateLimitError = (
    why: string,
    when: { readonly retryAt: Date } | { readonly retryAfterS: number },
  ): AppError => new AppError('RATE_LIMIT_EXCEEDED', `${why}: try again when it has ended`, when)

  return {
    take: (caller, now) => {
      const slot = tryTake(caller)
      if (typeof slot !== 'string') return slot
      throw createRateLimitError(slot, { retryAt: new Date(Date.parse(now) + RETRY_AFTER_S * 1000) })
    },
    enter: (caller) => {
      const first = tryTake(caller)
      if (typeof first !== 'string') return Promise.resolve(first)
      return new Promise((resolve, reject) => {
        const retry = (): void => {
          const slot = tryTake(caller)
          if (typeof slot === 'string') return
          end()
          resolve(slot)
        }
        const timer = setTimeout(() => {
          end()
          reject(createRateLimitError(first, { retryAfterS: RETRY_AFTER_S }))
        }, MAX_WAIT_MS)
        const end = (): void => {
          clearTimeout(timer)
          waiting.delete(retry)
        }
        waiting.add(retry)
      })
    },
  }
}
