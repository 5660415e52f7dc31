/** The blocks that a transaction has read: exact for locked blocks, tentative for the others. */
import { lockScopedCache } from '../../database/cache/lock-scoped-cache.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import * as store from './store.ts'

export class BlockCache {
  readonly blocks = new Map<string, string>()
  /** The last block that was read from a start block on. A block without a row up to there has no taken address. */
  readonly #ends = new Map<string, string>()

  /** @returns the last block between `first` and `last` that is now cached */
  async read(ctx: Ctx, first: string, last: string): Promise<string> {
    const known = this.#ends.get(`${first} ${last}`)
    if (known !== undefined) return known
    const page = await store.findBlockPage(ctx, { first, last })
    for (const { block, taken } of page) this.blocks.set(block, taken)
    const end = page.length < store.PAGE_OF_BLOCKS ? last : (page.at(-1)?.block ?? last)
    this.#ends.set(`${first} ${last}`, end)
    return end
  }

  /** Checks that the transaction's locks still protect the cached blocks. */
  holds(ctx: Ctx): boolean {
    return lockedBlocks.get(ctx).value === this
  }
}

const lockedBlocks = lockScopedCache<BlockCache>()

/** Returns the cache of the transaction if its locks protect it; otherwise a new, empty one. */
export const getBlockCache = (ctx: Ctx, isFresh = false): BlockCache => {
  const { value: cached, set } = lockedBlocks.get(ctx)
  if (cached && !isFresh) return cached
  const cache = new BlockCache()
  set(cache)
  return cache
}

/** Updates the cached blocks with the blocks that the transaction has written. */
export const updateBlockCache = (
  ctx: Ctx,
  rows: readonly { readonly block: string; readonly taken: string }[],
): void => {
  const { value: cached } = lockedBlocks.get(ctx)
  for (const { block, taken } of rows) cached?.blocks.set(block, taken)
}
