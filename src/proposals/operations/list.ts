/** Lists the caller's own proposals, and the ones with an item that the caller sees. */
import { type SelectQueryBuilder, sql } from 'kysely'
import { splitBatches } from '../../database/query/batches.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { JsonList } from '../../kernel/handler-result.ts'
import { countRows } from '../../kernel/list.ts'
import type { ParsedInputOf } from '../../kernel/operation.ts'
import { holdsAnywhere } from '../../kernel/rights/access.ts'
import { KIND_NAMES, KINDS } from '../../record/history/kind-names.ts'
import type { proposals } from '../api.ts'
import { toListed } from '../listed.ts'
import { glance } from '../review/sight.ts'
import type { ListedProposal } from '../schema.ts'
import * as store from '../store.ts'
import { formatSightKey, SIGHT_TABLES } from './revision.ts'

type Filter = Omit<ParsedInputOf<typeof proposals.list>, 'limit' | 'offset'>
type Query = SelectQueryBuilder<Tables, 'proposals', store.ListedRow>

/** The permissions to read all kinds of objects that a proposal may change. */
const READS: readonly string[] = [
  ...KINDS.map((kind) => KIND_NAMES[kind].read),
  ...['discovery:read', 'conflicts:read', 'dns:read', 'sources:read'],
]

/** True for a caller who sees every item of every proposal. */
const seesAll = ({ caller: { permissions, scopedPermissions } }: Ctx): boolean =>
  scopedPermissions === undefined && READS.every((permission) => permissions.has(permission))

/** Keeps the open proposals of others that the user has not approved in their present form. */
const keepToReview = (query: Query, userId: string): Query =>
  query
    .where('state', '=', 'open')
    .where('author_id', '<>', userId)
    .where('errors', '=', 0)
    .where('fingerprint', '<>', '')
    // The list of co-authors is JSON with the ids of their users.
    .where(sql<boolean>`co_authors NOT LIKE ${`%"${userId}"%`}`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('proposal_entries as e')
            .select('e.n')
            .whereRef('e.proposal', '=', 'proposals.seq')
            .whereRef('e.fingerprint', '=', 'proposals.fingerprint')
            .where('e.type', '=', 'approved')
            .where('e.user_id', '=', userId)
            .where((eb) =>
              eb(
                'e.n',
                '>',
                eb
                  .selectFrom('proposal_entries as o')
                  .select(({ fn }) => fn.coalesce(fn.max<number>('o.n'), sql<number>`0`).as('n'))
                  .whereRef('o.proposal', '=', 'proposals.seq')
                  .where('o.type', '=', 'opened'),
              ),
            ),
        ),
      ),
    )

const buildQuery = (ctx: Ctx, { state, author, to_review }: Filter): Query => {
  const { userId = '' } = ctx.caller
  let query: Query = store.selectListed(ctx, userId)
  if (state !== undefined) query = query.where('state', '=', state)
  if (author === 'me') query = query.where('author_id', '=', userId)
  else if (author !== undefined) query = query.where('author', '=', author)
  if (to_review === true)
    query = holdsAnywhere(ctx.caller, 'proposals:approve')
      ? keepToReview(query, userId)
      : query.where(sql<boolean>`1 = 0`)
  return query
}

/** The number of proposals that are looked at together. */
const AT_ONCE = 200

const toVisible = async (ctx: Ctx, rows: readonly store.ListedRow[]): Promise<ListedProposal[]> => {
  const glances = await glance(ctx, rows)
  return rows.flatMap((row) => {
    const seen = glances.get(row.id)
    return seen?.isVisible ? [toListed(row, seen.counts)] : []
  })
}

/** The memory of a number in the cache, in bytes. */
const NUMBER_BYTES = 8

/** Returns the numbers of all proposals that the caller sees, newest first. */
const findVisible = async (ctx: Ctx, query: Query, { revision, key }: Known): Promise<readonly number[]> => {
  const cache = ctx.store.cache.at<readonly number[]>('proposals.visible', revision)
  const known = cache.get(key)
  if (known) return known
  const found: number[] = []
  for (const rows of splitBatches(await query.execute(), AT_ONCE))
    for (const { number } of await toVisible(ctx, rows)) found.push(number)
  cache.set(key, found, found.length * NUMBER_BYTES)
  return found
}

/** The revision of the tables, and the caller with the filter. */
type Known = { readonly revision: string; readonly key: string }

export const list = async (
  ctx: Ctx,
  { limit, offset = 0, ...filter }: ParsedInputOf<typeof proposals.list>,
): Promise<JsonList<ListedProposal>> => {
  // The numbers of effects by kind suffice for a caller who reads a kind everywhere or nowhere.
  const tables = ctx.caller.scopedPermissions ? SIGHT_TABLES : (['proposals', 'proposal_entries'] as const)
  const present = await ctx.store.revision([...tables])
  const sight = formatSightKey(ctx)
  const query = buildQuery(ctx, filter)
  const revision = `${present} ${sight}`
  const numbers = seesAll(ctx)
    ? undefined
    : await findVisible(ctx, query, { revision: present, key: `${sight} ${JSON.stringify(filter)}` })
  const page = numbers?.slice(offset, offset + limit)
  return new JsonList<ListedProposal>({
    revision,
    total: async () => numbers?.length ?? countRows(query),
    rows: async function* () {
      if (page?.length === 0) return
      const rows = page ? query.where('number', 'in', page) : query.limit(limit).offset(offset)
      yield (await toVisible(ctx, await rows.execute())).map((one) => JSON.stringify(one))
    },
  })
}
