/** Starts a second Plat on the PostgreSQL database of a running one, with separate connections, like another server. */
import { type ComposeOptions, compose, openDatabase, type Plat } from '../../src/app/compose.ts'
import type { Config } from '../../src/base/config/config.ts'
import { createLogger, type Logger } from '../../src/base/runtime/log.ts'
import type { TestApp } from '../app/app.ts'

const quiet = createLogger({ level: 'error', format: 'text', write: () => {} })

export type Instance = {
  readonly plat: Plat
  readonly fetch: (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: unknown,
  ) => Promise<Response>
  readonly close: () => Promise<void>
}

type Options = ComposeOptions & {
  readonly settings?: Partial<Config>
  readonly log?: Logger
  readonly now?: () => Date
}

/** Sends a request as it would come through a socket. */
export const fetchFrom =
  ({ fetch }: Pick<Plat, 'fetch'>): Instance['fetch'] =>
  async (method, path, headers, body) =>
    fetch(
      new Request(`http://plat.test${path}`, {
        method,
        headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )

export const instanceBeside = async (
  { config }: Pick<TestApp, 'config'>,
  { settings = {}, log = quiet, now = () => new Date(), ...options }: Options = {},
): Promise<Instance> => {
  const context = { config: { ...config, ...settings }, log, now }
  const plat = await compose(context, await openDatabase(context), options)
  return { plat, fetch: fetchFrom(plat), close: plat.close }
}
