/** The queries for objects by their present name, and by a name that they had before a change. */
import { type Kysely, type SqlBool, sql } from 'kysely'
import { containsText, matchName } from '../../../database/query/contains.ts'
import type { Tables } from '../../../database/tables.ts'
import { FACTS, INVENTORY, type Resource, toTableName } from '../../../inventory/resources.ts'
import type { StoreScope } from '../../../kernel/ctx.ts'
import { listOrderRanges, toNameKey } from '../../../net/name-order.ts'
import { getLabel, getOrderColumn, listIndexedColumns } from '../../../resource/columns.ts'
import type { ResourceFacts } from '../../../resource/facts.ts'
import { selectFromTable } from '../../../resource/named-tables.ts'
import { KINDS, type Kind, toKind } from '../kind-names.ts'
import { KIND_RULES } from '../kinds.ts'

/** The ids of objects by kind. */
export type ObjectIds = Readonly<Partial<Record<Kind, readonly string[]>>>

/** The kinds of objects with names of their own, with their resources. */
const RESOURCE_OF: ReadonlyMap<Kind, Resource> = new Map(
  INVENTORY.flatMap((resource) =>
    KIND_RULES[toKind(resource)].name === undefined ? [] : [[toKind(resource), resource] as const],
  ),
)
export const NAMED_KINDS: readonly Kind[] = KINDS.filter((kind) => RESOURCE_OF.has(kind))

const getFacts = (resource: Resource): ResourceFacts => FACTS[resource]

const holdsName = (facts: ResourceFacts, text: string) => {
  const order = getOrderColumn(facts)
  return order === undefined ? containsText(getLabel(facts), text) : matchName(order, text, 'anywhere')
}

/** Selects the existing objects of a kind with a name that contains a text. */
const selectPresent = (db: Kysely<Tables>, resource: Resource, text: string) =>
  selectFromTable(db, toTableName(resource))
    .select('id')
    .where(holdsName(getFacts(resource), text))

/** Selects the changes before which an object had a name that begins with a text. @param kinds at least one */
export const selectEarlier = (db: Kysely<Tables>, kinds: readonly Kind[], text: string) => {
  const select = (kind: Kind, { from, to }: { readonly from: string; readonly to: string }) =>
    db
      .selectFrom('history')
      .select(['history.kind', 'history.id', 'history.seq'])
      .where('history.kind', '=', kind)
      .where('history.sort_key', 'is not', null)
      .where('history.order_key', '>=', from)
      .where('history.order_key', '<', to)
      .where(matchName('history.order_key', text, 'first'))
  const ranges = listOrderRanges(toNameKey(text))
  // A query for each kind: SQLite reads all names of several kinds, by the primary key.
  return kinds.flatMap((kind) => ranges.map((range) => select(kind, range))).reduce((all, one) => all.unionAll(one))
}

type NameSearch = { readonly kind: Kind; readonly text: string; readonly most: number }

/** Returns the ids of existing objects with a name that contains a text; more than `most` ids if there may be more. */
export const findPresent = async ({ db, store }: StoreScope, { kind, text, most }: NameSearch): Promise<string[]> => {
  const resource = RESOURCE_OF.get(kind)
  if (resource === undefined) return []
  const facts = getFacts(resource)
  const table = toTableName(resource)
  const index = { table, columns: listIndexedColumns(facts), custom: 'ignored' } as const
  const limit = Math.min(most + 1, Number.MAX_SAFE_INTEGER)
  // The index also finds other texts of these objects.
  const found = facts.hasSearchIndex && store.sql.matchesColumns(index, [[toNameKey(text)]], limit)
  if (found) {
    const some = await selectFromTable(db, table)
      .select(['id', sql<number>`CASE WHEN ${holdsName(facts, text)} THEN 1 ELSE 0 END`.as('is_named')])
      .where(found)
      .limit(limit)
      .execute()
    const named = some.length > most ? some : some.filter(({ is_named }) => is_named === 1)
    return named.map(({ id }) => id)
  }
  const rows = await selectPresent(db, resource, text).limit(limit).modifyEnd(store.sql.slowMark).execute()
  return rows.map(({ id }) => id)
}

type Asked = { readonly kinds: readonly Kind[]; readonly text: string }

/** True for an item of `history` of an object that has a name with the text, or had one. For few items: each object is looked at. */
export const isNamedNow = (db: Kysely<Tables>, { kinds, text }: Asked) => {
  const present = [...RESOURCE_OF].flatMap(([kind, resource]) => {
    const of = selectPresent(db, resource, text).whereRef('id', '=', sql.ref('history.id'))
    return kinds.includes(kind) ? [sql<SqlBool>`(history.kind = ${kind} AND EXISTS ${of})`] : []
  })
  const earlier = db
    .selectFrom('history as earlier')
    .select('earlier.id')
    .where(sql<SqlBool>`earlier.kind = history.kind AND earlier.id = history.id`)
    .where('earlier.sort_key', 'is not', null)
    .where(matchName('earlier.order_key', text, 'first'))
  return sql<SqlBool>`(${sql.join([...present, sql`EXISTS ${earlier}`], sql` OR `)})`
}

/** Selects the numbers of the changes of these objects. For very many changes: the objects are found once, and all items are read. */
export const selectNamedSeqs = ({ db, store }: StoreScope, { kinds, text }: Asked) => {
  const column = (name: string) => sql.raw(store.sql.past.unindexed(`history.${name}`))
  const conditions = [...RESOURCE_OF].flatMap(([kind, resource]) => {
    if (!kinds.includes(kind)) return []
    const present = selectPresent(db, resource, text)
    const earlier = db.selectFrom(selectEarlier(db, [kind], text).as('earlier')).select('earlier.id')
    return [
      sql<SqlBool>`(${column('kind')} = ${kind} AND (${column('id')} IN ${present} OR ${column('id')} IN ${earlier}))`,
    ]
  })
  return db
    .selectFrom('history')
    .select('history.seq')
    .where(sql<SqlBool>`(${sql.join([...conditions, sql`1 = 0`], sql` OR `)})`)
}
