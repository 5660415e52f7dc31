/** The overview of a network: the facts of its strip, its details, and the objects that it is related to. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Datacenter, Network, Pool } from '../api/contracts.ts'
import { conflictsQuery } from '../api/queries.ts'
import { ConflictBanner } from '../conflicts/active-banner.tsx'
import { CustomFacts } from '../custom-fields/known-custom.tsx'
import { listFacts } from '../resource/columns.tsx'
import type { Fact } from '../resource/object/object-page.tsx'
import { type RelatedItem, relate } from '../resource/object/object-side.tsx'
import { usePermit } from '../shell/me.ts'
import { SpaceBadge } from '../spaces/known-spaces.tsx'
import { formatTerm } from '../table/filter.ts'
import { formatAddressCount, formatCount, isBeyondCounting } from '../ui/format.ts'
import { Card, CopyText, Facts, Meter, TimeAgo } from '../ui/primitives.tsx'
import type { VlanNames } from '../vlans/names.ts'
import { VlanText } from '../vlans/vlan-text.tsx'
import { fields } from './fields.ts'
import { buildNetworkTree, findNode } from './tree.ts'

const FACTS = ['subnet', 'scanner', 'description', 'id', 'updated_at']
/** The strip has these fields. */
const ELSEWHERE = { space_id: '', vlan_id: '', datacenter_id: '' }

type Known = {
  readonly networks: readonly Network[]
  readonly datacenters: readonly Datacenter[]
  /** Undefined while they are loaded. */
  readonly pools: readonly Pool[] | undefined
  readonly vlans: VlanNames | undefined
}

const toNetwork = ({ id, name }: Network, why: string): RelatedItem =>
  relate({ to: '/networks/$id', params: { id } }, name, why)

/** Returns the facts below the head, and the objects that the network names or that name it. */
export const useNetworkParts = (
  network: Network | undefined,
  { networks, datacenters, pools, vlans }: Known,
): { readonly strip: readonly Fact[]; readonly related: readonly RelatedItem[] | undefined } => {
  const around = useMemo(() => network && findNode(buildNetworkTree(networks), network.id), [networks, network])
  if (!network) return { strip: [], related: undefined }
  const { subnet, utilization, space_id, vlan_id } = network
  const datacenter = datacenters.find(({ id }) => id === network.datacenter_id)
  const isCounted = utilization !== undefined && !isBeyondCounting(subnet)
  const place =
    datacenter && relate({ to: '/datacenters/$id', params: { id: datacenter.id } }, datacenter.name, 'datacenter')
  return {
    strip: [
      ['In use', isCounted && <Meter value={utilization.utilization} label={`${network.name} in use`} />],
      ['Used', utilization && formatCount(utilization.used_ips)],
      ['Reserved', utilization && utilization.reserved_ips > 0 && formatCount(utilization.reserved_ips)],
      ['Free', isCounted && formatCount(utilization.available_ips)],
      ['Addresses', utilization && formatAddressCount(subnet, utilization.total_ips)],
      ['VLAN', vlan_id !== null && <VlanText network={network} vlans={vlans} />],
      ['Datacenter', place?.link],
      ['Address space', space_id && <SpaceBadge space_id={space_id} />],
    ],
    related: [
      ...(place ? [place] : []),
      ...(around?.parent ? [toNetwork(around.parent.network, 'around it')] : []),
      ...(pools ?? []).flatMap(({ id, name, network_id }) =>
        network_id === network.id ? [relate({ to: '/pools/$id', params: { id } }, name, 'pool')] : [],
      ),
      ...(around?.node.children ?? []).map((child) => toNetwork(child.network, 'inside')),
    ],
  }
}

/** Leads to the scanners that scan the network. */
const ScannerLink = ({ label }: { readonly label: string }) => (
  <Link to="/scanners" search={{ q: formatTerm('label', label) }} className="link">
    {label}
  </Link>
)

export const NetworkOverview = ({ network }: { readonly network: Network }) => {
  const { may } = usePermit()
  const { data: conflicts = [] } = useQuery({ ...conflictsQuery, enabled: may('conflicts:list') })
  return (
    <>
      <ConflictBanner conflicts={conflicts.filter(({ network_ids }) => network_ids.includes(network.id))} />
      <Card title="Details">
        <Facts
          facts={listFacts(fields, network, FACTS, {
            ...ELSEWHERE,
            subnet: <CopyText text={network.subnet} label="subnet" />,
            scanner: <ScannerLink label={network.scanner} />,
            id: <CopyText text={network.id} label="ID" />,
            updated_at: <TimeAgo at={network.updated_at} />,
          })}
        />
      </Card>
      <CustomFacts resource="networks" object={network} />
    </>
  )
}
