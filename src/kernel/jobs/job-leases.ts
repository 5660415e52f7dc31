/** The jobs of all instances that share a database: when each began last, and which instance runs it. */
import { type Kysely, sql } from 'kysely'
import type { Db } from '../../database/database.ts'
import { createLeases, type Held, type LeaseColumns, type Leases } from './leases.ts'

export type JobTables = {
  job_leases: LeaseColumns & {
    name: string
    /** The number of times that the job has begun. */
    fence: number
    /** The time of the last start. */
    began_ms: number
  }
}

declare module '../../database/tables.ts' {
  interface OwnTables extends JobTables {}
}

export type JobState = {
  readonly name: string
  readonly fence: number
  readonly isHeld: boolean
  /** True if the last holder did not finish the job. */
  readonly isLeft: boolean
  /** Time since the last start. */
  readonly sinceMs: number
  /** The time by which the clock of this process is ahead of that of the database, as far as the round trip tells; negative if it is behind. */
  readonly aheadMs: number
}

export type StartedJob = { readonly fence: number; readonly held: Held }

export type JobLeases = Pick<Leases, 'fence'> & {
  /** Stores jobs that are not in the table yet: jobs that run at the start as due, the others as just done. */
  readonly register: (jobs: readonly { readonly name: string; readonly isDue: boolean }[]) => Promise<void>
  /** @param nowMs the clock of this process */
  readonly list: (nowMs?: () => number) => Promise<readonly JobState[]>
  /** Returns undefined if another instance was faster. */
  readonly take: (seen: Pick<JobState, 'name' | 'fence'>) => Promise<StartedJob | undefined>
  /** See `Leases.keep`. */
  readonly keep: (held: Held, onLost: () => void) => () => void
  readonly release: (held: Held) => Promise<void>
}

/** @param lastsMs the duration of a lease without renewal */
export const createJobLeases = <Tables extends JobTables>(database: Db<Tables>, lastsMs?: number): JobLeases => {
  // Every extension of our tables includes this one, which Kysely cannot infer through a type parameter.
  const db = database as unknown as Db<JobTables>
  const leases = createLeases('job_leases', 'name', { lastsMs })
  const now = () => db.sql.nowMs(Date.now())
  const write = <T>(work: (scope: { db: Kysely<JobTables>; store: Db<JobTables>; now: string }) => Promise<T>) =>
    db.write((tx) => work({ db: tx.db.withoutPlugins(), store: db, now: new Date().toISOString() }))

  return {
    fence: leases.fence,
    keep: (held, onLost) => leases.keep(held, write, onLost),
    release: (held) => write((scope) => leases.release(scope, held)),
    register: (jobs) =>
      write(async (scope) => {
        const rows = jobs
          .map(({ name, isDue }) => ({ name, began_ms: isDue ? sql<number>`0` : now() }))
          // Sorted, so that two instances cannot deadlock.
          .sort((a, b) => (a.name < b.name ? -1 : 1))
        if (rows.length === 0) return
        await scope.db
          .insertInto('job_leases')
          .values(rows.map((row) => ({ ...row, holder: '', fence: 0, until_ms: 0 })))
          .onConflict((conflict) => conflict.column('name').doNothing())
          .execute()
      }),
    list: async (nowMs = Date.now) => {
      const sentMs = nowMs()
      const rows = await db.read
        .selectFrom('job_leases')
        .select(['name', 'holder', 'fence', 'until_ms', 'began_ms', now().as('now_ms')])
        .execute()
      const receivedMs = nowMs()
      // PostgreSQL sends 64-bit numbers as text.
      return rows.map(({ name, holder, fence, until_ms, began_ms, now_ms }) => {
        const isHeld = Number(until_ms) > Number(now_ms)
        const sinceMs = Number(now_ms) - Number(began_ms)
        // The database read its clock in between.
        const aheadMs = Math.max(0, sentMs - Number(now_ms)) + Math.min(0, receivedMs - Number(now_ms))
        return { name, fence: Number(fence), isHeld, isLeft: holder !== '' && !isHeld, sinceMs, aheadMs }
      })
    },
    take: ({ name, fence }) =>
      write(async (scope) => {
        const { numUpdatedRows } = await scope.db
          .updateTable('job_leases')
          .set({ fence: fence + 1, began_ms: now() })
          .where('name', '=', name)
          .where('fence', '=', fence)
          .where(leases.isFree(scope))
          .executeTakeFirstOrThrow()
        if (numUpdatedRows === 0n) return undefined
        return { fence: fence + 1, held: await leases.take(scope, [name], Bun.randomUUIDv7()) }
      }),
  }
}
