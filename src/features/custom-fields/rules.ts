/** The rules of a definition: which of its fields fit together. */
import type { FieldIssue } from '../../platform/contract/errors.ts'
import type { CustomField } from './api.ts'
import { isPattern } from './pattern.ts'
import { isCleared, judgeValue } from './values.ts'

/** A definition without the fields that every resource has. */
export type Definition = Omit<CustomField, 'id' | 'refs' | 'managed_by' | 'created_at' | 'updated_at' | 'objects'>

const isNumeric = ({ type }: Definition): boolean => type === 'integer' || type === 'number'
const hasSeveral = ({ type }: Definition): boolean => type === 'choice' || type === 'reference'

const SEARCHABLE: readonly Definition['type'][] = ['text', 'choice', 'url']

type Check = (field: Definition) => FieldIssue | undefined

const issue = (field: keyof Definition, message: string): FieldIssue => ({ field, message })

/** Returns two choices that differ in case alone. */
const equalChoices = (choices: readonly string[]): readonly [string, string] | undefined => {
  const known = new Map<string, string>()
  for (const choice of choices) {
    const same = known.get(choice.toLowerCase())
    if (same !== undefined) return [same, choice]
    known.set(choice.toLowerCase(), choice)
  }
  return undefined
}

const choices: Check = ({ type, choices }) => {
  if (type !== 'choice') return choices.length > 0 ? issue('choices', 'are for the type choice alone') : undefined
  if (choices.length === 0) return issue('choices', 'are required for the type choice')
  const equal = equalChoices(choices)
  return equal && issue('choices', `${JSON.stringify(equal[0])} and ${JSON.stringify(equal[1])} differ in case alone`)
}

const multiple: Check = (field) =>
  field.multiple && !hasSeveral(field) ? issue('multiple', 'is for the types choice and reference alone') : undefined

const referenceTo: Check = ({ type, reference_to }) => {
  if (type === 'reference')
    return reference_to === null ? issue('reference_to', 'is required for the type reference') : undefined
  return reference_to === null ? undefined : issue('reference_to', 'is for the type reference alone')
}

const pattern: Check = ({ type, pattern }) => {
  if (pattern === '') return undefined
  if (type !== 'text') return issue('pattern', 'is for the type text alone')
  return isPattern(pattern) ? undefined : issue('pattern', 'is no regular expression in the syntax of RE2')
}

const bound =
  (name: 'minimum' | 'maximum'): Check =>
  (field) => {
    const value = field[name]
    if (value === null) return undefined
    if (!isNumeric(field)) return issue(name, 'is for the types integer and number alone')
    return field.type === 'integer' && !Number.isSafeInteger(value)
      ? issue(name, 'must be a whole number for the type integer')
      : undefined
  }

const bounds: Check = ({ minimum, maximum }) =>
  minimum !== null && maximum !== null && minimum > maximum
    ? issue('minimum', `must not be above the maximum ${maximum}`)
    : undefined

const searchable: Check = ({ type, searchable }) =>
  searchable && !SEARCHABLE.includes(type)
    ? issue('searchable', `is for the types ${SEARCHABLE.join(', ')} alone`)
    : undefined

const unique: Check = ({ unique, type, multiple, resource, ...field }) => {
  if (!unique) return undefined
  if (type === 'boolean') return issue('unique', 'is not for the type boolean')
  if (multiple) return issue('unique', 'is not for fields with several values')
  if (field.default !== null) return issue('unique', 'is not for fields with a default, which two objects would have')
  return resource === 'addresses' ? issue('unique', 'is not for addresses') : undefined
}

const usual: Check = (field) => {
  if (field.default === null) return undefined
  const judged = judgeValue(field, field.default)
  return 'message' in judged ? issue('default', judged.message) : undefined
}

const CHECKS: readonly Check[] = [
  ...[choices, multiple, referenceTo, pattern, bound('minimum'), bound('maximum'), bounds, searchable, unique],
]

/** Returns all that is wrong with a definition. The default is judged by a definition that is right. */
export const issuesOf = (field: Definition): FieldIssue[] => {
  const issues = CHECKS.flatMap((check) => check(field) ?? [])
  return issues.length > 0 ? issues : [usual(field) ?? []].flat()
}

/** Returns a definition with its default in the form in which values are stored. */
export const normalized = <F extends Definition>(field: F): F => {
  const label = field.label || field.name
  if (field.default === null) return { ...field, label }
  const judged = judgeValue(field, field.default)
  if (!('value' in judged)) return { ...field, label }
  return { ...field, label, default: isCleared(judged.value) ? null : (judged.value as F['default']) }
}
