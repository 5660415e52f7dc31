/**
 * Assigns jobs to the instances that share a database. A lease expires by the database's clock. Each lease has a
 * fencing number, larger than all earlier ones, without which its holder cannot write.
 */
import { type Kysely, sql } from 'kysely'
import type { Db } from '../db/database.ts'

export type LeaseTables = {
  job_leases: {
    name: string
    /** '' without a holder. */
    holder: string
    /** The number of times that the job has begun. */
    fence: number
    /** The expiry of the lease, in ms since the epoch. */
    until_ms: number
    /** The time of the last start. */
    began_ms: number
  }
}

export type LeaseState = {
  readonly name: string
  readonly fence: number
  readonly isHeld: boolean
  /** True if the last holder did not finish the job. */
  readonly isLeft: boolean
  /** Time since the last start. */
  readonly sinceMs: number
}

export type Lease = { readonly name: string; readonly fence: number }

/** Another instance has the job now. */
export class LostLeaseError extends Error {
  override readonly name = 'LostLeaseError'
}

export type Leases = {
  /** Stores jobs that are not in the table yet: those that run at the start as due, the others as just done. */
  readonly register: (jobs: readonly { readonly name: string; readonly isDue: boolean }[]) => Promise<void>
  readonly list: () => Promise<readonly LeaseState[]>
  /** Returns undefined if another instance was faster. */
  readonly take: (seen: Pick<LeaseState, 'name' | 'fence'>) => Promise<Lease | undefined>
  /** Returns false if the lease is lost. */
  readonly renew: (lease: Lease) => Promise<boolean>
  readonly release: (lease: Lease) => Promise<void>
  /** Called in a transaction: no other instance takes the lease before it ends. @throws LostLeaseError */
  readonly hold: (db: Kysely<never>, lease: Lease) => Promise<void>
  /** The duration of a lease without renewal. */
  readonly lastsMs: number
}

const LASTS_MS = 20_000

export const createLeases = <Tables extends LeaseTables>(database: Db<Tables>, lastsMs = LASTS_MS): Leases => {
  const me = Bun.randomUUIDv7()
  // Every extension of our tables includes this one, which Kysely cannot infer through a type parameter.
  const db = database as unknown as Db<LeaseTables>
  const now = () => db.sql.nowMs(Date.now())
  const until = () => sql<number>`${now()} + ${sql.lit(lastsMs)}`

  /** Leases appear in no list, so no ETag depends on them. */
  const write = <T>(work: (tx: Kysely<LeaseTables>) => Promise<T>): Promise<T> =>
    db.write((tx) => work(tx.db.withoutPlugins()))

  const change = async (lease: Lease, fields: (tx: Kysely<LeaseTables>) => ReturnType<typeof mine>): Promise<boolean> =>
    write(async (tx) => {
      const { numUpdatedRows } = await fields(tx).where('name', '=', lease.name).executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    })

  const mine = (tx: Kysely<LeaseTables>, fence: number) =>
    tx.updateTable('job_leases').where('holder', '=', me).where('fence', '=', fence)

  return {
    lastsMs,
    register: (jobs) =>
      write(async (tx) => {
        const rows = jobs
          .map(({ name, isDue }) => ({ name, began_ms: isDue ? sql<number>`0` : now() }))
          // Sorted, so that two instances cannot deadlock.
          .sort((a, b) => (a.name < b.name ? -1 : 1))
        if (rows.length === 0) return
        await tx
          .insertInto('job_leases')
          .values(rows.map((row) => ({ ...row, holder: '', fence: 0, until_ms: 0 })))
          .onConflict((conflict) => conflict.column('name').doNothing())
          .execute()
      }),
    list: async () => {
      const rows = await db.read
        .selectFrom('job_leases')
        .select(['name', 'holder', 'fence', 'until_ms', 'began_ms', now().as('now_ms')])
        .execute()
      // PostgreSQL sends 64-bit numbers as text.
      return rows.map(({ name, holder, fence, until_ms, began_ms, now_ms }) => {
        const isHeld = Number(until_ms) > Number(now_ms)
        const sinceMs = Number(now_ms) - Number(began_ms)
        return { name, fence: Number(fence), isHeld, isLeft: holder !== '' && !isHeld, sinceMs }
      })
    },
    take: async ({ name, fence }) => {
      const lease = { name, fence: fence + 1 }
      const isTaken = await write(async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable('job_leases')
          .set({ holder: me, fence: lease.fence, until_ms: until(), began_ms: now() })
          .where('name', '=', name)
          .where('fence', '=', fence)
          .where('until_ms', '<=', now())
          .executeTakeFirstOrThrow()
        return numUpdatedRows > 0n
      })
      return isTaken ? lease : undefined
    },
    renew: (lease) => change(lease, (tx) => mine(tx, lease.fence).set({ until_ms: until() })),
    release: async (lease) => {
      await change(lease, (tx) => mine(tx, lease.fence).set({ holder: '', until_ms: 0 }))
    },
    hold: async (tx, { name, fence }) => {
      const held = (tx as unknown as Kysely<LeaseTables>)
        .selectFrom('job_leases')
        .select('name')
        .where('name', '=', name)
        .where('holder', '=', me)
        .where('fence', '=', fence)
      if (!(await db.sql.lockRows(held).executeTakeFirst()))
        throw new LostLeaseError(`the job ${name} was taken over by another instance`)
    },
  }
}
