/** The views of the estate as of a moment or a proposal, also for callers to whom some resources show no object. */
import { type TableView, TableViews } from '../../../database/cte-views.ts'
import type { PastSql } from '../../../database/query/past-sql.ts'
import { listTables } from '../../../resource/scoped/views.ts'
import type { PastSource } from './past-source.ts'
import { buildPastTables } from './past-tables.ts'

const MAX_PARTIAL_VIEWS = 100

/** Returns the views, of which some show no row. */
const withEmptyViews = (views: readonly TableView[], names: ReadonlySet<string>): TableView[] =>
  views.map((view) => {
    if (!names.has(view.name)) return view
    const { inSteps: _, ...rest } = view
    return { ...rest, sql: `SELECT * FROM (${view.sql}) AS hidden WHERE 1 = 0` }
  })

/** @param hidden resources without an object. @param areFew as `buildPastTables` takes it */
export type FindPastViews = (hidden: readonly string[], areFew: boolean) => TableViews

/** Returns a function for the views, which are built once. */
export const createPastViews = (engine: PastSql, source: PastSource): FindPastViews => {
  const known = new Map<string, TableViews>()
  let partial = 0
  return (hidden, areFew) => {
    const key = `${hidden.join()} ${areFew}`
    const found = known.get(key)
    if (found) return found
    const tables = withEmptyViews(buildPastTables(engine, source, areFew), listTables(hidden))
    const made = new TableViews(engine, tables, source.asStored)
    // Each operation hides some of the few resources that it shows.
    if (hidden.length > 0 && partial++ >= MAX_PARTIAL_VIEWS) return made
    known.set(key, made)
    return made
  }
}
