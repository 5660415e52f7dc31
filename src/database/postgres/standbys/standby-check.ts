/** Checks that a standby has replayed a position of the primary's log. */

import { REPLAYED_TIMELINE } from '../../../base/hosts/watch-host.ts'
import type { Lent, PostgresPool } from '../connections/pool.ts'
import { send } from '../dialect.ts'

/** How long a read waits for a standby to replay its position. */
const REPLAY_MS = 20
/** How long a read waits for a connection to a standby, and for the answer to a check. A running server answers at once. */
const ANSWER_MS = 1000

/** A statement by itself: the snapshot of the next one is taken after it. */
const CHECK = 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS has'
/** The first one of a connection. The name of a host may stand for several machines, and not all of them were looked at. */
const FIRST_CHECK = `SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AND pg_is_in_recovery() AND ${REPLAYED_TIMELINE} = $2::int
  AND (SELECT system_identifier FROM pg_control_system())::text = $3 AS has`

/** The primary's log: positions belong to this cluster and timeline. */
export type Log = { readonly timeline: number; readonly systemId: string }

type Connection = Lent['connection']

/** A standby does not answer a check, or cannot: nothing else tells that it cannot be asked. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
}

/** @param late called with an answer that comes later @throws NoAnswerError */
const withTimeout = async <T>(answer: Promise<T>, late: (value: T) => void = () => {}): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(new NoAnswerError(`no answer within ${ANSWER_MS} ms`))
    answer.then(late, () => {})
  }, ANSWER_MS)
  try {
    return await Promise.race([answer, promise])
  } finally {
    clearTimeout(timer)
  }
}

/** @throws NoAnswerError */
export const lent = (pool: PostgresPool): Promise<Lent> => withTimeout(pool.reserve(), ({ release }) => release())

export type PositionChecks = {
  /** True if the server of a connection is known to have replayed the position. */
  readonly isKnown: (connection: Connection, position: string) => boolean
  /** Asks the server of a connection once. @throws NoAnswerError */
  readonly ask: (connection: Connection, position: string) => Promise<boolean>
  /** Asks until the server has replayed the position. @returns false if that takes too long @throws NoAnswerError */
  readonly wait: (connection: Connection, position: string, isLate: boolean) => Promise<boolean>
}

export const createPositionChecks = (log: () => Log | undefined): PositionChecks => {
  /** The last position that was found to be replayed. It stays so for as long as the connection is open. */
  const known = new WeakMap<Connection, string>()

  const ask: PositionChecks['ask'] = async (connection, position) => {
    const now = log()
    const [text, values] = known.has(connection)
      ? [CHECK, []]
      : [FIRST_CHECK, [now?.timeline ?? 0, now?.systemId ?? '']]
    const answer = send(connection, text, [position, ...values]).catch((cause: unknown) => {
      throw new NoAnswerError('the check has failed', { cause })
    })
    // The row of such a statement.
    const [row] = (await withTimeout(answer)) as unknown[] as { has: boolean | null }[]
    if (row?.has !== true) return false
    known.set(connection, position)
    return true
  }

  const isKnown: PositionChecks['isKnown'] = (connection, position) => known.get(connection) === position

  return {
    isKnown,
    ask,
    wait: async (connection, position, isLate) => {
      if (isKnown(connection, position)) return true
      const endMs = performance.now() + (isLate ? 0 : REPLAY_MS)
      while (!(await ask(connection, position))) {
        if (performance.now() >= endMs) return false
        await Bun.sleep(1)
      }
      return true
    },
  }
}
