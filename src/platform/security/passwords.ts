// Password hashes: bcrypt cost 14 in workers of its own, behind a gate. Knows no user and no session.
import { availableParallelism } from 'node:os'
import type { Turn } from '../runtime/fair-queue.ts'
import { createWorkerGate, type Wait } from '../runtime/worker-gate.ts'
import { MAX_PASSWORD_BYTES, passwordBytes, passwordProblem } from './password-rule.ts'
import type { PasswordJob } from './password-worker.ts'

/** The place of a request in the queue for hashes. */
export type PasswordTurn = Turn & {
  /** When the request began to wait for anything, as `performance.now()`: all its hashes share one time limit. */
  readonly sinceMs: number
  /** Aborted when the client is gone: its place in the queue is free then. */
  readonly signal?: AbortSignal | undefined
}

export type Passwords = {
  /**
   * The bcrypt hash of a password, `$2b$14$...`. Without a turn it waits as long as it takes.
   *
   * @throws RangeError when `passwordProblem` finds fault with it; PasswordsBusyError.
   */
  hash(password: string, turn?: PasswordTurn): Promise<string>
  /**
   * Whether the password matches the stored hash. Without a hash (an unknown user), and for a password
   * that no hash can be of, it spends the same time and answers false.
   *
   * @throws PasswordsBusyError
   */
  verify(password: string, hash: string | undefined, turn?: PasswordTurn): Promise<boolean>
  /** Longest wait of a turn for a worker, in milliseconds. */
  readonly maxWaitMs: number
  /** Whether a stored hash is weaker than today's, so that a successful login should replace it. */
  needsRehash(hash: string): boolean
  /** Ends the workers; whatever is still pending rejects. */
  close(): void
}

export type PasswordsOptions = {
  /** Hashes computed at one time; default as many as there are cores, at most 2. */
  readonly workers?: number
  /** Hashes that may wait for a worker in each lane, which bounds memory; default 1000. */
  readonly queueLimit?: number
  /** Longest wait of a turn, in milliseconds; default 25,000. */
  readonly maxWaitMs?: number
  /** bcrypt's cost, the logarithm of its rounds; default 14. Anything else is for tests. */
  readonly cost?: number
}

/** No turn is refused before. With a hash of a second the answer still comes before the default REQUEST_TIMEOUT. */
const MAX_WAIT_MS = 25_000

/**
 * How long a turn waits where a request may take `requestTimeoutMs`: 25 s, or less where the answer would come too late.
 * @example passwordWaitMs(30_000) // 25000
 */
export const passwordWaitMs = (requestTimeoutMs: number): number => Math.min(MAX_WAIT_MS, (requestTimeoutMs * 5) / 6)

/** Too many hashes at once: nothing was computed, and the caller should answer "try again later". */
export class PasswordsBusyError extends Error {
  override readonly name = 'PasswordsBusyError'

  constructor() {
    super('Too many passwords are being checked at once')
  }
}

const COST = 14

// Of 32 random bytes that were thrown away. A constant, because computing one at start costs a second.
const DUMMY_HASH = '$2b$14$9ZEGMY24GncRRyiOJTacaeqS4/Rkqw25EwVpfzX9KJ68zPX1dDY.C'

/** Opens the gate. No worker starts before the first password. */
export function createPasswords(options: PasswordsOptions = {}): Passwords {
  const { workers = defaultWorkers(), queueLimit = 1000, maxWaitMs = MAX_WAIT_MS, cost = COST } = options
  const gate = createWorkerGate<PasswordJob, string | boolean>({
    // The bundler finds the worker by this very form.
    spawn: () => new Worker(new URL('./password-worker.ts', import.meta.url).href),
    workers,
    queueLimit,
    busy: () => new PasswordsBusyError(),
  })
  const waitOf = (turn: PasswordTurn | undefined): Wait =>
    turn ? { turn, deadlineMs: turn.sinceMs + maxWaitMs, signal: turn.signal } : {}

  return {
    maxWaitMs,
    async hash(password, turn) {
      const problem = passwordProblem(password)
      if (problem) throw new RangeError(problem)
      return String(await gate.run({ kind: 'hash', password, cost }, waitOf(turn)))
    },
    async verify(password, hash, turn) {
      const isPossible = hash !== undefined && isHashable(password)
      const job: PasswordJob = isPossible
        ? { kind: 'verify', password, hash }
        : { kind: 'verify', password: 'nobody', hash: DUMMY_HASH }
      const isMatch = await gate.run(job, waitOf(turn))
      return isPossible && isMatch === true
    },
    needsRehash: (hash) => costOf(hash) < cost,
    close: gate.close,
  }
}

/**
 * An over-long password would be compared by a digest of it, a broken one by its replacement characters, and an empty one not at
 * all: in no time, which would tell who is a user.
 */
function isHashable(password: string): boolean {
  return password !== '' && password.isWellFormed() && passwordBytes(password) <= MAX_PASSWORD_BYTES
}

/** The cost a hash was made with; 0 when it is no bcrypt hash. */
function costOf(hash: string): number {
  return Number(/^\$2[abxy]\$(\d\d)\$/.exec(hash)?.[1] ?? 0)
}

/** Two keep 25 people who come at once well below the longest wait; docs/decisions/sign-in-queue.md says what they cost others. */
function defaultWorkers(): number {
  return Math.min(2, availableParallelism())
}
