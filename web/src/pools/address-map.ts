/** The addresses of a pool as a map of blocks of 256. */
import { formatIp, type Ip, parseIp } from '../../../src/net/ip.ts'
import type { HeatmapEntry } from '../api/contracts.ts'

export const BLOCK = 256

/** In the map: outside of the pool, or one of the three states. */
export const STATES = ['outside', 'available', 'used', 'reserved'] as const
export type State = (typeof STATES)[number]

export type AddressMap = {
  readonly states: Uint8Array
  readonly deviceIds: ReadonlyMap<number, string>
  readonly blocks: number
  readonly ipAt: (index: number) => string
  /** The end of an address, as it is written in a cell. */
  readonly shortAt: (index: number) => string
}

const computeBase = ({ value }: Ip): bigint => value - (value % BigInt(BLOCK))

/** Undefined for a pool without addresses. */
export const buildAddressMap = (entries: readonly HeatmapEntry[]): AddressMap | undefined => {
  const [first, last] = [entries[0], entries.at(-1)].map((entry) => parseIp(entry?.ip ?? ''))
  if (!first || !last) return undefined
  const start = computeBase(first)
  const blocks = Number((computeBase(last) - start) / BigInt(BLOCK)) + 1
  const states = new Uint8Array(blocks * BLOCK)
  const deviceIds = new Map<number, string>()
  // They come in order and without gaps.
  const offset = Number(first.value - start)
  for (const [i, { status, device_id }] of entries.entries()) {
    states[offset + i] = STATES.indexOf(status)
    if (device_id !== undefined) deviceIds.set(offset + i, device_id)
  }
  const ipAt = (index: number) => formatIp({ family: first.family, value: start + BigInt(index) })
  return {
    states,
    deviceIds,
    blocks,
    ipAt,
    shortAt: (index) => (first.family === 4 ? String(index % BLOCK) : (index % BLOCK).toString(16).padStart(2, '0')),
  }
}

export const getState = ({ states }: AddressMap, index: number): State => STATES[states[index] ?? 0] ?? 'outside'

/** Finds the first address that can be had; the first of the pool where none can. */
export const findFirstInteresting = ({ states }: AddressMap): number => {
  const free = states.indexOf(STATES.indexOf('available'))
  return free === -1 ? states.findIndex((state) => state !== 0) : free
}
