/** Offers every operation to models, through the same kernel as everyone else. */

import type { AppError } from '../../platform/contract/errors.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Endpoint } from '../../platform/mcp/endpoint.ts'
import type { ResourceKind } from '../../platform/mcp/resources.ts'
import type { Caller } from '../../platform/operation/caller.ts'
import type { Bound } from '../../platform/operation/context.ts'
import type { Kernel } from '../../platform/operation/kernel.ts'
import type { Permission } from '../../platform/operation/operation.ts'
import type { Identify } from '../../platform/operation/request.ts'
import type { Config } from '../../platform/runtime/config/config.ts'
import type { Ctx, Feature } from '../ctx.ts'
import type { Tables } from '../tables.ts'
import { mcpRoutes } from './api.ts'
import * as planStore from './plan-store.ts'
import { createPlans, plannedOf } from './plans.ts'
import { PROMPTS } from './prompts.ts'

const PURGE_MS = 10 * 60 * 1000
/** So long after its end a plan still says why it can't be applied any more. */
const KEPT_MS = 60 * 60 * 1000

const RESOURCES: readonly ResourceKind[] = [
  { name: 'device', description: 'A device', prefix: 'plat://device/', operation: 'devices.get' },
  { name: 'network', description: 'A network', prefix: 'plat://network/', operation: 'networks.get' },
]

export type McpFeatureOptions = {
  readonly version: string
  readonly config: Pick<Config, 'mcpOauthIssuerUrl' | 'listenAddr'>
  readonly db: Db<Tables>
  readonly now: () => Date
  /** The operations of all features. */
  readonly operations: readonly Bound<Tables>[]
  /** Asked for at the first request: the kernel is made of the features, this one among them. */
  readonly kernel: () => Kernel<Tables>
  /** Who is let in, where clients come by OAuth. */
  readonly mcpAuthenticator: McpAuthenticator | undefined
}

type McpAuthenticator = {
  readonly identify: Identify
  readonly insufficientScope: (caller: Caller, permissions: readonly Permission[]) => AppError
}

const purge = async (ctx: Ctx): Promise<void> => {
  const before = new Date(Date.parse(ctx.now) - KEPT_MS).toISOString()
  if (await planStore.hasOlder(ctx, before)) await ctx.write((tx) => planStore.removeOlder(tx, before))
}

export const mcpFeature = ({
  version,
  config,
  db,
  now,
  operations,
  kernel,
  mcpAuthenticator,
}: McpFeatureOptions): Feature => {
  const issuer = config.mcpOauthIssuerUrl === undefined ? undefined : new URL(config.mcpOauthIssuerUrl).origin
  // Now, so that an operation that can't be planned keeps the server from starting.
  const planned = plannedOf(operations)
  const open = async (): Promise<Endpoint> => {
    // At the first request, for those who have AI clients: a sixth of the time of a start.
    const { createEndpoint } = await import('../../platform/mcp/endpoint.ts')
    return createEndpoint({
      version,
      operations,
      kernel: kernel(),
      plans: createPlans({ db, kernel: kernel(), planned, now }),
      resources: RESOURCES,
      prompts: PROMPTS,
      origins: { issuer, listensOn: config.listenAddr.hostname },
    })
  }
  let opening: Promise<Endpoint> | undefined
  return {
    operations: [],
    routes: [
      {
        route: mcpRoutes.call,
        ...(mcpAuthenticator && { identify: mcpAuthenticator.identify }),
        handler: async ({ caller, rights, log, signal, requestId, client }, request) => {
          opening ??= open()
          const endpoint = await opening
          const lacking: Permission[] = []
          const insufficientScope = (permissions: readonly Permission[]) => void lacking.push(...permissions)
          const call = { caller, rights, log, signal, requestId, client, insufficientScope }
          const response = await endpoint(request, call)
          // In place of an answer: the client has to see it, and not the model.
          if (mcpAuthenticator && lacking.length > 0) throw mcpAuthenticator.insufficientScope(caller, lacking)
          return response
        },
      },
    ],
    jobs: [
      {
        name: 'plans.purge',
        summary: 'Deletes plans of AI clients that have long expired',
        everyMs: PURGE_MS,
        run: purge,
      },
    ],
  }
}
