/** The composition root: configuration -> database -> features -> HTTP and jobs. No logic. */
import { join } from 'node:path'
import type { Config } from '../base/config/config.ts'
import type { Logger } from '../base/runtime/log.ts'
import { createMetrics } from '../base/runtime/metrics.ts'
import { getTemporaryFolder } from '../base/runtime/unnamed-file.ts'
import { openValkey } from '../base/runtime/valkey.ts'
import { VERSION } from '../base/runtime/version.ts'
import { createOutbound, type Outbound } from '../base/security/outbound.ts'
import { createNamedTargetRules, createTargetRules } from '../base/security/outbound-target.ts'
import { computePasswordWaitMs, createPasswords, type Passwords } from '../base/security/passwords.ts'
import { AppError } from '../contract/errors.ts'
import type { Db } from '../database/database.ts'
import { DATA_FILE, openDataFolder } from '../database/disk/data-folder.ts'
import { DataLockedError } from '../database/disk/data-lock.ts'
import { MigrationError, migrate } from '../database/migrate.ts'
import { migrations } from '../database/migrations/index.ts'
import { PROGRAM } from '../database/migrations/program.ts'
import { formatProgramName } from '../database/postgres/connections/program-name.ts'
import { UnsuitableServerError } from '../database/postgres/connections/unsuitable-server.ts'
import { openSqlite } from '../database/sqlite/sqlite.ts'
import type { Tables } from '../database/tables.ts'
import { LISTENING, type Listening } from '../discovery/listening/listener.ts'
import { createDnsConnector, type DnsConnector } from '../dns/client/connector.ts'
import { getPacks, type Packs } from '../exchange/packs/files.ts'
import type { Job } from '../kernel/context.ts'
import { createJobLeases } from '../kernel/jobs/job-leases.ts'
import { startScheduler } from '../kernel/jobs/jobs.ts'
import { createKernel, type Kernel } from '../kernel/kernel.ts'
import { createRequirement, warnOfUnknownRoles } from '../people/factors/requirement.ts'
import { createKeyUses, type KeyUses } from '../people/keys/uses.ts'
import { scopeEnforcer } from '../people/scopes/enforcer.ts'
import { createCredentialCheck } from '../people/sessions/credential-check.ts'
import { createIdentify } from '../people/sessions/identify.ts'
import { openSessionStore } from '../people/sessions/open-store.ts'
import type { SessionStore } from '../people/sessions/store.ts'
import { warnWithoutBreakGlass } from '../people/users/break-glass.ts'
import { ensureFirstAdmin, type FirstAdmin } from '../people/users/first-admin.ts'
import { updateLooks } from '../people/users/usernames.ts'
import { withFutures } from '../proposals/future/futures.ts'
import { openTrail } from '../record/audit/trail.ts'
import { eventRecorder } from '../record/events/record.ts'
import { openHistory } from '../record/history/history.ts'
import { sealStoredHeaders } from '../record/webhooks/seal-headers.ts'
import { startScan } from '../scanner/process.ts'
import { openSecrets } from '../secrets/secrets/open-secrets.ts'
import { createPopulation } from '../service/system/gauges.ts'
import { addProcessMetrics } from '../service/system/process-metrics.ts'
import { createSpoolSpace, type SpoolOptions } from '../surfaces/http/answer/spool.ts'
import { createStreams, type StreamLimits, streamLimits } from '../surfaces/http/answer/streams.ts'
import { type App, createApp } from '../surfaces/http/app.ts'
import { createGuard } from '../surfaces/http/guard.ts'
import { getSecurityHeaders } from '../surfaces/http/headers.ts'
import { createHostCheck } from '../surfaces/http/request-host.ts'
import { createFeatures } from './handlers.ts'

export type Process = { readonly config: Config; readonly log: Logger; readonly now: () => Date }

/** Returns the path of the data file of a configuration without DATABASE_URL. */
export const getDataFile = (config: Config): string => join(config.dataDir, DATA_FILE)

