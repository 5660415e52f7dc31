/**
 * Leases of rows, for work that one instance does at a time: jobs, scans and deliveries. The row of the work has the
 * holder of its lease, and the end by the database's clock. A holder that dies renews no longer, and another takes over.
 */
import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import type { Sql } from '../../database/database.ts'

/** The columns of a leased row. */
export type LeaseColumns = {
  /** The name of the last holder; '' after it has released the lease. */
  holder: string
  /** The end of the lease, in ms since the epoch. */
  until_ms: number
}

/** Rows that this process holds under one name. */
export type Held = {
  readonly holder: string
  /** Rows that another process has taken are removed. */
  readonly keys: Set<string>
  /** The end by the clock of `performance`. The lease lasts at least so long. */
  endsMs: number
}

/** Another instance has the work now. */
export class LostLeaseError extends Error {
  override readonly name = 'LostLeaseError'
}

/** A context, with any type of tables. */
export type LeaseScope = {
  readonly db: { readonly withoutPlugins: () => unknown }
  readonly store: { readonly sql: Pick<Sql, 'nowMs' | 'besideOthers'> }
  /** The time of this process, for a database that has no other. */
  readonly now: string
}

/** The rows that may be claimed, and the queries that claim them. */
export type Claim<Scope, Row> = {
  /** Reads the rows for an instance that has the database for itself. */
  readonly find: () => Promise<readonly Row[]>
  /** Locks the free rows in a transaction. */
  readonly lockFree: (scope: Scope) => Promise<readonly Row[]>
  readonly key: (row: Row) => string
  readonly write: <T>(work: (scope: Scope) => Promise<T>) => Promise<T>
}

export type Claimed<Row> = { readonly rows: readonly Row[]; readonly held: Held }

export type Leases = {
  /**
   * Takes the leases of free rows in a separate transaction. An instance that has the database for itself takes none: the rows are held for
   * as long as it runs, and the functions below do nothing.
   */
  readonly claim: <Scope extends LeaseScope, Row>(
    scope: Pick<LeaseScope, 'store'>,
    claim: Claim<Scope, Row>,
  ) => Promise<Claimed<Row>>
  /** The condition that a row has no lease, or one that has expired. */
  readonly isFree: (scope: LeaseScope) => Expression<SqlBool>
  /** The opposite of `isFree`. */
  readonly isHeld: (scope: LeaseScope) => Expression<SqlBool>
  /** Call in the transaction that has locked the rows and found them free. */
  readonly take: (scope: LeaseScope, keys: readonly string[], holder: string) => Promise<Held>
  /** Locks the rows until the transaction ends. @returns false if all of them are lost */
  readonly renew: (scope: LeaseScope, held: Held) => Promise<boolean>
  readonly release: (scope: LeaseScope, held: Held) => Promise<void>
  /** Releases the rows in a separate transaction. */
  readonly end: (held: Held, write: Write) => Promise<void>
  /** Makes a transaction fail with LostLeaseError if the lease is lost, and keeps other instances out until commit. Does nothing without them. */
  readonly fence: (held: Held) => (scope: LeaseScope) => Promise<void>
  /** Renews regularly. @param onLost called when all rows are lost @returns the function that ends it */
  readonly keep: (held: Held, write: Write, onLost?: () => void) => () => void
}

type Write = <T>(work: (scope: LeaseScope) => Promise<T>) => Promise<T>

/** The holder of rows without leases. */
const OWN = ''

const LASTS_MS = 20_000
/** The number of renewals within the duration of a lease. */
const RENEWALS = 3

type Options = {
  readonly lastsMs?: number | undefined
  /** False if a lease that has expired cannot be renewed, even if no other instance has taken it. */
  readonly renewsExpired?: boolean
}

/** @param key the column that identifies a row */
export const createLeases = (
  table: string,
  key: string,
  { lastsMs = LASTS_MS, renewsExpired = true }: Options = {},
): Leases => {
  // Kysely cannot infer the columns from parameters. Leases appear in no list, so no ETag depends on them.
  const update = ({ db }: LeaseScope, keys: Iterable<string>) =>
    (db.withoutPlugins() as Kysely<{ leased: LeaseColumns & { key: string } }>)
      .updateTable(table as 'leased')
      .where(key as 'key', 'in', [...keys])
  const nowMs = ({ store, now }: LeaseScope) => store.sql.nowMs(Date.parse(now))
  const untilMs = (scope: LeaseScope) => sql<number>`${nowMs(scope)} + ${sql.lit(lastsMs)}`

  const leases: Leases = {
    claim: async ({ store }, { find, lockFree, key: getKey, write }) => {
      const claimed = store.sql.besideOthers(() =>
        write(async (scope) => {
          const rows = await lockFree(scope)
          return { rows, held: await leases.take(scope, rows.map(getKey), Bun.randomUUIDv7()) }
        }),
      )
      if (claimed) return claimed
      const rows = await find()
      return { rows, held: { holder: OWN, keys: new Set(rows.map(getKey)), endsMs: Number.POSITIVE_INFINITY } }
    },
    isFree: (scope) => sql<SqlBool>`${sql.ref('until_ms')} <= ${nowMs(scope)}`,
    isHeld: (scope) => sql<SqlBool>`${sql.ref('until_ms')} > ${nowMs(scope)}`,
    take: async (scope, keys, holder) => {
      // Computed before the request, so that the lease never ends earlier than this process assumes.
      const endsMs = performance.now() + lastsMs
      if (keys.length > 0)
        await update(scope, keys)
          .set({ holder, until_ms: untilMs(scope) })
          .execute()
      return { holder, keys: new Set(keys), endsMs }
    },
    renew: async (scope, held) => {
      const { holder, keys } = held
      if (holder === OWN) return true
      if (keys.size === 0) return false
      const endsMs = performance.now() + lastsMs
      const asked = [...keys]
      let renewed = update(scope, asked)
        .where('holder', '=', holder)
        .set({ until_ms: untilMs(scope) })
      if (!renewsExpired) renewed = renewed.where('until_ms', '>', nowMs(scope))
      const kept = new Set((await renewed.returning(sql.ref<string>(key).as('key')).execute()).map((row) => row.key))
      for (const one of asked) if (!kept.has(one)) keys.delete(one)
      held.endsMs = endsMs
      return keys.size > 0
    },
    release: async (scope, { holder, keys }) => {
      if (keys.size === 0) return
      await update(scope, keys)
        .where('holder', '=', holder)
        .set({ holder: '', until_ms: nowMs(scope) })
        .execute()
    },
    end: async (held, write) => {
      if (held.keys.size > 0 && held.holder !== OWN) await write((scope) => leases.release(scope, held))
    },
    fence: (held) => {
      const names = [...held.keys].join(', ')
      return async (scope) => {
        const isHeld = await scope.store.sql.besideOthers(() => leases.renew(scope, held))
        if (isHeld === false) throw new LostLeaseError(`${names} was taken over by another instance`)
      }
    },
    keep: (held, write, onLost) => {
      if (held.holder === OWN) return () => {}
      const timer = setInterval(() => {
        write((scope) => leases.renew(scope, held)).then(
          (isHeld) => {
            if (!isHeld) onLost?.()
          },
          // Either the next attempt succeeds, or the lease expires and another instance takes it.
          () => {},
        )
      }, lastsMs / RENEWALS)
      return () => clearInterval(timer)
    },
  }
  return leases
}
