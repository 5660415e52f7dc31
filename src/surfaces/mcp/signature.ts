/** Writes a JSON Schema with few tokens, in the syntax of TypeScript types. */
import { type Definitions, getBaseType, getRefName, isNullable, type JsonSchema } from '../../contract/json-schema.ts'

const NAMES: Readonly<Record<string, string>> = {
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  string: 'string',
}

const formatRange = (min: number | undefined, max: number | undefined): string =>
  min === undefined && max === undefined ? '' : `(${min ?? ''}..${max ?? ''})`

const formatList = (schema: JsonSchema): string => {
  const item = schema.items ? formatSignature(schema.items) : 'any'
  return item.includes(' ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
}

const formatObject = ({ properties, required = [] }: JsonSchema): string => {
  if (!properties) return 'object'
  const fields = Object.entries(properties).map(([name, field]) => {
    const meaning = field.description ? ` /* ${field.description} */` : ''
    return `${name}${required.includes(name) ? '' : '?'}: ${formatSignature(field)}${meaning}`
  })
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

const formatBare = (schema: JsonSchema): string => {
  if (schema.$ref !== undefined) return getRefName(schema.$ref)
  if (schema.enum !== undefined)
    return schema.enum
      .filter((one) => one !== null)
      .map((one) => JSON.stringify(one))
      .join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const options = schema.anyOf ?? schema.oneOf
  if (options) return options.map(formatSignature).join(' | ')
  const type = getBaseType(schema)
  if (type === 'object') return formatObject(schema)
  if (type === 'array') return formatList(schema)
  if (type === 'string') return schema.format ?? 'string'
  return type === undefined ? 'any' : `${NAMES[type] ?? type}${formatRange(schema.minimum, schema.maximum)}`
}

/** @example formatSignature({ type: 'object', properties: { id: { type: 'string' } } }) // '{ id?: string }' */
export const formatSignature = (schema: JsonSchema): string => {
  const text = formatBare(schema)
  return isNullable(schema) && !text.includes('null') ? `${text} | null` : text
}

/** Returns the schema with its references replaced, for readers that get no definitions. */
export const resolveReferences = (schema: JsonSchema, definitions: Definitions): JsonSchema => {
  const target = schema.$ref === undefined ? undefined : definitions[getRefName(schema.$ref)]
  if (target) return resolveReferences(target, definitions)
  const { properties, items, anyOf } = schema
  return {
    ...schema,
    ...(items && { items: resolveReferences(items, definitions) }),
    ...(anyOf && { anyOf: anyOf.map((one) => resolveReferences(one, definitions)) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, resolveReferences(field, definitions)]),
      ),
    }),
  }
}
