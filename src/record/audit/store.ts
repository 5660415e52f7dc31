/** The queries of the audit trail; the only writer of its tables. */
import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely'
import { prepared } from '../../database/query/prepared.ts'
import { preparedRows } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { StoreScope } from '../../kernel/ctx.ts'
import type { AuditFilter } from './api.ts'
import {
  CHAINS,
  type Chain,
  columns,
  type Entry,
  hashEntry,
  type SignedChain,
  toSeq,
  toSignedChain,
  toSortKey,
} from './chain.ts'
import type { AuditRow } from './table.ts'

/** The ends of the chains are the revision of lists of entries, so the table needs no change counter. */
const uncounted = ({ db }: StoreScope): Kysely<Tables> => db.withoutPlugins()

export const findChains = async ({ db }: Pick<StoreScope, 'db'>): Promise<SignedChain[]> =>
  (await db.selectFrom('audit_chains').selectAll().orderBy('chain').execute()).map(toSignedChain)

/** Waits for other writers of the chain, and locks it until commit. */
export const lock = async (scope: StoreScope, chain: number): Promise<SignedChain | undefined> => {
  const query = scope.db.selectFrom('audit_chains').selectAll().where('chain', '=', chain)
  const row = await scope.store.sql.lockRows(query).executeTakeFirst()
  return row && toSignedChain(row)
}

export const replaceChain = async (scope: StoreScope, { chain, ...values }: SignedChain): Promise<void> => {
  await uncounted(scope).updateTable('audit_chains').set(values).where('chain', '=', chain).execute()
}

/** Prepares the queries of every audited write. */
export const createWriter = (database: StoreScope['store']) => {
  const free = (db: Kysely<Tables>) =>
    database.sql.lockFreeRows(db.selectFrom('audit_chains').selectAll().orderBy('chain').limit(1))
  const firstFree = prepared((db: Kysely<Tables>) => free(db))
  return {
    /** Locks a chain that no other transaction has locked, until commit; skips the chains in `except`. */
    lockFree: async (db: Kysely<Tables>, except: ReadonlySet<number>): Promise<SignedChain | undefined> => {
      const scope = { db, store: database }
      const [row] =
        except.size === 0
          ? await firstFree(scope, {})
          : await free(db)
              .where('chain', 'not in', [...except])
              .execute()
      return row && toSignedChain(row)
    },
    /** Appends entries and signs the new end. Undefined, without a change, if the chain has changed since. */
    append: async (
      db: Kysely<Tables>,
      { chain, entries, sign }: { chain: SignedChain; entries: readonly Entry[]; sign: (chain: Chain) => string },
    ): Promise<SignedChain | undefined> => {
      const scope = { db, store: database }
      let { end_seq, end_hash } = chain
      const rows = entries.map((entry) => {
        end_hash = hashEntry(end_hash, { ...entry, chain: chain.chain, seq: ++end_seq })
        return { ...entry, place: toSortKey(chain.chain, end_seq), hash: end_hash }
      })
      const after = { ...chain, end_seq, end_hash, signature: sign({ ...chain, end_seq, end_hash }) }
      const { end_seq: old_seq, end_hash: old_hash, signature: old_signature } = chain
      const moved = await moveEnd(scope, { ...after, old_seq, old_hash, old_signature })
      if (moved.length === 0) return undefined
      await insert(scope, rows)
      return after
    },
  }
}

const insert = preparedRows([...columns, 'place', 'hash'], (db: Kysely<Tables>, rows: AuditRow[]) =>
  db.insertInto('audit').values(rows),
)

type Move = SignedChain & { readonly old_seq: number; readonly old_hash: string; readonly old_signature: string }
const moveEnd = prepared((db: Kysely<Tables>, to: Move) =>
  db
    .updateTable('audit_chains')
    .set({ end_seq: to.end_seq, end_hash: to.end_hash, signature: to.signature })
    .where('chain', '=', to.chain)
    .where('start_seq', '=', to.start_seq)
    .where('start_hash', '=', to.start_hash)
    .where('end_seq', '=', to.old_seq)
    .where('end_hash', '=', to.old_hash)
    .where('signature', '=', to.old_signature)
    .returning('chain'),
)

