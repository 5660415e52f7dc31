/** A REST application with operations and routes of the test, on an empty database, without access checks. */
import { tmpdir } from 'node:os'
import { loadConfig } from '../src/base/config/config.ts'
import { createLogger } from '../src/base/runtime/log.ts'
import { createMetrics } from '../src/base/runtime/metrics.ts'
import { type Caller, GUEST } from '../src/kernel/caller.ts'
import { NO_AUDIT } from '../src/kernel/changes/audit.ts'
import { NO_HISTORY } from '../src/kernel/changes/history.ts'
import type { Bound, BoundRaw, ForeignApi } from '../src/kernel/context.ts'
import { NO_EVENTS } from '../src/kernel/event-recorder.ts'
import { createKernel } from '../src/kernel/kernel.ts'
import type { AnyOperation, RawRoute } from '../src/kernel/operation.ts'
import { createSpoolSpace } from '../src/surfaces/http/answer/spool.ts'
import { createStreams, streamLimits } from '../src/surfaces/http/answer/streams.ts'
import { createApp } from '../src/surfaces/http/app.ts'
import { createGuard } from '../src/surfaces/http/guard.ts'
import { getSecurityHeaders } from '../src/surfaces/http/headers.ts'
import { createHostCheck } from '../src/surfaces/http/request-host.ts'
import { emptyDatabase } from './servers/database.ts'

export const ORIGIN = 'http://plat.test'

const EVERYBODY: Caller = { ...GUEST, userId: 'someone', username: 'someone', via: 'key' }

export type SmallFeature = {
  readonly operations?: readonly Bound<object>[]
  readonly routes?: readonly BoundRaw<object>[]
  readonly foreignApi?: ForeignApi
}

export const bound = (op: AnyOperation, handler: Bound<object>['handler']): Bound<object> => ({ op, handler })
export const boundRaw = (route: RawRoute, handler: BoundRaw<object>['handler']): BoundRaw<object> => ({
  route,
  handler,
})

export const smallApp = async ({ operations = [], routes = [], foreignApi }: SmallFeature) => {
  const { db, close } = await emptyDatabase<object>('sqlite')
  const entries: string[] = []
  const log = createLogger({ level: 'debug', format: 'text', write: (entry) => entries.push(entry) })
  const features = [{ operations, routes, ...(foreignApi && { foreignApi }) }]
  const kernel = createKernel({
    db,
    features,
    now: () => new Date(),
    log,
    onCommit: () => {},
    audit: NO_AUDIT,
    history: NO_HISTORY,
    events: NO_EVENTS,
  })
  const identify = async () => ({ caller: EVERYBODY, isAmbient: false })
  const config = loadConfig({ env: { RATE_LIMIT_ENABLED: 'false' }, cwd: '/nowhere' })
  const guard = createGuard({ config, metrics: createMetrics(), now: () => new Date(), limitStore: undefined, log })
  const streams = createStreams({ limits: streamLimits(config), log, space: createSpoolSpace({ folder: tmpdir() }) })
  const app = createApp({
    kernel,
    features,
    identify,
    guard,
    log,
    streams,
    checkHost: createHostCheck([]),
    headers: getSecurityHeaders(config),
  })
  return {
    fetch: app.fetch,
    /** The logged text, one entry per line. */
    entries,
    request: async (http: string, init: RequestInit = {}): Promise<Response> => {
      const [method = 'GET', path = '/'] = http.split(' ')
      return app.fetch(new Request(ORIGIN + path, { ...init, method }))
    },
    close: async () => {
      streams.close()
      guard.stop()
      await close()
    },
  }
}
export type SmallApp = Awaited<ReturnType<typeof smallApp>>
