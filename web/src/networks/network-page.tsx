/** One network: details, addresses, pools, devices and history. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useState } from 'react'
import { LazyAddressDialog, useAddressDialog } from '../addresses/use-address-dialog.tsx'
import { isPast } from '../api/as-of.ts'
import { contracts, type Device } from '../api/contracts.ts'
import { datacentersQuery, networksQuery, poolsQuery } from '../api/queries.ts'
import { POOL_RESOURCE } from '../pools/resource.ts'
import { HistoryTab } from '../resource/object/history-tab.tsx'
import { MissingObject, ObjectPage, useListed } from '../resource/object/object-page.tsx'
import { useRelated } from '../resource/related/known-related.tsx'
import { ResourceDrawer } from '../resource/resource-drawer.tsx'
import { useLabelControl } from '../scanners/label-control.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { usePermit, usePermitted } from '../shell/me.ts'
import { PageLoading } from '../shell/page-loading.tsx'
import { useSpaces } from '../spaces/known-spaces.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { MenuItem } from '../ui/menu.tsx'
import { Switch } from '../ui/switch.tsx'
import { LazyUsage } from '../utilization/lazy-usage.tsx'
import { useVlanNames } from '../vlans/queries.ts'
import { buildVlanControl } from '../vlans/vlan-field.tsx'
import { AddressesTab } from './addresses-tab.tsx'
import { DevicesTable, useNetworkDevices } from './devices-table.tsx'
import { createNetworkFinder, filterInside } from './inside.ts'
import { NetworkOverview, useNetworkParts } from './network-overview.tsx'
import css from './networks.module.css'
import { PlanningDialog, SpaceTab } from './planning/planning.tsx'
import { buildResizeControl } from './planning/resize-field.tsx'
import { PoolsTab } from './pools-tab.tsx'
import { buildNetworkResource } from './resource.ts'

const route = getRouteApi('/app/networks/$id')
const PARENT = { text: 'Networks', link: { to: '/networks' } } as const

const NetworkDiscovery = lazy(() =>
  import('../discovery/network-tab.tsx').then((module) => ({ default: module.NetworkDiscovery })),
)
const StartScan = lazy(() =>
  import('../discovery/scans/start-scan.tsx').then((module) => ({ default: module.StartScan })),
)

/** From the URL: the new object is a pool, a scan, subnets, or what gets the next free address. */
const SCAN = 'scan'
const ADDRESS = 'address'
const SUBNET = 'subnet'
const SPLIT = 'split'
const OTHERS: ReadonlySet<string | undefined> = new Set([undefined, SCAN, ADDRESS, SUBNET, SPLIT])

const NEED_DEVICES = new Set(['addresses', 'devices'])
const NONE: readonly never[] = []

export const NetworkPage = () => {
  const { id } = route.useParams()
  const { search, set } = usePageSearch()
  const navigate = useNavigate()
  const { may, blocked } = usePermit()
  const { object: network, ...query } = useListed(networksQuery, id)
  const { data: all = NONE } = useQuery(networksQuery)
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
  const scanner = useLabelControl()
  const [isOnly, setOnly] = useState(false)
  const inside = useMemo(() => (network ? filterInside(all, network) : NONE), [all, network])
  const isNested = inside.length > 0
  const shown = useMemo(() => (network ? [network, ...(isOnly ? NONE : inside)] : NONE), [network, inside, isOnly])
  const findNetwork = useMemo(() => createNetworkFinder(all), [all])
  const listNetworks = useMemo(() => {
    const ids = new Set(shown.map((one) => one.id))
    return ({ addresses }: Device) =>
      [...new Set(addresses.map(findNetwork))].flatMap((one) => (one && ids.has(one.id) ? [one] : []))
  }, [shown, findNetwork])
  const devices = useNetworkDevices(id, {
    isWanted: network !== undefined && NEED_DEVICES.has(tab),
    isNested: isNested && !isOnly,
  })
  const addresses = useAddressDialog()
  const place = { kind: 'network', id } as const
  const giveNext = () => addresses.open(place)
  useHotkeys(addresses.blocked === undefined ? { f: giveNext } : {})
  const { strip, related } = useNetworkParts(network, { networks: all, datacenters, pools, vlans })
  const naming = useRelated(network && { resource: 'networks', id, name: network.name })
  if (!network) return <MissingObject noun="network" parent={PARENT} {...query} />
  const scan = () => void set({ new: SCAN })
  const close = () => void set({ new: undefined, subnet: undefined })
  const allocate = (block?: string) => void set({ new: SUBNET, subnet: block })
  const split = () => void set({ new: SPLIT })
  const only = isNested && (
    <span className={css.only}>
      <Switch label="Only this network" isOn={isOnly} onChange={() => setOnly(!isOnly)} />
      <span aria-hidden="true">Only this network</span>
    </span>
  )
  const deviceList = (
    <DevicesTable
      devices={devices.data}
      error={devices.error}
      refetch={devices.refetch}
      filter={`ip:${network.subnet}`}
      empty="No device has an address of this network."
      listNetworks={isNested ? listNetworks : undefined}
      tools={only && <div className={css.tools}>{only}</div>}
    />
  )
  const discovery = (
    <Suspense fallback={<PageLoading />}>
      <NetworkDiscovery network={network} onScan={scan} />
    </Suspense>
  )
  const count = pools?.filter(({ network_id }) => network_id === id).length
  return (
    <ObjectPage
      noun="network"
      parent={PARENT}
      id={id}
      title={network.name}
      beside={network.subnet}
      strip={strip}
      side={{ kind: 'network', related, more: naming.more }}
      managedBy={network.managed_by}
      get={contracts.networks.get}
      resource={buildNetworkResource({
        spaces,
        vlan: vlans && buildVlanControl(vlans),
        subnet: buildResizeControl(all, id),
        scanner,
      })}
      edit={{ blocked: blocked('networks:update') }}
      remove={{
        blocked: blocked('networks:delete') && 'networks:delete',
        warning: 'Its pools and reservations are deleted too. The addresses of devices stay, without a network.',
      }}
      actions={[
        {
          ...{ text: 'Next free address', look: 'primary', shortcut: 'f' },
          onSelect: giveNext,
          blocked: addresses.blocked,
        },
        { text: 'Scan', onSelect: scan, blocked: blocked('discovery:create') },
      ]}
      menu={
        <>
          <MenuItem
            onSelect={() =>
              void navigate({ to: '/networks', search: { new: '1', subnet: network.subnet, into: network.space_id } })
            }
            blocked={blocked('networks:create') && 'networks:create'}
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
      hints={addresses.blocked === undefined ? [[['f'], 'next free address']] : []}
      tabs={[
        {
          id: 'overview',
          text: 'Overview',
          content: <NetworkOverview network={network} />,
        },
        {
          id: 'addresses',
          text: 'Addresses',
          content: (
            <AddressesTab
              network={network}
              devices={devices}
              shown={shown}
              findNetwork={findNetwork}
              only={only}
              tools={addresses}
            />
          ),
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
        ...naming.tabs,
        { id: 'history', text: 'History', content: <HistoryTab kind="network" id={id} /> },
      ]}
    >
      {addresses.dialog}
      {search.new === ADDRESS && <LazyAddressDialog place={place} onClose={close} />}
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
        <ResourceDrawer resource={POOL_RESOURCE} id={undefined} given={{ network_id: id }} onClose={close} />
      )}
    </ObjectPage>
  )
}
