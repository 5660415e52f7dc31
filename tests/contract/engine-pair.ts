/** Two servers with the same world, one on each engine: sends each call to both, and compares the answers and the recorded events. */
import { contracts, routes } from '../../src/app/contracts.ts'
import { createPasswords } from '../../src/base/security/passwords.ts'
import { parseHttp } from '../../src/kernel/http-route.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'
import { type TestApp, testApp } from '../../testing/app/app.ts'
import { requestOf } from '../../testing/estates/inputs-by-ref.ts'
import { type ScriptedScanner, scriptedScanner } from '../../testing/servers/scripted-scanner.ts'
import type { Dialect } from '../../testing/servers/servers.ts'
import { ISSUER } from '../../testing/sign-in/oauth.ts'
import { createStableNames, describeMeasurements } from './stable-names.ts'

export const operations: readonly AnyOperation[] = Object.values(contracts).flatMap((set) =>
  Object.values<AnyOperation>(set),
)
export const endpoints = [...operations, ...routes]

export type Input = Readonly<Record<string, unknown>>

/** One call. `@{name}` in the input, the query and the headers stands for a value that an earlier call of the same engine saved. */
export type Call = {
  /** The name of an operation or a route. */
  readonly op: string
  readonly input: Input
  /** The caller; the admin by default. */
  readonly as?: string
  /** Added to the address: `custom.owner=x`. */
  readonly query?: string
  /** The body as it is, in place of that from the input. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The expected status; any success by default. With 'any' only the equality counts. */
  readonly status?: number | 'any'
  /** Values to save from the answer, by name: `{ scan: 'id', first: '0.id', change: 'header:x-change-id' }`; the whole answer by ''. */
  readonly save?: Readonly<Record<string, string>>
  /** The answer is a measurement: its fields are compared, and their values are not. */
  readonly hasOnlyShape?: true
}
/** Work between two calls that is no call: a job, a scanner, a code of an authenticator. */
export type Action = (world: World) => Promise<void>
export type Step = Call | Action

type More = Omit<Call, 'op' | 'input' | 'status'>
/** A call that succeeds. */
export const call = (op: string, input: Input = {}, more: More = {}): Call => ({ op, input, ...more })
/** A call that is only compared by its status. */
export const compare = (op: string, input: Input = {}, more: More = {}): Call => ({
  op,
  input,
  status: 'any',
  ...more,
})
/** A call that is refused with this status. */
export const refuse = (status: number, op: string, input: Input = {}, more: More = {}): Call => ({
  ...{ op, input, status },
  ...more,
})

export type World = {
  readonly app: TestApp
  readonly scanner: ScriptedScanner
  readonly clock: { ms: number }
  /** Values that calls have saved. */
  readonly saved: Map<string, string>
  /** API keys by caller. */
  readonly keys: Map<string, string>
  readonly names: ReturnType<typeof createStableNames>
}

/** The answer of one engine and the rows that the call has recorded. */
type Outcome = {
  readonly status: number
  readonly isExpected: boolean
  readonly body: string
  /** All that is compared. */
  readonly text: string
}

/** Headers that carry meaning, with the ETag and the cookies beside them. */
const HEADERS = ['content-type', 'location', 'x-total-count', 'x-change-id', 'content-disposition', 'allow']
const PRESENT_HEADERS = ['retry-after', 'x-request-id', 'last-modified']

/** The real time, because PostgreSQL gives the times of changes by its own clock. */
const START = Math.floor(Date.now() / 1000) * 1000
const STEP_MS = 1000
export const PUBLIC_URL = ISSUER

const ENV = {
  ...{ MCP_OAUTH_ENABLED: 'true', MCP_OAUTH_ISSUER_URL: ISSUER, PUBLIC_URL, COOKIE_SECURE: 'false' },
  ...{ AUDIT_ENABLED: 'true', ENCRYPTION_KEY: 'ab'.repeat(32), SSO_ALLOW_LOOPBACK: 'true', DNS_SERVERS: '127.0.0.1' },
}

