/** Makes the fields of endpoints that are fields of Plat. */
import type { Counter } from '../world/counters.ts'
import type { NumberField, World } from '../world/world.ts'
import type { Draft } from './draft.ts'
import type { Choices, Field, FieldType } from './field.ts'
import type { Resolver } from './resolver.ts'

type Read<Item> = (item: Item, world: World) => unknown

const NULLABLE = 'This field may not be null.'

/** The type of the tags of an object. */
export const TAG_LIST: FieldType = { is: 'objects', of: 'extras.tag', isNested: true }

/** A field that NetBox only reads: ignored in requests. */
export const readOnly = <Item>(name: string, type: FieldType | FieldType['is'], read: Read<Item>): Field<Item> => ({
  name,
  // A type of an object or a choice is given whole.
  type: typeof type === 'string' ? ({ is: type } as FieldType) : type,
  read,
  isNullable: true,
})

/** A number of objects that refer to an item. @param keys of the item under which the counter counts */
export const counted = <Item>(
  name: string,
  by: Counter,
  keys: (item: Item, world: World) => readonly string[],
): Field<Item> => ({
  ...readOnly<Item>(name, 'integer', () => 0),
  counted: { of: [{ by, keys }], show: (sum) => sum },
})

type TextParts<Item> = {
  readonly read: (item: Item, world: World) => string
  /** The field of Plat's input. */
  readonly to: string
  readonly isRequired?: true
  readonly max?: number
  /** Null is sent where others have an empty text. */
  readonly isNullable?: true
}

/** Returns the text of a value, trimmed; undefined after an error. */
export const parseText = <Item>(
  value: unknown,
  draft: Draft<Item>,
  { isRequired, max = Number.POSITIVE_INFINITY }: { readonly isRequired?: true | undefined; readonly max?: number },
): string | undefined => {
  const text = value === null || value === undefined ? '' : value
  if (typeof text !== 'string' && typeof text !== 'number') {
    draft.refuse('Not a valid string.')
    return undefined
  }
  const trimmed = String(text).trim()
  if (trimmed === '' && isRequired) draft.refuse(value === null ? NULLABLE : 'This field may not be blank.')
  else if ([...trimmed].length > max) draft.refuse(`Ensure this field has no more than ${max} characters.`)
  else return trimmed
  return undefined
}

/** A text of Plat. */
export const text = <Item>(name: string, { read, to, isRequired, isNullable, max }: TextParts<Item>): Field<Item> => ({
  name,
  type: { is: 'string' },
  read: isNullable ? (item, world) => read(item, world) || null : read,
  ...(isRequired && { isRequired }),
  ...(isNullable && { isNullable }),
  write: (value, draft) => {
    const parsed = parseText(value, draft, { isRequired, ...(max !== undefined && { max }) })
    if (parsed !== undefined) draft.set(to, parsed)
  },
})

/** @returns the number; undefined after an error; null for none */
export const parseNumber = <Item>(
  value: unknown,
  draft: Draft<Item>,
  { isInteger = false }: { readonly isInteger?: boolean } = {},
): number | null | undefined => {
  if (value === null || value === '') return null
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number === 'number' && Number.isFinite(number) && (!isInteger || Number.isSafeInteger(number)))
    return number
  draft.refuse(isInteger ? 'A valid integer is required.' : 'A valid number is required.')
  return undefined
}

type NumberParts<Item> = {
  readonly read: (item: Item, world: World) => number | null
  readonly to: string
  readonly isInteger?: true
  readonly isRequired?: true
  /** Converts a number of NetBox to one of Plat. */
  readonly convert?: (value: number) => number
}

