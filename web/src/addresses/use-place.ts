/** The names and pools of a network or a pool, from the lists that pages have read. */
import { useQuery } from '@tanstack/react-query'
import type { Network, Pool } from '../api/contracts.ts'
import { networksQuery, poolsQuery } from '../api/queries.ts'
import { usePermit } from '../shell/me.ts'
import type { Place } from './place.ts'

export type KnownPlace = {
  readonly name: string
  /** '' until it is known. */
  readonly networkId: string
  readonly network: Network | undefined
  /** The pools of the network. */
  readonly pools: readonly Pool[]
  /** The pool, if the place is one. */
  readonly pool: Pool | undefined
}

const NONE: readonly never[] = []

export const useKnownPlace = ({ kind, id }: Place): KnownPlace => {
  const { may } = usePermit()
  const { data: networks = NONE } = useQuery({ ...networksQuery, enabled: may('networks:list') })
  const { data: all = NONE } = useQuery({ ...poolsQuery, enabled: may('pools:list') })
  const pool = kind === 'pool' ? all.find((one) => one.id === id) : undefined
  const networkId = kind === 'network' ? id : (pool?.network_id ?? '')
  const network = networks.find((one) => one.id === networkId)
  return {
    name: (kind === 'pool' ? pool?.name : network?.name) ?? '',
    networkId,
    network,
    pools: all.filter((one) => one.network_id === networkId),
    pool,
  }
}
