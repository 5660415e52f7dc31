/** Lists the objects that sources say. */

import { isRecord } from '../../../contract/unknown.ts'
import { containsText } from '../../../database/query/contains.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import type { JsonList } from '../../../kernel/handler-result.ts'
import { listRows } from '../../../kernel/list.ts'
import type { ParsedInputOf } from '../../../kernel/operation.ts'
import type { sourceObjects } from '../../api.ts'
import { SourceObject } from '../../schema.ts'
import type { SourceObjectRow } from '../../table.ts'
import { isOpen } from '../object-reads.ts'
import { parseFields } from '../row.ts'

const COLUMNS = [
  ...([
    'source_id',
    'resource',
    'key',
    'type',
    'place',
    'name',
    'object_id',
    'state',
    'action',
    'row',
    'diff',
  ] as const),
  ...(['why', 'because', 'message', 'missing_since', 'facts', 'first_seen_at', 'updated_at'] as const),
] as const

type Row = Pick<SourceObjectRow, (typeof COLUMNS)[number]>

/** A new object has all of its fields from the row. */
const listNewFields = (row: string): SourceObject['fields'] =>
  Object.fromEntries(Object.entries(parseFields(row)).map(([field, to]) => [field, { from: null, to }]))

const toSourceObject = (row: Row, source: string): SourceObject => {
  const { fields, kept } = parseFields(row.diff)
  const { state, action } = SourceObject.pick({ state: true, action: true }).parse(row)
  return {
    ...{ source_id: row.source_id, source, resource: row.resource, key: row.key, type: row.type, place: row.place },
    ...{ name: row.name, object_id: row.object_id, state, action },
    // Written by the judgment.
    fields: action === 'create' ? listNewFields(row.row) : ((isRecord(fields) ? fields : {}) as SourceObject['fields']),
    kept: (isRecord(kept) ? kept : {}) as SourceObject['kept'],
    ...{ why: row.why, because: row.because, message: row.message, missing_since: row.missing_since },
    // Texts by name, as they were stored.
    facts: parseFields(row.facts) as SourceObject['facts'],
    ...{ first_seen_at: row.first_seen_at, updated_at: row.updated_at },
  }
}

type ListInput = ParsedInputOf<(typeof sourceObjects)['objects']>

export const listObjects = async (ctx: Ctx, input: ListInput): Promise<JsonList<SourceObject>> => {
  const { source_id, object_id, resource, state, name, ...page } = input
  const revision = await ctx.store.revision(['source_objects', 'sources'])
  const names = new Map(
    (await ctx.db.selectFrom('sources').select(['id', 'name']).execute()).map((one) => [one.id, one.name]),
  )
  let query = ctx.db.selectFrom('source_objects').select(COLUMNS)
  if (source_id) query = query.where('source_id', '=', source_id)
  if (object_id) query = query.where('object_id', '=', object_id).where('object_id', 'is not', null)
  if (resource) query = query.where('resource', '=', resource)
  if (state) query = query.where('state', '=', state)
  if (state && state !== 'synced') query = query.where(isOpen)
  if (name) query = query.where(containsText('name_key', name))
  return listRows(ctx, {
    revision,
    query: query.orderBy('resource').orderBy('name_order').orderBy('key').orderBy('source_id'),
    page,
    row: (row): SourceObject => toSourceObject(row, names.get(row.source_id) ?? row.source_id),
  })
}
