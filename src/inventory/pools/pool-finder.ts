/**
 * Finds the pools with ranges that hold addresses. Uses an index of all ranges where the database tells without a query that it is
 * current.
 */

import { lockScopedCache } from '../../database/cache/lock-scoped-cache.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { buildIpKey, getBlock } from '../../net/occupancy.ts'
import { listSubnetKeysAround } from '../networks/membership.ts'
import * as store from './range-store.ts'

export type PoolRangeRow = store.PoolRangeRow
type Ranges = readonly PoolRangeRow[]

export type PoolFinder = {
  /** Returns the pools that hold any of the addresses, which are given as sortable keys. */
  readonly find: (ctx: Ctx, keys: readonly string[]) => Ranges | Promise<Ranges>
  /** Sends the query that `find` would send for these addresses, so that its answer comes with the answers of other queries. */
  readonly prefetch: (ctx: Ctx, keys: readonly string[]) => void
}

/** Up to this many blocks of 256 addresses, the pools around each are asked for. For more, all ranges are read once. */
const MAX_BLOCKS_ASKED_ONE_BY_ONE = 4

/** An index of ranges that may overlap. A lookup takes a binary search, and a step for each range that begins before the address ends. */
export class RangeIndex {
  /** Ordered by their first key. */
  readonly #ranges: Ranges
  /** The highest last key of the ranges up to each. */
  readonly #ends: readonly string[]

  constructor(ranges: Ranges) {
    this.#ranges = ranges.toSorted((a, b) => (a.start_key < b.start_key ? -1 : 1))
    let highest = ''
    this.#ends = this.#ranges.map(({ end_key }) => {
      if (end_key > highest) highest = end_key
      return highest
    })
  }

  /** Returns the ranges that hold any of the keys. */
  holding(keys: readonly string[]): Ranges {
    const holding = new Set<PoolRangeRow>()
    for (const key of keys) {
      for (let at = this.#lastFrom(key); at >= 0 && (this.#ends[at] ?? '') >= key; at--) {
        const range = this.#ranges[at]
        if (range && range.end_key >= key) holding.add(range)
      }
    }
    return [...holding]
  }

  /** The index of the last range that begins at the key or before it; -1 without one. */
  #lastFrom(key: string): number {
    let [low, high] = [0, this.#ranges.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#ranges[middle]?.start_key ?? '') <= key) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}

/** Keyed by block; transactions that share a commit ask once. */
const lastBlocks = lockScopedCache<Map<string, Promise<Ranges>>>()

const listBlocks = (keys: readonly string[]): string[] => [...new Set(keys.map(getBlock))]

export const createPoolFinder = (): PoolFinder => {
  let cached: { readonly revision: string; readonly index: RangeIndex } | undefined

  const findRangesAround = (ctx: Ctx, block: string): Promise<Ranges> => {
    const { value, set } = lastBlocks.get(ctx)
    const blocks = value ?? new Map<string, Promise<Ranges>>()
    const known = blocks.get(block)
    if (known) return known
    const [first, last] = [buildIpKey(block, 0), buildIpKey(block, 255)]
    const ranges = store.findRangesAround(ctx, { first, last, subnets: listSubnetKeysAround(first) })
    blocks.set(block, ranges)
    set(blocks)
    return ranges
  }

  const query = async (ctx: Ctx, keys: readonly string[]): Promise<Ranges> => {
    const blocks = listBlocks(keys)
    const ranges =
      blocks.length > MAX_BLOCKS_ASKED_ONE_BY_ONE
        ? await store.findAllRanges(ctx)
        : (await Promise.all(blocks.map((block) => findRangesAround(ctx, block)))).flat()
    return ranges.length === 0 ? [] : new RangeIndex(ranges).holding(keys)
  }

  const read = async (ctx: Ctx, revision: string): Promise<RangeIndex> => {
    // The committed state, to which the revision belongs: the transaction may have written pools and be rolled back.
    const index = new RangeIndex(await store.findAllRanges({ db: ctx.store.read, store: ctx.store }))
    cached = { revision, index }
    return index
  }

  return {
    find: (ctx, keys) => {
      const revision = ctx.revision(['pools'])
      if (revision === undefined) return query(ctx, keys)
      if (cached?.revision === revision) return cached.index.holding(keys)
      return read(ctx, revision).then((index) => index.holding(keys))
    },
    prefetch: (ctx, keys) => {
      if (ctx.store.sql.isInProcess) return
      const blocks = listBlocks(keys)
      // `find` awaits the answer, and reports a failure.
      if (blocks.length <= MAX_BLOCKS_ASKED_ONE_BY_ONE)
        for (const block of blocks) findRangesAround(ctx, block).catch(() => {})
    },
  }
}
