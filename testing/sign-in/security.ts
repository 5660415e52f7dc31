import { afterAll, afterEach, beforeAll, expect } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { createPasswords } from '../../src/base/security/passwords.ts'
import { type TestApp, type TestCaller, type TestOptions, testApp } from '../app/app.ts'
import { type ServerChild, type ServerFolder, serverFolder } from '../app/server-child.ts'

export const ORIGIN = 'http://plat.test'
export const START = Date.parse('2026-01-02T03:04:05.000Z')
export const QUICK = 'quick to check'
export const SLOW_TEST_MS = 60_000

/** Hashes at the lowest cost, for tests that sign in. */
const quickPasswords = () => ({ passwords: createPasswords({ cost: 4 }) })

/** One app with an audit trail for a suite, and its admin. Each getter throws before the suite has started. */
export const auditedSuite = () => {
  let parts: { readonly app: TestApp; readonly admin: TestCaller } | undefined
  const started = () => {
    if (parts === undefined) throw new Error('the suite has not started')
    return parts
  }
  beforeAll(async () => {
    const app = await testApp({ env: { AUDIT_ENABLED: 'true' }, ...quickPasswords() })
    parts = { app, admin: await app.as('admin') }
  })
  afterAll(() => parts?.app.close())
  return {
    get app() {
      return started().app
    },
    get admin() {
      return started().admin
    },
  }
}

/**
 * Starts apps and servers for one test each, and closes them after it. Called at the top level of a test file.
 */
export const perTest = () => {
  const open: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of open.splice(0)) await close()
  })

  /** Creates an app for one test. */
  const appFor = async (options: TestOptions = {}): Promise<TestApp> => {
    const app = await testApp(options)
    open.push(app.close)
    return app
  }
  const quickApp = (options: TestOptions = {}) => appFor({ ...quickPasswords(), ...options })

  /** Creates a separate server with an empty data folder, for one test. */
  const folderFor = async (settings: Readonly<Record<string, string>> = {}): Promise<ServerFolder> => {
    const folder = await serverFolder({ RATE_LIMIT_ENABLED: 'false', ...settings })
    open.push(folder.remove)
    return folder
  }
  return { appFor, quickApp, folderFor }
}

export const loginTo = ({ guest }: TestApp, username: string, password: string) =>
  guest('POST', '/api/auth/login', { username, password })

/** Sends requests with a session cookie, by default with the header that the CSRF check requires. */
export const inSession = (
  app: TestApp,
  cookie: string,
  headers = { 'X-Requested-With': 'XMLHttpRequest' } as object,
) => {
  return (method: string, path: string, body?: unknown) => app.guest(method, path, body, { Cookie: cookie, ...headers })
}

const Made = z.object({ id: z.string() })
export const madeBy = async (response: Response): Promise<string> => {
  expect(response.status).toBe(201)
  return Made.parse(await response.json()).id
}

/** Searches every file of a data folder for a text. */
export const isStored = (dir: string, text: string): boolean =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    // A reserve of disk space, of random bytes.
    .filter((entry) => entry.isFile() && entry.name !== 'plat.ballast')
    .some((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(text))

export const p99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN

export const timed = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
  const startedAt = performance.now()
  const result = await work()
  return [result, performance.now() - startedAt]
}

export const jsonTo = (
  { url }: ServerChild,
  { key }: ServerFolder,
  http: string,
  body?: object | string,
): Promise<Response> => {
  const [method = 'GET', path = '/'] = http.split(' ')
  return fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}
