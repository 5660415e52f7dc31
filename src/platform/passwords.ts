// Password hashes: bcrypt cost 14 in workers of its own, behind a gate. Knows no user and no session.
import { availableParallelism } from 'node:os'
import { MAX_PASSWORD_BYTES, passwordBytes, passwordProblem } from './password-rule.ts'
import type { PasswordJob } from './password-worker.ts'
import { createWorkerGate } from './worker-gate.ts'

export type Passwords = {
  /**
   * The bcrypt hash of a password, `$2b$14$...`.
   *
   * @throws RangeError when `passwordProblem` finds fault with it; PasswordsBusyError.
   */
  hash(password: string): Promise<string>
  /**
   * Whether the password matches the stored hash. Without a hash (an unknown user), and for a password
   * that no hash can be of, it spends the same time and answers false.
   *
   * @throws PasswordsBusyError
   */
  verify(password: string, hash: string | undefined): Promise<boolean>
  /** Whether a stored hash is weaker than today's, so that a successful login should replace it. */
  needsRehash(hash: string): boolean
  /** Ends the workers; whatever is still pending rejects. */
  close(): void
}

export type PasswordsOptions = {
  /** Hashes computed at one time; default one core less than there are, at least 1, at most 2. */
  readonly workers?: number
  /** Hashes that may wait for a worker; default 16. */
  readonly queueLimit?: number
  /** Longest wait for a worker, in milliseconds; default 5000. */
  readonly maxWaitMs?: number
  /** bcrypt's cost, the logarithm of its rounds; default 14. Anything else is for tests. */
  readonly cost?: number
}

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
  const { workers = defaultWorkers(), queueLimit = 16, maxWaitMs = 5_000, cost = COST } = options
  const gate = createWorkerGate<PasswordJob, string | boolean>({
    // The bundler finds the worker by this very form.
    spawn: () => new Worker(new URL('./password-worker.ts', import.meta.url).href),
    workers,
    queueLimit,
    maxWaitMs,
    busy: () => new PasswordsBusyError(),
  })

  return {
    async hash(password) {
      const problem = passwordProblem(password)
      if (problem) throw new RangeError(problem)
      return String(await gate.run({ kind: 'hash', password, cost }))
    },
    async verify(password, hash) {
      const isPossible = hash !== undefined && isHashable(password)
      const job: PasswordJob = isPossible
        ? { kind: 'verify', password, hash }
        : { kind: 'verify', password: 'nobody', hash: DUMMY_HASH }
      const isMatch = await gate.run(job)
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

function defaultWorkers(): number {
  return Math.min(2, Math.max(1, availableParallelism() - 1))
}
