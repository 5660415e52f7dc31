// Hashes passwords with bcrypt at cost 14, in separate workers behind a queue. Independent of users and sessions.
import { availableParallelism } from 'node:os'
import type { Turn } from '../jobs/fair-queue.ts'
import { createWorkerGate, type Wait } from '../jobs/worker-pool.ts'
import { checkPassword, countPasswordBytes, MAX_PASSWORD_BYTES } from './password-rule.ts'
import type { PasswordJob } from './password-worker.ts'

/** The position of a request in the queue for hashes. */
export type PasswordTurn = Turn & {
  /** Start of the request's waiting, as `performance.now()`: all its hashes share one time limit. */
  readonly sinceMs: number
  /** Aborted when the client disconnects, which frees its position in the queue. */
  readonly signal?: AbortSignal | undefined
}

export type Passwords = {
  /**
   * Returns the bcrypt hash of a password, `$2b$14$...`. Without a turn there is no time limit.
   *
   * @throws RangeError for a password that `checkPassword` rejects; PasswordsBusyError.
   */
  hash(password: string, turn?: PasswordTurn): Promise<string>
  /**
   * Compares a password with a stored hash. Without a hash (an unknown user), and for an unhashable password, it takes
   * the same time and returns false.
   *
   * @throws PasswordsBusyError
   */
  verify(password: string, hash: string | undefined, turn?: PasswordTurn): Promise<boolean>
  /** Maximum wait of a turn for a worker, in milliseconds. */
  readonly maxWaitMs: number
  /** bcrypt's cost. */
  readonly cost: number
  /** Returns true for a hash at a lower cost than the current one. A successful login should replace it. */
  needsRehash(hash: string): boolean
  /** Ends the workers. Pending calls reject. */
  close(): void
}

export type PasswordsOptions = {
  /** Maximum number of concurrent hashes; default: the number of cores, at most 2. */
  readonly workers?: number
  /** Maximum number of hashes that wait in each lane, which bounds memory; default 1000. */
  readonly queueLimit?: number
  /** Maximum wait of a turn, in milliseconds; default 25,000. */
  readonly maxWaitMs?: number
  /** bcrypt's cost, the logarithm of its rounds; default 14. Other values are for tests. */
  readonly cost?: number
}

/** A hash of a second still leaves time to answer before the default REQUEST_TIMEOUT. */
const MAX_WAIT_MS = 25_000

/**
 * Returns the maximum wait of a turn if a request may take `requestTimeoutMs`: 25 s, or less if the answer would be
 * late.
 * @example computePasswordWaitMs(30_000) // 25000
 */
export const computePasswordWaitMs = (requestTimeoutMs: number): number =>
  Math.min(MAX_WAIT_MS, (requestTimeoutMs * 5) / 6)

/** The queue is full or the wait was too long. Nothing was computed; the caller should answer "try again later". */
export class PasswordsBusyError extends Error {
  override readonly name = 'PasswordsBusyError'

  constructor() {
    super('Too many passwords are being checked at once')
  }
}

const COST = 14

// The hash of 32 random bytes that were discarded. A constant, because computing one at start takes a second.
export const DUMMY_HASH = '$2b$14$9ZEGMY24GncRRyiOJTacaeqS4/Rkqw25EwVpfzX9KJ68zPX1dDY.C'

/** Creates the queue. Workers start with the first password. */
export function createPasswords(options: PasswordsOptions = {}): Passwords {
  const { workers = countDefaultWorkers(), queueLimit = 1000, maxWaitMs = MAX_WAIT_MS, cost = COST } = options
  const gate = createWorkerGate<PasswordJob, string | boolean>({
    // The bundler recognizes the worker by this exact form.
    spawn: () => new Worker(new URL('./password-worker.ts', import.meta.url).href),
    workers,
    queueLimit,
    busy: () => new PasswordsBusyError(),
  })
  // The dummy takes as long as the check of a real hash, whatever the cost.
  const dummyHash = DUMMY_HASH.replace(`$${COST}$`, `$${String(cost).padStart(2, '0')}$`)
  const toWait = (turn: PasswordTurn | undefined): Wait =>
    turn ? { turn, deadlineMs: turn.sinceMs + maxWaitMs, signal: turn.signal } : {}

  return {
    maxWaitMs,
    cost,
    async hash(password, turn) {
      const problem = checkPassword(password)
      if (problem) throw new RangeError(problem)
      return String(await gate.run({ kind: 'hash', password, cost }, toWait(turn)))
    },
    async verify(password, hash, turn) {
      const isPossible = hash !== undefined && isHashable(password)
      const job: PasswordJob = isPossible
        ? { kind: 'verify', password, hash }
        : { kind: 'verify', password: 'nobody', hash: dummyHash }
      const isMatch = await gate.run(job, toWait(turn))
      return isPossible && isMatch === true
    },
    needsRehash: (hash) => parseCost(hash) < cost,
    close: gate.close,
  }
}

/** bcrypt would return early for some of these, and the time would reveal whether a user exists. */
function isHashable(password: string): boolean {
  return password !== '' && password.isWellFormed() && countPasswordBytes(password) <= MAX_PASSWORD_BYTES
}

/** Returns the cost of a hash; 0 for text that is not a bcrypt hash. */
function parseCost(hash: string): number {
  return Number(/^\$2[abxy]\$(\d\d)\$/.exec(hash)?.[1] ?? 0)
}

/** Two workers keep 25 simultaneous sign-ins fast: docs/decisions/sign-in.md#sign-ins-queue-for-their-hash. */
function countDefaultWorkers(): number {
  return Math.min(2, availableParallelism())
}
