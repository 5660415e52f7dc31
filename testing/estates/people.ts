/** Creates an app and users who send requests, for tests of accounts. */
import { afterAll, beforeAll } from 'bun:test'
import type { Dialect } from '../servers/servers.ts'
import { type SignInApp, type SignInOptions, signInApp } from '../sign-in/sign-in.ts'
import { createRole, createUser, keyFor } from './identities.ts'

/** The first suite on PostgreSQL waits for the server to start. */
const START_TIMEOUT_MS = 60_000

/** The password of all users here; its hash is fast. */
export const QUICK = 'quick to check'

export type Answer = { readonly status: number; readonly body: unknown; readonly headers: Headers }

export type Person = {
  readonly id: string
  readonly username: string
  readonly key: string
  /** Sends `GET /api/...` with the key. */
  readonly ask: (http: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>
}

export type Who = {
  /** Names or ids. */
  readonly roles?: readonly string[]
  /** Held through a separate role. */
  readonly permissions?: readonly string[]
  readonly username?: string
  readonly isActive?: boolean
}

export type People = {
  readonly app: SignInApp
  readonly admin: Person
  readonly person: (who?: Who) => Promise<Person>
  /** Returns the person with another API key or OAuth token. */
  readonly with: (person: Person, key: string) => Person
  /** Creates a separate role with these permissions. */
  readonly role: (...permissions: string[]) => Promise<{ readonly id: string; readonly name: string }>
}

export const answerOf = async (response: Response): Promise<Answer> => {
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers }
}

/** Starts an app with an admin before the tests of the surrounding `describe`, and closes it after them. */
export const people = (
  dialect: Dialect,
  options: () => SignInOptions | Promise<SignInOptions> = () => ({}),
): People => {
  let app: SignInApp | undefined
  let admin: Person | undefined
  let count = 0

  const started = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('the app of a suite is there in its tests')
    return value
  }
  const role = async (...permissions: string[]) => {
    const name = `Role ${++count}`
    return { ...(await createRole(started(app).db, { name, permissions })), name }
  }
  const withKey = ({ id, username }: Pick<Person, 'id' | 'username'>, key: string): Person => {
    const { send } = started(app)
    const ask: Person['ask'] = async (http, body, headers = {}) => answerOf(await send(http, { key, body, headers }))
    return { id, username, key, ask }
  }
  const person = async ({ roles = [], permissions, username = `user-${++count}`, isActive = true }: Who = {}) => {
    const { db } = started(app)
    const all = permissions ? [...roles, (await role(...permissions)).id] : roles
    const { id } = await createUser(db, { username, roles: all, password: QUICK, isActive })
    return withKey({ id, username }, await keyFor(db, id))
  }

  beforeAll(async () => {
    app = await signInApp(dialect, await options())
    admin = await person({ roles: ['admin'], username: 'root' })
  }, START_TIMEOUT_MS)
  afterAll(() => app?.close(), START_TIMEOUT_MS)

  return {
    get app() {
      return started(app)
    },
    get admin() {
      return started(admin)
    },
    person,
    with: withKey,
    role,
  }
}