export type OpenDatabase = {
  readonly db: Db<Tables>
  /** Called every minute: maintains the disk space of the data. */
  readonly maintain: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Maximum wait of a request for the shared rate limit. */
const LIMIT_PATIENCE_MS = 300

const nothingToMaintain = async (): Promise<void> => {}

/** Opens the database for a short command, even beside a running server. @throws as `openDatabase` */
export const openDatabaseBeside = async (context: Process): Promise<OpenDatabase> => {
  try {
    return await openDatabase(context)
  } catch (error) {
    if (!(error instanceof DataLockedError)) throw error
    const db = openSqlite<Tables>(getDataFile(context.config))
    return { db, maintain: nothingToMaintain, close: db.close }
  }
}

/** Adds the message of the server or the client, which the person who starts Plat may read. */
const addCause = (error: unknown): unknown =>
  error instanceof AppError && error.cause instanceof Error
    ? new AppError(error.code, `${error.message} (${error.cause.message})`, { cause: error.cause })
    : error

/** Opens the configured database and migrates it to this program's schema. */
export const openDatabase = async ({ config, log, now }: Process): Promise<OpenDatabase> => {
  if (config.databaseUrl !== undefined) {
    const { databaseConnections: connections, databaseStatementTimeoutMs: statementMs } = config
    const lockMs = config.databaseLockTimeoutMs
    const { openPostgres } = await import('../database/postgres/postgres.ts')
    const db = openPostgres<Tables>(
      config.databaseUrl,
      { connections, statementMs, lockMs },
      { name: formatProgramName(PROGRAM), log, reads: config.databaseReads },
    )
    const onNewer = () => log.warn('the database is of a newer Plat; this one works on it until it is replaced')
    const open = async (): Promise<string[]> => {
      await db.cluster?.requirePrimary()
      return migrate(db, { migrations, now, onNewer })
    }
    const applied = await open().catch(async (error: unknown) => {
      await db.close()
      // A start that is repeated would not succeed either.
      throw error instanceof UnsuitableServerError
        ? new MigrationError(error.message, { cause: error })
        : addCause(error)
    })
    if (applied.length > 0) log.info('database migrated', { applied })
    return { db, maintain: nothingToMaintain, close: db.close }
  }
  return openDataFolder<Tables>({ dataDir: config.dataDir, migrations, now, log })
}

export type Plat = {
  readonly db: Db<Tables>
  readonly passwords: Passwords
  readonly sessions: SessionStore
  readonly keyUses: KeyUses
  readonly fetch: App['fetch']
  /** Settles when there is a user. A hash takes a second, during which requests are answered already. */
  readonly firstAdmin: Promise<FirstAdmin | undefined>
  /** Runs a job at once, independent of its timer. */
  readonly runJob: (name: string) => Promise<void>
  /** Makes readiness checks fail from now on. */
  readonly startDraining: () => void
  /** Closes responses that would not end by themselves. */
  readonly closeStreams: () => void
  readonly close: () => Promise<void>
}

export type ComposeOptions = {
  readonly passwords?: Passwords
  readonly outbound?: Outbound
  readonly providerOutbound?: Outbound
  readonly dns?: DnsConnector
  readonly startScan?: typeof startScan
  readonly listening?: Listening
  /** Replaces the packs of the program. */
  readonly packs?: () => Packs
  /** Replaces the bounds of long answers. */
  readonly streams?: Partial<StreamLimits> & Pick<Partial<SpoolOptions>, 'mostBytes'>
  /** See `KernelOptions`. */
  readonly checksLockOrder?: boolean
  /** False creates no first user. */
  readonly withFirstAdmin?: boolean
  /** False runs jobs only by `runJob`. */
  readonly withJobs?: boolean
}

/** Assembles the whole product on an open database, without a socket. */
export const compose = async (
  { config, log, now }: Process,
  { db, maintain, close }: OpenDatabase,
  {
    outbound,
    providerOutbound,
    dns,
    startScan: start = startScan,
    listening = LISTENING,
    packs = getPacks,
    streams: bounds = {},
    withFirstAdmin = true,
    withJobs = true,
    checksLockOrder = false,
    ...options
  }: ComposeOptions = {},
): Promise<Plat> => {
  const passwords = options.passwords ?? createPasswords({ maxWaitMs: computePasswordWaitMs(config.requestTimeoutMs) })
  const secrets = await openSecrets({ db, config, log })
  await updateLooks(db, log)
  await sealStoredHeaders({ db, secrets, config, log })
  const sessions = openSessionStore({ db, config, log, now })
  const keyUses = createKeyUses(db)
  const audit = await openTrail({ db, config, log, now })
  const history = withFutures(await openHistory(db, now), db)

  const metrics = createMetrics()
  const limitStore =
    config.rateLimitStore === 'valkey'
      ? openValkey({ url: config.valkeyUrl, what: 'rate limit store', log, patienceMs: LIMIT_PATIENCE_MS })
      : undefined
  const guard = createGuard({ config, metrics, now, limitStore, log })
  const population = await createPopulation(db)
  let isStopping = false

  const rules = createTargetRules(config.ssrfAllowPrivateTargets)
  const requirement = createRequirement(config.secondFactorRoles)
  await warnOfUnknownRoles({ db: db.read, roles: config.secondFactorRoles, log })
  const identify = createIdentify({ db, config, sessions, requirement, keyUses, now, log })
  const { features, proposals } = createFeatures({
    identify,
    requirement,
    checkCredentials: createCredentialCheck({ db, sessions, requirement, now }),
    config,
    secrets,
    passwords,
    firstUser: () => firstAdminSettled,
    sessions,
    version: VERSION,
    lastTick: () => scheduler.lastTick(),
    metrics,
    startScan: start,
    listening,
    packs,
    isStopping: () => isStopping,
    kernel: () => kernel,
    db,
    history,
    log,
    now,
    outbound: outbound ?? createOutbound({ rules }),
    providerOutbound:
      providerOutbound ??
      createOutbound({ rules: createNamedTargetRules(rules, { allowsLoopback: config.ssoAllowLoopback }) }),
    dns: dns ?? createDnsConnector({ rules, servers: config.dnsServers }),
  })
  const onCommit = (events: readonly string[]): void => {
    population.onCommit(events)
    for (const feature of features) feature.onCommit?.(events)
    db.notifier?.publish(events)
  }
  db.notifier?.subscribe({
    onChange: (events) => {
      for (const feature of features) feature.onRemoteCommit?.(events)
    },
    onGap: () => {
      for (const feature of features) feature.onNotificationGap?.()
    },
  })
  const kernel: Kernel<Tables> = createKernel({
    ...{
      db,
      features,
      now,
      log,
      onCommit,
      audit,
      history,
      proposals,
      events: eventRecorder,
      areas: scopeEnforcer,
      checksLockOrder,
    },
  })
  const valkeys = { ...(sessions.server && { sessions: sessions.server }), ...(limitStore && { limits: limitStore }) }
  addProcessMetrics({ metrics, db, population, guard, valkeys, now })
  const onEveryInstance = true
  const jobs: readonly Job<Tables>[] = [
    ...features.flatMap((feature) => feature.jobs ?? []),
    {
      name: 'keys.record-uses',
      summary: 'Writes when API keys were last used',
      everyMs: 5_000,
      onEveryInstance,
      run: keyUses.flush,
    },
    {
      name: 'audit.write-counts',
      summary: 'Writes the audit entries that count many refusals',
      everyMs: 1000,
      onEveryInstance,
      run: () => audit.writeCounts(),
    },
    {
      name: 'sessions.purge',
      summary: 'Deletes sessions that have expired',
      everyMs: 600_000,
      run: async (ctx) => {
        await sessions.purge(now(), (work) => ctx.write(({ db: tx }) => work(tx)))
      },
    },
    {
      name: 'metrics.recount',
      summary: 'Counts objects, if other processes write to the same database',
      everyMs: 60_000,
      onEveryInstance,
      run: async () => {
        if (db.engine !== 'sqlite') await population.recount()
      },
    },
    ...Object.entries(valkeys).map(
      ([store, valkey]): Job<Tables> => ({
        name: `valkey.check-${store}`,
        summary: 'Notices that a Valkey server has failed, or is back, also without requests',
        everyMs: 5_000,
        onEveryInstance,
        run: async () => {
          await valkey.check()
        },
      }),
    ),
    {
      name: 'disk.maintain',
      summary: 'Keeps a reserve of disk space, and notices when a full disk has space again',
      everyMs: 60_000,
      onEveryInstance,
      run: maintain,
    },
  ]
  const leases = db.sql.besideOthers(() => createJobLeases(db))
  const scheduler = startScheduler({ kernel, jobs: withJobs ? jobs : [], leases, log, now })
  db.watchFloor(
    migrations.map(({ name }) => name),
    () => {
      log.error('the database needs a newer Plat: this one answers no requests and runs no jobs until it is replaced')
      void scheduler.stop()
    },
  )
  const { mostBytes, ...limits } = bounds
  const space = createSpoolSpace({
    folder: getTemporaryFolder(config.dataDir),
    ...(mostBytes !== undefined && { mostBytes }),
  })
  const streams = createStreams({ limits: { ...streamLimits(config), ...limits }, log, space })
  db.onSnapshotsDue(streams.release)
  const app = createApp({
    kernel,
    features,
    identify,
    guard,
    log,
    streams,
    checkHost: createHostCheck(config.allowedHosts),
    headers: getSecurityHeaders(config),
  })
  // Last, because the hash keeps a processor busy.
  const firstAdmin = withFirstAdmin ? ensureFirstAdmin({ db, config, passwords, now }) : Promise.resolve(undefined)
  // Callers that await it get the error. Until then an unhandled rejection must not end the process.
  const firstAdminSettled = firstAdmin
    .then(() => warnWithoutBreakGlass(db, { config, log }))
    .then(
      () => {},
      () => {},
    )

  return {
    db,
    passwords,
    sessions,
    keyUses,
    firstAdmin,
    fetch: app.fetch,
    runJob: async (name) => {
      const job = jobs.find((one) => one.name === name)
      if (!job) throw new Error(`there is no job ${name}`)
      await kernel.runJob(job)
    },
    startDraining: () => {
      isStopping = true
    },
    closeStreams: () => {
      for (const feature of features) feature.onShutdown?.()
    },
    close: async () => {
      streams.close()
      guard.stop()
      await scheduler.stop()
      for (const feature of features)
        await feature.close?.().catch((error: unknown) => log.warn('something could not be ended in order', { error }))
      await keyUses.flush().catch((error: unknown) => {
        // For example a full disk, which must not prevent an orderly shutdown.
        log.warn('when API keys were last used could not be written', { error })
      })
      await audit.writeCounts(true)
      passwords.close()
      await firstAdminSettled
      sessions.close()
      limitStore?.close()
      await close()
    },
  }
}
