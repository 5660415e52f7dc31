/** The terms of a filter about custom fields, as parameters of the API. */
import type { CustomField } from '../../../src/resource/custom/schema.ts'
import { queryClient } from '../api/queries.ts'

export const CUSTOM = 'custom'

type Definition = Pick<CustomField, 'resource' | 'name' | 'type' | 'reference_to'>

const PREFIX = 'custom.'
const BOUND = /\.(min|max)$/
const YES = /^(y|yes|t|true)$/i

/** Returns the cached definitions; a page that filters by them has read them. */
const getDefinitions = (): readonly Definition[] => queryClient.getQueryData(['custom-fields']) ?? []

/** @example removePrefix('custom.watts.min') // 'watts.min' */
const removePrefix = (field: string): string => (field.startsWith(PREFIX) ? field.slice(PREFIX.length) : field)

/** @param resource of the list, if it is known: fields of several may have one name */
const findDefinition = (field: string, resource?: string): Definition | undefined => {
  const name = removePrefix(field).replace(BOUND, '')
  return getDefinitions().find((one) => one.name === name && (resource === undefined || one.resource === resource))
}

export const isCustomTerm = (field: string): boolean => findDefinition(field) !== undefined

type Term = {
  readonly field: string
  readonly text: string
  readonly isNegated: boolean
  readonly resource?: string | undefined
}

/** @param idNamed returns the id of an object by its name */
const toParameterValue = (
  { type, reference_to }: Definition,
  text: string,
  idNamed: (resource: string, text: string) => string | undefined,
): string | undefined => {
  if (text === '*') return text
  if (type === 'boolean') return String(YES.test(text))
  return type === 'reference' ? idNamed(reference_to ?? '', text) : text
}

/** Returns the parameter behind `custom.` and its value; undefined if the API has none that means the same. */
export const toCustomParameter = (
  { field, text, isNegated, resource }: Term,
  idNamed: (resource: string, text: string) => string | undefined,
): readonly [name: string, value: string] | undefined => {
  const definition = findDefinition(field, resource)
  if (!definition) return undefined
  // The opposite of any value is no value. The API has no other opposites.
  if (isNegated) return text === '*' ? [removePrefix(field), ''] : undefined
  const value = toParameterValue(definition, text, idNamed)
  return value === undefined ? undefined : [removePrefix(field), value]
}
