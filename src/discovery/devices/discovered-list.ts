/** The list of discovered devices, of which there may be a hundred thousand: its first rows, and how many there are. Writes nothing. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { escapeLike } from '../../database/database.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { JsonList } from '../../kernel/handler-result.ts'
import { countRows, listRows } from '../../kernel/list.ts'
import type { DiscoveredDevice, DiscoveredStatus } from '../schema.ts'

export type DiscoveredFilter = {
  readonly network_id?: string | undefined
  readonly device_id?: string | undefined
  readonly status?: DiscoveredStatus | undefined
  readonly promoted?: boolean | undefined
  readonly q?: string | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/** Most matches that are fetched and sorted. With more, the list is read in its order until a page is full. */
const MAX_MATCHES_SORTED = 500

const matchText = (word: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`search_text LIKE ${`%${escapeLike(word.toLowerCase())}%`} ESCAPE '\\'`

/** True of a device that has the word somewhere, in any case. */
export const matchWord = (word: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`id IN (SELECT device_id FROM discovered_texts WHERE ${matchText(word)})`

const splitWords = (q: string | undefined): string[] => [
  ...new Set(
    (q ?? '')
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== ''),
  ),
]

/** Orders by address; devices of one network are together. */
const selectInOrder = (ctx: Ctx, { network_id, device_id, status, promoted }: DiscoveredFilter) => {
  let query = ctx.db
    .selectFrom('discovered_devices')
    .select('doc')
    .orderBy('network_id')
    .orderBy('ip_key')
    .orderBy('id')
  if (network_id) query = query.where('network_id', '=', network_id)
  if (device_id) query = query.where('matched_device_id', '=', device_id)
  if (status) query = query.where('status', '=', status)
  if (promoted !== undefined) query = query.where('promoted_to_device_id', promoted ? 'is not' : 'is', null)
  return query
}

/** Counts rows of one of the rare states, each of which has an index. */
const count = async (
  ctx: Ctx,
  filter: Pick<DiscoveredFilter, 'network_id' | 'status' | 'promoted'>,
): Promise<number> => {
  const all = selectInOrder(ctx, filter).clearSelect().clearOrderBy()
  const { n } = await all.select(({ fn }) => fn.countAll<number | string>().as('n')).executeTakeFirstOrThrow()
  return Number(n)
}

/** Most devices are up and not documented: their count is the total less the others. */
const countByTheFew = async (ctx: Ctx, { network_id, status, promoted }: DiscoveredFilter): Promise<number> => {
  const countFew = (few: Pick<DiscoveredFilter, 'status' | 'promoted'>) => count(ctx, { network_id, ...few })
  const all = async (few: Pick<DiscoveredFilter, 'promoted'>): Promise<number> =>
    few.promoted === false ? (await countFew({})) - (await countFew({ promoted: true })) : countFew(few)
  if (status === undefined) return all({ promoted })
  const down = async (): Promise<number> =>
    promoted === false
      ? (await countFew({ status: 'down' })) - (await countFew({ status: 'down', promoted: true }))
      : countFew({ status: 'down', promoted })
  return status === 'down' ? down() : (await all({ promoted })) - (await down())
}

/** Finds the devices that hold all the words, where they are few; undefined for more. */
const findHolders = async (ctx: Ctx, words: readonly string[]): Promise<string[] | undefined> => {
  let query = ctx.db
    .selectFrom('discovered_texts')
    .select('device_id')
    .limit(MAX_MATCHES_SORTED + 1)
  for (const word of words) query = query.where(matchText(word))
  const rows = await query.execute()
  return rows.length > MAX_MATCHES_SORTED ? undefined : rows.map(({ device_id }) => device_id)
}

const countTexts = async (ctx: Ctx, words: readonly string[]): Promise<number> => {
  let query = ctx.db.selectFrom('discovered_texts').select(({ fn }) => fn.countAll<number | string>().as('n'))
  for (const word of words) query = query.where(matchText(word))
  return Number((await query.executeTakeFirstOrThrow()).n)
}

const isNarrow = ({ network_id, device_id, status, promoted }: DiscoveredFilter): boolean =>
  Boolean(network_id || device_id || status) || promoted !== undefined

export const listFound = async (
  ctx: Ctx,
  { limit, offset, ...filter }: DiscoveredFilter,
): Promise<JsonList<DiscoveredDevice>> => {
  const list = { revision: await ctx.store.revision(['discovered_devices']), page: { limit, offset }, row }
  const query = selectInOrder(ctx, filter)
  const words = splitWords(filter.q)
  if (words.length === 0)
    return listRows(ctx, { ...list, query, ...(filter.device_id ? {} : { total: () => countByTheFew(ctx, filter) }) })
  const holders = await findHolders(ctx, words)
  if (holders) return listRows(ctx, { ...list, query: query.where('id', 'in', ['', ...holders]) })
  const counted = words.reduce((some, word) => some.where(matchWord(word)), query)
  const total = () => (isNarrow(filter) ? countRows(counted) : countTexts(ctx, words))
  const held = sql.join(words.map(matchText), sql` AND `)
  const ordered = query.where(
    sql<SqlBool>`EXISTS (SELECT 1 FROM discovered_texts WHERE device_id = discovered_devices.id AND ${held})`,
  )
  return listRows(ctx, { ...list, query: ordered, total })
}

const row = ({ doc }: { readonly doc: string }): string => doc
