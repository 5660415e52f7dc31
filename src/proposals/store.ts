/** The queries of proposals; the only writer of their rows. */
import { type Insertable, type Selectable, type SelectQueryBuilder, sql, type Updateable } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { DbScope, StoreScope } from '../kernel/ctx.ts'
import type { StoredOperation } from './run/effect.ts'
import type { ProposalRow } from './table.ts'

/** A row as it is read. */
export type StoredProposal = Selectable<ProposalRow>

/** A list leaves out the inputs, which may be large. */
export type ListedRow = Omit<StoredProposal, 'operations'>

/** A name of a user with its id. */
type CoAuthor = { readonly id: string; readonly username: string }

/** Numbers of the column are 32 bits. */
const MAX_NUMBER = 2 ** 31 - 1

/** The least columns of a list: all but `operations`. */
const LISTED = [
  ...['seq', 'id', 'number', 'state', 'client', 'title', 'description', 'author_id', 'author', 'co_authors'],
  ...['input_bytes', 'next_operation', 'errors', 'fingerprint', 'counts', 'version', 'base_seq', 'scopes_revision'],
  ...['previewed_at', 'close_reason', 'closed_by', 'change_id', 'created_at', 'updated_at', 'opened_at', 'closed_at'],
  ...['touched_at', 'expires_at', 'applied_at'],
] as const satisfies readonly (keyof ListedRow)[]

const isNumber = (text: string): boolean => /^[1-9]\d{0,9}$/.test(text) && Number(text) <= MAX_NUMBER

/** Finds a proposal by its id or its number. Plans are none. */
export const find = async ({ db }: DbScope, idOrNumber: string): Promise<StoredProposal | undefined> => {
  const query = db.selectFrom('proposals').selectAll().where('state', '<>', 'plan')
  return isNumber(idOrNumber)
    ? query.where('number', '=', Number(idOrNumber)).executeTakeFirst()
    : query.where('id', '=', idOrNumber).executeTakeFirst()
}

/** Finds a row, and locks it until the transaction ends. */
export const lock = (tx: StoreScope, seq: number | string): Promise<StoredProposal | undefined> =>
  tx.store.sql.lockRows(tx.db.selectFrom('proposals').selectAll().where('seq', '=', seq)).executeTakeFirst()

export const insert = ({ db }: DbScope, row: Insertable<ProposalRow>): Promise<StoredProposal> =>
  db.insertInto('proposals').values(row).returningAll().executeTakeFirstOrThrow()

/** Changes a row, which has another version then. */
export const update = (
  { db }: DbScope,
  seq: number | string,
  patch: Omit<Updateable<ProposalRow>, 'version'>,
): Promise<StoredProposal> =>
  db
    .updateTable('proposals')
    .set((eb) => ({ ...patch, version: eb('version', '+', 1) }))
    .where('seq', '=', seq)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Notes the time of an entry or edit, from which a proposal expires. */
export const touch = async ({ db }: DbScope, seq: number | string, at: string): Promise<void> => {
  await db.updateTable('proposals').set({ touched_at: at, updated_at: at }).where('seq', '=', seq).execute()
}

type Seqs = readonly StoredProposal['seq'][] | SelectQueryBuilder<Tables, 'proposals', Pick<StoredProposal, 'seq'>>

/** Deletes plans. @param seqs a list, or a query of them */
export const removePlans = async ({ db }: DbScope, seqs: Seqs): Promise<void> => {
  await db.deleteFrom('proposal_effects').where('proposal', 'in', seqs).execute()
  await db.deleteFrom('proposals').where('seq', 'in', seqs).execute()
}

/** Deletes proposals and plans with their entries and checks. */
export const removeAll = async ({ db }: DbScope, seqs: Seqs): Promise<void> => {
  await db.deleteFrom('proposal_entries').where('proposal', 'in', seqs).execute()
  await db.deleteFrom('proposal_checks').where('proposal', 'in', seqs).execute()
  await removePlans({ db }, seqs)
}

/** Returns the number of a new proposal. The lock `proposals` is held. */
export const findNextNumber = async ({ db }: DbScope): Promise<number> => {
  const last = db.selectFrom('proposals').select('number').where('number', 'is not', null)
  return ((await last.orderBy('number', 'desc').limit(1).executeTakeFirst())?.number ?? 0) + 1
}

/** Selects the drafts and open proposals of a user. */
export const selectUnfinished = ({ db }: DbScope, authorId: string) =>
  db.selectFrom('proposals').where('author_id', '=', authorId).where('state', 'in', ['draft', 'open'])

