/** Counts the values of an earlier moment that name an object. The table of values only has the present ones, so documents are read. */
import { sql } from 'kysely'
import { escapeLike } from '../../database/database.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { type Custom, type CustomResource, toObjectResource } from '../../resource/custom/fields.ts'
import type { StoredField } from '../../resource/custom/store.ts'
import { selectFromTable } from '../../resource/named-tables.ts'
import { type Resource, toTableName } from '../resources.ts'
import type { ValueCount } from './store.ts'

type Holder = { readonly custom?: Custom; readonly addresses?: readonly Holder[] }

/** An object with values: its text, and the kind of an object of a kind. */
type Row = { readonly text: string; readonly kind_id?: string }

const isNamed = ({ custom = {} }: Holder, { name }: StoredField, id: string): boolean => {
  const value = Object.hasOwn(custom, name) ? custom[name] : undefined
  return Array.isArray(value) ? value.includes(id) : value === id
}

/** Returns the rows of a resource in which an id stands anywhere. */
const streamRows = ({ db, store }: Ctx, resource: Resource, id: string): AsyncGenerator<Row[]> => {
  const text = sql.ref<string>(resource === 'devices' ? 'doc' : 'custom')
  const holds = sql<boolean>`${text} LIKE ${`%"${escapeLike(id)}"%`} ESCAPE '\\'`
  const rows = selectFromTable(db, toTableName(resource)).select(text.as('text')).where(holds)
  // An object of a kind has the column.
  return store.stream(resource === 'objects' ? rows.select(sql.ref<string>('kind_id').as('kind_id')) : rows)
}

/** Returns the resources of the objects with values of a field: addresses are of devices and of reservations. */
const listHolders = (resource: CustomResource): Resource[] =>
  resource === 'addresses' ? ['devices', 'reservations'] : [toObjectResource(resource)]

/** Counts as `countHolders` does, at the moment of the context. */
export const countHoldersThen = async (
  ctx: Ctx,
  fields: readonly StoredField[],
  id: string,
): Promise<Map<number, ValueCount>> => {
  const counts = new Map<number, ValueCount>()
  const add = ({ number }: StoredField, all: number, addresses: number): void => {
    const known = counts.get(number) ?? { all: 0, addresses: 0 }
    if (all > 0) counts.set(number, { all: known.all + all, addresses: known.addresses + addresses })
  }
  for (const resource of new Set(fields.flatMap((field) => listHolders(field.resource)))) {
    const own = fields.filter((field) => listHolders(field.resource).includes(resource))
    for await (const rows of streamRows(ctx, resource, id))
      for (const { text, kind_id } of rows) {
        // The column holds the JSON of a device, or of its values.
        const holder: Holder = resource === 'devices' ? JSON.parse(text) : { custom: JSON.parse(text) }
        for (const field of own) {
          const { addresses = [] } = holder
          const isOfAddresses = resource === 'devices' && field.resource === 'addresses'
          const n = isOfAddresses ? addresses.filter((one) => isNamed(one, field, id)).length : 0
          if (isOfAddresses) add(field, n, n)
          else if ((kind_id ?? field.resource) === field.resource && isNamed(holder, field, id)) add(field, 1, 0)
        }
      }
  }
  return counts
}
