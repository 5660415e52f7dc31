/** Reads the objects that sources say. */

import { type Kysely, type SqlBool, sql } from 'kysely'
import { type Breathe, pause } from '../../base/runtime/pause.ts'
import { splitBatches } from '../../database/query/batches.ts'
import { prepared } from '../../database/query/prepared.ts'
import type { Tables } from '../../database/tables.ts'
import { INVENTORY, type Resource } from '../../inventory/resources.ts'
import { settings } from '../../kernel/changes/settings.ts'
import type { DbScope, StoreScope } from '../../kernel/ctx.ts'
import type { ObjectState } from '../schema.ts'
import type { SourceObjectRow } from '../table.ts'

export type ObjectKey = { readonly resource: Resource; readonly key: string }

/** A row of a source, placed and filtered. */
export type SaidRow = ObjectKey & {
  readonly type: string
  readonly place: string
  readonly name: string
  /** The row of an estate document as JSON with sorted keys. */
  readonly row: string
  readonly facts: Readonly<Record<string, string>>
  readonly macs: readonly string[]
}

/** The differences between the rows of a source and its rows before. */
export type RowDifferences = {
  readonly fresh: readonly SaidRow[]
  /** Rows that differ, or are there again. */
  readonly changed: readonly SaidRow[]
  /** Rows of which only the facts differ: they are shown, not judged. */
  readonly shown: readonly SaidRow[]
  /** Rows that are not there any more, and were at the last reading. */
  readonly missing: readonly ObjectKey[]
  readonly unchanged: number
}

/** Rows that are read at once. */
const PAGE = 500

export const formatKey = ({ resource, key }: { readonly resource: string; readonly key: string }): string =>
  `${resource} ${key}`

/** Partial indexes are used by queries with the same condition. */
const isStale = sql<SqlBool>`is_stale > 0`
export const isOpen = sql<SqlBool>`state <> 'synced'`

/** A stored row of a source. */
export type StoredObject = SourceObjectRow & { readonly resource: Resource }

const toStored = (row: SourceObjectRow): StoredObject =>
  // The column has names of resources only.
  row as StoredObject

const selectAll = (scope: DbScope, sourceId: string) =>
  scope.db.selectFrom('source_objects').selectAll().where('source_id', '=', sourceId).orderBy('resource').orderBy('key')

/** Yields the rows of a source in the order of their primary key. */
async function* readPages(scope: DbScope, sourceId: string) {
  let last: { resource: string; key: string } | undefined
  for (;;) {
    const after = last
    let query = scope.db
      .selectFrom('source_objects')
      .select(['resource', 'key', 'type', 'place', 'name', 'row', 'facts', 'macs', 'missing_since'])
      .where('source_id', '=', sourceId)
    if (after)
      query = query.where(({ eb, or, and }) =>
        or([
          eb('resource', '>', after.resource),
          and([eb('resource', '=', after.resource), eb('key', '>', after.key)]),
        ]),
      )
    const rows = await query.orderBy('resource').orderBy('key').limit(PAGE).execute()
    if (rows.length > 0) yield rows
    last = rows.at(-1)
    if (!last || rows.length < PAGE) return
  }
}

type Compared = {
  readonly said: readonly SaidRow[]
  /** True for a row that is not said because its device is not known in whole at the moment. */
  readonly isUnknown?: (row: ObjectKey & { readonly row: string }) => boolean
  readonly breathe: Breathe
}

/** Compares the rows of a source with the stored ones. Only reads. */
export const compareRows = async (
  scope: DbScope,
  sourceId: string,
  { said, isUnknown = () => false, breathe }: Compared,
): Promise<RowDifferences> => {
  const left = new Map(said.map((one) => [formatKey(one), one]))
  const changed: SaidRow[] = []
  const shown: SaidRow[] = []
  const missing: ObjectKey[] = []
  let unchanged = 0
  for await (const rows of readPages(scope, sourceId)) {
    await breathe()
    for (const stored of rows) {
      const one = left.get(formatKey(stored))
      // The column has names of resources only.
      const key = { resource: stored.resource as Resource, key: stored.key }
      if (!one) {
        if (stored.missing_since === null && !isUnknown({ ...key, row: stored.row })) missing.push(key)
        continue
      }
      left.delete(formatKey(stored))
      const isSame = one.row === stored.row && one.type === stored.type && one.place === stored.place
      if (!isSame || stored.missing_since !== null || JSON.stringify(one.macs) !== stored.macs) changed.push(one)
      else if (JSON.stringify(one.facts) !== stored.facts || one.name !== stored.name) shown.push(one)
      else unchanged++
    }
  }
  return { fresh: [...left.values()], changed, shown, missing, unchanged }
}

