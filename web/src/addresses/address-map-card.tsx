/** The map of a network or a pool, from which free addresses are given away. Larger ones say how many addresses they have. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { isPast } from '../api/as-of.ts'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { Card, Skeleton } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { AddressGrid } from './address-grid.tsx'
import { buildAddressMap, type MappedPool } from './address-map.ts'
import { countAddresses, heatmapQuery, MAX_DRAWN, nextIpQuery, type Place } from './place.ts'
import type { AddressDialogTools } from './use-address-dialog.tsx'

type Props = {
  readonly place: Place
  /** Its subnet, or its first and last address with a dash between them. */
  readonly range: string
  /** The pools of a network, which are outlined. */
  readonly pools?: readonly MappedPool[]
  readonly tools: Pick<AddressDialogTools, 'open' | 'blocked'>
  readonly actions?: ReactNode
}

const NONE: readonly MappedPool[] = []

const TooLarge = ({ place, count }: { readonly place: Place; readonly count: bigint }) => {
  const { data: next } = useQuery({ ...nextIpQuery(place), enabled: !isPast() })
  return (
    <p>
      This {place.kind} has {count > 2n ** 40n ? 'more' : formatCount(Number(count))} addresses
      {count > 2n ** 40n && ' than anybody can count'}. Maps show at most {formatCount(MAX_DRAWN)}.
      {!isPast() && (
        <>
          {' '}
          Its next free address:{' '}
          {next === undefined ? <Skeleton width="8em" /> : <b className="mono">{next ?? 'none'}</b>}.
        </>
      )}
    </p>
  )
}

const Drawn = ({ place, pools = NONE, tools }: Props) => {
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery(heatmapQuery(place))
  const map = useMemo(() => data && buildAddressMap(data, pools), [data, pools])
  if (!map && error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!map) return <Skeleton />
  return (
    <AddressGrid
      map={map}
      noun={place.kind}
      hasPools={pools.length > 0}
      onUse={tools.blocked === undefined ? (ip) => tools.open(place, ip) : undefined}
      onReserved={(ip) => (
        <Button onClick={() => void navigate({ to: '/reservations', search: { q: ip } })}>Show reservation</Button>
      )}
    />
  )
}

export const AddressMapCard = (props: Props) => {
  const count = countAddresses(props.range)
  return (
    <Card title="Map" actions={props.actions}>
      {count <= MAX_DRAWN ? <Drawn {...props} /> : <TooLarge place={props.place} count={count} />}
    </Card>
  )
}
