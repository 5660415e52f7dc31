/** The interface of the kernel to the scopes. The scopes feature implements it. */
import type { Kysely } from 'kysely'
import type { Db, Tx } from '../../database/database.ts'
import type { Caller, ScopeFilter } from '../caller.ts'
import type { KernelCtx } from '../context.ts'
import type { AnyOperation } from '../operation.ts'
import type { ScopedWrite } from './scoped-write.ts'

/** The database as a scoped caller sees it. */
export type ScopedDb<Tables> = { readonly db: Kysely<Tables>; readonly store: Db<Tables> }

/** A read with a scope filter. */
export type ScopedRead<Ctx> = {
  readonly unscoped: Ctx
  /** The context over the visible objects. */
  readonly scoped: () => Ctx
  readonly scopeFilter: ScopeFilter
}

type ChosenIds<Tables> = (
  ctx: KernelCtx<Tables>,
  write: Pick<ScopedWrite, 'caller' | 'permission'>,
  named: { readonly resource: string; readonly ids: readonly string[] },
) => Promise<ReadonlySet<string>>

type Beginning<Tables> = Pick<Tx<Tables>, 'guard'> & {
  /** The name of the operation, the route or the job. */
  readonly name: string
  /** False if the transaction is repeated, because a guard has made its commit fail. */
  readonly isFirst: boolean
}

export type ScopeEnforcer<Tables> = {
  /** Called when a transaction begins, before it locks a row. */
  readonly begin: (ctx: KernelCtx<Tables>, beginning: Beginning<Tables>) => Promise<void>
  /** Stores the areas of the objects that a transaction has changed, before its commit. @param since as in `KernelCtx.changedObjects` */
  readonly updateAreas: (ctx: KernelCtx<Tables>, since?: number) => Promise<void>
  /** Returns the database that a scoped call reads. */
  readonly openScopedDb: (db: Db<Tables>, caller: Caller, scopeFilter: ScopeFilter) => ScopedDb<Tables>
  /** @throws AppError NOT_FOUND for an object of the path that is not in the part, or nowhere */
  readonly requireVisible: (limited: ScopedRead<KernelCtx<Tables>>, op: AnyOperation, input: object) => Promise<void>
  /**
   * Checks the objects that the input of a write names.
   * @throws AppError NOT_FOUND or VALIDATION_ERROR for one that the caller may not read, or that does not exist; FORBIDDEN for one that the
   * write changes, outside of the part in which the caller may change it
   */
  readonly checkInput: (ctx: KernelCtx<Tables>, write: ScopedWrite) => Promise<void>
  /**
   * Checks the objects that the input of a write names, whose work was done before: some of them may be gone by it.
   * @throws AppError as `checkInput`
   */
  readonly checkRepeat: (ctx: KernelCtx<Tables>, write: ScopedWrite) => Promise<void>
  /**
   * Runs a write in its transaction. Checks the objects that its input names before the work, and checks the objects that it has created
   * or changed after it.
   * @throws AppError as `checkInput`; FORBIDDEN for an object that would be outside of the part, by the fields that place it
   */
  readonly checkScope: <T>(ctx: KernelCtx<Tables>, write: ScopedWrite, work: () => Promise<T>) => Promise<T>
  /** Returns the ids of the objects that are visible to the caller of a write. */
  readonly filterVisible: ChosenIds<Tables>
  /** Returns the ids of the objects for which the caller has the permission of the write. */
  readonly filterPermitted: ChosenIds<Tables>
}
