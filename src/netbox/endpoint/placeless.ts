/** Fields of NetBox that have no place in Plat, not even as custom fields: they have their usual value, and a write of another is refused. */
import { shorten } from '../../contract/errors.ts'
import type { Field, FieldType } from './field.ts'
import { TAG_LIST, toChoice } from './fields.ts'

export const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

/** Clients may send a choice as they have read it. */
export const toGiven = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'value' in value ? value.value : value

const isNothing = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

type Parts = { readonly type?: FieldType; readonly usual?: unknown }

export const placeless = <Item>(name: string, { type = { is: 'json' }, usual = null }: Parts = {}): Field<Item> => ({
  name,
  type,
  isNullable: true,
  read: () => (type.is === 'choice' && typeof usual === 'string' ? toChoice(type.of, usual) : usual),
  write: (value, draft) => {
    const given = toGiven(value)
    if (!isNothing(given) && !isSame(given, usual))
      draft.refuse(`${shorten(JSON.stringify(given))} has no place in Plat`)
  },
})

/** `tags` and `custom_fields` of objects that have neither. */
export const untagged = <Item>(): Field<Item>[] => [
  placeless('tags', { type: TAG_LIST, usual: [] }),
  placeless('custom_fields', { usual: {} }),
]
