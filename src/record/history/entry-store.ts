/** The queries of the history of one object. */
import { type Kysely, type SqlBool, sql } from 'kysely'
import { prepared } from '../../database/query/prepared.ts'
import { preparedTuples } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { StoreScope } from '../../kernel/ctx.ts'
import { KINDS, type Kind } from './kind-names.ts'
import { isKept } from './store.ts'

/** An item as it is stored, with the next change of the same object. */
export type StoredItem = {
  readonly kind: Kind
  readonly id: string
  readonly seq: number
  readonly before: string | null
  /** The number of the next change; null if the object is as this change left it. */
  readonly next_seq: number | null
  readonly next_before: string | null
}

const kindOrder = sql<number>`CASE history.kind ${sql.join(
  KINDS.map((kind, at) => sql`WHEN ${sql.lit(kind)} THEN ${sql.lit(at)}`),
  sql` `,
)} END`

const withNext = (db: Kysely<Tables>) =>
  db
    .selectFrom('history')
    .leftJoin('history as next', (join) =>
      join
        .onRef('next.kind', '=', 'history.kind')
        .onRef('next.id', '=', 'history.id')
        .on('next.seq', '=', (eb) =>
          eb
            .selectFrom('history as later')
            .select(({ fn }) => fn.min('later.seq').as('seq'))
            .whereRef('later.kind', '=', 'history.kind')
            .whereRef('later.id', '=', 'history.id')
            .whereRef('later.seq', '>', 'history.seq'),
        ),
    )
    .select([
      'history.kind',
      'history.id',
      'history.seq',
      'history.before',
      'next.seq as next_seq',
      'next.before as next_before',
    ])

type SelectedItem = {
  readonly kind: string
  readonly id: string
  readonly seq: number | string
  readonly before: string | null
  readonly next_seq: number | string | null
  readonly next_before: string | null
}

const toItem = ({ kind, seq, next_seq, ...row }: SelectedItem): StoredItem => ({
  ...row,
  // `record-store.ts` only writes kinds.
  kind: kind as Kind,
  seq: Number(seq),
  next_seq: next_seq === null ? null : Number(next_seq),
})

/** The object of a history. The history of a device includes its relationships, if the caller may read them. */
export type HistoryOf = { readonly kind: Kind; readonly id: string; readonly withRelationships: boolean }

/** Returns the rows of the object. An own query for each index, because PostgreSQL scans all rows for their disjunction. */
const selectRows = (db: Kysely<Tables>, { kind, id, withRelationships }: HistoryOf) => {
  const rows = db.selectFrom('history').select(['kind', 'id', 'seq'])
  const own = rows.where('kind', '=', kind).where('id', '=', id)
  if (!withRelationships) return own
  const relationships = rows.where('kind', '=', 'relationship')
  // Ids contain no space, and `!` is the character after it.
  const asParent = relationships.where('id', '>=', `${id} `).where('id', '<', `${id}!`)
  return own.unionAll(asParent).unionAll(relationships.where('child_id', '=', id))
}

const selectKeptRows = (db: Kysely<Tables>, of: HistoryOf) =>
  db.selectFrom(selectRows(db, of).as('history')).innerJoin('changes', 'changes.seq', 'history.seq').where(isKept)

export const countEntries = async ({ db }: StoreScope, of: HistoryOf): Promise<number> => {
  const { n } = await selectKeptRows(db, of)
    .select(({ fn }) => fn.countAll<number | string>().as('n'))
    .executeTakeFirstOrThrow()
  return Number(n)
}

/** A change of an object, or of one of its relationships. */
export type EntryKey = Pick<StoredItem, 'kind' | 'id' | 'seq'>

const selectKeys = (db: Kysely<Tables>, of: HistoryOf) =>
  selectKeptRows(db, of)
    .select(['history.kind', 'history.id', 'history.seq'])
    .orderBy('history.seq', 'desc')
    .orderBy(kindOrder)
    .orderBy('history.id')

/** Returns all changes of an object, newest first. */
export const findEntryKeys = async ({ db }: StoreScope, of: HistoryOf): Promise<EntryKey[]> =>
  (await selectKeys(db, of).execute()).map(({ kind, id, seq }) => ({
    // `record-store.ts` only writes kinds.
    kind: kind as Kind,
    id,
    seq: Number(seq),
  }))

