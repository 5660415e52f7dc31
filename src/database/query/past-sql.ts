/** How the engines write the views of the past and of proposals. */
import type { RootOperationNode } from 'kysely'

/** An element of a JSON list in the FROM clause, as SQL text. */
export type JsonElement = {
  /** The item of the FROM clause. It refers to the tables before it. */
  readonly from: string
  /** The index of the element, from 0. */
  readonly position: string
  /** The element, if it is a text. */
  readonly text: string
  /** A field of the element, if it is an object. */
  readonly field: (name: string) => string
}

/** A field of a JSON object in the FROM clause, as SQL text. */
export type JsonEntry = Pick<JsonElement, 'from' | 'text'> & {
  /** The name of the field. */
  readonly key: string
}

/** A field of an object in a list of a JSON document. */
export type ListField = { readonly list: string; readonly position: string; readonly name: string }

/** The columns of a stored table, and which of its rows: expressions on its alias `s`. */
export type SelectedRows = { readonly columns: string; readonly table: string; readonly condition: string }

/** The parts of the common table expressions of `as-of-views.ts` that the engines write differently, as SQL text. */
export type PastSql = {
  /** Names the stored table in a statement in which a common table expression has its name. */
  readonly stored: (table: string) => string
  /** Defines the name of `stored`, if it is that of a common table expression. It comes before all others. */
  readonly defineStored: (table: string) => string | undefined
  /** The common parameter of the expressions. They come before a statement with `count` parameters. */
  readonly parameter: (count: number) => string
  /** True if the common parameter comes before the parameters of the statement. */
  readonly isParameterFirst: boolean
  /** A field of a JSON document, as text; NULL where it is null. */
  readonly text: (json: string, ...path: readonly [string, ...string[]]) => string
  /** Like `text`, but a number. */
  readonly number: (json: string, ...path: readonly [string, ...string[]]) => string
  /** The elements of the list in a field of a JSON document. @param alias of the item */
  readonly elements: (json: string, field: string, alias: string) => JsonElement
  /** The fields of an object in a field of a JSON document, all of them texts. @param alias of the item */
  readonly entries: (json: string, field: string, alias: string) => JsonEntry
  /** Like `text`, for an object in a list. */
  readonly listField: (json: string, field: ListField) => string
  /** A text column for which no index is used, existing or automatic, if the planner has no statistics. */
  readonly unindexed: (column: string) => string
  /** An expression that is compared byte by byte. */
  readonly bytewise: (text: string) => string
  /** Selects rows of a stored table, `s`, for each row of `outer`, by the index of the condition, however many rows `outer` may have. */
  readonly selectForEach: (outer: string, rows: SelectedRows) => string
  /**
   * Rewrites a query so that the engine reads the tables of the past in the order of their indexes. `inSteps` names the
   * table to read in place of a whole one: it has rows that are not of the past, with 0 in `is_then`, so that a step
   * over many of them does not take long.
   */
  readonly inIndexOrder:
    | ((query: RootOperationNode, inSteps?: (table: string) => string | undefined) => RootOperationNode)
    | undefined
}
