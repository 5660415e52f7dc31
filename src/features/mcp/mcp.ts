/** Offers every operation to models, through the same kernel as everyone else. */
import type { Bound, Kernel } from '../../platform/kernel.ts'
import { createEndpoint, type Endpoint } from '../../platform/mcp/endpoint.ts'
import type { Feature } from '../ctx.ts'
import type { Tables } from '../tables.ts'
import { mcpRoutes } from './api.ts'

export type McpFeatureOptions = {
  readonly version: string
  /** The operations of all features. */
  readonly operations: readonly Bound<Tables>[]
  /** Asked for at the first request: the kernel is made of the features, this one among them. */
  readonly kernel: () => Kernel<Tables>
}

export const mcpFeature = ({ version, operations, kernel }: McpFeatureOptions): Feature => {
  let endpoint: Endpoint | undefined
  return {
    operations: [],
    routes: [
      {
        route: mcpRoutes.call,
        handler: async ({ caller, log, signal, requestId, client }, request) => {
          endpoint ??= createEndpoint({ version, operations, kernel: kernel() })
          return endpoint(request, { caller, log, signal, requestId, client })
        },
      },
    ],
  }
}
