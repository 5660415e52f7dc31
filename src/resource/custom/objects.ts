/** Reads the values of stored objects of any resource. */
import { sql } from 'kysely'
import { splitBatches } from '../../database/query/batches.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { selectFromTable, toCustomTable } from '../named-tables.ts'
import type { Custom, CustomResource } from './fields.ts'

type Holder = { readonly custom?: Custom }

/** The JSON text of a column that the stores of objects write. */
const parseCustom = (text: string | null): Custom => (text === null ? {} : (JSON.parse(text) as Custom))

const readOfDevices = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, Custom>> => {
  const found = new Map<string, Custom>()
  for (const batch of splitBatches(ids)) {
    const rows = await ctx.db.selectFrom('devices').select(['id', 'doc']).where('id', 'in', batch).execute()
    // The column holds the JSON of a device.
    for (const { id, doc } of rows) found.set(id, (JSON.parse(doc) as Holder).custom ?? {})
  }
  return found
}

/** Returns the values of the existing objects of these ids, which are no addresses. */
export const readCustom = async (
  ctx: Ctx,
  resource: CustomResource,
  ids: readonly string[],
): Promise<Map<string, Custom>> => {
  if (resource === 'devices') return readOfDevices(ctx, ids)
  const found = new Map<string, Custom>()
  if (resource === 'addresses') return found
  for (const batch of splitBatches(ids)) {
    const rows = selectFromTable(ctx.db, toCustomTable(resource)).select([
      'id',
      sql.ref<string | null>('custom').as('custom'),
    ])
    for (const { id, custom } of await rows.where('id', 'in', batch).execute()) found.set(id, parseCustom(custom))
  }
  return found
}
