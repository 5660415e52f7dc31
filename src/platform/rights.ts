/**
 * Rights are those of the write: a request brings along what its caller's rights were read from, and each of its transactions
 * compares that with the state it writes to. What moved is read again, and judged again, before anything is committed.
 */
import { checkAccess } from './access.ts'
import type { Tx } from './db/database.ts'
import { AppError } from './errors.ts'
import type { Caller } from './kernel.ts'
import type { Permission } from './operation.ts'

/** The rights of a caller as they were read at one moment. */
export type Rights = {
  readonly caller: Caller
  /**
   * The rights of the same credentials now: of the state that the transaction writes to where there is one writer, or else of
   * the last commit. Answers with itself where nothing moved, without a promise where no query is needed to know that.
   * @throws AppError with status 401 for credentials that do not hold any more
   */
  readonly confirm: (tx?: Tx<never>) => Rights | Promise<Rights>
  /**
   * Asks a session store that is not the database, outside of any short transaction.
   * @throws AppError UNAUTHORIZED for a session that has ended
   */
  readonly ask?: () => Promise<void>
}

/** The permissions of the caller changed while the work was under way: it is done again with those of now. */
export class RightsMovedError extends AppError {
  constructor() {
    super('FORBIDDEN', 'Your permissions change again and again; try again when they stay as they are')
  }
}

/** A transaction of several servers' database that takes longer compares again before its commit: it may have waited for a lock. */
const SHORT_MS = 100

type Terms = {
  /** Compares before the work begins. Otherwise both go on at the same time, and the work counts only if the rights held. */
  readonly isFirst: boolean
  /** Others may commit while the transaction is open. */
  readonly isShared: boolean
}

/** The rights of one call. They are those of its latest transaction. */
export class HeldRights {
  #caller: Caller
  #rights: Rights | undefined
  readonly #check: (caller: Caller) => void
  readonly #required = new Set<Permission>()

  /**
   * @param check throws AppError UNAUTHORIZED or FORBIDDEN for a caller who may not make this call
   * @throws what `check` throws
   */
  constructor(
    { caller, rights }: { readonly caller: Caller; readonly rights?: Rights | undefined },
    check: (caller: Caller) => void = () => {},
  ) {
    check(caller)
    this.#caller = caller
    this.#rights = rights
    this.#check = check
  }

  get caller(): Caller {
    return this.#caller
  }

  /** @throws AppError FORBIDDEN unless the caller has the permission. It is asked for again whenever the rights move. */
  require(permission: Permission): void {
    checkAccess(permission, this.#caller)
    if (this.#rights) this.#required.add(permission)
  }

  /** As `Rights.ask`. */
  async ask(): Promise<void> {
    await this.#rights?.ask?.()
  }

  /** As `KernelCtx.confirmRights`. */
  async confirm(tx?: Tx<never>): Promise<void> {
    const rights = this.#rights
    if (!rights) return
    await rights.ask?.()
    this.#take(await rights.confirm(tx))
  }

  /**
   * Runs the work of a transaction for a caller whose rights hold in it.
   * @throws AppError UNAUTHORIZED or FORBIDDEN; RightsMovedError if the work must be done again
   */
  within<T>(tx: Tx<never>, work: () => Promise<T>, { isFirst, isShared }: Terms): Promise<T> {
    const confirmed = this.#rights?.confirm(tx)
    if (!confirmed) return work()
    if (!(confirmed instanceof Promise)) {
      this.#take(confirmed)
      return work()
    }
    const held = isFirst ? this.#before(confirmed, work) : this.#beside(confirmed, work)
    return isShared ? this.#still(held) : held
  }

  async #before<T>(confirmed: Promise<Rights>, work: () => Promise<T>): Promise<T> {
    this.#take(await confirmed)
    return work()
  }

  async #beside<T>(confirmed: Promise<Rights>, work: () => Promise<T>): Promise<T> {
    const [holds, made] = await Promise.allSettled([confirmed.then((rights) => this.#takeSame(rights)), work()])
    // First: whoever lost their rights is not told what came of the work.
    if (holds.status === 'rejected') throw holds.reason
    if (made.status === 'rejected') throw made.reason
    return made.value
  }

  async #still<T>(held: Promise<T>): Promise<T> {
    const began = performance.now()
    const made = await held
    if (performance.now() - began > SHORT_MS && this.#rights) this.#takeSame(await this.#rights.confirm())
    return made
  }

  #takeSame(rights: Rights): void {
    if (!this.#take(rights)) throw new RightsMovedError()
  }

  /** Whether the permissions are the same as before. @throws AppError UNAUTHORIZED or FORBIDDEN */
  #take(rights: Rights): boolean {
    if (rights === this.#rights) return true
    const { caller } = rights
    this.#check(caller)
    for (const permission of this.#required) checkAccess(permission, caller)
    const isSame = this.#caller.permissions.symmetricDifference(caller.permissions).size === 0
    this.#caller = caller
    this.#rights = rights
    return isSame
  }
}
