/** The composition root: configuration -> database -> features -> HTTP and jobs. No logic. */
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pkg from '../package.json' with { type: 'json' }
import { createFeatures } from './features/handlers.ts'
import { createKeyUses, type KeyUses } from './features/keys/uses.ts'
import { createIdentify } from './features/sessions/identify.ts'
import { createSessionStore, type SessionStore } from './features/sessions/store.ts'
import type { Tables } from './features/tables.ts'
import { ensureFirstAdmin, type FirstAdmin } from './features/users/first-admin.ts'
import { migrations } from './migrations/index.ts'
import type { Config } from './platform/config.ts'
import type { Db } from './platform/db/database.ts'
import { DataLockedError, lockDataDir } from './platform/db/data-lock.ts'
import { migrate } from './platform/db/migrate.ts'
import { openPostgres } from './platform/db/postgres.ts'
import { openSqlite } from './platform/db/sqlite.ts'
import { createApp } from './platform/http/app.ts'
import { startScheduler } from './platform/jobs.ts'
import { createKernel, type Kernel } from './platform/kernel.ts'
import type { Logger } from './platform/log.ts'
import { createPasswords, type Passwords } from './platform/passwords.ts'

export const VERSION: string = pkg.version

export type Process = { readonly config: Config; readonly log: Logger; readonly now: () => Date }

/** The data file of a configuration without DATABASE_URL. */
export const dataFile = (config: Config): string => join(config.dataDir, 'plat.db')

export type OpenDatabase = { readonly db: Db<Tables>; readonly close: () => Promise<void> }

/**
 * Opens the database for a short command, also while a server uses it: that server has brought it to its schema.
 * @throws as `openDatabase`
 */
export const openDatabaseBeside = async (context: Process): Promise<OpenDatabase> => {
  try {
    return await openDatabase(context)
  } catch (error) {
    if (!(error instanceof DataLockedError)) throw error
    const db = openSqlite<Tables>(dataFile(context.config))
    return { db, close: db.close }
  }
}

/** Opens the configured database and brings it to this program's schema. */
export const openDatabase = async ({ config, log, now }: Process): Promise<OpenDatabase> => {
  if (config.databaseUrl !== undefined) {
    const db = openPostgres<Tables>(config.databaseUrl)
    const applied = await migrate(db, { migrations, now })
    if (applied.length > 0) log.info('database migrated', { applied })
    return { db, close: db.close }
  }
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const unlock = lockDataDir(config.dataDir)
  try {
    const file = dataFile(config)
    const db = openSqlite<Tables>(file)
    chmodSync(file, 0o600)
    const applied = await migrate(db, {
      migrations,
      now,
      beforeUpgrade: async (applied) => {
        const copy = join(config.dataDir, `plat-before-${applied.length + 1}.db`)
        rmSync(copy, { force: true })
        db.copyTo(copy)
        log.info('database copied before the upgrade', { copy })
      },
    })
    if (applied.length > 0) log.info('database migrated', { applied })
    return {
      db,
      close: async () => {
        await db.close()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

export type Plat = {
  readonly db: Db<Tables>
  readonly passwords: Passwords
  readonly sessions: SessionStore
  readonly keyUses: KeyUses
  readonly fetch: (request: Request) => Response | Promise<Response>
  readonly firstAdmin: FirstAdmin | undefined
  readonly close: () => Promise<void>
}

export type ComposeOptions = {
  readonly passwords?: Passwords
  /** False leaves an estate without users as it is. */
  readonly withFirstAdmin?: boolean
}

/** The whole product on an open database, without a socket. */
export const compose = async (
  { config, log, now }: Process,
  { db, close }: OpenDatabase,
  { passwords = createPasswords(), withFirstAdmin = true }: ComposeOptions = {},
): Promise<Plat> => {
  const firstAdmin = withFirstAdmin ? await ensureFirstAdmin({ db, config, passwords, now }) : undefined
  const sessions = createSessionStore(db, config)
  const keyUses = createKeyUses(db)

  const features = createFeatures({
    config,
    passwords,
    sessions,
    version: VERSION,
    lastTick: () => scheduler.lastTick(),
    kernel: () => kernel,
  })
  const kernel: Kernel<Tables> = createKernel({ db, features, now, log })
  const jobs = [
    ...features.flatMap((feature) => feature.jobs ?? []),
    { name: 'keys.record-uses', summary: 'Writes when API keys were last used', everyMs: 5_000, run: keyUses.flush },
    {
      name: 'sessions.purge',
      summary: 'Deletes sessions that have expired',
      everyMs: 600_000,
      run: async () => {
        await sessions.purge(now())
      },
    },
  ]
  const scheduler = startScheduler({ kernel, jobs, log, now })
  const identify = createIdentify({ db, config, sessions, keyUses, now, log })
  const app = createApp({ kernel, features, identify, log })

  return {
    db,
    passwords,
    sessions,
    keyUses,
    firstAdmin,
    fetch: app.fetch,
    close: async () => {
      await scheduler.stop()
      await keyUses.flush()
      passwords.close()
      await close()
    },
  }
}
