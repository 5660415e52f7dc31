/**
 * What a transaction has read of blocks. Several may take addresses one after the other in one transaction: what it has locked, nobody
 * else changes meanwhile. Of what it has not locked it believes what it has read until it locks that.
 */
import { lockScopedCache } from '../../platform/db/cache/lock-scoped-cache.ts'
import type { Ctx } from '../ctx.ts'
import * as store from './store.ts'

export class Seen {
  readonly blocks = new Map<string, string>()
  /** How far it has been read from a block on; beyond the last that is there, nothing is taken. */
  readonly #ends = new Map<string, string>()

  /** @returns the last block of those from `first` to `last` that are known by now */
  async read(ctx: Ctx, first: string, last: string): Promise<string> {
    const known = this.#ends.get(`${first} ${last}`)
    if (known !== undefined) return known
    const page = await store.pageOfBlocks(ctx, { first, last })
    for (const { block, taken } of page) this.blocks.set(block, taken)
    const end = page.length < store.PAGE_OF_BLOCKS ? last : (page.at(-1)?.block ?? last)
    this.#ends.set(`${first} ${last}`, end)
    return end
  }

  /** Whether nobody else can have changed what was read and is locked by now. */
  holds(ctx: Ctx): boolean {
    return lastSeen.get(ctx).value === this
  }
}

const lastSeen = lockScopedCache<Seen>()

/** What the transaction has read already, if that holds and will do; else nothing, to read into. */
export const seenBy = (ctx: Ctx, isAnew = false): Seen => {
  const { value: cached, set } = lastSeen.get(ctx)
  if (cached && !isAnew) return cached
  const seen = new Seen()
  set(seen)
  return seen
}

/** What the transaction has made of blocks itself. */
export const written = (ctx: Ctx, rows: readonly { readonly block: string; readonly taken: string }[]): void => {
  const { value: cached } = lastSeen.get(ctx)
  for (const { block, taken } of rows) cached?.blocks.set(block, taken)
}
