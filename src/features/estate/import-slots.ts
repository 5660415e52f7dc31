/** How many imports there are at once: each holds disk, memory and, for its transaction, the one writer of SQLite. */
import { AppError } from '../../platform/contract/errors.ts'
import type { Caller } from '../../platform/operation/caller.ts'

/** At once, in this process. */
export const MAX_IMPORTS = 2
/** After which it is worth while to try again. */
const RETRY_AFTER_MS = 10_000

export type Slots = {
  /**
   * Takes one of the slots, and the one of the caller.
   * @param now RFC 3339
   * @returns what gives it back; more than once does no harm
   * @throws AppError RATE_LIMIT_EXCEEDED
   */
  readonly take: (caller: Caller, now: string) => () => void
}

const refusal = (why: string, now: string): AppError =>
  new AppError('RATE_LIMIT_EXCEEDED', `${why}: try again when it has ended`, {
    retryAt: new Date(Date.parse(now) + RETRY_AFTER_MS),
  })

export const createSlots = (): Slots => {
  const taken = new Set<string>()
  return {
    take: ({ userId, credentialId }, now) => {
      const who = userId ?? `key ${credentialId}`
      if (taken.has(who)) throw refusal('You have an import under way, and a user has one at once', now)
      if (taken.size >= MAX_IMPORTS)
        throw refusal(`The server takes ${MAX_IMPORTS} imports at once, and has them under way`, now)
      taken.add(who)
      let isMine = true
      return () => {
        if (isMine) taken.delete(who)
        isMine = false
      }
    },
  }
}
