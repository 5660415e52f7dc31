/** One network: details, addresses, pools, devices and history. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { isPast } from '../api/as-of.ts'
import { contracts } from '../api/contracts.ts'
import { datacentersQuery, networksQuery, poolsQuery } from '../api/queries.ts'
import { buildPoolResource } from '../pools/resource.ts'
import { HistoryTab } from '../resource/object/history-tab.tsx'
import { MissingObject, ObjectPage, useListed } from '../resource/object/object-page.tsx'
import { ResourceDrawer } from '../resource/resource-drawer.tsx'
import { usePermit, usePermitted } from '../shell/me.ts'
import { PageLoading } from '../shell/shell.tsx'
import { useSpaces } from '../spaces/known-spaces.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { MenuItem } from '../ui/menu.tsx'
import { LazyUsage } from '../utilization/lazy-usage.tsx'
import { useVlanNames } from '../vlans/queries.ts'
import { buildVlanControl } from '../vlans/vlan-field.tsx'
import { AddressesTab } from './addresses-tab.tsx'
import { DevicesTable } from './devices-table.tsx'
import { NetworkOverview } from './network-overview.tsx'
import { PlanningDialog, SpaceTab } from './planning/planning.tsx'
import { buildResizeControl } from './planning/resize-field.tsx'
import { PoolsTab } from './pools-tab.tsx'
import { buildNetworkResource } from './resource.ts'
import { hasSubnet } from './space.ts'
import { useNetworkDevices } from './use-devices.ts'

const route = getRouteApi('/app/networks/$id')
const PARENT = { text: 'Networks', link: { to: '/networks' } } as const

const NetworkDiscovery = lazy(() =>
  import('../discovery/network-tab.tsx').then((module) => ({ default: module.NetworkDiscovery })),
)
const StartScan = lazy(() =>
  import('../discovery/scans/start-scan.tsx').then((module) => ({ default: module.StartScan })),
)

/** From the URL: the new object is a pool, a scan, or subnets. */
const SCAN = 'scan'
const SUBNET = 'subnet'
const SPLIT = 'split'
const OTHERS: ReadonlySet<string | undefined> = new Set([undefined, SCAN, SUBNET, SPLIT])

const NEED_DEVICES = new Set(['addresses', 'devices'])

export const NetworkPage = () => {
  const { id } = route.useParams()
  const { search, set } = usePageSearch()
  const navigate = useNavigate()
  const { may, blocked } = usePermit()
  const { object: network, ...query } = useListed(networksQuery, id)
  const { data: all = [] } = useQuery(networksQuery)
  const tab = search.tab ?? 'overview'
  const isScanning = search.new === SCAN
  // Named on the first tab, and chosen from in the drawer.
  const hasDatacenter = (tab === 'overview' && !isScanning) || search.edit !== undefined
  const { data: datacenters = [] } = usePermitted('datacenters:list', { ...datacentersQuery, enabled: hasDatacenter })
  // On these tabs, enough is requested already.
  const { data: pools } = usePermitted('pools:list', {
    ...poolsQuery,
    enabled: !['discovery', 'history'].includes(tab) && !isScanning,
  })
  const spaces = useSpaces()
  const vlans = useVlanNames(hasDatacenter)
  const devices = useNetworkDevices(id, network !== undefined && NEED_DEVICES.has(tab))
  if (!network) return <MissingObject noun="network" parent={PARENT} {...query} />
  const scan = () => void set({ new: SCAN })
  const close = () => void set({ new: undefined, subnet: undefined })
  const allocate = (block?: string) => void set({ new: SUBNET, subnet: block })
  const split = () => void set({ new: SPLIT })
  const datacenter = datacenters.find((one) => one.id === network.datacenter_id)
  const deviceList = (
    <DevicesTable
      devices={devices.data}
      error={devices.error}
      refetch={devices.refetch}
      filter={`ip:${network.subnet}`}
      empty="No device has an address of this network."
    />
  )
  const discovery = (
    <Suspense fallback={<PageLoading />}>
      <NetworkDiscovery network={network} onScan={scan} />
    </Suspense>
  )
  const isNested =
    network.utilization?.children !== undefined ||
    all.some(
      (one) =>
        one.space_id === network.space_id && one.subnet !== network.subnet && hasSubnet(one.subnet, network.subnet),
    )
  const count = pools?.filter(({ network_id }) => network_id === id).length
  return (
    <ObjectPage
      noun="network"
      parent={PARENT}
      id={id}
      title={network.name}
      managedBy={network.managed_by}
      get={contracts.networks.get}
      resource={buildNetworkResource(datacenters, {
        spaces,
        vlan: vlans && buildVlanControl(vlans),
        subnet: buildResizeControl(all, id),
      })}
      edit={{ blocked: blocked('networks:update') }}
      remove={{
        blocked: may('networks:delete') ? undefined : 'networks:delete',
        warning: 'Its pools and reservations are deleted too. The addresses of devices stay, without a network.',
      }}
      actions={
        <Button onClick={scan} blocked={blocked('discovery:create')}>
          Scan
        </Button>
      }
      menu={
        <>
          <MenuItem
            onSelect={() =>
              void navigate({ to: '/networks', search: { new: '1', subnet: network.subnet, into: network.space_id } })
            }
            blocked={may('networks:create') ? undefined : 'networks:create'}
          >
            New network inside
          </MenuItem>
          <MenuItem onSelect={() => allocate()} blocked={may('networks:create') ? undefined : 'networks:create'}>
            Allocate a subnet…
          </MenuItem>
          <MenuItem
            onSelect={split}
            blocked={['networks:create', 'networks:update'].find((permission) => !may(permission))}
          >
            Split…
          </MenuItem>
        </>
      }
      tabs={[
        {
          id: 'overview',
          text: 'Overview',
          content: <NetworkOverview network={network} datacenter={datacenter} vlans={vlans} />,
        },
        {
          id: 'addresses',
          text: 'Addresses',
          content: <AddressesTab network={network} devices={devices} />,
          isFull: true,
        },
        {
          id: 'pools',
          text: 'Pools',
          count,
          content: <PoolsTab network={network} onCreate={() => void set({ new: '1' })} />,
        },
        ...(isNested
          ? [
              {
                id: 'space',
                text: 'Space',
                content: (
                  <Suspense fallback={<PageLoading />}>
                    <SpaceTab network={network} onAllocate={allocate} onSplit={split} />
                  </Suspense>
                ),
              },
            ]
          : []),
        { id: 'devices', text: 'Devices', content: deviceList, isFull: true },
        // Only the present is known of these.
        ...(isPast()
          ? []
          : [
              { id: 'usage', text: 'Utilization', content: <LazyUsage of="network" id={id} /> },
              { id: 'discovery', text: 'Discovery', content: discovery },
            ]),
        { id: 'history', text: 'History', content: <HistoryTab kind="network" id={id} /> },
      ]}
    >
      {isScanning && (
        <Suspense>
          <StartScan networkId={id} onClose={close} />
        </Suspense>
      )}
      {search.new === SUBNET && (
        <PlanningDialog
          planned={{ kind: 'allocate', network, blocks: search.subnet === undefined ? undefined : [search.subnet] }}
          onClose={close}
        />
      )}
      {search.new === SPLIT && <PlanningDialog planned={{ kind: 'split', network }} onClose={close} />}
      {!OTHERS.has(search.new) && (
        <ResourceDrawer
          resource={buildPoolResource([network])}
          id={undefined}
          given={{ network_id: id }}
          onClose={close}
        />
      )}
    </ObjectPage>
  )
}
