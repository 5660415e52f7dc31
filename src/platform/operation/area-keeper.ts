/** What the kernel asks of the scopes. The scopes feature answers it. */
import type { Kysely } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import type { Caller, Limit } from './caller.ts'
import type { KernelCtx } from './context.ts'
import type { LimitedWrite } from './limited-write.ts'
import type { AnyOperation } from './operation.ts'

/** A part of the database. */
export type Part<Tables> = { readonly db: Kysely<Tables>; readonly store: Db<Tables> }

/** A read that is limited to a part. */
export type Limited<Ctx> = {
  readonly whole: Ctx
  /** The context over the part. */
  readonly part: () => Ctx
  readonly limit: Limit
}

type ChosenIds<Tables> = (
  ctx: KernelCtx<Tables>,
  write: Pick<LimitedWrite, 'caller' | 'permission'>,
  named: { readonly resource: string; readonly ids: readonly string[] },
) => Promise<ReadonlySet<string>>

type Beginning<Tables> = Pick<Tx<Tables>, 'guard'> & {
  /** The name of the operation, the route or the job. */
  readonly name: string
  /** False if the transaction is repeated, because a guard has made its commit fail. */
  readonly isFirst: boolean
}

export type AreaKeeper<Tables> = {
  /** Called when a transaction begins, before it locks a row. */
  readonly begin: (ctx: KernelCtx<Tables>, beginning: Beginning<Tables>) => Promise<void>
  /** Stores the areas of the objects that a transaction has changed, before its commit. @param since as in `KernelCtx.changedItems` */
  readonly settle: (ctx: KernelCtx<Tables>, since?: number) => Promise<void>
  /** Returns the part of the database that a limited call reads. */
  readonly partOf: (db: Db<Tables>, caller: Caller, limit: Limit) => Part<Tables>
  /** @throws AppError NOT_FOUND for an object of the path that is not in the part, or nowhere */
  readonly requireSeen: (limited: Limited<KernelCtx<Tables>>, op: AnyOperation, input: object) => Promise<void>
  /**
   * Checks the objects that the input of a write names.
   * @throws AppError NOT_FOUND or VALIDATION_ERROR for one that the caller may not read, or that does not exist; FORBIDDEN for one that the
   * write changes, outside of the part in which the caller may change it
   */
  readonly checkInput: (ctx: KernelCtx<Tables>, write: LimitedWrite) => Promise<void>
  /**
   * Runs a write in its transaction. Checks the objects that its input names before the work, and those that it has made or changed after it.
   * @throws AppError as `checkInput`; FORBIDDEN for an object that would be outside of the part, by the fields that place it
   */
  readonly guarded: <T>(ctx: KernelCtx<Tables>, write: LimitedWrite, work: () => Promise<T>) => Promise<T>
  /** Returns those of the ids that the caller of a write may name: hidden ones are left out. */
  readonly namable: ChosenIds<Tables>
  /** Returns those of the ids for which the caller has the permission of the write. */
  readonly reached: ChosenIds<Tables>
}
