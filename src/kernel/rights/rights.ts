/**
 * Confirms a caller's rights in each transaction of a call. A request carries the state from which its rights were
 * read. Each transaction compares it with the state that it writes to. If it differs, the rights are read and checked
 * again before commit.
 */

import { AppError } from '../../contract/errors.ts'
import { type Guard, GuardError, type Tx } from '../../database/database.ts'
import type { Caller, ScopeSet } from '../caller.ts'
import type { Permission, ScopeRule } from '../operation.ts'
import { checkAccess } from './access.ts'

/** The rights of a caller as of one moment. */
export type Rights = {
  readonly caller: Caller
  /**
   * Returns the current rights of the same credentials. With one writer they are read from the transaction's state,
   * else from the last commit. Returns this object if nothing changed, without a promise if that takes no query.
   * @throws AppError with status 401 if the credentials are no longer valid
   */
  readonly confirm: (tx?: Tx<never>) => Rights | Promise<Rights>
  /** Returns true if the credentials have expired. */
  readonly isOver: () => boolean
  /** Lets the commit itself confirm the rights, where `confirm` would cost a round trip. */
  readonly guard: Guard | undefined
  /** Checks an external session store, outside of short transactions. @throws AppError UNAUTHORIZED */
  readonly ask?: () => Promise<void>
}

/** The caller's permissions changed during the work, which is then repeated with the current ones. */
export class RightsMovedError extends AppError {
  constructor() {
    super('FORBIDDEN', 'Your permissions keep changing; try again when they are stable')
  }
}

/** Maximum number of attempts, for a caller with permissions that change during each of them. */
const MAX_TRIES = 5

const formatGrant = ([permission, { scopes }]: readonly [Permission, ScopeSet]): string =>
  `${permission} ${scopes.map((some) => [...some].sort().join()).join(' ')}`

/** Tells whether two callers have the same permissions in the same scopes. */
const haveSameRights = (one: Caller, other: Caller): boolean => {
  if (one.permissions.symmetricDifference(other.permissions).size > 0) return false
  if (!one.scopedPermissions && !other.scopedPermissions) return true
  const [texts, others] = [one, other].map(
    ({ scopedPermissions }) => new Set([...(scopedPermissions ?? [])].map(formatGrant)),
  )
  return texts !== undefined && others !== undefined && texts.symmetricDifference(others).size === 0
}

/** The rights of one call, as of its latest transaction. */
export class HeldRights {
  #caller: Caller
  #rights: Rights | undefined
  readonly #check: (caller: Caller) => void
  readonly #scope: ScopeRule | undefined
  readonly #required = new Set<Permission>()
  /** The rights of calls inside the transaction of this one. */
  #nested: HeldRights[] = []
  #parent: HeldRights | undefined
  #mayAsk = true

  /**
   * @param check throws AppError UNAUTHORIZED or FORBIDDEN for a caller who may not make this call
   * @param scope as in `Operation`
   */
  constructor(
    { caller, rights }: { readonly caller: Caller; readonly rights?: Rights | undefined },
    check: (caller: Caller) => void = () => {},
    scope?: ScopeRule,
  ) {
    check(caller)
    this.#caller = caller
    this.#rights = rights
    this.#check = check
    this.#scope = scope
  }

  get caller(): Caller {
    return this.#caller
  }

  /** @throws AppError FORBIDDEN without the permission, now and whenever the rights change */
  require(permission: Permission): void {
    checkAccess(permission, this.#caller, this.#scope)
    this.#required.add(permission)
  }

  /** The permissions that the call has required beside its own. */
  get required(): ReadonlySet<Permission> {
    return this.#required
  }

  get rights(): Rights | undefined {
    return this.#rights
  }

  /**
   * Returns the rights of a call inside the transaction of this one. Both are checked again whenever the rights change.
   * @param caller with other rights, which are never confirmed
   */
  nested(check: (caller: Caller) => void, scope: ScopeRule | undefined, caller?: Caller): HeldRights {
    if (caller) return new HeldRights({ caller }, check, scope)
    const inner = new HeldRights({ caller: this.#caller, rights: this.#rights }, check, scope)
    inner.#parent = this
    this.#nested.push(inner)
    return inner
  }

  /** Writes, and repeats the write if the permissions changed. @param write `isFirst` on the first attempt */
  async tried<T>(write: (isFirst: boolean) => Promise<T>): Promise<T> {
    await this.#ask()
    for (let tries = 1; ; tries++) {
      try {
        return await write(tries === 1)
      } catch (error) {
        const isMoved = error instanceof GuardError || error instanceof RightsMovedError
        if (!isMoved || tries === MAX_TRIES) throw error
      }
    }
  }

  /** See `KernelCtx.confirmRights`. */
  async confirm(tx?: Tx<never>): Promise<void> {
    if (this.#parent) return this.#parent.confirm(tx)
    const rights = this.#rights
    if (!rights) return
    await this.#ask()
    this.#take(await rights.confirm(tx))
  }

  /** See `KernelCtx.confirmRightsFinally`. */
  async confirmFinally(tx?: Tx<never>): Promise<void> {
    if (this.#parent) return this.#parent.confirmFinally(tx)
    await this.confirm(tx)
    this.#mayAsk = false
  }

  async #ask(): Promise<void> {
    if (this.#mayAsk) await this.#rights?.ask?.()
  }

  /**
   * Runs the work of a transaction for a caller with rights that are valid in it.
   * @param mayGuard true if the commit may confirm the rights; otherwise they are confirmed before the work and after it
   * @throws AppError UNAUTHORIZED or FORBIDDEN; GuardError or RightsMovedError if the work must be repeated
   */
  within<T>(tx: Tx<never>, work: () => Promise<T>, mayGuard: boolean): Promise<T> {
    // The transaction is repeated with other calls inside.
    this.#nested = []
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
      // A caller without rights must not learn the outcome of the work.
      await this.#confirmSame().catch((refusal: unknown) => {
        throw refusal instanceof AppError && refusal.status < 500 ? refusal : error
      })
      throw error
    }
    const rights = this.#rights
    const isGuarded = rights?.guard && !rights.isOver() && tx.guard(rights.guard)
    // Compares the last commit: the transaction's own writes are no reason to reject it.
    if (!isGuarded) await this.#confirmSame()
    return made
  }

  async #confirmSame(): Promise<void> {
    const rights = await this.#rights?.confirm()
    if (rights && !this.#take(rights)) throw new RightsMovedError()
  }

  /** Stores the rights. @returns true if the permissions are unchanged @throws AppError UNAUTHORIZED or FORBIDDEN */
  #take(rights: Rights): boolean {
    if (rights === this.#rights) return true
    const { caller } = rights
    this.#check(caller)
    for (const permission of this.#required) checkAccess(permission, caller, this.#scope)
    const isSame = haveSameRights(this.#caller, caller)
    this.#caller = caller
    this.#rights = rights
    for (const inner of this.#nested) inner.#take(rights)
    return isSame
  }
}
