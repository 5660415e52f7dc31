/** Helpers of the tests of the inventory: one app per suite, a clock that the test sets, complete answers. */
import { afterAll, beforeAll } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../app/app.ts'
import type { Dialect } from '../servers/servers.ts'
import { saveWorld, worldApp } from './world.ts'

/** The first suite on PostgreSQL waits for the server to start. */
const START_TIMEOUT_MS = 60_000

export type Answer = {
  readonly status: number
  readonly body: unknown
  readonly etag: string | null
  readonly total: string | null
}

/** Sends `GET /api/...` as the caller. */
export const ask = async (
  caller: Pick<TestCaller, 'request'>,
  http: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<Answer> => {
  const at = http.indexOf(' ')
  const response = await caller.request(http.slice(0, at), http.slice(at + 1), body, headers)
  const text = await response.text()
  return {
    status: response.status,
    body: text === '' ? undefined : JSON.parse(text),
    etag: response.headers.get('etag'),
    total: response.headers.get('x-total-count'),
  }
}

// No matchers like `expect.any`: in Bun `toMatchObject` writes them into its argument.

/** Matches an answer that rejects exactly these fields. */
export const refusal = (...fields: string[]) => ({
  status: 400,
  body: { code: 'VALIDATION_ERROR', details: fields.map((field) => ({ field })) },
})

/** Returns the fields that a rejection names. */
export const fieldsOf = ({ status, body }: Answer): string[] => {
  if (status !== 400) throw new Error(`status ${status} is no refusal`)
  const { details } = body as { details: readonly { field: string }[] }
  return [...new Set(details.map(({ field }) => field))]
}

/** Matches an answer with this status and code. */
export const failure = (status: number, code: string) => ({ status, body: { code } })
export const missing = failure(404, 'NOT_FOUND')
export const forbidden = failure(403, 'FORBIDDEN')
export const changedSince = failure(412, 'PRECONDITION_FAILED')
export const alreadyExists = failure(409, 'ALREADY_EXISTS')
export const noneFree = failure(409, 'IP_NOT_AVAILABLE')

/** Matches like `refusal`, for errors of the typed client. */
export const thrownRefusal = (...fields: string[]) => ({
  code: 'VALIDATION_ERROR',
  details: fields.map((field) => ({ field })),
})

/** Returns a new object as later answers have it: a scanner is created with a token, which is shown once. */
export const withoutSecrets = <T extends object>(made: T): T => {
  const { enrolment_token: _, enrolment_expires_at: __, ...object } = made as T & Record<string, unknown>
  // The fields of the type are left.
  return object as T
}

export type Inventory = {
  readonly app: TestApp
  readonly admin: TestCaller
  readonly api: TestCaller['api']
  /** Sends as the admin. */
  readonly ask: (http: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>
  /** The server's clock in its text form. */
  readonly now: () => string
  readonly inMs: (ms: number) => string
  readonly advance: (ms: number) => void
}

type Started = { readonly app: TestApp; readonly admin: TestCaller }
type Start<T> = (now: () => Date) => Promise<T>

/** Starts an app before the tests of the surrounding `describe`, and closes it after them. */
const startSuite = <T extends Started>(
  findBeginMs: () => Promise<number>,
  start: Start<T>,
): { world: () => T; inv: Inventory } => {
  const clock = { ms: 0 }
  let begun: T | undefined
  beforeAll(async () => {
    clock.ms = await findBeginMs()
    begun = await start(() => new Date(clock.ms))
  }, START_TIMEOUT_MS)
  afterAll(() => begun?.app.close(), START_TIMEOUT_MS)
  const world = (): T => {
    if (begun === undefined) throw new Error('the app of a suite is there in its tests')
    return begun
  }
  const inMs = (ms: number) => new Date(clock.ms + ms).toISOString()
  const inv: Inventory = {
    get app() {
      return world().app
    },
    get admin() {
      return world().admin
    },
    get api() {
      return world().admin.api
    },
    ask: (http, body, headers) => ask(world().admin, http, body, headers),
    now: () => inMs(0),
    inMs,
    advance: (ms) => {
      clock.ms += ms
    },
  }
  return { world, inv }
}

/** Starts an empty app before the tests of the surrounding `describe`, and closes it after them. */
export const inventory = (dialect: Dialect, env: Readonly<Record<string, string>> = {}): Inventory =>
  startSuite(
    async () => Date.parse('2026-06-01T00:00:00.000Z'),
    async (now) => {
      const app = await testApp({ dialect, env, now })
      return { app, admin: await app.as('admin') }
    },
  ).inv

/** Starts a copy of the world in place of an empty app. Its clock begins when the world is made. */
export const inventoryWithWorld = (dialect: Dialect) => {
  const findBeginMs = async () => {
    await saveWorld(dialect)
    return Date.now()
  }
  const { world, inv } = startSuite(findBeginMs, (now) => worldApp({ dialect, now }))
  return { inv, world }
}
