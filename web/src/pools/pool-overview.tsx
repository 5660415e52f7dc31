/** The overview of a pool: the facts of its strip, the map of its addresses, and its details. */
import { useQuery } from '@tanstack/react-query'
import { LazyAddressMap } from '../addresses/lazy-address-map.tsx'
import { nextIpQuery } from '../addresses/place.ts'
import type { useAddressDialog } from '../addresses/use-address-dialog.tsx'
import { isPast } from '../api/as-of.ts'
import type { Network, Pool } from '../api/contracts.ts'
import { CustomFacts } from '../custom-fields/known-custom.tsx'
import type { Fact } from '../resource/object/object-page.tsx'
import { type RelatedItem, relate } from '../resource/object/object-side.tsx'
import { SpaceBadge } from '../spaces/known-spaces.tsx'
import { formatCount } from '../ui/format.ts'
import { Card, CopyText, Facts, Meter, Skeleton, Tags, TimeAgo } from '../ui/primitives.tsx'

/** Returns the facts below the head, and the objects that the pool names. @param isWanted the history loads nothing for them */
export const usePoolParts = (
  pool: Pool | undefined,
  network: Network | undefined,
  isWanted: boolean,
): { readonly strip: readonly Fact[]; readonly related: readonly RelatedItem[] } => {
  const { data: next } = useQuery({
    ...nextIpQuery({ kind: 'pool', id: pool?.id ?? '' }),
    enabled: pool !== undefined && isWanted && !isPast(),
  })
  if (!pool) return { strip: [], related: [] }
  const { utilization, start_ip, end_ip, network_id } = pool
  const link = { to: '/networks/$id', params: { id: network_id } } as const
  const around = relate(link, network?.name ?? network_id, 'network')
  return {
    strip: [
      ['In use', utilization && <Meter value={utilization.utilization} label={`${pool.name} in use`} />],
      ['Used', utilization && formatCount(utilization.used_ips)],
      ['Reserved', utilization && formatCount(utilization.reserved_ips)],
      ['Free', utilization && formatCount(utilization.available_ips)],
      ['Next free', isWanted && !isPast() && (next === undefined ? <Skeleton width="80px" /> : (next ?? 'none'))],
      ['Network', network && around.link],
      [
        'Addresses',
        <span key="range" className="mono">
          {start_ip} – {end_ip}
        </span>,
      ],
      ['Address space', network?.space_id && <SpaceBadge space_id={network.space_id} />],
    ],
    related: [around],
  }
}

type Props = { readonly pool: Pool; readonly tools: ReturnType<typeof useAddressDialog> }

export const PoolOverview = ({ pool, tools }: Props) => (
  <>
    <LazyAddressMap place={{ kind: 'pool', id: pool.id }} range={`${pool.start_ip}-${pool.end_ip}`} tools={tools} />
    <Card title="Details">
      <Facts
        facts={[
          ['Tags', pool.tags.length === 0 ? '' : <Tags key="tags" tags={pool.tags} />],
          ['Description', pool.description],
          ['ID', <CopyText key="id" text={pool.id} label="ID" />],
          ['Changed', <TimeAgo key="updated" at={pool.updated_at} />],
        ]}
      />
    </Card>
    <CustomFacts resource="pools" object={pool} />
  </>
)
