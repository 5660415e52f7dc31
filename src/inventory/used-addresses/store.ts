/** The queries of occupancy; the only writer of its table. */
import type { Kysely } from 'kysely'
import { splitBatches } from '../../database/query/batches.ts'
import { prepared } from '../../database/query/prepared.ts'
import { preparedKeys, preparedRows } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { IpKey } from '../../net/ip.ts'
import { EMPTY_BLOCK } from '../../net/occupancy.ts'

const buildLockName = (block: string): string => `block ${block}`

export const lockBlocks = async (ctx: Ctx, blocks: readonly string[]): Promise<void> => {
  await ctx.store.sql.lockNames(ctx.db, blocks.map(buildLockName))
}

export const readBlocks = async (ctx: Ctx, blocks: readonly string[]): Promise<Map<string, string>> => {
  const rows = await findRows(ctx, blocks)
  return new Map(rows.map(({ block, taken }) => [block, taken]))
}

const findRows = preparedKeys((db: Kysely<Tables>, blocks) =>
  db.selectFrom('address_blocks').select(['block', 'taken']).where('block', 'in', blocks),
)

/** Deletes the rows of blocks without a taken address. */
export const writeBlocks = async (ctx: Ctx, rows: readonly { block: string; taken: string }[]): Promise<void> => {
  const empty = rows.filter(({ taken }) => taken === EMPTY_BLOCK).map(({ block }) => block)
  for (const batch of splitBatches(empty))
    await ctx.db.deleteFrom('address_blocks').where('block', 'in', batch).execute()
  await putRows(
    ctx,
    rows.filter(({ taken }) => taken !== EMPTY_BLOCK),
  )
}

const putRows = preparedRows(['block', 'taken'], (db: Kysely<Tables>, rows: Tables['address_blocks'][]) =>
  db
    .insertInto('address_blocks')
    .values(rows)
    .onConflict((conflict) => conflict.column('block').doUpdateSet({ taken: (eb) => eb.ref('excluded.taken') })),
)

/** The number of blocks that are read together to find free space: 65,536 addresses. */
export const PAGE_OF_BLOCKS = 256

type BlockRange = { readonly first: string; readonly last: string }

/** Returns the blocks in order. Keys of a family have one length, so text order keeps the families apart. */
export const findBlockPage = (ctx: Ctx, range: BlockRange): Promise<Tables['address_blocks'][]> =>
  firstBlocks(ctx, range)

const firstBlocks = prepared((db: Kysely<Tables>, { first, last }: BlockRange) =>
  db
    .selectFrom('address_blocks')
    .selectAll()
    .where('block', '>=', first)
    .where('block', '<=', last)
    .orderBy('block')
    .limit(PAGE_OF_BLOCKS),
)

/** Counts the blocks of a range in which an address is taken, up to `most`. */
export const countBlocks = async (ctx: Ctx, { first, last }: BlockRange, most: number): Promise<number> =>
  Number((await blockCount(ctx, { first, last, most }))[0]?.n ?? 0)

const blockCount = prepared((db: Kysely<Tables>, { first, last, most }: BlockRange & { readonly most: number }) =>
  db
    .selectFrom(({ selectFrom }) =>
      selectFrom('address_blocks')
        .select('block')
        .where('block', '>=', first)
        .where('block', '<=', last)
        .limit(most)
        .as('blocks'),
    )
    .select(({ fn }) => fn.countAll<number | string>().as('n')),
)

/** Returns the addresses that a device or a reservation has. */
export const findHeldKeys = async (ctx: Ctx, keys: readonly IpKey[]): Promise<Set<IpKey>> => {
  const rows = await heldRows(ctx, keys)
  return new Set(rows.map(({ ip_key }) => ip_key))
}

const heldRows = preparedKeys((db: Kysely<Tables>, keys: IpKey[]) =>
  db
    .selectFrom('addresses')
    .select('ip_key')
    .where('ip_key', 'in', keys)
    .union(db.selectFrom('reservations').select('ip_key').where('ip_key', 'in', keys)),
)
