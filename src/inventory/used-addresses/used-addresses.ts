/** Records taken addresses in bitmaps of 256, and finds free ones without iterating over a range. */

import type { Ctx } from '../../kernel/ctx.ts'
import type { IpKey } from '../../net/ip.ts'
import {
  buildIpKey,
  countTaken,
  EMPTY_BLOCK,
  FULL_BLOCK,
  findFirstFree,
  getBlock,
  getNextBlock,
  getOffset,
  isTaken,
  withBits,
} from '../../net/occupancy.ts'
import { BlockCache, getBlockCache, updateBlockCache } from './block-cache.ts'
import * as store from './store.ts'

export type { BlockCache }
export { getBlockCache }

/** A range by the sortable keys of its ends. */
export type KeyRange = { readonly first: IpKey; readonly last: IpKey }

const mapOffsetsByBlock = (keys: readonly IpKey[]): Map<string, number[]> => {
  const blocks = new Map<string, number[]>()
  for (const key of keys) {
    const block = getBlock(key)
    const offsets = blocks.get(block)
    if (offsets) offsets.push(getOffset(key))
    else blocks.set(block, [getOffset(key)])
  }
  return blocks
}

/** Locks the blocks of these addresses until commit, so that reads and writes of them are consistent. Emits `occupancy.locked`. */
export const lock = async (ctx: Ctx, keys: readonly IpKey[]): Promise<void> => {
  if (keys.length === 0) return
  await store.lockBlocks(ctx, [...new Set(keys.map(getBlock))])
  await ctx.emit('occupancy.locked', keys)
}

const readBlocksWith = (ctx: Ctx, keys: readonly IpKey[]): Promise<Map<string, string>> =>
  store.readBlocks(ctx, [...new Set(keys.map(getBlock))])

/** Data of `occupancy.marked`, which is emitted when addresses are marked. */
export type Marked = {
  readonly taken: boolean
  /** The marked addresses. */
  readonly keys: readonly IpKey[]
  /** The addresses among them that were marked otherwise before. */
  readonly changed: readonly IpKey[]
  /** True where only expired reservations held the addresses: they were free already. */
  readonly hadExpired: boolean
}

type Marking = {
  readonly taken: boolean
  /** The blocks of the addresses, where they have been read since they were locked. */
  readonly known?: ReadonlyMap<string, string>
  readonly hadExpired?: boolean
}

const mark = async (ctx: Ctx, keys: readonly IpKey[], { taken, known, hadExpired = false }: Marking): Promise<void> => {
  if (keys.length === 0) return
  const wanted = mapOffsetsByBlock(keys)
  const blocks = known ?? (await readBlocksWith(ctx, keys))
  const changed: { block: string; taken: string }[] = []
  for (const [block, offsets] of wanted) {
    const before = blocks.get(block) ?? EMPTY_BLOCK
    const after = withBits(before, offsets, taken)
    if (after !== before) changed.push({ block, taken: after })
  }
  const hasChanged = (key: string) => isTaken(blocks.get(getBlock(key)) ?? EMPTY_BLOCK, getOffset(key)) !== taken
  const marked: Marked = { taken, keys, changed: [...new Set(keys.filter(hasChanged))], hadExpired }
  await ctx.emit('occupancy.marked', marked)
  await store.writeBlocks(ctx, changed)
  updateBlockCache(ctx, changed)
}

/** Marks addresses as taken. Call `lock` first. */
export const take = (ctx: Ctx, keys: readonly IpKey[]): Promise<void> => mark(ctx, keys, { taken: true })

/** Takes addresses found free in `cache`. Returns false, and takes none, if another writer was faster. */
export const claim = async (ctx: Ctx, keys: readonly IpKey[], cache?: BlockCache): Promise<boolean> => {
  await lock(ctx, keys)
  // A valid cache means that the blocks were locked before they were read.
  const known = cache?.holds(ctx) ? cache.blocks : await readBlocksWith(ctx, keys)
  if (keys.some((key) => isTaken(known.get(getBlock(key)) ?? EMPTY_BLOCK, getOffset(key)))) return false
  await mark(ctx, keys, { taken: true, known })
  return true
}

const countInBlock = ({ block, taken }: { block: string; taken: string }, { first, last }: KeyRange): number => {
  const from = block === getBlock(first) ? getOffset(first) : 0
  const to = block === getBlock(last) ? getOffset(last) : 255
  if (from === 0 && to === 255) return taken === FULL_BLOCK ? 256 : countTaken(taken)
  let count = 0
  for (let offset = from; offset <= to; offset++) if (isTaken(taken, offset)) count++
  return count
}

/** Counts the taken addresses of a range; undefined if it has more than one page of blocks. */
export const countTakenIn = async (ctx: Ctx, range: KeyRange): Promise<number | undefined> => {
  const page = await store.findBlockPage(ctx, { first: getBlock(range.first), last: getBlock(range.last) })
  if (page.length === store.PAGE_OF_BLOCKS) return undefined
  return page.reduce((sum, row) => sum + countInBlock(row, range), 0)
}