/** True for a row of which nothing is left to be done, although it is missing. */
const isSettled = sql<SqlBool>`(state = 'gone' AND action = 'none')`

/** Returns the keys of the rows that are to be judged. */
const findOpenKeys = async (
  { db }: DbScope,
  {
    sourceId,
    resource,
    states,
  }: { readonly sourceId: string; readonly resource: Resource; readonly states: readonly ObjectState[] },
): Promise<ObjectKey[]> => {
  const all = db
    .selectFrom('source_objects')
    .select('key')
    .where('source_id', '=', sourceId)
    .where('resource', '=', resource)
    .orderBy('key')
  const marked = await all.where(isStale).execute()
  const open =
    states.length === 0
      ? []
      : await all
          .where(isOpen)
          .where('state', 'in', states)
          .where('is_stale', '=', 0)
          .where(({ not }) => not(isSettled))
          .execute()
  return [...marked, ...open].map(({ key }) => ({ resource, key }))
}

/**
 * Returns the rows that are to be judged: marked ones, and all in these states of which something is left to be done. A query
 * of few rows at once keeps the event loop free.
 */
export const findOpen = async (
  scope: DbScope,
  sourceId: string,
  states: readonly ObjectState[],
): Promise<StoredObject[]> => {
  const rows: StoredObject[] = []
  for (const resource of INVENTORY)
    for (const batch of splitBatches(await findOpenKeys(scope, { sourceId, resource, states }), OPEN_AT_ONCE)) {
      rows.push(...(await findByKeys(scope, sourceId, batch)).values())
      await pause()
    }
  return rows
}
const OPEN_AT_ONCE = 250

/** True if a row of a source is in one of these states, and something is left to be done of it. */
export const hasOpen = async (scope: DbScope, sourceId: string, states: readonly ObjectState[]): Promise<boolean> =>
  (await scope.db
    .selectFrom('source_objects')
    .select('key')
    .where('source_id', '=', sourceId)
    .where(isOpen)
    .where('state', 'in', states)
    .where(({ not }) => not(isSettled))
    .limit(1)
    .executeTakeFirst()) !== undefined

/** True if an object of a missing row may go. @param before the time until which rows that may wait are missing */
export const hasDue = async (scope: DbScope, sourceId: string, before: string): Promise<boolean> =>
  (await scope.db
    .selectFrom('source_objects')
    .select('key')
    .where('source_id', '=', sourceId)
    .where(isOpen)
    .where('state', '=', 'gone')
    .where('action', '<>', 'none')
    .where(({ eb, or }) => or([eb('missing_since', '<=', before), eb('resource', 'in', ['ports', 'relationships'])]))
    .limit(1)
    .executeTakeFirst()) !== undefined

export type StateCount = Pick<SourceObjectRow, 'resource' | 'state' | 'action'> & { readonly count: number }

