/** The NetBox API of a whole Plat in this process, called with an API key. */
import { type TestApp, type TestCaller, testApp } from '../app/app.ts'
import type { Dialect } from '../servers/servers.ts'

export type Answer = { readonly status: number; readonly body: unknown }

export type Door = {
  readonly app: TestApp
  readonly api: TestCaller['api']
  readonly send: (method: string, path: string, body?: unknown, key?: string) => Promise<Answer>
  readonly get: (path: string) => Promise<Answer>
  readonly post: (path: string, body: unknown) => Promise<Answer>
  readonly put: (path: string, body: unknown) => Promise<Answer>
  readonly patch: (path: string, body: unknown) => Promise<Answer>
  readonly delete: (path: string, body?: unknown) => Promise<Answer>
  readonly close: () => Promise<void>
}

export const openDoor = async (dialect: Dialect, env: Readonly<Record<string, string>> = {}): Promise<Door> => {
  const app = await testApp({ dialect, env })
  const { api, key: admin } = await app.as('admin')
  const send = async (method: string, path: string, body?: unknown, key = admin): Promise<Answer> => {
    const headers = { Authorization: `Token ${key}`, 'Content-Type': 'application/json' }
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const answer = await app.plat.fetch(new Request(`http://localhost/netbox/api/${path}`, init), {
      peer: () => '192.0.2.9',
    })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  return {
    ...{ app, api, send },
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body),
    put: (path, body) => send('PUT', path, body),
    patch: (path, body) => send('PATCH', path, body),
    delete: (path, body) => send('DELETE', path, body),
    close: app.close,
  }
}
