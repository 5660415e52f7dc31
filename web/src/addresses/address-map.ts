/** The addresses of a network or a pool as a map of blocks of 256. */
import { formatIp, type Ip, parseIp } from '../../../src/net/ip.ts'
import { computeRangeSize, type IpRange, parseRange } from '../../../src/net/range.ts'
import type { HeatmapEntry } from '../api/contracts.ts'

export const BLOCK = 256
export const ROW = 16

/** In the map: outside of it, in one of the three states, or a free address of a network inside. */
export const STATES = ['outside', 'available', 'used', 'reserved', 'nested'] as const
export type State = (typeof STATES)[number]

/** A pool that is outlined. */
export type MappedPool = {
  readonly id: string
  readonly name: string
  readonly start_ip: string
  readonly end_ip: string
}

export type AddressMap = {
  readonly states: Uint8Array
  readonly deviceIds: ReadonlyMap<number, string>
  /** The networks inside to which addresses belong. */
  readonly networkIds: ReadonlyMap<number, string>
  readonly blocks: number
  readonly ipAt: (index: number) => string
  /** The end of an address, as it is written in a cell. */
  readonly shortAt: (index: number) => string
  /** Returns the smallest pool that holds an address. */
  readonly findPool: (index: number) => MappedPool | undefined
}

const computeBase = ({ value }: Ip): bigint => value - (value % BigInt(BLOCK))

type Ranged = { readonly pool: MappedPool; readonly range: IpRange }

/** Returns the pools with their ranges, the largest first. */
export const sortPoolsBySize = (pools: readonly MappedPool[]): readonly Ranged[] =>
  pools
    .flatMap((pool) => {
      const range = parseRange(`${pool.start_ip}-${pool.end_ip}`)
      return range ? [{ pool, range }] : []
    })
    .sort((a, b) => Number(computeRangeSize(b.range) - computeRangeSize(a.range)))

/** Undefined for a pool without addresses. @param pools that are outlined */
export const buildAddressMap = (
  entries: readonly HeatmapEntry[],
  pools: readonly MappedPool[] = [],
): AddressMap | undefined => {
  const [first, last] = [entries[0], entries.at(-1)].map((entry) => parseIp(entry?.ip ?? ''))
  if (!first || !last) return undefined
  const start = computeBase(first)
  const blocks = Number((computeBase(last) - start) / BigInt(BLOCK)) + 1
  const states = new Uint8Array(blocks * BLOCK)
  const deviceIds = new Map<number, string>()
  const networkIds = new Map<number, string>()
  // They come in order and without gaps.
  const offset = Number(first.value - start)
  for (const [i, { status, device_id, network_id }] of entries.entries()) {
    states[offset + i] = STATES.indexOf(network_id !== undefined && status !== 'used' ? 'nested' : status)
    if (device_id !== undefined) deviceIds.set(offset + i, device_id)
    if (network_id !== undefined) networkIds.set(offset + i, network_id)
  }
  const ranged = sortPoolsBySize(pools)
  /** The number of the pool of each address, from 1; 0 without one. Smaller pools come later. */
  const held = new Uint16Array(ranged.length > 0 ? states.length : 0)
  for (const [at, { range }] of ranged.entries()) {
    if (range.family !== first.family || range.last < first.value || range.first > last.value) continue
    const [from, to] = [Number(range.first - start), Number(range.last - start)]
    held.fill(at + 1, Math.max(offset, from), Math.min(offset + entries.length - 1, to) + 1)
  }
  const ipAt = (index: number) => formatIp({ family: first.family, value: start + BigInt(index) })
  return {
    states,
    deviceIds,
    networkIds,
    blocks,
    ipAt,
    shortAt: (index) => (first.family === 4 ? String(index % BLOCK) : (index % BLOCK).toString(16).padStart(2, '0')),
    findPool: (index) => ranged[(held[index] ?? 0) - 1]?.pool,
  }
}

export const getState = ({ states }: AddressMap, index: number): State => STATES[states[index] ?? 0] ?? 'outside'

/** Returns the sides of a cell that are an edge of its pool: `t`, `r`, `b` and `l`. */
export const listPoolEdges = ({ findPool }: AddressMap, index: number): string => {
  const pool = findPool(index)
  if (!pool) return ''
  const column = index % ROW
  const sides = [
    ['t', index - ROW, true],
    ['r', index + 1, column < ROW - 1],
    ['b', index + ROW, true],
    ['l', index - 1, column > 0],
  ] as const
  return sides.flatMap(([side, other, isBeside]) => (isBeside && findPool(other) === pool ? [] : [side])).join('')
}

/** Finds the first address that can be had; the first of the map where none can. */
export const findFirstInteresting = ({ states }: AddressMap): number => {
  const free = states.indexOf(STATES.indexOf('available'))
  return free === -1 ? states.findIndex((state) => state !== 0) : free
}
