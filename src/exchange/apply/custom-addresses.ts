/** Writes the addresses in custom fields of a row as they are stored, so that another notation is no change. */
import { isRecord } from '../../contract/unknown.ts'
import type { Resource } from '../../inventory/resources.ts'
import type { CustomResource } from '../../resource/custom/fields.ts'
import { validateValue } from '../../resource/custom/values.ts'
import { type Definition, getCustomResource, loadDefinitionsAfter } from './custom-references.ts'

type Values = Readonly<Record<string, unknown>>

/** The custom fields of the type `ip` of one resource, by name. */
export type AddressFields = ReadonlyMap<string, Pick<Definition, 'multiple'>>

export const loadAddressFields = async (
  ...planned: Parameters<typeof loadDefinitionsAfter>
): Promise<ReadonlyMap<CustomResource, AddressFields>> => {
  const all = (await loadDefinitionsAfter(...planned)).filter(({ type }) => type === 'ip')
  return new Map(
    [...Map.groupBy(all, ({ resource }) => resource)].map(([resource, fields]) => [
      resource,
      new Map(fields.map((field) => [field.name, field])),
    ]),
  )
}

/** Returns a value as it is stored. A value that is none stays as it is, and is refused when it is written. */
const toStored = (given: unknown, multiple: boolean): unknown => {
  if (typeof given !== 'string' && !Array.isArray(given)) return given
  const rule = { choices: [], pattern: '', minimum: null, maximum: null, reference_to: null }
  const checked = validateValue({ type: 'ip', multiple, ...rule }, given)
  return 'value' in checked ? checked.value : given
}

const withStored = (custom: unknown, fields: AddressFields): unknown => {
  if (!isRecord(custom)) return custom
  const changed = Object.entries(custom).flatMap(([name, value]) => {
    const field = fields.get(name)
    return field ? [[name, toStored(value, field.multiple)] as const] : []
  })
  return changed.length === 0 ? custom : { ...custom, ...Object.fromEntries(changed) }
}

const NONE: AddressFields = new Map()

/** Returns a row with its addresses as they are stored. */
export const withStoredAddresses = async (
  list: Resource,
  row: Values,
  fieldsOf: (resource: CustomResource) => Promise<AddressFields | undefined>,
): Promise<Values> => {
  if (list === 'custom-fields')
    return row.type === 'ip' && row.default !== undefined
      ? { ...row, default: toStored(row.default, row.multiple === true) }
      : row
  const resource = getCustomResource(list, row)
  const own = resource === undefined ? NONE : ((await fieldsOf(resource)) ?? NONE)
  const inside = list === 'devices' ? ((await fieldsOf('addresses')) ?? NONE) : NONE
  return {
    ...row,
    ...(own.size > 0 && row.custom !== undefined && { custom: withStored(row.custom, own) }),
    ...(inside.size > 0 &&
      Array.isArray(row.addresses) && {
        addresses: row.addresses.map((one: unknown) =>
          isRecord(one) && one.custom !== undefined ? { ...one, custom: withStored(one.custom, inside) } : one,
        ),
      }),
  }
}
