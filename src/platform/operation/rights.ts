/**
 * Rights are those of the write: a request brings along what its caller's rights were read from, and each of its transactions
 * compares that with the state it writes to. What moved is read again, and judged again, before anything is committed.
 */

import { AppError } from '../contract/errors.ts'
import { type Guard, GuardError, type Tx } from '../db/database.ts'
import { checkAccess } from './access.ts'
import type { Caller } from './caller.ts'
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
  /** Whether the credentials have expired. */
  readonly isOver: () => boolean
  /** By which the commit itself confirms them, where `confirm` would cost a round trip. */
  readonly guard: Guard | undefined
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

/** Transactions of a call whose caller's permissions change during each of them. */
const MAX_TRIES = 5

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

  get rights(): Rights | undefined {
    return this.#rights
  }

  /** Writes, and again where the permissions moved under the work. @param write is told whether it is the first time */
  async tried<T>(write: (isFirst: boolean) => Promise<T>): Promise<T> {
    await this.#rights?.ask?.()
    for (let tries = 1; ; tries++) {
      try {
        return await write(tries === 1)
      } catch (error) {
        const isMoved = error instanceof GuardError || error instanceof RightsMovedError
        if (!isMoved || tries === MAX_TRIES) throw error
      }
    }
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
   * @param mayGuard whether the commit may confirm them; otherwise they are confirmed before the work and after it
   * @throws AppError UNAUTHORIZED or FORBIDDEN; GuardError or RightsMovedError if the work must be done again
   */
  within<T>(tx: Tx<never>, work: () => Promise<T>, mayGuard: boolean): Promise<T> {
    const rights = this.#rights
    if (!rights) return work()
    if (rights.guard) return mayGuard && !rights.isOver() ? this.#guarded(tx, work) : this.#between(work)
    const confirmed = rights.confirm(tx)
    return confirmed === rights ? work() : this.#after(confirmed, work)
  }

  async #after<T>(confirmed: Rights | Promise<Rights>, work: () => Promise<T>): Promise<T> {
    this.#take(await confirmed)
    return work()
  }

  async #between<T>(work: () => Promise<T>): Promise<T> {
    await this.confirm()
    const made = await work()
    await this.#confirmSame()
    return made
  }

  async #guarded<T>(tx: Tx<never>, work: () => Promise<T>): Promise<T> {
    let made: T
    try {
      made = await work()
    } catch (error) {
      // A caller who has lost the rights is not told the outcome of the work.
      await this.#confirmSame().catch((refusal: unknown) => {
        throw refusal instanceof AppError && refusal.status < 500 ? refusal : error
      })
      throw error
    }
    const rights = this.#rights
    const isGuarded = rights?.guard && !rights.isOver() && tx.guard(rights.guard)
    // Rows that the transaction has written itself are no reason to refuse it: the last commit is compared.
    if (!isGuarded) await this.#confirmSame()
    return made
  }

  async #confirmSame(): Promise<void> {
    const rights = await this.#rights?.confirm()
    if (rights && !this.#take(rights)) throw new RightsMovedError()
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
