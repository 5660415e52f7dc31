/** Small tables that each write must see as of its commit, such as definitions, scopes and subscriptions. */
import { transactionState } from '../../database/transaction-state.ts'
import type { KernelCtx } from '../context.ts'
import { createReadOnce } from './read-once.ts'

type Scope<Tables> = Pick<KernelCtx<Tables>, 'db' | 'store'>

/** Reads the value. @param revision of the tables, unless a transaction reads for itself */
type Read<Tables, T> = (scope: Scope<Tables>, revision?: string) => Promise<T>

type Options<Tables> = {
  /** Approximate size of the value in bytes, for the bound of the cache. */
  readonly size?: number
  /** True if the transaction has changed the tables: it reads its own rows, and nothing keeps them. */
  readonly hasWritten?: (ctx: KernelCtx<Tables>) => boolean
  /** Reads a text that differs for different values. Beside other instances, a transaction reads it in place of the value. */
  readonly version?: (scope: Scope<Tables>) => Promise<string>
}

export type Settings<Tables, T> = {
  /** Returns the value at a revision of the tables, cached. */
  readonly at: (scope: Scope<Tables>, revision: string) => Promise<T>
  /** Returns the value as of the last commit, cached. */
  readonly current: (scope: Scope<Tables>) => Promise<T>
  /** Returns the value as a transaction sees it: cached with one writer, and read once in the transaction beside other instances. */
  readonly within: (ctx: KernelCtx<Tables>) => Promise<T>
  /** Starts the read of `within`, where that saves a round trip. */
  readonly ahead: (ctx: KernelCtx<Tables>) => void
  /** Called after a commit of the tables, by this process or another one: read points from before are outdated. */
  readonly noteCommit: (store: Pick<KernelCtx<Tables>['store'], 'cache'>) => void
  /** Returns the revision from which the caller was identified, without a query, or the present one after a known later commit. */
  readonly findRevision: (ctx: KernelCtx<Tables>) => Promise<string>
}

/** The state of this process about the commits of the tables. */
type Known = {
  /** The least revision that a state must have to be as new as the last known commit; '' for any. */
  least: string
  /** True if a commit is known and its revision is not. */
  isBehind: boolean
}

/** A revision of one table is `timeline/commits`. Commits of another timeline cannot be compared. */
const isAsNew = (revision: string, least: string): boolean => {
  const [timeline, commits] = revision.split('/')
  const [leastTimeline, leastCommits] = least.split('/')
  return least === '' || (timeline === leastTimeline && Number(commits) >= Number(leastCommits))
}

const SIZE = 4096

/**
 * @param name in the cache
 * @example
 * const subscriptions = settings('webhook subscriptions', ['webhooks'], findSubscriptions)
 * for (const one of await subscriptions.within(ctx)) ...
 */
export const settings = <Tables, T>(
  name: string,
  tables: readonly (keyof Tables & string)[],
  read: Read<Tables, T>,
  { size = SIZE, hasWritten, version }: Options<Tables> = {},
): Settings<Tables, T> => {
  const commits = transactionState((): Known => ({ least: '', isBehind: false }))

  const at = async (scope: Scope<Tables>, revision: string, group = name): Promise<T> => {
    const values = scope.store.cache.at<{ readonly value: T }>(group, revision)
    const known = values.get('')
    if (known) return known.value
    const value = await read(scope, revision)
    values.set('', { value }, size)
    return value
  }

  const readOnce = createReadOnce(
    async (ctx: KernelCtx<Tables>): Promise<T> =>
      version ? at(ctx, await version(ctx), `${name} version`) : read(ctx),
  )

  const within = (ctx: KernelCtx<Tables>): Promise<T> => {
    if (hasWritten?.(ctx)) return read(ctx)
    const revision = ctx.revision(tables)
    // The revision is that of the committed state: the transaction may have written the tables, and be rolled back.
    if (revision !== undefined) return at({ db: ctx.store.read, store: ctx.store }, revision)
    return readOnce(ctx)
  }

  return {
    at: (scope, revision) => at(scope, revision),
    current: async (scope) => at(scope, await scope.store.revision(tables)),
    within,
    ahead: (ctx) => {
      // Its error is that of the later read.
      ctx.store.sql.ahead(() => within(ctx))?.catch(() => {})
    },
    noteCommit: ({ cache }) => {
      cache.local(commits).isBehind = true
    },
    findRevision: async ({ readPoint, store }) => {
      const known = store.cache.local(commits)
      const begun = known.isBehind ? undefined : readPoint?.revision(tables)
      if (begun !== undefined && isAsNew(begun, known.least)) return begun
      known.isBehind = false
      const revision = await store.revision(tables)
      known.least = revision
      return revision
    },
  }
}
