/** Writes a JSON Schema with few tokens, in the syntax of TypeScript types. */
import { baseType, type Definitions, isNullable, type JsonSchema, refName } from '../contract/json-schema.ts'

const NAMES: Readonly<Record<string, string>> = {
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  string: 'string',
}

const range = (min: number | undefined, max: number | undefined): string =>
  min === undefined && max === undefined ? '' : `(${min ?? ''}..${max ?? ''})`

const listed = (schema: JsonSchema): string => {
  const item = schema.items ? signatureOf(schema.items) : 'any'
  return item.includes(' ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
}

const objectOf = ({ properties, required = [] }: JsonSchema): string => {
  if (!properties) return 'object'
  const fields = Object.entries(properties).map(([name, field]) => {
    const meaning = field.description ? ` /* ${field.description} */` : ''
    return `${name}${required.includes(name) ? '' : '?'}: ${signatureOf(field)}${meaning}`
  })
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

const bare = (schema: JsonSchema): string => {
  if (schema.$ref !== undefined) return refName(schema.$ref)
  if (schema.enum !== undefined)
    return schema.enum
      .filter((one) => one !== null)
      .map((one) => JSON.stringify(one))
      .join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const options = schema.anyOf ?? schema.oneOf
  if (options) return options.map(signatureOf).join(' | ')
  const type = baseType(schema)
  if (type === 'object') return objectOf(schema)
  if (type === 'array') return listed(schema)
  if (type === 'string') return schema.format ?? 'string'
  return type === undefined ? 'any' : `${NAMES[type] ?? type}${range(schema.minimum, schema.maximum)}`
}

/** @example signatureOf({ type: 'object', properties: { id: { type: 'string' } } }) // '{ id?: string }' */
export const signatureOf = (schema: JsonSchema): string => {
  const text = bare(schema)
  return isNullable(schema) && !text.includes('null') ? `${text} | null` : text
}

/** Returns the schema with its references replaced, for readers that get no definitions. */
export const inlined = (schema: JsonSchema, definitions: Definitions): JsonSchema => {
  const target = schema.$ref === undefined ? undefined : definitions[refName(schema.$ref)]
  if (target) return inlined(target, definitions)
  const { properties, items, anyOf } = schema
  return {
    ...schema,
    ...(items && { items: inlined(items, definitions) }),
    ...(anyOf && { anyOf: anyOf.map((one) => inlined(one, definitions)) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, inlined(field, definitions)]),
      ),
    }),
  }
}
