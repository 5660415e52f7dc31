/** The queries of the audit trail; the only writer of its tables. */
import type { Kysely } from 'kysely'
import { prepared } from '../../platform/db/prepared.ts'
import type { Ctx } from '../ctx.ts'
import type { Tables } from '../tables.ts'
import type { AuditFilter } from './api.ts'
import { type Chain, chainOf, type Entry, hashOf, type Link, type SignedChain } from './chain.ts'
import type { AuditRow } from './table.ts'

export type Scope = Pick<Ctx, 'db' | 'store'>

/** Lists of entries are known by where the chains end, so that no write has to count for them as well. */
const uncounted = ({ db }: Scope): Kysely<Tables> => db.withoutPlugins()

export const columns = [
  'id',
  'timestamp',
  'action',
  'resource',
  'resource_id',
  'user_id',
  'username',
  'key_id',
  'ip_address',
  'changes',
  'status',
  'error',
  'request_id',
] as const satisfies readonly (keyof AuditRow)[]

export const chains = async ({ db }: Pick<Scope, 'db'>): Promise<SignedChain[]> =>
  (await db.selectFrom('audit_chains').selectAll().orderBy('chain').execute()).map(chainOf)

/** Waits until nobody else writes to the chain, and keeps everybody off it until commit. */
export const lock = async (scope: Scope, chain: number): Promise<SignedChain | undefined> => {
  const query = scope.db.selectFrom('audit_chains').selectAll().where('chain', '=', chain)
  const row = await scope.store.sql.lockRows(query).executeTakeFirst()
  return row && chainOf(row)
}

export const replaceChain = async (scope: Scope, { chain, ...values }: SignedChain): Promise<void> => {
  await uncounted(scope).updateTable('audit_chains').set(values).where('chain', '=', chain).execute()
}

/** What every audited write does, in queries that are built once. */
export const createWriter = (database: Scope['store']) => {
  const free = (db: Kysely<Tables>) =>
    database.sql.lockFreeRows(db.selectFrom('audit_chains').selectAll().orderBy('chain').limit(1))
  const firstFree = prepared((db: Kysely<Tables>) => free(db))
  const insert = prepared((db: Kysely<Tables>, values: EntryTexts) =>
    db.insertInto('audit').values(pick(ENTRY_COLUMNS, values)),
  )
  const update = prepared((db: Kysely<Tables>, values: EndTexts) =>
    db.updateTable('audit_chains').set(pick(END_COLUMNS, values)).where('chain', '=', values.chain),
  )
  return {
    /** A chain that nobody else is writing to, but for those; nobody else gets it until commit. */
    lockFree: async (db: Kysely<Tables>, except: ReadonlySet<number>): Promise<SignedChain | undefined> => {
      const scope = { db, store: database }
      const [row] =
        except.size === 0
          ? await firstFree(scope, {})
          : await free(db)
              .where('chain', 'not in', [...except])
              .execute()
      return row && chainOf(row)
    },
    /** Adds an entry to the end of a chain, which is locked, and signs the new end. */
    append: async (
      db: Kysely<Tables>,
      { chain, entry, sign }: { chain: Chain; entry: Entry; sign: (chain: Chain) => string },
    ): Promise<void> => {
      const scope = { db, store: database }
      const link: Link = { ...entry, chain: chain.chain, seq: chain.end_seq + 1 }
      const hash = hashOf(chain.end_hash, link)
      await insert(scope, { ...entry, chain: `${link.chain}`, seq: `${link.seq}`, hash })
      const end = { end_seq: link.seq, end_hash: hash }
      const signature = sign({ ...chain, ...end })
      await update(scope, { chain: `${link.chain}`, end_seq: `${link.seq}`, end_hash: hash, signature })
    },
  }
}

const ENTRY_COLUMNS = [...columns, 'chain', 'seq', 'hash'] as const
const END_COLUMNS = ['end_seq', 'end_hash', 'signature'] as const
type EntryTexts = Pick<Link, (typeof columns)[number]> & Readonly<Record<'chain' | 'seq' | 'hash', string>>
type EndTexts = Readonly<Record<(typeof END_COLUMNS)[number] | 'chain', string>>

/** The stand-ins of a prepared query can be asked for one at a time only. */
const pick = <Values, Name extends keyof Values>(names: readonly Name[], values: Values): Pick<Values, Name> =>
  // Object.fromEntries loses the names.
  Object.fromEntries(names.map((name) => [name, values[name]])) as Pick<Values, Name>

/** Every chain with its entries in their order, or with none. */
export const everything = ({ store: { read } }: Scope) =>
  read
    .selectFrom('audit_chains')
    .leftJoin('audit', 'audit.chain', 'audit_chains.chain')
    .select([
      'audit_chains.chain',
      'audit_chains.start_seq',
      'audit_chains.start_hash',
      'audit_chains.end_seq',
      'audit_chains.end_hash',
      'audit_chains.signature',
    ])
    .select(columns.map((column) => `audit.${column}` as const))
    .select(['audit.seq', 'audit.hash'])
    .orderBy('audit_chains.chain')
    .orderBy('audit.seq')

/** An entry that is in no chain. */
export const findStray = async ({ db }: Scope): Promise<string | undefined> => {
  const known = db.selectFrom('audit_chains').select('chain')
  const row = await db.selectFrom('audit').select('id').where('chain', 'not in', known).orderBy('id').executeTakeFirst()
  return row?.id
}

/** Ids begin with their time, so that those of a time are a range of ids. */
const idAt = (ms: number): string => {
  const hex = Math.min(Math.max(ms, 0), MAX_ID_MS).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}
/** 48 bits (RFC 9562 5.7). */
const MAX_ID_MS = 2 ** 48 - 1

/** The entries that match, newest first. */
export const matching = ({ db }: Scope, filter: AuditFilter) => {
  const { start_time, end_time } = filter
  let query = db.selectFrom('audit').select(columns).orderBy('id', 'desc')
  for (const column of ['resource', 'resource_id', 'user_id', 'action', 'status'] as const) {
    const value = filter[column]
    if (value) query = query.where(column, '=', value)
  }
  if (start_time !== undefined) query = query.where('id', '>=', idAt(Date.parse(start_time)))
  if (end_time !== undefined) query = query.where('id', '<', idAt(Date.parse(end_time) + 1))
  return query
}

export const find = ({ db }: Scope, id: string) =>
  db.selectFrom('audit').select(columns).where('id', '=', id).executeTakeFirst()

/** Changes whenever an entry is added or deleted. */
export const revision = async (scope: Scope): Promise<string> => {
  let [added, deleted] = [0, 0]
  for (const { start_seq, end_seq } of await chains(scope)) {
    added += end_seq
    deleted += start_seq
  }
  return `${added}.${deleted}`
}

export type Oldest = { readonly seq: number; readonly hash: string; readonly timestamp: string }

/** The oldest entries of a chain. */
export const oldest = async ({ db }: Scope, chain: number, limit: number): Promise<Oldest[]> => {
  const query = db.selectFrom('audit').select(['seq', 'hash', 'timestamp']).where('chain', '=', chain)
  const rows = await query.orderBy('seq').limit(limit).execute()
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }))
}

export const removeUntil = async (scope: Scope, chain: number, seq: number): Promise<void> => {
  await uncounted(scope).deleteFrom('audit').where('chain', '=', chain).where('seq', '<=', seq).execute()
}
