/** The definition of a custom field, as narrow as the source has it and as wide as its values need. */
import { MAX_VALUES } from '../../resource/custom/fields.ts'
import { checkDefinition, type Definition } from '../../resource/custom/rules.ts'
import { isCleared, validateValue } from '../../resource/custom/values.ts'
import type { EstateRow } from '../converter.ts'

/** The value of a reference: a row of the document. */
export type RowReference = { readonly ref: string }

/** A custom field of the source. The values of references are rows. */
export type SourceField = Partial<Omit<Definition, 'resource' | 'name' | 'type'>> &
  Pick<Definition, 'resource'> & {
    /** The name in the source. */
    readonly key: string
    /** The name that the field gets, if it is not made of the key. */
    readonly name?: string
    readonly type: Definition['type']
    readonly refs?: EstateRow
    /** The id in the source, for the leftover. */
    readonly id?: unknown
  }

/** The values of a field, each with the number of objects that have it. */
export type Values = ReadonlyMap<unknown, number>

const LONGEST_CHOICE = 128
const MOST_CHOICES = 500

/** Returns the text of a value of any type. */
export const toText = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(toText).join('; ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const listValues = (values: Values): unknown[] => [...values.keys()].flat()

/** Returns the choices of a field and the choices that objects have; undefined if they cannot be choices. */
const collectChoices = ({ choices = [] }: SourceField, values: Values): string[] | undefined => {
  const all = [...new Set([...choices, ...listValues(values).map(toText).sort()])]
  const keys = new Set(all.map((choice) => choice.toLowerCase()))
  const isFine = (choice: string) => choice.length <= LONGEST_CHOICE && choice !== '' && choice === choice.trim()
  return all.length > 0 && all.length <= MOST_CHOICES && keys.size === all.length && all.every(isFine) ? all : undefined
}

const BARE = { pattern: '', minimum: null, maximum: null, searchable: false, required: false, unique: false } as const

const canHold = (field: Definition, values: Values): boolean =>
  field.type === 'reference' || [...values.keys()].every((value) => 'value' in validateValue(field, value))

/** Returns the narrowest type that all values have: that of the source, else a number, else a text. */
const widenType = (field: Definition, values: Values): Definition => {
  const wider = (type: Definition['type']): Definition => ({
    ...field,
    ...{ type, multiple: false, choices: [], reference_to: null },
  })
  const candidates = [field, ...(field.type === 'integer' ? [wider('number')] : [])]
  return candidates.find((one) => canHold(one, values)) ?? wider('text')
}

const isUnique = (values: Values): boolean => {
  if ([...values.values()].some((count) => count > 1)) return false
  return new Set([...values.keys()].map((value) => toText(value).toLowerCase())).size === values.size
}

export type Dropped = { readonly field: keyof Definition; readonly value: unknown; readonly why: string }

const VALUES_DIFFER = 'is not what all values keep to'

/** Returns the rules of the source, each with the definition that has it. A rule that values break is left out. */
const listRules = (source: SourceField, values: Values) => {
  const { pattern = '', minimum = null, maximum = null, unique = false, searchable = false } = source
  const isKept = (field: Definition) => checkDefinition(field).length === 0 && canHold(field, values)
  return [
    ...(pattern === '' ? [] : [{ field: 'pattern', value: pattern, isKept } as const]),
    ...(minimum === null ? [] : [{ field: 'minimum', value: minimum, isKept } as const]),
    ...(maximum === null ? [] : [{ field: 'maximum', value: maximum, isKept } as const]),
    ...(unique
      ? [{ field: 'unique', value: true, isKept: (one: Definition) => isKept(one) && isUnique(values) } as const]
      : []),
    ...(searchable ? [{ field: 'searchable', value: true, isKept } as const] : []),
  ]
}

/**
 * Returns the definition of a field that takes all values of the source, and the rules that it leaves out. Its default comes
 * from `withDefault`.
 */
export const buildDefinition = (
  source: SourceField,
  name: string,
  values: Values,
): { readonly definition: Definition; readonly dropped: readonly Dropped[] } => {
  const { resource, type, multiple = false, reference_to = null, label = '', description = '' } = source
  const { group = '', position = 0 } = source
  const choices = type === 'choice' ? collectChoices(source, values) : []
  const isChoice = type === 'choice' && choices === undefined
  const bare: Definition = {
    ...{ resource, name, label, description, group, position, default: null, ...BARE },
    ...{ type: isChoice ? 'text' : type, multiple: multiple && !isChoice, choices: choices ?? [], reference_to },
  }
  const dropped: Dropped[] = []
  let definition = widenType(bare, values)
  for (const { field, value, isKept } of listRules(source, values)) {
    const narrower = { ...definition, [field]: value }
    if (isKept(narrower)) definition = narrower
    // Fields of other types are not searched.
    else if (field !== 'searchable') dropped.push({ field, value, why: VALUES_DIFFER })
  }
  const usual = source.default ?? null
  if (usual !== null && !isCleared(usual)) {
    const narrower = { ...definition, default: usual }
    if (definition.type !== 'reference' && checkDefinition(narrower).length === 0) definition = narrower
    else dropped.push({ field: 'default', value: usual, why: 'cannot be the default of its field' })
  }
  return { definition, dropped }
}

/** Returns a value of the source in the form of its definition; undefined for one that is none. */
export const toDefinedValue = (definition: Definition, value: unknown): unknown => {
  // A row that is missing is found in the end.
  if (definition.type === 'reference') return Array.isArray(value) && value.length > MAX_VALUES ? undefined : value
  const judged = validateValue(definition, definition.type === 'text' ? toText(value) : value)
  return 'value' in judged && !isCleared(judged.value) ? judged.value : undefined
}
