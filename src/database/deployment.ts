/** What follows from where the database is: in this process, for it alone, or on a server that other instances use as well. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { FaultError } from '../base/disk/fault.ts'
import { AppError } from '../contract/errors.ts'

type Page = {
  /** The number of first rows; undefined for all. */
  readonly rows: number | undefined
  readonly isFiltered: boolean
}

export type Deployment = {
  /** Runs work that matters only while other instances write to the same database; undefined without them. */
  readonly besideOthers: <T>(work: () => T) => T | undefined
  /** Returns a value of stored rows that was kept since a commit; undefined if other instances may have changed the rows. */
  readonly kept: <T>(value: T | undefined) => T | undefined
  /** Returns the read point for later reads of a call, where a new one takes a round trip; undefined where it is free. */
  readonly reusable: <ReadPoint>(point: ReadPoint) => ReadPoint | undefined
  /** Starts a read whose result is needed later; undefined where that saves no round trip. */
  readonly ahead: <T>(read: () => Promise<T>) => Promise<T> | undefined
  /** Returns queries in the steps in which they are sent: each on its own where concurrent queries take as long as one after another. */
  readonly together: <Query>(steps: readonly (readonly Query[])[]) => readonly (readonly Query[])[]
  /** True for the error of a lost connection, after which the work can go on. A full disk is another matter. */
  readonly isConnectionLost: (error: unknown) => boolean
  /** Returns the condition that `id` is none of the values that a query selects as `member`. @param id such as `devices.id` */
  readonly isNoMember: (id: string, members: RawBuilder<unknown>) => RawBuilder<SqlBool>
  /** True if a page in the order of another table is read fastest by a join of all rows, and not by a walk in that order. */
  readonly joinsAll: (page: Page) => boolean
  /** Returns the areas of a part, if the first rows of each are to be read on their own. */
  readonly byArea: (areas: ReadonlySet<number> | undefined) => ReadonlySet<number> | undefined
}

export const inThisProcess: Deployment = {
  besideOthers: () => undefined,
  kept: (value) => value,
  reusable: () => undefined,
  ahead: () => undefined,
  together: (steps) => steps.flat().map((query) => [query]),
  isConnectionLost: () => false,
  isNoMember: (id, members) => sql<SqlBool>`${sql.ref(id)} NOT IN (${members})`,
  joinsAll: () => false,
  byArea: () => undefined,
}

export const onServer: Deployment = {
  besideOthers: (work) => work(),
  kept: () => undefined,
  reusable: (point) => point,
  ahead: (read) => read(),
  together: (steps) => steps,
  isConnectionLost: (error) =>
    error instanceof FaultError
      ? error.fault.kind === 'read-only'
      : error instanceof AppError && error.code === 'UNAVAILABLE',
  // PostgreSQL runs `NOT IN` in quadratic time for more values than its memory for hashes holds, and `NOT EXISTS` while it has no
  // statistics; a full join always has a hash or a merge.
  isNoMember: (id, members) => {
    const [table = ''] = id.split('.')
    return sql<SqlBool>`${sql.ref(id)} IN (
    SELECT listed.id FROM ${sql.table(table)} AS listed FULL JOIN (${members}) AS held ON held.member = listed.id
    WHERE coalesce(held.member IS NULL, false)
  )`
  },
  // A walk soon has the first rows of an unfiltered list.
  joinsAll: ({ rows, isFiltered }) => rows === undefined || isFiltered,
  byArea: (areas) => areas,
}
