/** Generates examples from schemas. */
import { type Definitions, getBaseType, getRefName, isNullable, type JsonSchema } from '../../contract/json-schema.ts'

const ID = '0199f3c4-7a52-7c1e-9b0d-3f2a61c8d404'

/** Realistic values for fields that only declare text in their schema. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  id: ID,
  ip: '10.0.20.15',
  ip_address: '10.0.20.15',
  subnet: '10.0.20.0/24',
  start_ip: '10.0.20.10',
  end_ip: '10.0.20.99',
  name: 'web-fra1-01',
  manufacturer: 'Juniper',
  model: 'EX4300-48T',
  yaml: 'manufacturer: Juniper\nmodel: EX4300-48T\nu_height: 1\n',
  hostname: 'web-fra1-01.example.net',
  username: 'ada',
  email: 'ada@example.net',
  password: 'correct horse battery staple',
  new_password: 'correct horse battery staple',
  description: '',
  q: 'web',
  type: 'ipv4',
  tags: ['prod'],
  domains: ['www.example.net'],
  url: 'https://example.net/hook',
  redirect_uri: 'https://example.net/callback',
  rawId: 'AZ80fHpS',
  client: 'laptop',
}

/** Deeper than any contract; ends recursion of a schema that contains itself. */
const MAX_DEPTH = 12

const pickNumber = ({ minimum = 0, maximum }: JsonSchema): number => {
  const wanted = Math.max(minimum, 1)
  return maximum === undefined ? wanted : Math.min(wanted, maximum)
}

const getTextExample = (schema: JsonSchema, name: string): unknown => {
  if (schema['x-ref'] !== undefined || name.endsWith('_id')) return ID
  const known = BY_NAME[name]
  if (typeof known === 'string') return known
  if (schema.format === 'date-time') return '2026-01-31T12:00:00.000Z'
  return ''
}

/** Returns a value that the schema permits, with every field. `name` is the name of the field that holds it. */
export const buildExample = (schema: JsonSchema, definitions: Definitions, name = '', depth = 0): unknown => {
  if (schema.examples !== undefined) return schema.examples[0]
  if (depth > MAX_DEPTH) return null
  if (schema.$ref !== undefined) {
    const target = definitions[getRefName(schema.$ref)]
    return target ? buildExample(target, definitions, name, depth + 1) : null
  }
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const options = getBaseType(schema) === undefined ? [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])] : []
  const option = options.find((one) => one.type !== 'null')
  if (option) return buildExample(option, definitions, name, depth + 1)
  switch (getBaseType(schema)) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, field]) => [
          key,
          buildExample(field, definitions, key, depth + 1),
        ]),
      )
    case 'array': {
      const known = BY_NAME[name]
      if (Array.isArray(known)) return known
      return schema.items ? [buildExample(schema.items, definitions, toSingular(name), depth + 1)] : []
    }
    case 'integer':
    case 'number':
      return isNullable(schema) ? null : pickNumber(schema)
    case 'boolean':
      return true
    case 'string':
      return getTextExample(schema, name)
    default:
      return null
  }
}

const toSingular = (name: string): string => name.replace(/s$/, '')

/** Returns an example of a request with only the required fields. */
export const buildRequestExample = (schema: JsonSchema, definitions: Definitions): unknown => {
  if (schema.examples !== undefined) return schema.examples[0]
  const required = Object.entries(schema.properties ?? {}).filter(([name]) => schema.required?.includes(name))
  const chosen = required.length > 0 ? required : Object.entries(schema.properties ?? {}).slice(0, 1)
  return Object.fromEntries(chosen.map(([name, field]) => [name, buildExample(field, definitions, name)]))
}
