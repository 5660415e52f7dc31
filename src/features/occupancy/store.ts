/** The queries of occupancy; the only writer of its table. */
import { EMPTY_BLOCK } from '../../net/occupancy.ts'
import { batches } from '../../platform/db/batches.ts'
import type { Ctx } from '../ctx.ts'

export const lockNameOf = (block: string): string => `block ${block}`

export const lockBlocks = async (ctx: Ctx, blocks: readonly string[]): Promise<void> => {
  if (blocks.length === 0) return
  // Locks need no tables.
  await ctx.store.sql.lockNames(ctx.db as never, blocks.map(lockNameOf))
}

export const readBlocks = async (ctx: Ctx, blocks: readonly string[]): Promise<Map<string, string>> => {
  const known = new Map<string, string>()
  for (const batch of batches(blocks)) {
    const rows = await ctx.db.selectFrom('address_blocks').selectAll().where('block', 'in', batch).execute()
    for (const { block, taken } of rows) known.set(block, taken)
  }
  return known
}

/** Blocks in which nothing is taken any more lose their row. */
export const writeBlocks = async (ctx: Ctx, rows: readonly { block: string; taken: string }[]): Promise<void> => {
  const empty = rows.filter(({ taken }) => taken === EMPTY_BLOCK).map(({ block }) => block)
  for (const batch of batches(empty)) await ctx.db.deleteFrom('address_blocks').where('block', 'in', batch).execute()
  for (const batch of batches(rows.filter(({ taken }) => taken !== EMPTY_BLOCK)))
    await ctx.db
      .insertInto('address_blocks')
      .values(batch)
      .onConflict((conflict) => conflict.column('block').doUpdateSet({ taken: (eb) => eb.ref('excluded.taken') }))
      .execute()
}

type BlockRange = { readonly first: string; readonly last: string }

/**
 * The blocks from `first` to `last` in order. Both families have keys of one length each, so the plain order of text
 * keeps them apart.
 */
export const pageOfBlocks = (ctx: Ctx, { first, last }: BlockRange, limit: number) =>
  ctx.db
    .selectFrom('address_blocks')
    .selectAll()
    .where('block', '>=', first)
    .where('block', '<=', last)
    .orderBy('block')
    .limit(limit)
    .execute()

/** Which of the addresses a device or a reservation has. */
export const heldKeys = async (ctx: Ctx, keys: readonly string[]): Promise<Set<string>> => {
  const held = new Set<string>()
  for (const batch of batches(keys)) {
    const rows = await ctx.db
      .selectFrom('addresses')
      .select('ip_key')
      .where('ip_key', 'in', batch)
      .union(ctx.db.selectFrom('reservations').select('ip_key').where('ip_key', 'in', batch))
      .execute()
    for (const { ip_key } of rows) held.add(ip_key)
  }
  return held
}
