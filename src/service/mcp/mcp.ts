/** Offers every operation to AI models, through the same kernel as all surfaces. */

import type { Config } from '../../base/config/config.ts'
import type { AppError } from '../../contract/errors.ts'
import type { Db } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import { loadDescriberForTools } from '../../inventory/custom-fields/described.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Bound } from '../../kernel/context.ts'
import type { Feature } from '../../kernel/ctx.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Permission } from '../../kernel/operation.ts'
import type { Identify } from '../../kernel/request.ts'
import { createPlans, selectPlanned } from '../../proposals/plans/plans.ts'
import type { Endpoint } from '../../surfaces/mcp/endpoint.ts'
import type { ResourceKind } from '../../surfaces/mcp/resources.ts'
import { mcpRoutes } from './api.ts'
import { PROMPTS } from './prompts.ts'

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
  /** Called at the first request, because the kernel is created from the features, this one included. */
  readonly kernel: () => Kernel<Tables>
  /** Undefined without OAuth. */
  readonly mcpAuthenticator: McpAuthenticator | undefined
}

type McpAuthenticator = {
  readonly identify: Identify
  readonly insufficientScope: (caller: Caller, permissions: readonly Permission[]) => AppError
}

export const mcpFeature = (options: McpFeatureOptions): Feature => {
  const { version, config, db, now, operations, kernel, mcpAuthenticator } = options
  const issuer = config.mcpOauthIssuerUrl === undefined ? undefined : new URL(config.mcpOauthIssuerUrl).origin
  // Evaluated now, so that an operation that can't be planned stops the server at the start.
  const planned = selectPlanned(operations)
  const open = async (): Promise<Endpoint> => {
    // Imported at the first request: it would take a sixth of the start time.
    const { createEndpoint } = await import('../../surfaces/mcp/endpoint.ts')
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
        handler: async (ctx, request) => {
          const { caller, rights, readPoint, log, signal, requestId, client } = ctx
          opening ??= open()
          const endpoint = await opening
          const lacking: Permission[] = []
          const insufficientScope = (permissions: readonly Permission[]) => void lacking.push(...permissions)
          const describeCustom = () => loadDescriberForTools(ctx)
          const call = { caller, rights, readPoint, log, signal, requestId, client, describeCustom, insufficientScope }
          const response = await endpoint(request, call)
          // Thrown, not returned: the client must see the 403, and the model must not.
          if (mcpAuthenticator && lacking.length > 0) throw mcpAuthenticator.insufficientScope(caller, lacking)
          return response
        },
      },
    ],
  }
}
