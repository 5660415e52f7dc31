/** Hostile requests to every endpoint never cause a server error, and no answer reveals internals. */
import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { z } from 'zod'
import { routes } from '../../src/app/contracts.ts'
import { ERROR_CODES } from '../../src/contract/errors.ts'
import { INVENTORY, type Resource } from '../../src/inventory/resources.ts'
import { parseHttp, takesQuery } from '../../src/kernel/http-route.ts'
import type { AnyOperation, RawRoute } from '../../src/kernel/operation.ts'
import { Change } from '../../src/record/history/api.ts'
import { countCases, takeOneIn, testAll } from '../../testing/cases.ts'
import { createExamples } from '../../testing/estates/examples.ts'
import { KINDS } from '../../testing/estates/kinds.ts'
import { buildAddress, operations, worldSuite } from '../../testing/estates/world.ts'
import { encoded, HOSTILE_BODIES, HOSTILE_PATHS, HOSTILE_QUERIES, inputFor } from '../../testing/hostile/hostile.ts'
import { findNetboxAddress, isNetboxRoute } from '../../testing/netbox/routes.ts'
import { engines } from '../../testing/servers/servers.ts'

const SEED = 20_261_121
/** Each call of them starts a process. */
const STARTS_PROCESS = new Set(['estate.convert'])
/** Fewer on PostgreSQL: inputs are checked before they reach the database. */
const RUNS = { sqlite: 60, postgres: 20 }

const named = <T extends { readonly name: string }>(some: readonly T[]) =>
  some.map((one): [string, T] => [one.name, one])

const ErrorBody = z.strictObject({
  code: z.enum(ERROR_CODES),
  error: z.string().min(1),
  details: z.array(z.strictObject({ field: z.string(), message: z.string() })),
})

/** Text that only a stack trace, a driver or a query contains. */
const INSIDES =
  /\.ts:\d+|node_modules|SQLITE_|PostgresError|SQLiteError|syntax error at or near|invalid byte sequence|(from|into|update) "\w+"/

type Call = { readonly method: string; readonly path: string; readonly body?: string | Uint8Array<ArrayBuffer> }

/** The schema of an answer: of the change that a dry run shows, or of the operation. */
const answerOf = ({ hasHistory, handlesDryRun, output }: AnyOperation, input: unknown): z.ZodType => {
  const { dry_run = false } = input as { readonly dry_run?: boolean | 'changes' }
  return hasHistory && !handlesDryRun && (dry_run === 'changes' || (dry_run && output instanceof z.ZodVoid))
    ? Change
    : output
}

