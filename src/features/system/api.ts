/** The system contract: liveness, readiness and capabilities. Browser-safe. */
import { z } from 'zod'
import { operation, rawRoute } from '../../platform/operation/operation.ts'

const Check = z.object({ status: z.enum(['healthy', 'unhealthy']), message: z.string() })

export const Readiness = z
  .object({
    status: z.enum(['healthy', 'unhealthy']),
    timestamp: z.string(),
    checks: z.object({ database: Check, scheduler: Check }),
  })
  .meta({ id: 'Readiness' })
export type Readiness = z.infer<typeof Readiness>

export const ServerConfig = z
  .object({
    version: z.string(),
    features: z.record(z.string(), z.boolean()),
    limits: z.record(z.string(), z.number()),
    mcp_url: z
      .string()
      .describe('The address of /mcp for AI clients; empty without OAuth, whose configuration has the address'),
  })
  .meta({ id: 'Config' })

export const system = {
  config: operation({
    name: 'system.config',
    summary: 'Show the version, features and limits of the server',
    http: 'GET /api/config',
    access: 'authenticated',
    needsNoConsent: true,
    beforeSetup: true,
    cli: { command: 'server-info' },
    input: () => z.object({}),
    output: ServerConfig,
  }),
}

export const systemRoutes = {
  healthz: rawRoute({
    name: 'system.healthz',
    summary: 'Report that the process answers',
    http: 'GET /healthz',
    access: 'public',
    isProbe: true,
    produces: 'text/plain',
  }),
  metrics: rawRoute({
    name: 'system.metrics',
    summary: 'Show the metrics in the Prometheus text format',
    http: 'GET /metrics',
    access: 'metrics:read',
    produces: 'text/plain; version=0.0.4',
  }),
  readyz: rawRoute({
    name: 'system.readyz',
    summary: 'Report if the server is ready; 503 if not',
    http: 'GET /readyz',
    access: 'public',
    isProbe: true,
    output: Readiness,
  }),
}
