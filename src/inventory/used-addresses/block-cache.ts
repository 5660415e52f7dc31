/** The blocks that a transaction has read: exact for locked blocks, tentative for the others. */
import { lockScopedCache } from '../../database/cache/lock-scoped-cache.ts'
import { createLocal } from '../../database/transaction-state.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import * as store from './store.ts'

export class BlockCache {
  readonly blocks = new Map<string, string>()
  /** What else is known while the locks are held. */
  readonly local = createLocal()
  /** The parts that were read. A block without a row in one of them has no taken address. */
  readonly #parts: { readonly first: string; readonly end: string }[] = []

  /** @returns the last block between `first` and `last` that is now cached with all blocks before it */
  async read(ctx: Ctx, first: string, last: string): Promise<string> {
    const known = this.#parts.findLast((part) => part.first <= first && first <= part.end)
    if (known !== undefined) return known.end < last ? known.end : last
    const page = await store.findBlockPage(ctx, { first, last })
    for (const { block, taken } of page) this.blocks.set(block, taken)
    const end = page.length < store.PAGE_OF_BLOCKS ? last : (page.at(-1)?.block ?? last)
    this.#parts.push({ first, end })
    return end
  }

  /** Reads the blocks of many ranges by one query. A range is given by its blocks, ascending and without a gap. */
  async readTogether(ctx: Ctx, ranges: readonly (readonly string[])[]): Promise<void> {
    const blocks = await store.readBlocks(ctx, [...new Set(ranges.flat())])
    for (const [block, taken] of blocks) this.blocks.set(block, taken)
    for (const range of ranges) this.#parts.push({ first: range[0] ?? '', end: range.at(-1) ?? '' })
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
