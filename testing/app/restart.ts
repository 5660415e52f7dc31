/** Starts a Plat on the database of a running one, like a restart with other settings. */
import { compose, type Plat } from '../../src/app/compose.ts'
import type { Config } from '../../src/base/config/config.ts'
import { createLogger, type Logger } from '../../src/base/runtime/log.ts'
import type { TestApp, TestCaller } from './app.ts'

export type Restarted = {
  readonly plat: Plat
  /** Sends a request as a caller of the first one. */
  readonly request: (caller: TestCaller, method: string, path: string, body?: unknown) => Promise<Response>
  /** Leaves the database open. */
  readonly close: () => Promise<void>
}

const quiet = createLogger({ level: 'error', format: 'text', write: () => {} })

/** @throws the errors of the start */
export const restart = async (app: TestApp, settings: Partial<Config>, log: Logger = quiet): Promise<Restarted> => {
  const context = { config: { ...app.config, ...settings }, log, now: () => new Date() }
  const nothing = async () => {}
  const plat = await compose(context, { db: app.db, maintain: nothing, close: nothing })
  const request: Restarted['request'] = async ({ key }, method, path, body) =>
    plat.fetch(
      new Request(`http://plat.test${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
  return { plat, request, close: plat.close }
}