describe.each(engines())('on %s', (dialect) => {
  // Inputs are refused before they reach the database.
  const testHere = dialect === 'sqlite' ? test : testAll
  const world = worldSuite({ dialect })
  /** The object of the world of each noun, and another one of each resource. */
  const ids: Record<string, string[]> = {}
  beforeAll(async () => {
    for (const [noun, id] of Object.entries(world.ids)) if (id !== '') ids[noun] = [id]
    for (const { resource } of KINDS) ids[resource]?.push(await world.make(resource))
  })

  /** True after a write that may have deleted an object. */
  let isChanged = false
  /** Replaces the objects that calls have deleted. */
  const restock = async () => {
    if (!isChanged) return
    // An object that another one needs stands before it.
    for (const { resource, path } of KINDS)
      for (const [at, id] of (ids[resource] ?? []).entries()) {
        const { status } = await send({ method: 'GET', path: `${path}/${id}` })
        if (status === 404) ids[resource]?.splice(at, 1, await again(resource))
      }
    isChanged = false
  }
  const again = async (resource: Resource): Promise<string> => {
    const now = Object.fromEntries(Object.entries(ids).map(([noun, [first = '']]) => [noun, first]))
    const { path, body } = createExamples(now, world.examples.counts).build(resource)
    const { status, text } = await send({ method: 'POST', path, body: JSON.stringify(body) })
    // Objects of random calls may be in the way.
    return status === 201 ? (JSON.parse(text) as { readonly id: string }).id : 'gone'
  }

  const send = async ({ method, path, body }: Call): Promise<{ status: number; text: string }> => {
    const headers = {
      Authorization: `Bearer ${world.admin.key}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    }
    const init = { method, headers, ...(body === undefined ? {} : { body }) }
    const response = await world.app.fetch(new Request(`http://plat.test${path}`, init))
    if (method !== 'GET' && response.ok) isChanged = true
    // An endless response cannot be awaited.
    if (response.headers.get('content-type') === 'text/event-stream') {
      await response.body?.cancel()
      return { status: response.status, text: '' }
    }
    return { status: response.status, text: await response.text() }
  }

  const expectDecent = ({ status, text }: { status: number; text: string }): void => {
    if (status >= 500) throw new Error(`${status} ${text}`)
    const [inside] = INSIDES.exec(text) ?? []
    if (inside !== undefined && status !== 200) throw new Error(`tells "${inside}": ${text.slice(0, 500)}`)
  }

  const expectRefusal = ({ status, text }: { status: number; text: string }): void => {
    if (status < 400) return
    const parsed = ErrorBody.safeParse(JSON.parse(text))
    if (!parsed.success) throw new Error(`no error of the contract: ${text.slice(0, 500)}`)
  }

  const callFor = (op: AnyOperation, input: Record<string, unknown>, isRaw: boolean): Call => {
    const { method, params, path } = parseHttp(op.http)
    const at = params.reduce(
      (sofar, param) => sofar.replace(`{${param}}`, encoded(`${input[param] ?? 'x'}`, isRaw) || 'x'),
      path,
    )
    const rest = Object.entries(input).filter(([field]) => !params.includes(field))
    if (!takesQuery(method)) return { method, path: at, body: JSON.stringify(Object.fromEntries(rest)) }
    const query = rest.flatMap(([field, value]) =>
      (Array.isArray(value) ? value : [value]).map(
        (one) => `${field}=${encoded(`${typeof one === 'object' ? JSON.stringify(one) : one}`, isRaw)}`,
      ),
    )
    return { method, path: `${at}?${query.join('&')}` }
  }

  /** Returns an input that the rules of a resource take; undefined for other operations. */
  const buildRight = (op: AnyOperation): Record<string, unknown> | undefined => {
    const kind = KINDS.find(({ create, update }) => op === create || op === update)
    if (!kind) return undefined
    const { resource, create } = kind
    const all = Object.fromEntries(Object.entries(ids).map(([noun, [first = '']]) => [noun, first]))
    const examples = createExamples(all, world.examples.counts)
    return op === create
      ? { ...examples.build(resource).whole }
      : { ...examples.buildChange(resource), id: all[resource] }
  }
  /** Changes a right input in one field, so that the rules behind the schema are reached. */
  const spoil = (op: AnyOperation, generated: Record<string, unknown>, at: number): Record<string, unknown> => {
    const right = buildRight(op)
    const fields = Object.entries(generated).filter(([name]) => name !== 'id')
    const [name, value] = fields[at % Math.max(fields.length, 1)] ?? []
    return right && name !== undefined ? { ...right, [name]: value } : generated
  }

  describe('from right to hostile input', () => {
    test.each(named(operations))(
      '%s answers as its contract says',
      async (_, op) => {
        await restock()
        await fc.assert(
          fc.asyncProperty(inputFor(op, ids), fc.nat(), fc.integer({ min: 0, max: 9 }), async (made, at, luck) => {
            const input = luck % 2 === 0 ? made : spoil(op, made, at)
            // Creates objects again, because a deleted object cannot be deleted twice.
            if (op.effect === 'delete' && luck === 0) await restock()
            const answer = await send(callFor(op, input, luck === 0))
            expectDecent(answer)
            expectRefusal(answer)
            if (answer.status >= 300 || answer.text === '') return
            const { error } = answerOf(op, input).safeParse(JSON.parse(answer.text))
            if (error)
              throw new Error(`answers what its contract doesn't say: ${error.message} ${answer.text.slice(0, 500)}`)
          }),
          { seed: SEED, numRuns: countCases(RUNS[dialect]) },
        )
      },
      60_000,
    )
  })

  const endpoints = [...operations, ...routes].map((called) => ({
    name: called.name,
    ...parseHttp(called.http),
    called,
  }))
  const findAddress = async (called: AnyOperation | RawRoute): Promise<string> => {
    if (isNetboxRoute(called)) return (await findNetboxAddress(world.admin.request, called)).address
    const first = Object.fromEntries(Object.entries(ids).map(([noun, [id = '']]) => [noun, id]))
    return buildAddress(called, { ...world.ids, ...first })
  }
  const isJson = (name: string) => !routes.some((route) => route.name === name)

  testHere.each(named(endpoints.filter(({ method }) => ['POST', 'PUT', 'PATCH'].includes(method))))(
    '%s withstands every hostile body',
    async (name, { method, path, called }) => {
      await restock()
      const [at = path] = (await findAddress(called)).split('?')
      for (const body of STARTS_PROCESS.has(name) ? takeOneIn(5, HOSTILE_BODIES) : HOSTILE_BODIES) {
        const answer = await send({ method, path: at, body })
        expectDecent(answer)
        if (isJson(name)) expectRefusal(answer)
      }
      expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    },
    60_000,
  )

  testHere.each(named(endpoints.filter(({ params }) => params.length > 0)))(
    '%s withstands every hostile path',
    async (name, { method, path }) => {
      for (const hostile of HOSTILE_PATHS) {
        const body = takesQuery(method) ? {} : { body: '{"name":"x"}' }
        const answer = await send({ method, path: path.replace(/\{\w+\}/g, hostile), ...body })
        expectDecent(answer)
        if (isJson(name)) expectRefusal(answer)
      }
    },
  )

  testHere.each(named(endpoints.filter(({ method }) => takesQuery(method))))(
    '%s withstands every hostile query',
    async (name, { method, called }) => {
      await restock()
      const [at = ''] = (await findAddress(called)).split('?')
      for (const query of HOSTILE_QUERIES) {
        const answer = await send({ method, path: at + query })
        expectDecent(answer)
        if (isJson(name)) expectRefusal(answer)
      }
    },
  )

  test('after all of that all objects can be read', async () => {
    await restock()
    const lists = [...INVENTORY, ...['networks', 'pools'].map((resource) => `${resource}?include=utilization`)]
    for (const path of ['/readyz', ...lists.map((list) => `/api/${list}`)])
      expect([path, (await send({ method: 'GET', path })).status]).toEqual([path, 200])
  })
})
