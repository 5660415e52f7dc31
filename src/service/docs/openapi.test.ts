/** The document of the real registry, checked by the rules of OpenAPI 3.1 that break client generators. */
import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { contracts, routes } from '../../app/contracts.ts'
import { canPropose } from '../../contract/can-propose.ts'
import { getBaseType, type JsonSchema } from '../../contract/json-schema.ts'
import { parseHttp } from '../../kernel/http-route.ts'
import type { AnyOperation, OperationSet, RawRoute } from '../../kernel/operation.ts'
import { buildOpenapi } from '../../surfaces/openapi/openapi.ts'

const doc = buildOpenapi(contracts, routes, { version: '1.2.3' })
const declared: readonly (AnyOperation & RawRoute)[] = [
  ...Object.values<OperationSet>(contracts).flatMap((set) => Object.values(set)),
  ...routes,
] as never
/** Returns the operation or route of a name; each kind has fields that the other lacks. */
const declaredAs = (name: string): Partial<RawRoute & Pick<AnyOperation, 'hasHistory' | 'proposes'>> =>
  declared.find((one) => one.name === name) ?? {}
const entries = Object.entries(doc.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, entry]) => ({ path, method, entry })),
)

type Visit = (key: string, value: unknown, parent: object) => void
const walk = (value: unknown, visit: Visit): void => {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    visit(key, inner, value)
    walk(inner, visit)
  }
}

const resolveRef = (ref: string): unknown =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (node, key) => (typeof node === 'object' && node !== null ? Reflect.get(node, key) : undefined),
      doc,
    )

/** Returns the violations of a schema, for the keywords that our schemas use. */
const breaches = (schema: JsonSchema, value: unknown, path = ''): string[] => {
  if (schema.$ref !== undefined) {
    // Another test checks that every reference resolves to a schema.
    return breaches(resolveRef(schema.$ref) as JsonSchema, value, path)
  }
  if (typeof value === 'string') {
    if (value.length < (schema.minLength ?? 0)) return [`${path}: too short`]
    if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value))
      return [`${path}: not of its pattern`]
  }
  // Options of a text are formats, which are not looked at.
  if (schema.anyOf && getBaseType(schema) !== 'string')
    return schema.anyOf.some((one) => breaches(one, value).length === 0) ? [] : [`${path}: no option fits`]
  if (schema.enum && !schema.enum.includes(value)) return [`${path}: not in the enum`]
  if (value === null) return Array.isArray(schema.type) && schema.type.includes('null') ? [] : [`${path}: null`]
  const type = getBaseType(schema)
  if (Array.isArray(value))
    return type === 'array'
      ? value.flatMap((one, i) => breaches(schema.items ?? {}, one, `${path}[${i}]`))
      : [`${path}: a list`]
  if (typeof value === 'object')
    return [
      ...(schema.required ?? [])
        .filter((name) => !Object.hasOwn(value, name))
        .map((name) => `${path}.${name}: missing`),
      ...Object.entries(value).flatMap(([name, one]) =>
        breaches(schema.properties?.[name] ?? {}, one, `${path}.${name}`),
      ),
    ]
  if (type === 'integer') return Number.isInteger(value) ? [] : [`${path}: no integer`]
  return type === undefined || typeof value === type ? [] : [`${path}: no ${type}`]
}

describe('the document', () => {
  test('has every operation and raw route, each under its own id, but for those of another document', () => {
    const names = declared.filter(({ ownDocument }) => !ownDocument).map(({ name }) => name)
    expect(entries.map(({ entry }) => entry.operationId).sort()).toEqual(names.sort())
  })

  test('has references that lead somewhere', () => {
    const dead: unknown[] = []
    walk(doc, (key, value) => {
      if (key === '$ref' && resolveRef(String(value)) === undefined) dead.push(value)
    })
    expect(dead).toEqual([])
  })

  test('has nothing that only zod or the command line reads', () => {
    const found: string[] = []
    walk(doc, (key, value, parent) => {
      // The columns of a table are a list of names. A conversion has fields of the name, with other values.
      const isColumns = key === 'columns' && Array.isArray(value) && value.every((one) => typeof one === 'string')
      // A field may have the name as well: in examples, and in `properties`, where its value is a schema.
      const isRef = key === 'ref' && typeof value === 'string' && ('type' in parent || 'anyOf' in parent)
      const isField = isRef || isColumns || key === '$defs' || key === '$schema'
      if (isField && !Object.values(doc.components.schemas).some(({ properties }) => properties === parent))
        found.push(key)
    })
    expect(found).toEqual([])
  })

  test('uses every component', () => {
    const used = new Set<unknown>()
    walk(doc, (key, value) => {
      if (key === '$ref') used.add(value)
    })
    const all = [
      ...Object.keys(doc.components.schemas).map((name) => `#/components/schemas/${name}`),
      ...Object.keys(doc.components.responses).map((name) => `#/components/responses/${name}`),
    ]
    expect(all.filter((ref) => !used.has(ref))).toEqual([])
  })

  test('has examples that keep to their schemas', () => {
    const schemas = Object.entries(doc.components.schemas).flatMap(([name, schema]) =>
      breaches(schema, schema.examples?.[0], name),
    )
    const bodies = entries.flatMap(({ entry }) => {
      const media = entry.requestBody?.content['application/json']
      return media?.example === undefined ? [] : breaches(media.schema, media.example, entry.operationId)
    })
    expect([...schemas, ...bodies]).toEqual([])
  })
})

