/** The rules of a definition: which of its fields fit together. */
import type { FieldIssue } from '../../contract/errors.ts'
import { toNameKey } from '../../net/name-order.ts'
import { isPattern } from './pattern.ts'
import type { CustomField } from './schema.ts'
import { isCleared, validateValue } from './values.ts'

/** A definition without the fields that every resource has. */
export type Definition = Omit<CustomField, 'id' | 'refs' | 'managed_by' | 'created_at' | 'updated_at' | 'objects'>

const isNumeric = ({ type }: Definition): boolean => type === 'integer' || type === 'number'
const SEVERAL: readonly Definition['type'][] = ['choice', 'ip', 'reference']

const SEARCHABLE: readonly Definition['type'][] = ['text', 'choice', 'url']

type Check = (field: Definition) => FieldIssue | undefined

const buildIssue = (field: keyof Definition, message: string): FieldIssue => ({ field, message })

/** Returns two choices that differ in case only. */
const findEqualChoices = (choices: readonly string[]): readonly [string, string] | undefined => {
  const known = new Map<string, string>()
  for (const choice of choices) {
    const key = toNameKey(choice)
    const same = known.get(key)
    if (same !== undefined) return [same, choice]
    known.set(key, choice)
  }
  return undefined
}

const checkChoices: Check = ({ type, choices }) => {
  if (type !== 'choice') return choices.length > 0 ? buildIssue('choices', 'are for the type choice alone') : undefined
  if (choices.length === 0) return buildIssue('choices', 'are required for the type choice')
  const equal = findEqualChoices(choices)
  return (
    equal && buildIssue('choices', `${JSON.stringify(equal[0])} and ${JSON.stringify(equal[1])} differ in case alone`)
  )
}

const checkMultiple: Check = (field) =>
  field.multiple && !SEVERAL.includes(field.type)
    ? buildIssue('multiple', `is for the types ${SEVERAL.join(', ')} alone`)
    : undefined

const checkReferenceTo: Check = ({ type, reference_to }) => {
  if (type === 'reference')
    return reference_to === null ? buildIssue('reference_to', 'is required for the type reference') : undefined
  return reference_to === null ? undefined : buildIssue('reference_to', 'is for the type reference alone')
}

const checkPattern: Check = ({ type, pattern }) => {
  if (pattern === '') return undefined
  if (type !== 'text') return buildIssue('pattern', 'is for the type text alone')
  return isPattern(pattern) ? undefined : buildIssue('pattern', 'is no regular expression in the syntax of RE2')
}

const checkBound =
  (name: 'minimum' | 'maximum'): Check =>
  (field) => {
    const value = field[name]
    if (value === null) return undefined
    if (!isNumeric(field)) return buildIssue(name, 'is for the types integer and number alone')
    return field.type === 'integer' && !Number.isSafeInteger(value)
      ? buildIssue(name, 'must be a whole number for the type integer')
      : undefined
  }

const checkBounds: Check = ({ minimum, maximum }) =>
  minimum !== null && maximum !== null && minimum > maximum
    ? buildIssue('minimum', `must not be above the maximum ${maximum}`)
    : undefined

const checkSearchable: Check = ({ type, searchable }) =>
  searchable && !SEARCHABLE.includes(type)
    ? buildIssue('searchable', `is for the types ${SEARCHABLE.join(', ')} alone`)
    : undefined

const checkUnique: Check = ({ unique, type, multiple, resource, ...field }) => {
  if (!unique) return undefined
  if (type === 'boolean') return buildIssue('unique', 'is not for the type boolean')
  if (multiple) return buildIssue('unique', 'is not for fields with several values')
  if (field.default !== null)
    return buildIssue('unique', 'is not for fields with a default, which two objects would have')
  return resource === 'addresses' ? buildIssue('unique', 'is not for addresses') : undefined
}

const checkDefault: Check = (field) => {
  if (field.default === null) return undefined
  const checked = validateValue(field, field.default)
  return 'message' in checked ? buildIssue('default', checked.message) : undefined
}

const CHECKS: readonly Check[] = [
  ...[
    checkChoices,
    checkMultiple,
    checkReferenceTo,
    checkPattern,
    checkBound('minimum'),
    checkBound('maximum'),
    checkBounds,
    checkSearchable,
    checkUnique,
  ],
]

/** Returns all issues of a definition. The default is only validated by a valid definition. */
export const checkDefinition = (field: Definition): FieldIssue[] => {
  const issues = CHECKS.flatMap((check) => check(field) ?? [])
  return issues.length > 0 ? issues : [checkDefault(field) ?? []].flat()
}

/** Returns a definition with its default in the form in which values are stored. */
export const normalizeDefinition = <F extends Definition>(given: F): F => {
  const { only_for, ...others } = given
  // The same fields; a definition without a condition has none.
  const field = (only_for ? given : others) as F
  const label = field.label || field.name
  if (field.default === null) return { ...field, label }
  const checked = validateValue(field, field.default)
  if (!('value' in checked)) return { ...field, label }
  return { ...field, label, default: isCleared(checked.value) ? null : (checked.value as F['default']) }
}
