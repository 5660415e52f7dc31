/** The details of a network, and its utilization. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Datacenter, Network } from '../api/contracts.ts'
import { conflictsQuery } from '../api/queries.ts'
import { ConflictBanner } from '../conflicts/active-banner.tsx'
import { CustomFacts } from '../custom-fields/known-custom.tsx'
import { listFacts } from '../resource/columns.tsx'
import { usePermit } from '../shell/me.ts'
import { SpaceBadge } from '../spaces/known-spaces.tsx'
import { formatAddressCount, formatCount, formatPercent, isBeyondCounting } from '../ui/format.ts'
import { Card, CopyText, Facts, Figure, TimeAgo } from '../ui/primitives.tsx'
import type { VlanNames } from '../vlans/names.ts'
import { VlanText } from '../vlans/vlan-text.tsx'
import { fields } from './fields.ts'
import css from './networks.module.css'

const FACTS = ['subnet', 'space_id', 'vlan_id', 'datacenter_id', 'description', 'id', 'updated_at']

type Props = {
  readonly network: Network
  readonly datacenter: Datacenter | undefined
  readonly vlans: VlanNames | undefined
}

export const NetworkOverview = ({ network, datacenter, vlans }: Props) => {
  const { utilization } = network
  const { may } = usePermit()
  const { data: conflicts = [] } = useQuery({ ...conflictsQuery, enabled: may('conflicts:list') })
  return (
    <>
      <ConflictBanner conflicts={conflicts.filter(({ network_ids }) => network_ids.includes(network.id))} />
      <div className={css.cards}>
        <Figure label="Used">{utilization ? formatCount(utilization.used_ips) : '–'}</Figure>
        {utilization !== undefined && utilization.reserved_ips > 0 && (
          <Figure label="Reserved">{formatCount(utilization.reserved_ips)}</Figure>
        )}
        <Figure label="Addresses">
          {utilization ? formatAddressCount(network.subnet, utilization.total_ips) : '–'}
        </Figure>
        {utilization && !isBeyondCounting(network.subnet) && (
          <>
            <Figure label="Free">{formatCount(utilization.available_ips)}</Figure>
            <Figure label="Utilization">{formatPercent(utilization.utilization)}</Figure>
          </>
        )}
      </div>
      <Card title="About this network">
        <Facts
          facts={listFacts(fields, network, FACTS, {
            subnet: <CopyText text={network.subnet} label="subnet" />,
            space_id: <SpaceBadge space_id={network.space_id} />,
            vlan_id: network.vlan_id === null ? '' : <VlanText network={network} vlans={vlans} />,
            datacenter_id: datacenter && (
              <Link to="/datacenters/$id" params={{ id: datacenter.id }} className="link">
                {datacenter.name}
              </Link>
            ),
            id: <CopyText text={network.id} label="ID" />,
            updated_at: <TimeAgo at={network.updated_at} />,
          })}
        />
      </Card>
      <CustomFacts resource="networks" object={network} />
    </>
  )
}