const openWorld = async (dialect: Dialect): Promise<World> => {
  const clock = { ms: START }
  const scanner = scriptedScanner()
  const app = await testApp({
    ...{ dialect, env: ENV, now: () => new Date(clock.ms), passwords: createPasswords({ cost: 4 }) },
    ...{ startScan: scanner.startScan, withJobs: false },
  })
  return { app, scanner, clock, saved: new Map(), keys: new Map(), names: createStableNames() }
}

const fill = (world: World, text: string): string =>
  text.replace(/@\{([\w -]+)\}/g, (_, name: string) => {
    const value = world.saved.get(name)
    if (value === undefined) throw new Error(`no call has saved "${name}"`)
    return value
  })

const toRequest = (world: World, call: Call): Request => {
  const op = operations.find(({ name }) => name === call.op)
  const route = routes.find(({ name }) => name === call.op)
  const filled: Input = JSON.parse(fill(world, JSON.stringify(call.input)))
  const found = op ?? route
  if (!found) throw new Error(`no operation is called "${call.op}"`)
  // Reads the name, the method and the path, which a route has too.
  const { http, body } = requestOf(found as AnyOperation, { field: call.op, input: filled })
  const { method } = parseHttp(found.http)
  const at = http.slice(http.indexOf(' ') + 1)
  const address = call.query === undefined ? at : `${at}${at.includes('?') ? '&' : '?'}${fill(world, call.query)}`
  const sent = call.text === undefined ? body && JSON.stringify(body) : fill(world, call.text)
  const key = call.as === 'guest' ? undefined : world.keys.get(call.as ?? 'admin')
  if (call.as !== 'guest' && key === undefined) throw new Error(`there is no caller "${call.as}"`)
  return new Request(PUBLIC_URL + address, {
    method,
    redirect: 'manual',
    headers: {
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(sent !== undefined && { 'Content-Type': 'application/json' }),
      ...Object.fromEntries(Object.entries(call.headers ?? {}).map(([name, value]) => [name, fill(world, value)])),
    },
    ...(sent !== undefined && method !== 'GET' && { body: sent }),
  })
}

/** Reads as the admin, outside the comparison: for actions that wait for a state. */
export const readJson = async (world: World, path: string): Promise<unknown> => {
  const headers = { Authorization: `Bearer ${world.keys.get('admin')}` }
  return (await world.app.fetch(new Request(PUBLIC_URL + path, { headers }))).json()
}

const findValue = (response: Response, text: string, path: string): string => {
  if (path.startsWith('header:')) return response.headers.get(path.slice('header:'.length)) ?? ''
  if (path === 'cookie') return response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  if (path === '') return text
  const value = path
    .split('.')
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], JSON.parse(text))
  if (typeof value !== 'string') throw new Error(`the answer has no text at "${path}": ${text.slice(0, 300)}`)
  return value
}

/** Returns the rows that the call has added to the events and to the deliveries of webhooks. */
const readRecords = async ({ app, saved }: World): Promise<object> => {
  const after = Number(saved.get('last event') ?? 0)
  const events = await app.db.read.selectFrom('events').selectAll().where('seq', '>', after).orderBy('seq').execute()
  saved.set('last event', String(events.at(-1)?.seq ?? after))
  const deliveries = await app.db.read
    .selectFrom('webhook_deliveries')
    .select(['id', 'webhook_id', 'event', 'body', 'change_id'])
    .where('id', '>', saved.get('last delivery') ?? '')
    .orderBy('id')
    .execute()
  saved.set('last delivery', deliveries.at(-1)?.id ?? saved.get('last delivery') ?? '')
  const parse = (text: string): unknown => JSON.parse(text)
  return {
    events: events.map(({ seq: _, data, ...row }) => ({ ...row, data: parse(data) })),
    deliveries: deliveries.map(({ body, ...row }) => ({ ...row, body: parse(body) })),
  }
}

