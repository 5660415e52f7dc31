/** Hostile requests to every endpoint never cause a server error, and no answer reveals internals. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { z } from 'zod'
import { contracts, routes } from '../../src/app/contracts.ts'
import { createPasswords } from '../../src/base/security/passwords.ts'
import { ERROR_CODES } from '../../src/contract/errors.ts'
import { parseHttp, takesQuery } from '../../src/kernel/http-route.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'
import { Change } from '../../src/record/history/api.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { countCases, takeOneIn, testAll } from '../../testing/cases.ts'
import {
  encoded,
  HOSTILE_BODIES,
  HOSTILE_PATHS,
  HOSTILE_QUERIES,
  type Ids,
  inputFor,
} from '../../testing/hostile/hostile.ts'
import { engines } from '../../testing/servers/servers.ts'
import { OAUTH_ENV } from '../../testing/sign-in/oauth.ts'

const SEED = 20_261_121
/** Each call of them starts a process. */
const STARTS_PROCESS = new Set(['estate.convert'])
/** Fewer on PostgreSQL: inputs are checked before they reach the database. */
const RUNS = { sqlite: 60, postgres: 20 }

const operations: readonly AnyOperation[] = Object.values(contracts).flatMap((set) => Object.values<AnyOperation>(set))
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

const IDS: Ids = {
  datacenters: ['dc-1', 'dc-2'],
  networks: ['net-4', 'net-6'],
  pools: ['pool-4', 'pool-6'],
  devices: ['dev-1', 'dev-2'],
}

const SEEDS: readonly (readonly [string, object])[] = [
  ['/api/datacenters', { id: 'dc-1', name: 'one' }],
  ['/api/datacenters', { id: 'dc-2', name: 'two' }],
  ['/api/networks', { id: 'net-4', name: 'four', subnet: '10.0.0.0/24', datacenter_id: 'dc-1' }],
  ['/api/networks', { id: 'net-6', name: 'six', subnet: '2001:db8::/64' }],
  ['/api/networks/net-4/pools', { id: 'pool-4', name: 'four', start_ip: '10.0.0.10', end_ip: '10.0.0.200' }],
  ['/api/networks/net-6/pools', { id: 'pool-6', name: 'six', start_ip: '2001:db8::10', end_ip: '2001:db8::fff' }],
  ['/api/devices', { id: 'dev-1', name: 'one', addresses: [{ ip: '10.0.0.1' }] }],
  ['/api/devices', { id: 'dev-2', name: 'two' }],
  ['/api/devices/dev-1/relationships', { child_id: 'dev-2', type: 'contains' }],
]

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
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect, env: OAUTH_ENV, passwords: createPasswords({ cost: 4 }) })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const seed = async () => {
    for (const [path, body] of SEEDS) await (await admin.request('POST', path, body)).text()
  }

  const send = async ({ method, path, body }: Call): Promise<{ status: number; text: string }> => {
    const headers = {
      Authorization: `Bearer ${admin.key}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    }
    const init = { method, headers, ...(body === undefined ? {} : { body }) }
    const response = await app.fetch(new Request(`http://plat.test${path}`, init))
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

  describe('from right to hostile input', () => {
    test.each(named(operations))(
      '%s answers as its contract says',
      async (_, op) => {
        await seed()
        await fc.assert(
          fc.asyncProperty(inputFor(op.input, IDS), fc.integer({ min: 0, max: 9 }), async (input, luck) => {
            // Creates objects again, because a deleted object cannot be deleted twice.
            if (op.effect === 'delete' && luck === 0) await seed()
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

  const endpoints = [...operations, ...routes].map(({ name, http }) => ({ name, ...parseHttp(http) }))
  const isJson = (name: string) => !routes.some((route) => route.name === name)

  testHere.each(named(endpoints.filter(({ method }) => method === 'POST' || method === 'PUT')))(
    '%s withstands every hostile body',
    async (name, { method, path }) => {
      await seed()
      const at = path.replace('{id}', 'dev-1').replace(/\{\w+\}/g, 'net-4')
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
    async (name, { method, path }) => {
      await seed()
      const at = path.replace(/\{(\w+)\}/g, (_, param) =>
        param === 'network_id' ? 'net-4' : param === 'pool_id' ? 'pool-4' : 'dev-1',
      )
      for (const query of HOSTILE_QUERIES) {
        const answer = await send({ method, path: at + query })
        expectDecent(answer)
        if (isJson(name)) expectRefusal(answer)
      }
    },
  )

  test('after all of that all objects can be read', async () => {
    await seed()
    const statuses = []
    for (const path of [
      '/readyz',
      '/api/devices',
      '/api/networks?include=utilization',
      '/api/pools?include=utilization',
      '/api/reservations',
      '/api/relationships',
    ])
      statuses.push((await send({ method: 'GET', path })).status)
    expect(statuses).toEqual(statuses.map(() => 200))
  })
})