describe.each(entries.map((one) => [one.entry.operationId, one] as const))('%s', (_, { path, entry }) => {
  const parameters = (entry.parameters ?? []).map((one) => ('$ref' in one ? resolveRef(one.$ref) : one))

  test('declares the parameters of its path, and none that are not there', () => {
    const declared = parameters
      .filter((one) => Reflect.get(Object(one), 'in') === 'path')
      .map((one) => Reflect.get(Object(one), 'name'))
    expect(declared).toEqual([...parseHttp(`GET ${path as `/${string}`}`).params])
  })

  test('declares no parameter twice', () => {
    const keys = parameters.map((one) => `${Reflect.get(Object(one), 'in')} ${Reflect.get(Object(one), 'name')}`)
    expect(new Set(keys).size).toBe(keys.length)
  })

  test('has its successes and the errors that can occur', () => {
    const statuses = Object.keys(entry.responses).map(Number)
    const {
      alsoAnswers = {},
      errors = [],
      plainErrors = [],
      hasHistory,
      proposes,
      status,
      output,
    } = declaredAs(entry.operationId)
    // A dry run answers 200.
    const isOther = hasHistory === true && (status === 201 || output instanceof z.ZodVoid)
    // A proposal answers 202.
    const isProposed = canPropose({ hasHistory, proposes })
    const count = 1 + Object.keys(alsoAnswers).length + Number(isOther) + Number(isProposed)
    expect(statuses.filter((one) => one < 300 || one === 302)).toHaveLength(count)
    expect(statuses).toEqual(expect.arrayContaining([429, 500]))
    // NetBox answers 403 without credentials, and so does the API in its format.
    const needsUser = entry['x-permission'] !== 'public' && entry.operationId !== 'netbox.get-schema'
    expect(statuses.includes(401)).toBe(needsUser || [...errors, ...plainErrors].includes(401))
  })

  test('requires only fields that it has', () => {
    const { properties = {}, required = [] } = entry.requestBody?.content['application/json']?.schema ?? {}
    expect(required.filter((name) => !Object.hasOwn(properties, name))).toEqual([])
  })
})

const operations: readonly AnyOperation[] = Object.values<OperationSet>(contracts).flatMap((set) => Object.values(set))

test('a public route asks for no credentials, and MCP only for a key', () => {
  const securityOf = (name: string) => entries.find(({ entry }) => entry.operationId === name)?.entry.security
  expect(securityOf('system.healthz')).toEqual([])
  expect(securityOf('mcp.call')).toEqual([{ bearer: [] }])
  expect(securityOf('devices.list')).toEqual([{ bearer: [] }, { session: [] }])
})

test('no input is lost: every field is a parameter or in the body', () => {
  const lost = operations.flatMap((op) => {
    const entry = entries.find((one) => one.entry.operationId === op.name)?.entry
    const headers = new Map(Object.entries(op.headers ?? {}).map(([header, field]) => [field, header]))
    const named = new Set([
      ...(entry?.parameters ?? []).map((one) => ('name' in one ? one.name : '')),
      ...Object.keys(entry?.requestBody?.content['application/json']?.schema.properties ?? {}),
    ])
    return Object.keys(op.input.shape)
      .filter((field) => !named.has(headers.get(field) ?? field))
      .map((field) => `${op.name} ${field}`)
  })
  expect(lost).toEqual([])
})
