/** The NetBox API: what the tools for NetBox read and write in Plat. */
import type { Config } from '../base/config/config.ts'
import type { Tables } from '../database/tables.ts'
import type { Bound } from '../kernel/context.ts'
import type { Feature } from '../kernel/ctx.ts'
import type { Identify } from '../kernel/request.ts'
import { describedRoutes, ENDPOINTS, netboxRoutes } from './api.ts'
import { bindRoute, type Handle } from './door/call.ts'
import { createKeyIdentify } from './door/credentials.ts'
import { describeError } from './door/errors.ts'
import { createApplicationHandler, createRootHandler } from './door/root.ts'
import { API_PATH } from './door/route.ts'
import { API_VERSION, createStatusHandler } from './door/status.ts'
import { createEndpointHandlers } from './handlers.ts'
import { createSchemaHandler } from './schema/document.ts'
import { createRunner } from './write/run-operation.ts'

export type NetboxOptions = {
  readonly config: Pick<Config, 'netboxApiHosts' | 'publicUrl'>
  readonly identify: Identify
  readonly version: string
  /** The operations that write objects. */
  readonly operations: readonly Bound<Tables>[]
}

const createHandlers = ({ version, operations }: NetboxOptions): ReadonlyMap<string, Handle> =>
  new Map([
    ['netbox.get', createRootHandler(describedRoutes)],
    ['netbox.get-schema', createSchemaHandler(describedRoutes)],
    ['netbox.get-status', createStatusHandler(version)],
    ...createEndpointHandlers(createRunner(operations)),
    ...[...ENDPOINTS].map(([name, some]) => [`netbox.get-${name}`, createApplicationHandler(name, some)] as const),
  ])

export const netboxFeature = (options: NetboxOptions): Feature => {
  const { config, identify } = options
  const handlers = createHandlers(options)
  const call = { identify: createKeyIdentify(identify), publicUrl: config.publicUrl }
  return {
    operations: [],
    foreignApi: {
      path: API_PATH,
      hosts: config.netboxApiHosts,
      hostPath: '/api',
      headers: { 'API-Version': API_VERSION },
      describeError,
    },
    routes: netboxRoutes.map((route) => {
      const handle = handlers.get(route.name)
      if (!handle) throw new Error(`${route.name} has no handler`)
      return bindRoute(route, handle, call)
    }),
  }
}
