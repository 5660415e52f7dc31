/** The rows with the documents that views show in place of the present ones: of later changes, or of a proposal. */
import type { TableView } from '../../../database/cte-views.ts'
import type { PastSql } from '../../../database/query/past-sql.ts'
import type { Tables } from '../../../database/tables.ts'
import type { Kind } from '../kind-names.ts'
import { KIND_RULES } from '../kinds.ts'

/** The columns by which rows are found, by the alias `h`. */
export type Found = { readonly kind: string; readonly id: string }

/** Found by any index, such as the index of the order of lists. */
export const FOUND_ANYWHERE: Found = { kind: 'h.kind', id: 'h.id' }

export type PastSource = {
  readonly table: 'history' | 'proposal_effects'
  /** Returns the condition for the rows that count. `:seq` is the moment or the proposal. */
  readonly counts: (alias: string) => string
  /** The column with the document that is shown; without one the object is absent. */
  readonly document: string
  /** Returns a further condition for the row, `h`, that is shown of an object with several. */
  readonly isFirst: (kind: Kind) => string
  /** True if some spaces are not stored. */
  readonly hasNewSpaces: boolean
  /** The tables that are read as they are stored, to decide who sees an object. */
  readonly asStored: readonly (keyof Tables)[]
  /** Returns the columns by which all rows that count are found. */
  readonly find: (engine: PastSql) => Found
}

/** The states before the first later change. */
export const HISTORY: PastSource = {
  table: 'history',
  counts: (alias) => `${alias}.seq > :seq`,
  document: 'before',
  isFirst: (kind) => ` AND NOT EXISTS (SELECT 1 FROM history AS e
    WHERE e.kind = '${kind}' AND e.id = h.id AND e.seq > :seq AND e.seq < h.seq)`,
  hasNewSpaces: false,
  asStored: [],
  // Only by the numbers of later changes: other indexes also have the rows of all earlier ones.
  find: ({ unindexed }) => ({ kind: unindexed('h.kind'), id: unindexed('h.id') }),
}

/** The states after a proposal. */
export const PROPOSAL: PastSource = {
  table: 'proposal_effects',
  counts: (alias) => `${alias}.proposal = :seq`,
  document: 'document',
  isFirst: () => '',
  hasNewSpaces: true,
  asStored: ['scopes', 'history', 'changes', 'history_extent'],
  find: () => FOUND_ANYWHERE,
}

/** Returns the table of the states of changed objects of a kind. */
export const buildStatesName = (kind: Kind): string => `then_${kind.replaceAll('-', '_')}`

type States = { readonly kind: Kind; readonly found: Found; readonly name?: string }

/** Returns the states of changed objects of a kind. */
export const buildStates = (source: PastSource, { kind, found, name = buildStatesName(kind) }: States): TableView => ({
  name,
  sql: `SELECT ${found.id} AS id, h.sort_key, h.order_key, h.derived, h.${source.document} AS before
    FROM ${source.table} AS h WHERE ${found.kind} = '${kind}' AND ${source.counts('h')}
    AND h.${KIND_RULES[kind].name === undefined ? source.document : 'sort_key'} IS NOT NULL${source.isFirst(kind)}`,
})

export type IsSame = (kind: Kind, id: string) => string

/** Returns a function for the condition that an object has not changed. */
export const createIsSame =
  ({ table, counts }: PastSource): IsSame =>
  (kind, id) =>
    `NOT EXISTS (SELECT 1 FROM ${table} AS c WHERE c.kind = '${kind}' AND c.id = ${id} AND ${counts('c')})`
