/** The filters by custom fields: `cf_<name>`, by the type of the field. */
import { sql } from 'kysely'
import type { CustomValue } from '../../resource/custom/fields.ts'
import type { StoredField } from '../../resource/custom/store.ts'
import type { CustomFields } from '../endpoint/custom.ts'
import {
  type Filter,
  flagFilter,
  momentFilter,
  numberFilter,
  ownFilter,
  parseDecimal,
  parseInteger,
  textFilter,
} from '../endpoint/filter.ts'

const toText = (value: CustomValue | undefined): string => (value === undefined ? '' : [value].flat().join(','))

/** A field with several values has one if one of them is it. */
const severalFilter = <Item>(custom: CustomFields<Item>, { name }: StoredField): Filter<Item> =>
  ownFilter<Item, string>({
    lookups: ['', 'n'],
    message: 'Enter a value.',
    parse: (text) => text,
    test: (item, wanted) => [custom.values(item)?.[name] ?? []].flat().map(String).includes(wanted),
  })

export const buildCustomFilter = <Item>(custom: CustomFields<Item>, definition: StoredField): Filter<Item> => {
  const { name, type, multiple } = definition
  const get = (item: Item): CustomValue | undefined => custom.values(item)?.[name]
  if (multiple) return severalFilter(custom, definition)
  if (type === 'integer' || type === 'number')
    return numberFilter<Item>({
      get: (item) => {
        const value = get(item)
        return typeof value === 'number' ? value : null
      },
      parse: type === 'integer' ? parseInteger : parseDecimal,
      type: type === 'integer' ? 'integer' : 'number',
    })
  if (type === 'boolean') return flagFilter<Item>({ get: (item) => get(item) === true })
  if (type === 'date')
    return momentFilter<Item>({
      get: (item) => {
        const value = get(item)
        return typeof value === 'string' ? new Date(value).toISOString() : null
      },
    })
  return textFilter<Item>({ get: (item) => toText(get(item)) })
}

/** Matches rows with a value of a custom field. @param id the column of the object */
export const hasCustomValue = (definition: StoredField, id: string, key: string) =>
  sql<boolean>`EXISTS (SELECT 1 FROM custom_values WHERE custom_values.field = ${definition.number} AND custom_values.value = ${key} AND custom_values.object_id = ${sql.ref(id)})`
