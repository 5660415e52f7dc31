/** The details of a network, and its utilization. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Datacenter, Network } from '../api/contracts.ts'
import { conflictsQuery } from '../api/queries.ts'
import { ConflictBanner } from '../conflicts/active-banner.tsx'
import { usePermit } from '../shell/me.ts'
import { addressCount, count, isBeyondCounting, percent } from '../ui/format.ts'
import { Card, CopyText, Facts, Figure, TimeAgo } from '../ui/primitives.tsx'
import css from './networks.module.css'

type Props = { readonly network: Network; readonly datacenter: Datacenter | undefined }

export const NetworkOverview = ({ network, datacenter }: Props) => {
  const { utilization } = network
  const { may } = usePermit()
  const { data: conflicts = [] } = useQuery({ ...conflictsQuery, enabled: may('conflicts:list') })
  return (
    <>
      <ConflictBanner conflicts={conflicts.filter(({ network_ids }) => network_ids.includes(network.id))} />
      <div className={css.cards}>
        <Figure label="Used">{utilization ? count(utilization.used_ips) : '–'}</Figure>
        <Figure label="Addresses">{utilization ? addressCount(network.subnet, utilization.total_ips) : '–'}</Figure>
        {utilization && !isBeyondCounting(network.subnet) && (
          <>
            <Figure label="Free">{count(utilization.available_ips)}</Figure>
            <Figure label="Utilization">{percent(utilization.utilization)}</Figure>
          </>
        )}
      </div>
      <Card title="About this network">
        <Facts
          facts={[
            ['Subnet', <CopyText key="subnet" text={network.subnet} label="subnet" />],
            [
              'VLAN',
              network.vlan_id === null ? (
                ''
              ) : (
                <span key="vlan" className="mono">
                  {network.vlan_id}
                </span>
              ),
            ],
            [
              'Datacenter',
              datacenter ? (
                <Link key="datacenter" to="/datacenters/$id" params={{ id: datacenter.id }} className="link">
                  {datacenter.name}
                </Link>
              ) : (
                ''
              ),
            ],
            ['Description', network.description],
            ['ID', <CopyText key="id" text={network.id} label="ID" />],
            ['Changed', <TimeAgo key="updated" at={network.updated_at} />],
          ]}
        />
      </Card>
    </>
  )
}