type Exceptions = {
  /** Addresses of the range that count as taken. */
  readonly kept: readonly IpKey[]
  /** Parts of the range that do not count, ascending. */
  readonly without: readonly KeyRange[]
}

/** Counts the addresses of a range that are taken, in all of its pages. */
export const countAllTakenIn = async (ctx: Ctx, range: KeyRange, { kept, without }: Exceptions): Promise<number> => {
  const last = getBlock(range.last)
  const left = new Set(kept)
  let count = 0
  let at = 0
  /** Blocks are asked for in ascending order. */
  const countWithout = (row: { block: string; taken: string }): number => {
    let sum = 0
    for (let part = without[at]; part && getBlock(part.first) <= row.block; part = without[at]) {
      if (getBlock(part.last) >= row.block) sum += countInBlock(row, part)
      if (getBlock(part.last) > row.block) break
      at++
    }
    return sum
  }
  for (let first: string | undefined = getBlock(range.first); first !== undefined && first <= last; ) {
    const page = await store.findBlockPage(ctx, { first, last })
    for (const row of page) {
      count += countInBlock(row, range) - countWithout(row)
      for (const key of left) if (getBlock(key) === row.block && isTaken(row.taken, getOffset(key))) left.delete(key)
    }
    first = page.length < store.PAGE_OF_BLOCKS ? undefined : getNextBlock(page.at(-1)?.block ?? last)
  }
  return count + left.size
}

/** Up to this many blocks are read rather than counted first. */
const MAX_BLOCKS_READ_UNCOUNTED = 4

/** Returns an upper bound of `countAllTakenIn` below `count`, if the blocks are few enough; else undefined. */
export const boundTakenIn = async (ctx: Ctx, range: KeyRange, count: number): Promise<number | undefined> => {
  const needed = Math.ceil(count / 256)
  if (needed <= MAX_BLOCKS_READ_UNCOUNTED) return undefined
  const blocks = await store.countBlocks(ctx, { first: getBlock(range.first), last: getBlock(range.last) }, needed)
  return blocks < needed ? blocks * 256 : undefined
}

/** Marks the addresses as free that no device and no reservation has. Call `lock` first. */
export const release = async (
  ctx: Ctx,
  keys: readonly IpKey[],
  of: Pick<Marking, 'hadExpired'> = {},
): Promise<void> => {
  if (keys.length === 0) return
  const held = await store.findHeldKeys(ctx, keys)
  await mark(
    ctx,
    keys.filter((key) => !held.has(key)),
    { ...of, taken: false },
  )
}

/** Larger ranges are read in pages when they are walked. */
const MAX_BLOCKS_READ_TOGETHER = 4

const listBlocks = ({ first, last }: KeyRange): string[] | undefined => {
  const blocks: string[] = []
  for (let block: string | undefined = getBlock(first); block !== undefined; block = getNextBlock(block)) {
    if (block > getBlock(last)) break
    if (blocks.push(block) > MAX_BLOCKS_READ_TOGETHER) return undefined
  }
  return blocks
}

/** Returns a cache for walks through many ranges, with the blocks of the small ones. */
export const readBlocksOf = async (ctx: Ctx, ranges: readonly KeyRange[]): Promise<BlockCache> => {
  const cache = new BlockCache()
  await cache.readTogether(
    ctx,
    ranges.flatMap((range) => {
      const blocks = listBlocks(range)
      return blocks ? [blocks] : []
    }),
  )
  return cache
}

type Walk = {
  readonly cache?: BlockCache | undefined
  /** The end of the ranges that are walked one after the other: their blocks are read together. By default that of the range. */
  readonly through?: IpKey
}

/** Yields the free addresses of a range, ascending and on demand; reads blocks that are not cached. */
export async function* walkFreeKeys(
  ctx: Ctx,
  range: KeyRange,
  { cache = getBlockCache(ctx, true), through = range.last }: Walk = {},
): AsyncGenerator<IpKey> {
  const lastBlock = getBlock(range.last)
  let block: string | undefined = getBlock(range.first)
  while (block !== undefined && block <= lastBlock) {
    const pageEnd = await cache.read(ctx, block, getBlock(through))
    while (block !== undefined && block <= pageEnd && block <= lastBlock) {
      yield* walkFreeInBlock(block, cache.blocks.get(block) ?? EMPTY_BLOCK, range)
      block = getNextBlock(block)
    }
  }
}

function* walkFreeInBlock(block: string, taken: string, { first, last }: KeyRange): Generator<IpKey> {
  const to = block === getBlock(last) ? getOffset(last) : 255
  let from = block === getBlock(first) ? getOffset(first) : 0
  for (;;) {
    const offset = findFirstFree(taken, from, to)
    if (offset === undefined) return
    yield buildIpKey(block, offset)
    from = offset + 1
  }
}
