/** Lists the pools and networks with a free address for a typed text, the best match first. */

import type { Ctx } from '../../kernel/ctx.ts'
import { formatIp, fromIpKey, getSpaceKey, type IpKey, parseIp, toIpKey } from '../../net/ip.ts'
import { type Meant, parsePartialAddress } from '../../net/words/partial-address.ts'
import {
  buildPoolSpace,
  computeRangeSize,
  countAvailable,
  findLowestAvailable,
  type PoolSpace,
} from '../pools/free-space.ts'
import type { PoolNetwork } from '../pools/inner-networks.ts'
import { isDefault, withSpace } from '../spaces/fields.ts'
import { findLastExpiry } from '../used-addresses/expiry.ts'
import { readBlocksOf } from '../used-addresses/used-addresses.ts'
import type { FreeAddress } from './api.ts'
import { buildNetworkSpace } from './network-space.ts'
import * as store from './store.ts'

export type Asked = {
  readonly q?: string | undefined
  readonly datacenter_id?: string | undefined
  readonly space_id?: string | undefined
  readonly limit: number
}

type Row = Awaited<ReturnType<typeof store.listPools | typeof store.listNetworks>>[number]
type Candidate = Row & { readonly kind: FreeAddress['kind'] }

/** How well a candidate matches, the best first. */
const RANKS = ['whole', 'beginning', 'part'] as const
type Rank = (typeof RANKS)[number]

const rankName = (name: string, text: string): Rank | undefined => {
  if (name === text) return 'whole'
  if (name.startsWith(text)) return 'beginning'
  return name.includes(text) ? 'part' : undefined
}

/** Returns the ranges that a text means, in every space: by keys without the key of the space. */
const toRanges = ({ family, spans }: Meant) =>
  spans.map(({ first, last }) => ({
    first: toIpKey({ family, value: first }, ''),
    last: toIpKey({ family, value: last }, ''),
  }))

type Ranges = ReturnType<typeof toRanges>

/** Returns 'beginning' for a range of which all addresses are meant, 'part' for one with some of them. */
const rankRange = ({ start_key, end_key }: Row, ranges: Ranges): Rank | undefined => {
  const { length } = getSpaceKey(start_key)
  const [first, last] = [start_key.slice(length), end_key.slice(length)]
  let rank: Rank | undefined
  for (const range of ranges) {
    if (first > range.last || last < range.first) continue
    if (first >= range.first && last <= range.last) return 'beginning'
    rank = 'part'
  }
  return rank
}

const pickBetter = (a: Rank | undefined, b: Rank | undefined): Rank | undefined =>
  RANKS.find((rank) => rank === a || rank === b)

const isOfSpace = ({ subnet, space_id }: Row, wanted: string | undefined): boolean =>
  // The space of a hidden network is not known.
  wanted === undefined || (subnet !== null && (isDefault(wanted) ? space_id === null : space_id === wanted))

type Sorted = { readonly candidate: Candidate; readonly order: number }

const byOrder = (a: Sorted, b: Sorted): number =>
  a.order - b.order ||
  compareTexts(a.candidate.name_order, b.candidate.name_order) ||
  // Pools come before networks.
  compareTexts(b.candidate.kind, a.candidate.kind) ||
  compareTexts(a.candidate.id, b.candidate.id)

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Returns the candidates that hold an address, the most specific first. */
const sortHolding = (all: readonly Candidate[], ranges: Ranges): Candidate[] =>
  all
    .filter((candidate) => rankRange(candidate, ranges))
    .map((candidate) => ({
      candidate,
      size: computeRangeSize({ first: candidate.start_key, last: candidate.end_key }),
    }))
    .sort((a, b) => (a.size === b.size ? byOrder({ ...a, order: 0 }, { ...b, order: 0 }) : a.size < b.size ? -1 : 1))
    .map(({ candidate }) => candidate)

