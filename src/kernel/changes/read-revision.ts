/** The state that the first step of a write has read, which its transaction compares with its own. */
import type { KernelCtx } from '../context.ts'

type Names<Tables> = readonly (keyof Tables & string)[]

/** Returns the revision of tables: of the last commit or, in a transaction, of its own state where that takes no query. */
export const findRevision = async <Tables>(
  ctx: Pick<KernelCtx<Tables>, 'changeId' | 'revision' | 'store'>,
  tables: Names<Tables>,
): Promise<string | undefined> => (ctx.changeId === '' ? ctx.store.revision(tables) : ctx.revision(tables))

/** True if the transaction is known to have the state that was read. */
export const isOfRevision = <Tables>(
  tx: Pick<KernelCtx<Tables>, 'revision'>,
  tables: Names<Tables>,
  revision: string | undefined,
): boolean => revision !== undefined && tx.revision(tables) === revision
