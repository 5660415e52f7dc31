/** Each upper bound that the OpenAPI document promises is enforced: 400 on the field. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { JsonSchema } from '../../src/contract/json-schema.ts'
import { createUser } from '../../testing/estates/identities.ts'
import { createTokens } from '../../testing/servers/wire-scanner.ts'
import { type SignInApp, signInApp } from '../../testing/sign-in/sign-in.ts'

type Parameter = { readonly name: string; readonly in: string; readonly schema: JsonSchema }
type Entry = {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> }
}
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Entry>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

/** A value beyond a bound, and the field that an error must name. */
type Excess = { readonly keyword: string; readonly field: string; readonly value: unknown }

const MAX_TEXT = 2 * 1024 * 1024

const sampleOf = (schema: JsonSchema): unknown => {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.type === 'array') return []
  if (schema.type === 'object') return {}
  if (schema.type === 'boolean') return true
  return schema.type === 'integer' || schema.type === 'number' ? (schema.minimum ?? 1) : 'x'
}

/** Returns the values beyond the bounds of a schema, at any depth, in the smallest value that holds them. */
const listExcesses = (schema: JsonSchema, field: string, schemas: Document['components']['schemas']): Excess[] => {
  const named = schema.$ref === undefined ? undefined : schemas[schema.$ref.replace('#/components/schemas/', '')]
  if (named) return listExcesses(named, field, schemas)
  const { maxLength, maximum, maxItems, maxProperties, properties = {}, required = [], items } = schema
  const own = (keyword: string, value: unknown): Excess => ({ keyword, field, value })
  const found: Excess[] = []
  if (maxLength !== undefined && maxLength < MAX_TEXT) found.push(own('maxLength', 'a'.repeat(maxLength + 1)))
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) found.push(own('maximum', maximum + 1))
  if (maxItems !== undefined) found.push(own('maxItems', Array(maxItems + 1).fill(sampleOf(items ?? {}))))
  if (maxProperties !== undefined)
    found.push(
      own('maxProperties', Object.fromEntries(Array.from({ length: maxProperties + 1 }, (_, i) => [`k${i}`, 'x']))),
    )
  if (items) found.push(...listExcesses(items, `${field}[0]`, schemas).map((one) => ({ ...one, value: [one.value] })))
  for (const [name, inner] of Object.entries(properties)) {
    const others = Object.fromEntries(
      required.flatMap((other) => (other === name ? [] : [[other, sampleOf(properties[other] ?? {})]])),
    )
    const place = field === '' ? name : `${field}.${name}`
    for (const one of listExcesses(inner, place, schemas))
      found.push({ ...one, value: { ...others, [name]: one.value } })
  }
  for (const option of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
    found.push(...listExcesses(option, field, schemas))
  return found
}

/** Fields of errors have the names of the input: a header is named by its field. */
const isOf = (field: string, excess: Excess): boolean => field === excess.field || field.startsWith(`${excess.field}[`)

describe('the OpenAPI document', () => {
  let app: SignInApp
  let cookie: string
  let document: Document
  let findToken: (path: string) => string | undefined
  beforeAll(async () => {
    app = await signInApp('sqlite')
    await createUser(app.db, { username: 'boss', roles: ['admin'], password: 'correct horse battery' })
    const signedIn = await app.login('boss', 'correct horse battery')
    cookie = signedIn.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ')
    findToken = await createTokens({ app, cookie })
    document = (await (await app.send('GET /api/openapi.json', { cookie })).json()) as Document
  })
  afterAll(() => app.close())

  const ask = async (http: string, options: { readonly body?: unknown; readonly query?: string }) => {
    const [method, path = ''] = http.split(' ')
    const at = path.replace(/\{\w+\}/g, 'none')
    const key = findToken(path)
    const response = await app.send(`${method} ${at}${options.query ?? ''}`, {
      ...(key === undefined ? { cookie } : { key }),
      ...(options.body !== undefined && { body: options.body }),
    })
    const body = (await response.json().catch(() => ({}))) as { details?: { field: string }[]; error?: string }
    return { status: response.status, fields: (body.details ?? []).map(({ field }) => field), error: body.error }
  }

  const entries = (): (readonly [http: string, entry: Entry])[] =>
    // The errors of OAuth have the form of RFC 6749 and 7591, which name no field.
    Object.entries(document.paths).flatMap(([path, methods]) =>
      path.startsWith('/mcp-oauth/')
        ? []
        : Object.entries(methods).map(([method, entry]): readonly [string, Entry] => [
            `${method.toUpperCase()} ${path}`,
            entry,
          ]),
    )

  test('names no bound of a body that a request may exceed', async () => {
    const missed: string[] = []
    let tried = 0
    for (const [http, { requestBody }] of entries()) {
      const schema = requestBody?.content['application/json']?.schema
      if (!schema) continue
      const seen = new Set<string>()
      for (const excess of listExcesses(schema, '', document.components.schemas)) {
        const name = `${http} ${excess.field} ${excess.keyword}`
        if (seen.has(name)) continue
        seen.add(name)
        tried++
        const { status, fields, error } = await ask(http, { body: excess.value })
        if (status !== 400 || !fields.some((field) => isOf(field, excess))) missed.push(`${name}: ${status} ${error}`)
      }
    }
    expect([missed, tried > 300]).toEqual([[], true])
  }, 120_000)

  test('names no bound of a query that a request may exceed', async () => {
    const missed: string[] = []
    let tried = 0
    for (const [http, { parameters = [] }] of entries())
      for (const parameter of parameters) {
        if (parameter.in !== 'query') continue
        for (const excess of listExcesses(parameter.schema, parameter.name, document.components.schemas)) {
          const values = [excess.value].flat()
          if (values.some((value) => typeof value === 'object')) continue
          tried++
          const query = new URLSearchParams(values.map((value): [string, string] => [parameter.name, String(value)]))
          const body = /^(POST|PUT) /.test(http) ? { body: {} } : {}
          const { status, fields, error } = await ask(http, { query: `?${query}`, ...body })
          if (status !== 400 || !fields.some((field) => isOf(field, excess)))
            missed.push(`${http} ${excess.field} ${excess.keyword}: ${status} ${error}`)
        }
      }
    expect([missed, tried > 100]).toEqual([[], true])
  }, 120_000)
})