/** Returns the candidates that match, the best first. */
const sortMatching = (all: readonly Candidate[], { q = '', datacenter_id, space_id }: Asked): Candidate[] => {
  const text = q.trim().normalize('NFC').toLowerCase()
  const meant = parsePartialAddress(text)
  const ranges = meant ? toRanges(meant) : []
  const inSpace = all.filter((one) => isOfSpace(one, space_id))
  if (parseIp(text)) return sortHolding(inSpace, ranges)
  const sorted: Sorted[] = []
  for (const candidate of inSpace) {
    const rank = pickBetter(rankName(candidate.name_key, text), rankRange(candidate, ranges))
    if (rank === undefined) continue
    const isElsewhere = datacenter_id !== undefined && candidate.datacenter_id !== datacenter_id
    sorted.push({ candidate, order: RANKS.indexOf(rank) + (isElsewhere ? RANKS.length : 0) })
  }
  return sorted.sort(byOrder).map(({ candidate }) => candidate)
}

/** The facts of a network that the caller may not list. */
const HIDDEN = { subnet: null, space_id: null, datacenter_id: null }

const findCandidates = async (ctx: Ctx): Promise<Candidate[]> => {
  const may = (resource: 'pools' | 'networks') => ctx.caller.permissions.has(`${resource}:list`)
  const [pools, networks] = await Promise.all([
    may('pools') ? store.listPools(ctx, {}) : [],
    may('networks') ? store.listNetworks(ctx, {}) : [],
  ])
  const hidden = may('networks') ? {} : HIDDEN
  return [
    ...pools.map((row): Candidate => ({ ...row, ...hidden, kind: 'pool' })),
    ...networks.map((row): Candidate => ({ ...row, kind: 'network' })),
  ]
}

const toSpace = ({ kind, start_key, end_key }: Candidate, network: PoolNetwork): PoolSpace =>
  kind === 'network' ? buildNetworkSpace(network) : buildPoolSpace({ ...network, start_key, end_key })

type Free = { readonly candidate: Candidate; readonly space: PoolSpace; readonly key: IpKey }

/** Returns the candidates that have a free address. @param ctx unscoped */
const filterFree = async (ctx: Ctx, candidates: readonly Candidate[], hasExpired: boolean): Promise<Free[]> => {
  const rows = await store.findBounds(ctx, [...new Set(candidates.map(({ network_id }) => network_id))])
  const networks = new Map(rows.map((row) => [row.id, row]))
  const spaces = candidates.flatMap((candidate) => {
    const network = networks.get(candidate.network_id)
    return network ? [{ candidate, space: toSpace(candidate, network) }] : []
  })
  const cache = await readBlocksOf(
    ctx,
    spaces.map(({ space }) => space.range),
  )
  const found = await Promise.all(
    spaces.map(async ({ candidate, space }): Promise<Free[]> => {
      const [key] = await findLowestAvailable(ctx, space, 1, { cache, hasExpired })
      return key === undefined ? [] : [{ candidate, space, key }]
    }),
  )
  return found.flat()
}

/** The largest number of candidates that are looked at together. */
const MAX_TOGETHER = 256

const toAnswer = async (ctx: Ctx, { candidate, space, key }: Free): Promise<FreeAddress> => {
  const { kind, id, name, network_id, subnet, space_id, datacenter_id } = candidate
  const own = withSpace({ kind, id, name, network_id, subnet: subnet ?? '' }, space_id)
  return { ...own, datacenter_id, ip: formatIp(fromIpKey(key)), available_ips: await countAvailable(ctx, space) }
}

export const listFree = async (ctx: Ctx, asked: Asked): Promise<FreeAddress[]> => {
  const candidates = sortMatching(await findCandidates(ctx), asked)
  // Holders of addresses that the caller may not list count as well.
  const { unscoped } = ctx
  const hasExpired = (await findLastExpiry(unscoped)) !== ''
  const free: Free[] = []
  let together = asked.limit * 2
  for (let at = 0; at < candidates.length && free.length < asked.limit; ) {
    free.push(...(await filterFree(unscoped, candidates.slice(at, at + together), hasExpired)))
    at += together
    together = Math.min(together * 4, MAX_TOGETHER)
  }
  return Promise.all(free.slice(0, asked.limit).map((one) => toAnswer(unscoped, one)))
}
