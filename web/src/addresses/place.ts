/** A network or a pool whose addresses are given out, and what is asked of the server about them. */
import { queryOptions } from '@tanstack/react-query'
import { parseRange } from '../../../src/net/range.ts'
import { api } from '../api/client.ts'
import { isCode } from '../api/errors.ts'

export type Place = { readonly kind: 'network' | 'pool'; readonly id: string }

/** The most addresses that the server draws. */
export const MAX_DRAWN = 65_536

/** Counts all addresses of a subnet or a range. @param text `10.0.0.0/24` or `10.0.0.1-10.0.0.9` */
export const countAddresses = (text: string): bigint => {
  const range = parseRange(text)
  return range ? range.last - range.first + 1n : 0n
}

export const heatmapQuery = ({ kind, id }: Place) =>
  queryOptions({
    queryKey: [kind, id, 'heatmap'],
    queryFn: () => (kind === 'pool' ? api.pools.heatmap({ id }) : api.networks.heatmap({ id })),
  })

/** Returns the lowest free addresses, ascending; none if all are taken. */
export const findNextIps = async ({ kind, id }: Place, count: number): Promise<readonly string[]> => {
  try {
    const { ips = [] } =
      kind === 'pool' ? await api.pools.nextIp({ id, count }) : await api.networks.nextIp({ id, count })
    return ips
  } catch (error) {
    // A full network or pool answers with an error, which is an answer.
    if (isCode(error, 'IP_NOT_AVAILABLE')) return []
    throw error
  }
}

/** The lowest free address; null if all are taken. */
export const nextIpQuery = (place: Place) =>
  queryOptions({
    queryKey: [place.kind, place.id, 'next'],
    queryFn: async () => (await findNextIps(place, 1))[0] ?? null,
  })
