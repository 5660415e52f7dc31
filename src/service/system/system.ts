/** Health, readiness and the capabilities of the server. */

import type { Config } from '../../base/config/config.ts'
import type { Metrics } from '../../base/runtime/metrics.ts'
import { AppError } from '../../contract/errors.ts'
import type { DatabaseHost } from '../../database/database-host.ts'
import { MAX_HEATMAP } from '../../inventory/pools/free-space.ts'
import { MAX_BULK_OPERATIONS } from '../../kernel/bulk/bulk.ts'
import { type Ctx, type DbScope, type Feature, implement } from '../../kernel/ctx.ts'
import { listValues } from '../../kernel/list.ts'
import type { SessionStore } from '../../people/sessions/store.ts'
import { DEFAULT_MAX_BODY_BYTES } from '../../surfaces/http/body/body.ts'
import { type Readiness, system, systemRoutes } from './api.ts'
import { createWarningsJob, findListedWarnings, type WarningSources } from './warnings.ts'

type Deps = {
  /** Returns the providers of single sign-on that are enabled. */
  readonly signInProviders: (scope: DbScope) => Promise<readonly unknown[]>
  readonly config: Config
  readonly version: string
  /** The time of the scheduler's last tick, in ms since the epoch. */
  readonly lastTick: () => number
  readonly metrics: Metrics
  readonly sessions: Pick<SessionStore, 'server'>
  /** True after the process was asked to stop. */
  readonly isStopping: () => boolean
  /** Returns the sources of warnings of all features. */
  readonly warningSources: WarningSources
}

/** A scheduler without a tick for this long counts as dead. */
const SCHEDULER_SILENCE_MS = 60_000

type Check = Readiness['checks']['database']

/** @example 'primary db2:5432, 2 standbys'; undefined for a single host */
const formatHosts = (hosts: readonly DatabaseHost[]): string | undefined => {
  if (hosts.length < 2) return undefined
  const standbys = hosts.filter(({ role }) => role === 'standby').length
  const primary = hosts.find(({ role }) => role === 'primary')?.host ?? 'unknown'
  return `primary ${primary}, ${standbys} standby${standbys === 1 ? '' : 's'}`
}

const checkDatabase = async (ctx: Ctx): Promise<Check> => {
  try {
    await ctx.store.ping()
  } catch (error) {
    // A database that refuses writes gives the reason, which is already logged.
    if (error instanceof AppError) return { status: 'unhealthy', message: error.message }
    ctx.log.warn('the database does not answer', { error })
    return { status: 'unhealthy', message: 'the database does not answer' }
  }
  const open = ctx.store.connections()
  if (open === 0) return { status: 'unhealthy', message: 'no open connections' }
  return { status: 'healthy', message: formatHosts(ctx.store.hosts()) ?? `${open} open connections` }
}

const checkScheduler = (ctx: Ctx, lastTick: number): Check => {
  const silenceMs = Date.parse(ctx.now) - lastTick
  return silenceMs < SCHEDULER_SILENCE_MS
    ? { status: 'healthy', message: 'ticking' }
    : { status: 'unhealthy', message: `no tick for ${Math.round(silenceMs / 1000)} s` }
}

/** Returns undefined if the sessions are in the database. */
const checkSessions = async ({ server }: Pick<SessionStore, 'server'>): Promise<Check | undefined> => {
  if (!server) return undefined
  const failure = await server.check()
  return failure
    ? { status: 'unhealthy', message: `${failure.message}: ${failure.advice}` }
    : { status: 'healthy', message: 'answers, and accepts writes' }
}

const checkReadiness = async (ctx: Ctx, { lastTick, isStopping, sessions: store }: Deps): Promise<Readiness> => {
  const scheduler: Check = isStopping()
    ? { status: 'unhealthy', message: 'the process is stopping' }
    : checkScheduler(ctx, lastTick())
  const [database, sessions] = await Promise.all([checkDatabase(ctx), checkSessions(store)])
  const checks = { database, scheduler, ...(sessions && { sessions }) }
  const isHealthy = Object.values(checks).every(({ status }) => status === 'healthy')
  return { status: isHealthy ? 'healthy' : 'unhealthy', timestamp: ctx.now, checks }
}

export const systemFeature = (deps: Deps): Feature => ({
  operations: implement(system, {
    config: async (ctx) => ({
      version: deps.version,
      features: {
        secrets: deps.config.encryptionKey !== undefined,
        oauth: deps.config.mcpOauthEnabled,
        audit: deps.config.auditEnabled,
        private_targets: deps.config.ssrfAllowPrivateTargets,
        // The answer equals the answer of servers without single sign-on if there is no provider.
        ...((await deps.signInProviders(ctx)).length > 0 && { sso: true }),
      },
      limits: {
        max_body_bytes: DEFAULT_MAX_BODY_BYTES,
        max_bulk_operations: MAX_BULK_OPERATIONS,
        max_heatmap_addresses: MAX_HEATMAP,
        max_rows_in_browser: deps.config.webMaxRows,
      },
      mcp_url: deps.config.mcpOauthEnabled ? `${deps.config.mcpOauthIssuerUrl}/mcp` : '',
      public_url: deps.config.publicUrl ?? '',
    }),
    warnings: async (ctx, page) => listValues(await findListedWarnings(ctx, deps.warningSources), page),
  }),
  jobs: [createWarningsJob(deps.warningSources)],
  routes: [
    {
      route: systemRoutes.healthz,
      handler: async () => new Response('ok', { headers: { 'Content-Type': 'text/plain; charset=utf-8' } }),
    },
    {
      route: systemRoutes.metrics,
      handler: async () =>
        new Response(deps.metrics.text(), {
          headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' },
        }),
    },
    {
      route: systemRoutes.readyz,
      handler: async (ctx) => {
        const answer = await checkReadiness(ctx, deps)
        return Response.json(answer, {
          status: answer.status === 'healthy' ? 200 : 503,
          headers: { 'Cache-Control': 'no-store' },
        })
      },
    },
  ],
})
