/** Finds objects of the resources of which there are thousands, by the fields in their facts and by custom fields. */
import { type Resource, toTableName } from '../../inventory/resources.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { getLabel, toSortColumn } from '../../resource/columns.ts'
import type { CustomResource } from '../../resource/custom/fields.ts'
import { loadSearchedTexts, SEARCH_TABLES } from '../../resource/custom/rows.ts'
import type { ResourceFacts } from '../../resource/facts.ts'
import { selectFromTable } from '../../resource/named-tables.ts'
import { toKind } from '../../resource/nouns.ts'
import type { SearchResult } from './api.ts'
import type { Query } from './matches.ts'
import { type Ranked, rankEntries } from './results.ts'
import { acceptMatches, cacheTexts } from './texts.ts'

/** Returns the search of a resource. */
export const createObjectSearch = (facts: ResourceFacts) => {
  // It is the name of a resource.
  const name = facts.name as Resource
  const table = toTableName(name)
  const { search: fields = [], detail } = facts
  const label = getLabel(facts)
  const selected = [...new Set([label, ...fields, ...(detail ? [detail] : [])])]
  const texts = cacheTexts(table, [table, ...SEARCH_TABLES], async (ctx) => {
    // A resource with custom fields is one of these.
    const customTexts = facts.custom && (await loadSearchedTexts(ctx, facts.name as CustomResource))
    const query = selectFromTable(ctx.db, table).select(['id', ...selected, ...(customTexts ? ['custom'] : [])])
    const rows = await query.orderBy(toSortColumn(facts, label)).orderBy('id').execute()
    return rows.map((row) => {
      const read = (field: string): string => String(row[field] ?? '')
      const own = fields.map((field) => ({ field, text: read(field) })).filter(({ text }) => text !== '')
      const custom = customTexts ? customTexts({ custom: row.custom as string | null }) : []
      return {
        ...{ id: read('id'), name: read(label), detail: detail ? read(detail) : '', space_id: null },
        pieces: [...own, ...custom],
      }
    })
  })
  const type = toKind(name) as SearchResult['type']
  return async (ctx: Ctx, query: Query): Promise<Ranked[]> =>
    rankEntries(type, (await texts(ctx)).find(query, acceptMatches(query)), query)
}