/** Returns every chain with its entries in order; a chain without entries has one row. */
export const selectChainsWithEntries = ({ store: { read } }: StoreScope) =>
  read
    .selectFrom('audit_chains')
    .leftJoin('audit', (join) =>
      join
        .on('audit.place', '>=', sql<number>`audit_chains.chain * ${sql.lit(toSortKey(1, 0))}`)
        .on('audit.place', '<', sql<number>`(audit_chains.chain + 1) * ${sql.lit(toSortKey(1, 0))}`),
    )
    .select(['chain', 'start_seq', 'start_hash', 'end_seq', 'end_hash', 'signature', 'place', 'hash', ...columns])
    .orderBy('chain')
    .orderBy('place')

/** Returns the id of an entry outside the places of all chains. */
export const findStray = async ({ db }: StoreScope): Promise<string | undefined> => {
  const query = db.selectFrom('audit').select('id').orderBy('place').limit(1)
  const before = await query.where('place', '<', 0).executeTakeFirst()
  const behind = await query.where('place', '>=', toSortKey(CHAINS, 0)).executeTakeFirst()
  return before?.id ?? behind?.id
}

/** Ids begin with their time, so a period is a range of ids. */
const toIdBound = (ms: number): string => {
  const hex = Math.min(Math.max(ms, 0), MAX_ID_MS).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}
/** 48 bits (RFC 9562 5.7). */
const MAX_ID_MS = 2 ** 48 - 1

/** Matches the actions of a user, their keys, or one key. Earlier versions stored the owner in `user_id`. */
const isBy =
  (id: string) =>
  (eb: ExpressionBuilder<Tables, 'audit'>): Expression<SqlBool> =>
    eb.or([eb('user_id', '=', id), eb('key_id', '=', id), eb('key_owner_id', '=', id)])

/** Follows from the other columns: a new one in the hash of an entry would be left out by older programs. */
const proposalId = sql<string>`CASE WHEN resource = 'proposal' AND change_id <> '' THEN resource_id ELSE '' END`.as(
  'proposal_id',
)

/** Returns the matching entries, newest first. */
export const selectMatching = ({ db }: StoreScope, filter: AuditFilter) => {
  const { start_time, end_time } = filter
  let query = db.selectFrom('audit').select(columns).select(proposalId).orderBy('id', 'desc')
  for (const column of ['resource', 'resource_id', 'action', 'status'] as const) {
    const value = filter[column]
    if (value) query = query.where(column, '=', value)
  }
  if (filter.user_id) query = query.where(isBy(filter.user_id))
  if (start_time !== undefined) query = query.where('id', '>=', toIdBound(Date.parse(start_time)))
  if (end_time !== undefined) query = query.where('id', '<', toIdBound(Date.parse(end_time) + 1))
  return query
}

export const find = ({ db }: StoreScope, id: string) =>
  db.selectFrom('audit').select(columns).select(proposalId).where('id', '=', id).executeTakeFirst()

/** Returns a text that changes when an entry is added or deleted. */
export const readRevision = async (scope: StoreScope): Promise<string> => {
  let [added, deleted] = [0, 0]
  for (const { start_seq, end_seq } of await findChains(scope)) {
    added += end_seq
    deleted += start_seq
  }
  return `${await scope.store.timeline()}${added}.${deleted}`
}

export type Oldest = { readonly seq: number; readonly hash: string; readonly timestamp: string }

/** Returns the oldest entries of a chain. */
export const findOldest = async ({ db }: StoreScope, chain: number, limit: number): Promise<Oldest[]> => {
  const query = db.selectFrom('audit').select(['place', 'hash', 'timestamp']).orderBy('place').limit(limit)
  const rows = await query
    .where('place', '>=', toSortKey(chain, 0))
    .where('place', '<', toSortKey(chain + 1, 0))
    .execute()
  return rows.map(({ place, ...row }) => ({ ...row, seq: toSeq(chain, place) }))
}

export const removeUntil = async (scope: StoreScope, chain: number, seq: number): Promise<void> => {
  await uncounted(scope)
    .deleteFrom('audit')
    .where('place', '>=', toSortKey(chain, 0))
    .where('place', '<=', toSortKey(chain, seq))
    .execute()
}