/** Returns the number of the last change of the estate; 0 without any. */
export const findLastChange = async ({ db }: DbScope): Promise<number> => {
  const { seq } = await db
    .selectFrom('changes')
    .select(({ fn }) => fn.max<number | string | null>('seq').as('seq'))
    .executeTakeFirstOrThrow()
  return Number(seq ?? 0)
}

/** True if an object of the last run was changed after it. */
export const hasMoved = async ({ db }: DbScope, { seq, base_seq }: Pick<StoredProposal, 'seq' | 'base_seq'>) => {
  const moved = await db
    .selectFrom('proposal_effects as e')
    .innerJoin('history as h', (join) => join.onRef('h.kind', '=', 'e.kind').onRef('h.id', '=', 'e.id'))
    .select(sql<number>`1`.as('one'))
    .where('e.proposal', '=', seq)
    .where('h.seq', '>', Number(base_seq))
    .limit(1)
    .executeTakeFirst()
  return moved !== undefined
}

/** Selects the proposals of a list: of all users without their drafts, and the drafts of one user. */
export const selectListed = ({ db }: DbScope, userId: string) =>
  db
    .selectFrom('proposals')
    .select(LISTED)
    .where((eb) =>
      eb.or([
        eb('state', 'in', ['open', 'merged', 'closed']),
        eb.and([eb('state', '=', 'draft'), eb('author_id', '=', userId)]),
      ]),
    )
    .orderBy('number', 'desc')

/** Returns the operations of a row. */
export const parseOperations = ({ operations }: Pick<StoredProposal, 'operations'>): readonly StoredOperation[] =>
  // Written by this room.
  JSON.parse(operations) as StoredOperation[]

export const parseCoAuthors = ({ co_authors }: Pick<StoredProposal, 'co_authors'>): readonly CoAuthor[] =>
  // Written by this room.
  JSON.parse(co_authors) as CoAuthor[]

/** True for a user who wrote a part of the proposal, and never approves it. */
export const isWriter = (row: Pick<ListedRow, 'author_id' | 'co_authors'>, userId: string | undefined): boolean =>
  userId === undefined || userId === row.author_id || parseCoAuthors(row).some(({ id }) => id === userId)

type Outdated = { readonly scopes: string; readonly mostEffects: number }

/** Returns the open proposals that ran before the last change, the oldest run first, if they have few effects. */
export const findOutdated = async (scope: DbScope, { scopes, mostEffects }: Outdated): Promise<ListedRow[]> => {
  const last = await findLastChange(scope)
  const { db } = scope
  return db
    .selectFrom('proposals')
    .select(LISTED)
    .where('state', '=', 'open')
    .where('previewed_at', 'is not', null)
    .where((eb) => eb.or([eb('base_seq', '<', last), eb('scopes_revision', '<>', scopes)]))
    .where(({ eb, selectFrom, val }) =>
      eb(
        val(mostEffects),
        '>=',
        selectFrom('proposal_effects as e')
          .select(({ fn }) => fn.countAll<number>().as('n'))
          .whereRef('e.proposal', '=', 'proposals.seq'),
      ),
    )
    .orderBy('previewed_at')
    .execute()
}

/** Returns drafts and open proposals without an entry or an edit since a time. */
export const findUntouched = ({ db }: DbScope, before: string): Promise<Pick<StoredProposal, 'seq'>[]> =>
  db
    .selectFrom('proposals')
    .select('seq')
    .where('state', 'in', ['draft', 'open'])
    .where('touched_at', '<', before)
    .execute()

/** Checks for plans of an older program that expired before a time. */
export const hasFormerPlans = async ({ db }: DbScope, before: string): Promise<boolean> =>
  (await db.selectFrom('plans').select('id').where('expires_at', '<', before).limit(1).executeTakeFirst()) !== undefined

export const removeFormerPlans = async ({ db }: DbScope, before: string): Promise<void> => {
  await db.deleteFrom('plans').where('expires_at', '<', before).execute()
}

/** Selects the proposals that ended before a time, and the plans that expired before another one. */
export const selectEnded = (
  { db }: DbScope,
  { proposals, plans }: { readonly proposals: string; readonly plans: string },
) =>
  db
    .selectFrom('proposals')
    .select('seq')
    .where((eb) =>
      eb.or([
        eb.and([eb('state', 'in', ['merged', 'closed']), eb('closed_at', '<', proposals)]),
        eb.and([eb('state', '=', 'plan'), eb('expires_at', '<', plans)]),
      ]),
    )