const send = async (world: World, call: Call): Promise<Outcome> => {
  world.clock.ms += STEP_MS
  const request = toRequest(world, call)
  const response = await world.app.fetch(request)
  const text = call.op === 'events.stream' ? await readStart(response) : await response.text()
  const { status, headers } = response
  const isExpected = call.status === 'any' || (call.status === undefined ? status < 400 : status === call.status)
  if (isExpected)
    for (const [name, path] of Object.entries(call.save ?? {})) world.saved.set(name, findValue(response, text, path))
  const { names } = world
  const address = new URL(request.url)
  const shown = {
    status,
    headers: Object.fromEntries(HEADERS.map((name) => [name, names.nameText(headers.get(name) ?? '')])),
    asOf: names.nameMoment(headers.get('x-as-of') ?? ''),
    present: PRESENT_HEADERS.filter((name) => headers.has(name)),
    etag: names.nameEtag(address.pathname + address.search, headers.get('etag')),
    cookies: headers.getSetCookie().map((cookie) => cookie.replace(/^([^=]+)=[^;]+/, '$1=<secret>')),
    body: call.hasOnlyShape ? describeMeasurements(text) : names.nameBody(text),
    // Rows that a read would add are seen at the next write.
    records: request.method === 'GET' ? '' : names.nameBody(JSON.stringify(await readRecords(world))),
  }
  return { status, isExpected, body: text, text: JSON.stringify(shown, null, 1) }
}

/** Returns the first event of a stream that stays open. */
const readStart = async ({ body }: Response): Promise<string> => {
  const reader = body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  await reader?.cancel()
  return new TextDecoder().decode(value)
}

/** Shows where two texts differ first. */
const showDifference = (a: string, b: string): string => {
  let at = 0
  while (at < a.length && a[at] === b[at]) at += 1
  const from = Math.max(0, at - 160)
  return `\n  sqlite:   ${a.slice(from, from + 400)}\n  postgres: ${b.slice(from, from + 400)}`
}

const describeCall = (call: Call): string =>
  `${call.op} ${JSON.stringify(call.input).slice(0, 200)}${call.query ?? ''}${call.as ? ` as ${call.as}` : ''}`

export type EnginePair = {
  readonly sqlite: World
  readonly postgres: World
  /** Runs the steps on both. @returns the differences and the calls with another status than expected */
  readonly run: (steps: readonly Step[]) => Promise<readonly string[]>
  /** The statuses that both engines have answered, by operation or route. */
  readonly statuses: ReadonlyMap<string, ReadonlySet<number>>
  readonly close: () => Promise<void>
}

export const openEnginePair = async (): Promise<EnginePair> => {
  const [sqlite, postgres] = await Promise.all([openWorld('sqlite'), openWorld('postgres')])
  const worlds = [sqlite, postgres] as const
  const statuses = new Map<string, Set<number>>()

  const runCall = async (call: Call): Promise<string[]> => {
    const [a, b] = await Promise.all([send(sqlite, call), send(postgres, call)])
    if (a.status === b.status) statuses.set(call.op, (statuses.get(call.op) ?? new Set()).add(a.status))
    const expectation = call.status ?? 'success'
    const wrong = a.isExpected
      ? []
      : [`${describeCall(call)}: expected ${expectation}, got ${a.status} ${a.body.slice(0, 300)}`]
    return a.text === b.text ? wrong : [...wrong, describeCall(call) + showDifference(a.text, b.text)]
  }

  return {
    sqlite,
    postgres,
    statuses,
    run: async (steps) => {
      const found: string[] = []
      for (const step of steps)
        if (typeof step === 'function') await Promise.all(worlds.map(step))
        else found.push(...(await runCall(step).catch((error) => [`${describeCall(step)}: ${error}`])))
      return found
    },
    close: async () => void (await Promise.all(worlds.map(({ app }) => app.close()))),
  }
}
