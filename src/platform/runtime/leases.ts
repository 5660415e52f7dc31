/**
 * Which of the instances that share a database does which job. A lease ends by the database's clock, and each has a number,
 * larger than all before it, without which its holder writes nothing.
 */
import { type Kysely, sql } from 'kysely'
import type { Db } from '../db/database.ts'

export type LeaseTables = {
  job_leases: {
    name: string
    /** '' for nobody. */
    holder: string
    /** How many times the job was begun. */
    fence: number
    /** Until when it is the holder's, in ms since the epoch. */
    until_ms: number
    /** When it was last begun. */
    began_ms: number
  }
}

export type LeaseState = {
  readonly name: string
  readonly fence: number
  readonly isHeld: boolean
  /** Whoever had it last did not come to an end. */
  readonly isLeft: boolean
  /** Since it was last begun. */
  readonly sinceMs: number
}

export type Lease = { readonly name: string; readonly fence: number }

/** Somebody else has the job by now. */
export class LostLeaseError extends Error {
  override readonly name = 'LostLeaseError'
}

export type Leases = {
  /** Puts jobs down that were never heard of: those that run at the start as due, the others as just done. */
  readonly register: (jobs: readonly { readonly name: string; readonly isDue: boolean }[]) => Promise<void>
  readonly list: () => Promise<readonly LeaseState[]>
  /** Undefined when another instance was faster. */
  readonly take: (seen: Pick<LeaseState, 'name' | 'fence'>) => Promise<Lease | undefined>
  /** False when it is lost. */
  readonly renew: (lease: Lease) => Promise<boolean>
  readonly release: (lease: Lease) => Promise<void>
  /** In a transaction: nobody takes the lease before it ends. @throws LostLeaseError */
  readonly hold: (db: Kysely<never>, lease: Lease) => Promise<void>
  /** How long a lease lasts that is not renewed. */
  readonly lastsMs: number
}

const LASTS_MS = 20_000

export const createLeases = <Tables extends LeaseTables>(database: Db<Tables>, lastsMs = LASTS_MS): Leases => {
  const me = Bun.randomUUIDv7()
  // Every set of tables that extends ours has this one; Kysely can't see that through a type parameter.
  const db = database as unknown as Db<LeaseTables>
  const now = () => db.sql.nowMs(Date.now())
  const until = () => sql<number>`${now()} + ${sql.lit(lastsMs)}`

  /** Leases are in no list: nobody's ETag hangs on them. */
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
          // Sorted, so that two instances never wait for each other crosswise.
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
      // PostgreSQL sends numbers of 64 bits as text.
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