/** Counts the rows of a source by resource, state and action. */
export const countStates = async (scope: DbScope, sourceId: string): Promise<StateCount[]> => {
  const rows = await scope.db
    .selectFrom('source_objects')
    .select(({ fn }) => ['resource', 'state', 'action', fn.countAll().as('count')])
    .where('source_id', '=', sourceId)
    .groupBy(['resource', 'state', 'action'])
    .execute()
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

export const hasMarked = async (scope: DbScope, sourceId: string): Promise<boolean> =>
  (await scope.db
    .selectFrom('source_objects')
    .select('key')
    .where('source_id', '=', sourceId)
    .where(isStale)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Returns the sources with rows that are to be judged again. */
export const findMarkedSources = async (scope: DbScope): Promise<string[]> =>
  (await scope.db.selectFrom('source_objects').select('source_id').distinct().where(isStale).execute()).map(
    ({ source_id }) => source_id,
  )

/** Returns the rows of these keys. */
export const findByKeys = async (
  scope: DbScope,
  sourceId: string,
  keys: readonly ObjectKey[],
): Promise<Map<string, StoredObject>> => {
  const found = new Map<string, StoredObject>()
  for (const [resource, some] of Map.groupBy(keys, (one) => one.resource))
    for (const batch of splitBatches([...new Set(some.map(({ key }) => key))])) {
      const query = selectAll(scope, sourceId).where('resource', '=', resource).where('key', 'in', batch)
      for (const row of await query.execute()) found.set(formatKey(row), toStored(row))
    }
  return found
}

/** A link of a row to an object. */
export type Link = Pick<SourceObjectRow, 'source_id' | 'key' | 'type' | 'missing_since' | 'object_id'> & {
  readonly resource: string
  readonly kind: string
  readonly source: string
}

/** Returns the rows of all sources that are linked to these objects. */
export const findLinks = async (scope: DbScope, objectIds: readonly string[]): Promise<Map<string, Link[]>> => {
  const found = new Map<string, Link[]>()
  for (const batch of splitBatches([...new Set(objectIds)])) {
    const rows = await scope.db
      .selectFrom('source_objects as o')
      .innerJoin('sources as s', 's.id', 'o.source_id')
      .select(['o.source_id', 'o.resource', 'o.key', 'o.type', 'o.missing_since', 'o.object_id'])
      .select(['s.kind', 's.name as source'])
      .where('o.object_id', 'in', batch)
      .orderBy('o.source_id')
      .orderBy('o.key')
      .execute()
    for (const row of rows) {
      const id = row.object_id ?? ''
      const known = found.get(id)
      if (known) known.push(row)
      else found.set(id, [row])
    }
  }
  return found
}

export type TypeCount = { readonly type: string; readonly count: number }

/** Counts the linked objects of each type that are not missing, without ports and relationships. */
export const countTypes = async (scope: DbScope, sourceId: string): Promise<TypeCount[]> => {
  const rows = await scope.db
    .selectFrom('source_objects')
    .select(({ fn }) => ['type', fn.countAll().as('count')])
    .where('source_id', '=', sourceId)
    .where('resource', 'not in', ['ports', 'relationships'])
    .where('object_id', 'is not', null)
    .where('missing_since', 'is', null)
    .groupBy('type')
    .orderBy('type')
    .execute()
  return rows.map(({ type, count }) => ({ type, count: Number(count) }))
}

/** Counts the linked rows of each resource. Rows of which nothing is left to be done do not count. */
export const countLinked = async (scope: DbScope, sourceId: string): Promise<ReadonlyMap<string, number>> => {
  const rows = await scope.db
    .selectFrom('source_objects')
    .select(({ fn }) => ['resource', fn.countAll().as('count')])
    .where('source_id', '=', sourceId)
    .where('object_id', 'is not', null)
    .where(sql<SqlBool>`NOT (state = 'gone' AND action = 'none' AND is_stale = 0)`)
    .groupBy('resource')
    .execute()
  return new Map(rows.map(({ resource, count }) => [resource, Number(count)]))
}

const selectAny = prepared((db: Kysely<Tables>) => db.selectFrom('sources').select('id').limit(1))
/** True if there is any source. Each write of an object asks. */
export const anySource = settings<Tables, boolean>(
  'any source',
  ['sources'],
  async (scope) => (await selectAny(scope, {})).length > 0,
)

const anyLink = prepared((db: Kysely<Tables>, { id }: { id: string }) =>
  db.selectFrom('source_objects').select('key').where('object_id', '=', id).where('object_id', 'is not', null).limit(1),
)

export const hasLink = async (scope: StoreScope, id: string): Promise<boolean> =>
  (await anyLink(scope, { id })).length > 0
