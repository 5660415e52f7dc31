/** Lists of devices in an order other than their names, and lists of the past by custom fields. */

import type { SelectQueryBuilder } from 'kysely'
import { parseSort, type Sort } from '../../../contract/fields/sort.ts'
import type { Tables } from '../../../database/tables.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { JsonList } from '../../../kernel/handler-result.ts'
import { listChain, listRows, type Page } from '../../../kernel/list.ts'
import { toSortKey } from '../../../net/name-order.ts'
import { buildCustomCheck, buildCustomOrder, type CustomFilter } from '../../../resource/custom/lists.ts'
import { compareByKey, orderByCustom } from '../../../resource/custom/sorted.ts'
import type { Device } from '../schema.ts'

type Doc = { readonly doc: string }
type DeviceQuery = SelectQueryBuilder<Tables, 'devices', Doc>

type Sorted = {
  /** The query with all filters. */
  readonly query: DeviceQuery
  readonly total: () => Promise<number>
  readonly page: Page
  readonly sort: string
  readonly revision: string
}

const COLUMNS = { created_at: 'created_at', updated_at: 'updated_at' } as const

const isColumn = (field: string): field is keyof typeof COLUMNS => Object.hasOwn(COLUMNS, field)

/** Returns the column of a field of devices. */
const getColumn = (field: string): (typeof COLUMNS)[keyof typeof COLUMNS] => {
  if (!isColumn(field)) throw new Error(`devices are not sorted by ${field}`)
  return COLUMNS[field]
}

const getDirection = ({ isReverse }: Sort) => (isReverse ? 'desc' : 'asc')

const sendDoc = ({ doc }: Doc): string => doc

/** Returns a list in the order of a field or of a custom field. Devices without a value come last. */
export const listSortedDevices = async (ctx: Ctx, sorted: Sorted): Promise<JsonList<Device>> => {
  const { query, total, page, revision } = sorted
  const sort = parseSort(sorted.sort)
  if (sort.isCustom) {
    const base = ctx.db.selectFrom('devices').select('devices.doc')
    const queries = await orderByCustom(ctx, { resource: 'devices', base, query }, sort)
    return listChain(ctx, { revision, queries, total, page, row: sendDoc })
  }
  const column = getColumn(sort.by)
  const ordered = query.clearOrderBy().orderBy(`devices.${column}`, getDirection(sort))
  const all = ordered.orderBy('devices.name_order').orderBy('devices.id')
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
export const listPastDevices = async (
  ctx: Ctx,
  { query, page, filter: { custom = {}, sort: text = 'name' }, revision }: Past,
): Promise<JsonList<Device>> => {
  const sort = parseSort(text)
  const meets = await buildCustomCheck(ctx, 'devices', custom)
  const order = sort.isCustom ? await buildCustomOrder(ctx, 'devices', sort.by) : undefined
  const getSortKey = (device: Device): string | undefined => {
    if (order) return order.keyOf(device.custom ?? {})
    return sort.by === 'name' ? toSortKey(device.name) : device[getColumn(sort.by)]
  }
  let found: Promise<readonly string[]> | undefined
  const find = async (): Promise<readonly string[]> => {
    const all: Keyed[] = []
    for await (const rows of ctx.store.stream(query))
      for (const { doc } of rows) {
        // The column holds the JSON of a device.
        const device = JSON.parse(doc) as Device
        if (meets(device.custom ?? {})) all.push({ doc, key: getSortKey(device) })
      }
    return all.sort(compareByKey(sort.isReverse)).map(sendDoc)
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
