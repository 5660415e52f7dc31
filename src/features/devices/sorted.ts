/** Lists of devices in an order other than their names, and those of the past by custom fields. */
import type { SelectQueryBuilder } from 'kysely'
import { listChain, listRows, type Page } from '../../platform/contract/list.ts'
import { type Sort, sortOf } from '../../platform/contract/sort.ts'
import { JsonList } from '../../platform/operation/handler-result.ts'
import type { Ctx } from '../ctx.ts'
import { type CustomFilter, customCheck, customOrder } from '../custom-fields/lists.ts'
import { byCustom, byKey } from '../custom-fields/sorted.ts'
import type { Tables } from '../tables.ts'
import type { Device } from './schema.ts'

type Doc = { readonly doc: string }
type DeviceQuery = SelectQueryBuilder<Tables, 'devices', Doc>

type Sorted = {
  /** With all filters. */
  readonly query: DeviceQuery
  readonly total: () => Promise<number>
  readonly page: Page
  readonly sort: string
  readonly revision: string
}

const COLUMNS = { created_at: 'created_at', updated_at: 'updated_at' } as const

const isColumn = (field: string): field is keyof typeof COLUMNS => Object.hasOwn(COLUMNS, field)

/** Returns the column of a field of devices. */
const columnOf = (field: string): (typeof COLUMNS)[keyof typeof COLUMNS] => {
  if (!isColumn(field)) throw new Error(`devices are not sorted by ${field}`)
  return COLUMNS[field]
}

const directionOf = ({ isReverse }: Sort) => (isReverse ? 'desc' : 'asc')

const sendDoc = ({ doc }: Doc): string => doc

/** Returns a list in the order of a field or of a custom field, of which those without a value come last. */
export const sortedDevices = async (ctx: Ctx, sorted: Sorted): Promise<JsonList<Device>> => {
  const { query, total, page, revision } = sorted
  const sort = sortOf(sorted.sort)
  if (sort.isCustom) {
    const base = ctx.db.selectFrom('devices').select('devices.doc')
    const queries = await byCustom(ctx, { resource: 'devices', base, query }, sort)
    return listChain(ctx, { revision, queries, total, page, row: sendDoc })
  }
  const column = columnOf(sort.by)
  const ordered = query.clearOrderBy().orderBy(`devices.${column}`, directionOf(sort))
  const all = ordered.orderBy('devices.name_key').orderBy('devices.id')
  return listRows(ctx, { revision, query: all, page, total, row: sendDoc })
}

type Past = {
  readonly query: DeviceQuery
  readonly page: Page
  readonly filter: { readonly custom?: CustomFilter | undefined; readonly sort?: string | undefined }
  readonly revision: string
}

type Keyed = { readonly doc: string; readonly key: string | undefined }

/** Filters and sorts devices of the past by the values in their documents: values have no table of the past. */
export const pastDevices = async (
  ctx: Ctx,
  { query, page, filter: { custom = {}, sort: text = 'name' }, revision }: Past,
): Promise<JsonList<Device>> => {
  const sort = sortOf(text)
  const meets = await customCheck(ctx, 'devices', custom)
  const order = sort.isCustom ? await customOrder(ctx, 'devices', sort.by) : undefined
  const keyOf = (device: Device): string | undefined => {
    if (order) return order.keyOf(device.custom ?? {})
    return sort.by === 'name' ? device.name.toLowerCase() : device[columnOf(sort.by)]
  }
  let found: Promise<readonly string[]> | undefined
  const find = async (): Promise<readonly string[]> => {
    const all: Keyed[] = []
    for await (const rows of ctx.store.stream(query))
      for (const { doc } of rows) {
        // The column holds the JSON of a device.
        const device = JSON.parse(doc) as Device
        if (meets(device.custom ?? {})) all.push({ doc, key: keyOf(device) })
      }
    return all.sort(byKey(sort.isReverse)).map(sendDoc)
  }
  const docs = (): Promise<readonly string[]> => {
    found ??= find()
    return found
  }
  async function* rows(): AsyncGenerator<readonly string[]> {
    const { offset = 0, limit = Number.POSITIVE_INFINITY } = page
    yield (await docs()).slice(offset, offset + limit)
  }
  return new JsonList<Device>({ revision, total: async () => (await docs()).length, rows })
}
