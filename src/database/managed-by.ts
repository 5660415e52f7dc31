/** Finds the objects of an owner. */
import { type SqlBool, sql } from 'kysely'

/** Matches the rows of an owner. The second condition lets the engines use the partial index. */
export const isManagedBy = (owner: string) => sql<SqlBool>`(managed_by = ${owner} AND managed_by <> '')`
