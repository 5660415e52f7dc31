/** One network: details, addresses, pools, devices and history. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { AppError } from '../../../src/platform/contract/errors.ts'
import { contracts, type Network } from '../api/contracts.ts'
import { datacentersQuery, networksQuery, poolsQuery } from '../api/queries.ts'
import { CommandItems, useCommand } from '../commands/command-menu.tsx'
import { poolResource } from '../pools/resource.ts'
import { DeleteDialog } from '../resource/delete-dialog.tsx'
import { HistoryTab } from '../resource/history-tab.tsx'
import { ResourceDrawer } from '../resource/resource-drawer.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { usePermit } from '../shell/me.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { PageLoading } from '../shell/shell.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx'
import { Failure } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { Usage } from '../utilization/usage.tsx'
import { AddressesTab } from './addresses-tab.tsx'
import { DevicesTable } from './devices-table.tsx'
import { NetworkOverview } from './network-overview.tsx'
import { PoolsTab } from './pools-tab.tsx'
import { networkResource } from './resource.ts'
import { useNetworkDevices } from './use-devices.ts'

const route = getRouteApi('/app/networks/$id')
const notThere = new AppError('NOT_FOUND', 'There is no such network')

const NetworkDiscovery = lazy(() =>
  import('../discovery/network-tab.tsx').then((module) => ({ default: module.NetworkDiscovery })),
)
const StartScan = lazy(() => import('../discovery/start-scan.tsx').then((module) => ({ default: module.StartScan })))

/** From the URL: the new object is a pool or a scan. */
const SCAN = 'scan'

const NEED_DEVICES = new Set(['addresses', 'devices'])

type TabProps = {
  readonly network: Network
  readonly tab: string
  readonly onNewPool: () => void
  readonly onScan: () => void
  readonly children: ReactNode
}

/** A table fills its tab; all else scrolls with the page. */
const TabContent = ({ network, tab, onNewPool, onScan, children }: TabProps) => {
  const devices = useNetworkDevices(network.id, NEED_DEVICES.has(tab))
  if (tab === 'addresses') return <AddressesTab network={network} devices={devices} />
  if (tab === 'devices')
    return (
      <DevicesTable
        devices={devices.data}
        error={devices.error}
        onRetry={() => void devices.refetch()}
        filter={`ip:${network.subnet}`}
        empty="No device has an address of this network."
      />
    )
  return (
    <PageBody>
      {tab === 'pools' && <PoolsTab network={network} onCreate={onNewPool} />}
      {tab === 'usage' && <Usage of="network" id={network.id} />}
      {tab === 'history' && <HistoryTab resource="network" id={network.id} />}
      {tab === 'discovery' && (
        <Suspense fallback={<PageLoading />}>
          <NetworkDiscovery network={network} onScan={onScan} />
        </Suspense>
      )}
      {!['pools', 'usage', 'history', 'discovery'].includes(tab) && children}
    </PageBody>
  )
}

export const NetworkPage = () => {
  const { id } = route.useParams()
  const { search, set } = usePageSearch()
  const navigate = useNavigate()
  const { may, blocked } = usePermit()
  const query = useQuery(networksQuery)
  const [isDoomed, setPendingDelete] = useState(false)
  const getCall = useCommand(contracts.networks.get, { id })
  const network = query.data?.find((one) => one.id === id)
  const tab = search.tab ?? 'overview'
  const isScanning = search.new === SCAN
  // Named on the first tab, and chosen from in the drawer.
  const hasDatacenter = (tab === 'overview' && !isScanning) || search.edit !== undefined
  const { data: datacenters = [] } = useQuery({
    ...datacentersQuery,
    enabled: hasDatacenter && may('datacenters:list'),
  })
  const { data: pools } = useQuery({
    ...poolsQuery,
    // Of discovery enough is asked already.
    enabled: tab !== 'discovery' && !isScanning && may('pools:list'),
  })
  const edit = () => void set({ edit: id })
  const scan = () => void set({ new: SCAN })
  useHotkeys({
    ...(may('networks:update') && network ? { e: edit } : {}),
    ...(may('networks:delete') && network ? { '#': () => setPendingDelete(true) } : {}),
  })
  const parent = { text: 'Networks', link: { to: '/networks' } } as const
  if (!network)
    return (
      <>
        <PageHead title="Network" parent={parent} />
        {query.data && <Failure error={notThere} noun="network" />}
        {!query.data && query.error && (
          <Failure error={query.error} onRetry={() => void query.refetch()} noun="network" />
        )}
        {!query.data && !query.error && <PageLoading />}
      </>
    )
  const more = (
    <Button>
      More
      <ChevronDown size={14} aria-hidden="true" />
    </Button>
  )
  const close = () => void set({ edit: undefined, new: undefined })
  return (
    <>
      <PageHead title={network.name} parent={parent}>
        <Button onClick={edit} blocked={blocked('networks:update')}>
          Edit
          <kbd>e</kbd>
        </Button>
        <Button onClick={scan} blocked={blocked('discovery:create')}>
          Scan
        </Button>
        <Menu trigger={more}>
          <MenuItem
            onSelect={() => void navigate({ to: '/networks', search: { new: '1', subnet: network.subnet } })}
            blocked={may('networks:create') ? undefined : 'networks:create'}
          >
            New network in it
          </MenuItem>
          <CommandItems getCall={getCall} />
          <MenuLine />
          <MenuItem
            isDanger
            onSelect={() => setPendingDelete(true)}
            blocked={may('networks:delete') ? undefined : 'networks:delete'}
          >
            Delete network<kbd>#</kbd>
          </MenuItem>
        </Menu>
      </PageHead>
      <Tabs
        label="About this network"
        current={tab}
        tabs={[
          { id: 'overview', text: 'Overview' },
          { id: 'addresses', text: 'Addresses' },
          { id: 'pools', text: 'Pools', count: pools?.filter(({ network_id }) => network_id === id).length },
          { id: 'devices', text: 'Devices' },
          { id: 'usage', text: 'Utilization' },
          { id: 'discovery', text: 'Discovery' },
          { id: 'history', text: 'History' },
        ]}
      />
      <TabContent network={network} tab={tab} onNewPool={() => void set({ new: '1' })} onScan={scan}>
        <NetworkOverview network={network} datacenter={datacenters.find((one) => one.id === network.datacenter_id)} />
      </TabContent>
      <Hints
        hints={[
          [['e'], 'edit'],
          [['?'], 'all shortcuts'],
        ]}
      />
      {search.edit !== undefined && <ResourceDrawer resource={networkResource(datacenters)} id={id} onClose={close} />}
      {isScanning && (
        <Suspense>
          <StartScan networkId={id} onClose={close} />
        </Suspense>
      )}
      {search.new !== undefined && !isScanning && (
        <ResourceDrawer resource={poolResource([network])} id={undefined} given={{ network_id: id }} onClose={close} />
      )}
      {isDoomed && (
        <DeleteDialog
          resource={networkResource(datacenters)}
          id={id}
          name={network.name}
          deleteWarning="Its pools and reservations go with it; the addresses of devices stay, without a network."
          onClose={() => setPendingDelete(false)}
          onDone={() => void navigate({ to: '/networks' })}
        />
      )}
    </>
  )
}
