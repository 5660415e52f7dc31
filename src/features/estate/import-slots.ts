/** Limits concurrent imports: each uses disk, memory and, in its transaction, the only writer of SQLite. */
import { AppError } from '../../platform/contract/errors.ts'
import type { Caller } from '../../platform/operation/caller.ts'

/** The limit of this process. */
export const MAX_IMPORTS = 2
/** The time after which a client should try again. */
const RETRY_AFTER_MS = 10_000

export type Slots = {
  /** @param now RFC 3339 @returns the function that releases it, once @throws AppError RATE_LIMIT_EXCEEDED */
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
      if (taken.has(who)) throw refusal('You have an import in progress, and a user can run one at a time', now)
      if (taken.size >= MAX_IMPORTS)
        throw refusal(`The server runs ${MAX_IMPORTS} imports at a time, and has them in progress`, now)
      taken.add(who)
      let isMine = true
      return () => {
        if (isMine) taken.delete(who)
        isMine = false
      }
    },
  }
}
