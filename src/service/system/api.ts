/** The system contract: liveness, readiness and capabilities. Browser-safe. */
import { z } from 'zod'
import { Page } from '../../contract/fields/fields.ts'
import { operation, rawRoute } from '../../kernel/operation.ts'

const Check = z.object({ status: z.enum(['healthy', 'unhealthy']), message: z.string() })

export const Readiness = z
  .object({
    status: z.enum(['healthy', 'unhealthy']),
    timestamp: z.string(),
    checks: z.object({
      database: Check,
      scheduler: Check,
      sessions: Check.optional().describe('The Valkey server of the sessions; only with SESSION_STORE_TYPE=valkey'),
    }),
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
    public_url: z.string().describe('The address under which browsers reach Plat: PUBLIC_URL; empty without it'),
  })
  .meta({ id: 'Config' })

export const Warning = z
  .object({
    kind: z.string().describe('The rule, such as `provider_links_by_email`'),
    resource: z.string().describe('The resource of the object'),
    id: z.string(),
    name: z.string(),
    message: z.string().describe('What is wrong with the object, and what to do'),
  })
  .meta({ id: 'Warning' })

export const system = {
  config: operation({
    name: 'system.config',
    summary: 'Show the version, features and limits of the server',
    http: 'GET /api/config',
    access: 'authenticated',
    skipsConsent: true,
    beforeSetup: true,
    cli: { command: 'server-info' },
    input: () => z.object({}),
    output: ServerConfig,
  }),
  warnings: operation({
    name: 'system.warnings',
    summary: 'List stored objects that the rules of this version would refuse',
    description:
      'Needs the permission to change users. Each warning also needs the permission to list the resource of its object. At most 100 of one kind.',
    http: 'GET /api/system/warnings',
    access: 'users:update',
    cli: { command: 'system warnings' },
    input: () => z.object(Page),
    output: z.array(Warning),
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
  estateMetrics: rawRoute({
    name: 'system.estate-metrics',
    summary: 'Show the metrics of the estate in the Prometheus text format',
    description: 'At most 15 seconds old. They are apart from those of the server, because large estates have many.',
    http: 'GET /metrics/estate',
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