export const number = <Item>(
  name: string,
  { read, to, isInteger, isRequired, convert = (value) => value }: NumberParts<Item>,
): Field<Item> => ({
  name,
  type: { is: isInteger ? 'integer' : 'decimal' },
  read,
  ...(isRequired ? { isRequired } : { isNullable: true as const }),
  write: (value, draft) => {
    const parsed = parseNumber(value, draft, { isInteger: isInteger ?? false })
    if (parsed === undefined) return
    if (parsed === null && isRequired) draft.refuse(NULLABLE)
    else draft.set(to, parsed === null ? null : convert(parsed))
  },
})

/** @returns undefined after an error */
export const parseBoolean = <Item>(value: unknown, draft: Draft<Item>): boolean | undefined => {
  if (typeof value === 'boolean') return value
  const word = String(value).toLowerCase()
  if (word === 'true' || word === '1') return true
  if (word === 'false' || word === '0') return false
  draft.refuse('Must be a valid boolean.')
  return undefined
}

export const flag = <Item>(
  name: string,
  { read, to }: { readonly read: (item: Item, world: World) => boolean; readonly to: string },
): Field<Item> => ({
  name,
  type: { is: 'boolean' },
  read,
  write: (value, draft) => {
    const parsed = parseBoolean(value, draft)
    if (parsed !== undefined) draft.set(to, parsed)
  },
})

/** A value of a choice with its label, as answers have it; null for none. */
export const toChoice = (choices: Choices, value: string | null | undefined) =>
  value === null || value === undefined || value === '' ? null : { value, label: choices[value] ?? value }

/** @returns the value; '' for none; undefined after an error */
export const parseChoice = <Item>(value: unknown, draft: Draft<Item>, choices: Choices): string | undefined => {
  if (value === null || value === '') return ''
  // Clients may send the object that they have read.
  const given = typeof value === 'object' && 'value' in value ? value.value : value
  const wanted = String(given)
  if (Object.hasOwn(choices, wanted)) return wanted
  draft.refuse(`"${wanted}" is not a valid choice.`)
  return undefined
}

type ReferenceParts<Item> = {
  readonly of: Resolver
  readonly read: Read<Item>
  /** The field of Plat's input, which gets the key of the object; or takes the key over. */
  readonly to: string | ((key: string | null, draft: Draft<Item>) => void | Promise<void>)
  readonly isRequired?: true
}

/** An object that Plat refers to. */
export const reference = <Item>(name: string, { of, read, to, isRequired }: ReferenceParts<Item>): Field<Item> => ({
  name,
  type: { is: 'object', of: of.kind },
  read,
  ...(isRequired ? { isRequired } : { isNullable: true as const }),
  write: async (value, draft) => {
    const key = await draft.resolve(of, value)
    if (key === undefined) return
    if (key === null && isRequired) draft.refuse(NULLABLE)
    else if (typeof to === 'string') draft.set(to, key)
    else await to(key, draft)
  },
})

/** The first fields of every object. `World.make` sets number and URL. */
const NUMBER_FIELDS = [
  { name: 'id', type: { is: 'integer' }, read: () => 0 },
  { name: 'url', type: { is: 'string' }, read: () => '' },
] as const

type HeadParts<Item> = {
  /** The path of the page in Plat. */
  readonly page: (item: Item) => string
  readonly display: (item: Item, world: World) => string | NumberField
}

/** The fields before the own fields of an object. */
export const head = <Item>({ page, display }: HeadParts<Item>): Field<Item>[] => [
  ...NUMBER_FIELDS,
  { name: 'display_url', type: { is: 'string' }, read: (item, world) => world.links.page(page(item)) },
  { name: 'display', type: { is: 'string' }, read: display },
]

/** The times of an object. */
export const times = <Item>(
  read: (item: Item) => { readonly created_at: string; readonly updated_at: string } | undefined,
): Field<Item>[] => [
  { name: 'created', type: { is: 'date-time' }, isNullable: true, read: (item) => read(item)?.created_at ?? null },
  { name: 'last_updated', type: { is: 'date-time' }, isNullable: true, read: (item) => read(item)?.updated_at ?? null },
]
