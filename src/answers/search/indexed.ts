/** Finds objects of the resources with an index of their texts, of which there may be very many. The work of a search is bounded. */
import { type SqlBool, sql } from 'kysely'
import { toText } from '../../contract/unknown.ts'
import { memoized } from '../../database/cache/revision-cache.ts'
import { containsText } from '../../database/query/contains.ts'
import { type Resource, toTableName } from '../../inventory/resources.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { toNameKey, toNameOrder } from '../../net/name-order.ts'
import { getLabel, listIndexedColumns, listKeyedFields } from '../../resource/columns.ts'
import { loadSearchedTexts, loadSearchedTextsOfKinds, type SearchedTexts } from '../../resource/custom/rows.ts'
import type { ResourceFacts } from '../../resource/facts.ts'
import { selectFromTable } from '../../resource/named-tables.ts'
import { toKind } from '../../resource/nouns.ts'
import { MAX_RESULTS_PER_TYPE, type SearchResult } from './api.ts'
import type { Entry, Query } from './matches.ts'
import { type Ranked, rankEntries, selectBest } from './results.ts'

/** The number of rows with the words that are read: they are only sorted among each other. */
const MAX_ROWS_READ = 200
/** The number of rows that are searched for words of one or two characters, which the index does not know. */
const MAX_ROWS_SCANNED = 5000

/** A row of the table, with the columns of the fields. */
export type FoundRow = Readonly<Record<string, unknown>> & { readonly id: string }

/** What the results of a resource have that does not stand in its rows. */
export type Described = Pick<Entry, 'name' | 'detail' | 'space_id' | 'kind_id'>

export type IndexedSearch = {
  readonly facts: ResourceFacts
  /** Columns that `describe` needs beyond the searched fields. */
  readonly columns: readonly string[]
  /** Rows that are not found. */
  readonly isShown?: (ctx: Ctx) => ReturnType<typeof sql<SqlBool>>
  /** Describes found rows, by id, with names that the caller may list. */
  readonly describe: (ctx: Ctx, rows: readonly FoundRow[]) => Promise<(row: FoundRow) => Described>
}

/** An upper bound for texts that begin with `text`: no text contains this noncharacter (Unicode 23.7). */
const getUpperBound = (text: string): string => `${text}\u{10ffff}`

/** Returns the search of a resource. */
export const createIndexedSearch = ({ facts, columns, isShown, describe }: IndexedSearch) => {
  // It is the name of a resource.
  const name = facts.name as Resource
  const table = toTableName(name)
  const type = toKind(name) as SearchResult['type']
  const { search: fields = [] } = facts
  const label = getLabel(facts)
  const indexed = listIndexedColumns(facts)
  const labelKey = listKeyedFields(facts).includes(label) ? `${label}_key` : undefined
  const selected = [...new Set([...fields, ...columns])]
  const { customBy, customOf = facts.name } = facts
  const loadTexts = (ctx: Ctx): Promise<SearchedTexts> =>
    customBy === undefined ? loadSearchedTexts(ctx, customOf) : loadSearchedTextsOfKinds(ctx, customBy)

  const select = (ctx: Ctx) => {
    const rows = selectFromTable(ctx.db, table).select(['id', 'custom', ...selected])
    return isShown ? rows.where(isShown(ctx)) : rows
  }

  /** Most databases have no objects of some resources. The answer is cached, so that a search of such a resource sends no query. */
  const hasRows = async (ctx: Ctx): Promise<boolean> => {
    const known = memoized<boolean>(ctx.store.cache.at(`rows of ${table}`, await ctx.store.revision([table])))
    return known('', async () => (await selectFromTable(ctx.db, table).select('id').limit(1).execute()).length > 0)
  }

  const findByLabel = (ctx: Ctx, { text }: Query) =>
    labelKey === undefined
      ? []
      : select(ctx)
          .where(labelKey, '>=', text)
          .where(labelKey, '<', getUpperBound(text))
          .orderBy(labelKey)
          .orderBy('id')
          .limit(MAX_RESULTS_PER_TYPE)
          .execute()

  const findByWords = (ctx: Ctx, { words }: Query, custom: 'searched' | 'ignored') => {
    // The index also finds rows outside of the scope of a caller.
    const most = ctx.unscoped === ctx ? MAX_ROWS_READ : undefined
    const found = ctx.store.sql.matchesColumns({ table, columns: indexed, custom }, words, most)
    if (found) return select(ctx).where(found).limit(MAX_ROWS_READ).execute()
    const searched = custom === 'searched' ? [...indexed, 'custom'] : indexed
    const first = selectFromTable(ctx.db, table)
      .select(['id', 'custom', ...indexed])
      .limit(MAX_ROWS_SCANNED)
    const some = words.reduce(
      (rows, word) =>
        rows.where(({ or }) =>
          or(word.flatMap((spelling) => searched.map((column) => containsText(`first_rows.${column}`, spelling)))),
        ),
      ctx.db.selectFrom(first.as('first_rows')).select(sql<string>`first_rows.id`.as('id')),
    )
    return select(ctx).where('id', 'in', some.limit(MAX_ROWS_READ)).execute()
  }

  const toEntry = (row: FoundRow, { name, detail, space_id }: Described, custom: Entry['pieces']): Entry => ({
    ...{ id: row.id, name, detail, space_id },
    pieces: [
      ...fields.map((field) => ({ field, text: toText(row[field]) })).filter(({ text }) => text !== ''),
      ...custom,
    ],
  })

  return async (ctx: Ctx, query: Query): Promise<Ranked[]> => {
    if (!(await hasRows(ctx))) return []
    const customTexts = await loadTexts(ctx)
    // Stored values also have the names of fields and values that are not searched. Of kinds, these may fill the answer of the index.
    const isApart = customBy !== undefined && customTexts !== undefined
    const found = await Promise.all([
      findByLabel(ctx, query),
      ...(isApart ? [findByWords(ctx, query, 'ignored')] : []),
      findByWords(ctx, query, customTexts ? 'searched' : 'ignored'),
    ])
    const rows = [...new Map(found.flat().map((row) => [row.id, row as FoundRow])).values()]
    const none: Described = { name: '', detail: '', space_id: null }
    const getCustom = (row: FoundRow) => customTexts?.({ ...row, custom: row.custom as string | null }) ?? []
    const ranked = rankEntries(
      type,
      rows.map((row) => toEntry(row, none, getCustom(row))),
      query,
    )
    const byId = new Map(rows.map((row) => [row.id, row]))
    const getKey = ({ result: { id } }: Ranked): string => toNameOrder(toNameKey(toText(byId.get(id)?.[label])))
    const best = selectBest(ranked.toSorted((a, b) => (getKey(a) < getKey(b) ? -1 : Number(getKey(a) > getKey(b)))))
    const kept = best.flatMap(({ result: { id } }) => byId.get(id) ?? [])
    const describeRow = kept.length === 0 ? () => none : await describe(ctx, kept)
    return best.map(({ result, rank }) => {
      const row = byId.get(result.id)
      const { name, detail, space_id, kind_id } = row ? describeRow(row) : none
      const { type, id, match, field } = result
      return {
        rank,
        result: {
          ...{ type, id, name, match, field },
          ...(detail && { detail }),
          ...(space_id && { space_id }),
          ...(kind_id && { kind_id }),
        },
      }
    })
  }
}
