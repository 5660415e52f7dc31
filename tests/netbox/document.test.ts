// Every answer of every list of the NetBox API has the types that its OpenAPI document says.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { z } from 'zod'
import { isRecord } from '../../src/contract/unknown.ts'
import { REGISTERED } from '../../src/netbox/endpoints/registry.ts'
import type { Door } from '../../testing/netbox/door.ts'
import { openFilled } from '../../testing/netbox/filled.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

const TIMEOUT_MS = 120_000

const Answer = z.object({ content: z.object({ 'application/json': z.object({ schema: z.looseObject({}) }) }) })
const OpenApi = z.object({
  paths: z.record(z.string(), z.looseObject({ get: z.looseObject({ responses: z.record(z.string(), z.unknown()) }) })),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
})

/** Turns `nullable` of OpenAPI 3.0 into JSON Schema, and allows no field that is not described. */
const toJsonSchema = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(toJsonSchema)
  if (!isRecord(schema)) return schema
  const { nullable, ...rest } = schema
  const own = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, toJsonSchema(value)]))
  const closed = 'required' in own ? { ...own, additionalProperties: false } : own
  return nullable === true ? { anyOf: [closed, { type: 'null' }] } : closed
}

describe.each(onSqlite())('the document of the NetBox API', (dialect) => {
  let door: Door
  let document: z.infer<typeof OpenApi>
  const ajv = new Ajv({ strict: false, allErrors: true })
  formats.default(ajv)
  beforeAll(async () => {
    door = await openFilled(dialect)
    document = OpenApi.parse((await door.get('schema/')).body)
  }, TIMEOUT_MS)
  afterAll(() => door.close())

  test.each(REGISTERED.map(({ path }) => path))('has the types of the answers of %s', async (path) => {
    const { paths, components } = document
    const { body } = await door.get(`${path}/?limit=0`)
    const { results } = z.object({ results: z.array(z.looseObject({ id: z.number() })).min(1) }).parse(body)
    const check = (at: string, answer: unknown) => {
      const { 200: ok } = paths[`/netbox/api/${at}/`]?.get.responses ?? {}
      const { schema } = Answer.parse(ok).content['application/json']
      const validate = ajv.compile(toJsonSchema({ ...schema, components }) as object)
      validate(answer)
      expect([at, (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)]).toEqual([
        at,
        [],
      ])
    }
    check(path, body)
    for (const result of results) check(`${path}/{id}`, result)
  })
})
