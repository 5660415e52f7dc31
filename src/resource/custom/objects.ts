/** Reads the values of stored objects of any resource. */
import { splitBatches } from '../../database/query/batches.ts'
import type { Ctx } from '../../kernel/ctx.ts'
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
  resource: Exclude<CustomResource, 'addresses'> | CustomResource,
  ids: readonly string[],
): Promise<Map<string, Custom>> => {
  if (resource === 'devices') return readOfDevices(ctx, ids)
  const found = new Map<string, Custom>()
  if (resource === 'addresses') return found
  for (const batch of splitBatches(ids)) {
    // Each of the others has the column; the type of all of them together is too wide for the builder.
    const rows = ctx.db.selectFrom(resource as 'custom_fields').select(['id', 'custom' as 'choices'])
    for (const { id, ...row } of await rows.where('id', 'in', batch).execute())
      found.set(id, parseCustom(Object.values(row)[0] ?? null))
  }
  return found
}