type EntryPage = {
  readonly limit: number
  readonly offset: number
  /** The changes that the page belongs to; all of them if absent. */
  readonly seen?: readonly EntryKey[] | undefined
}

const formatKey = ({ kind, id, seq }: EntryKey): string => `${kind} ${id} ${seq}`

/** Returns a page of the changes of an object, newest first. */
export const findEntries = async ({ db }: StoreScope, of: HistoryOf, { limit, offset, seen }: EntryPage) => {
  const wanted = seen?.slice(offset, offset + limit)
  const page = wanted
    ? selectKeys(db, of).where('history.seq', 'in', wanted.length > 0 ? wanted.map(({ seq }) => seq) : [-1])
    : selectKeys(db, of).limit(limit).offset(offset)
  const keys = wanted && new Set(wanted.map(formatKey))
  const rows = await withNext(db)
    .innerJoin(page.as('page'), (join) =>
      join
        .onRef('page.kind', '=', 'history.kind')
        .onRef('page.id', '=', 'history.id')
        .onRef('page.seq', '=', 'history.seq'),
    )
    .innerJoin('changes', 'changes.seq', 'history.seq')
    .select([
      'changes.id as change_id',
      'changes.at',
      'changes.operation',
      'changes.user_id',
      'changes.username',
      'changes.via',
      'changes.oauth_client',
      'changes.tool',
      'changes.ip_address',
      'changes.request_id',
      'changes.note',
      'changes.undoes',
      'changes.proposal_id',
    ])
    .orderBy('history.seq', 'desc')
    .orderBy(kindOrder)
    .orderBy('history.id')
    .execute()
  const all = rows.map(({ at, ...row }) => ({ ...row, ...toItem(row), atMs: Number(at) }))
  return keys ? all.filter((entry) => keys.has(formatKey(entry))) : all
}

/** The number of objects of a change that are named with it. */
export const FIRST_OBJECTS = 3

/** The objects of a kind of a change, and how many there are. */
export type KindOfChange = { readonly seq: number; readonly kind: Kind; readonly count: number }

type SelectedKey = { readonly kind: string; readonly id: string; readonly seq: number | string }

// `record-store.ts` only writes kinds.
const toKey = ({ kind, id, seq }: SelectedKey): EntryKey => ({ kind: kind as Kind, id, seq: Number(seq) })

const keysOfChanges = preparedTuples(['seq', 'kind'], (db: Kysely<Tables>, asked: Pick<EntryKey, 'seq' | 'kind'>[]) => {
  const rows = asked.map(({ seq, kind }) => sql`(CAST(${seq} AS BIGINT), CAST(${kind} AS TEXT))`)
  return db
    .selectFrom('history')
    .select(['kind', 'id', 'seq'])
    .where(sql<SqlBool>`(seq, kind) IN (VALUES ${sql.join(rows)})`)
})

const firstKeys = prepared(
  (db: Kysely<Tables>, { seq, kind }: { seq: number; kind: string }) =>
    db
      .selectFrom('history')
      .select(['kind', 'id', 'seq'])
      .where('seq', '=', seq)
      .where('kind', '=', kind)
      .orderBy('id')
      .limit(FIRST_OBJECTS),
  'many',
)

/** Returns the first objects of these kinds of changes by id, in any order. */
export const findFirstKeys = async (scope: StoreScope, asked: readonly KindOfChange[]): Promise<EntryKey[]> => {
  const few = asked.filter(({ count }) => count <= FIRST_OBJECTS)
  // A change may have very many objects.
  const many = asked.filter(({ count }) => count > FIRST_OBJECTS)
  const found = await Promise.all([keysOfChanges(scope, few), ...many.map((one) => firstKeys(scope, one))])
  return found.flat().map(toKey)
}

const itemsByKeys = preparedTuples(['kind', 'id', 'seq'], (db: Kysely<Tables>, keys: EntryKey[]) => {
  const rows = keys.map(
    ({ kind, id, seq }) => sql`(CAST(${kind} AS TEXT), CAST(${id} AS TEXT), CAST(${seq} AS BIGINT))`,
  )
  return withNext(db).where(sql<SqlBool>`(history.kind, history.id, history.seq) IN (VALUES ${sql.join(rows)})`)
})

/** Returns items with the next change of their objects, in any order. */
export const findItems = async (scope: StoreScope, keys: readonly EntryKey[]): Promise<StoredItem[]> =>
  (await itemsByKeys(scope, keys)).map(toItem)
