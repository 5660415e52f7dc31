/** One network: how full it is, its pools, its devices. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { ChevronDown, Plus } from 'lucide-react'
import { useState } from 'react'
import { AppError } from '../../../src/platform/errors.ts'
import { api } from '../api/client.ts'
import type { Network } from '../api/contracts.ts'
import { datacentersQuery, networksQuery, poolsQuery } from '../api/queries.ts'
import { poolResource } from '../pools/resource.ts'
import { DeleteDialog } from '../resource/delete-dialog.tsx'
import { ResourceDrawer } from '../resource/resource-drawer.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { usePermit } from '../shell/me.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { PageLoading } from '../shell/shell.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { Card, CopyText, Facts, Figure, Meter, Skeleton, TimeAgo } from '../ui/bits.tsx'
import { Button } from '../ui/button.tsx'
import { addressCount, count, isBeyondCounting, percent, plural } from '../ui/format.ts'
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx'
import { Failure } from '../ui/states.tsx'
import css from './networks.module.css'
import { networkResource } from './resource.ts'

const route = getRouteApi('/app/networks/$id')
const notThere = new AppError('NOT_FOUND', 'There is no such network')
const MOST_DEVICES = 50

const PoolsCard = ({ network, onCreate }: { readonly network: Network; readonly onCreate: () => void }) => {
  const { may, blocked } = usePermit()
  const { data } = useQuery({ ...poolsQuery, enabled: may('pools:list') })
  const pools = data?.filter(({ network_id }) => network_id === network.id)
  if (!may('pools:list')) return null
  return (
    <Card
      title="Pools"
      actions={
        <Button onClick={onCreate} blocked={blocked('pools:create')}>
          <Plus size={15} aria-hidden="true" />
          New pool
        </Button>
      }
    >
      {!pools && <Skeleton />}
      {pools?.length === 0 && <p className="muted">None yet. Addresses are handed out from pools.</p>}
      <ul className={css.pools}>
        {pools?.map(({ id, name, start_ip, end_ip, utilization }) => (
          <li key={id} className={css.pool}>
            <Link to="/pools/$id" params={{ id }}>
              {name}
            </Link>
            <span className="mono truncate">
              {start_ip} – {end_ip}
            </span>
            {utilization && <Meter value={utilization.utilization} label={`${name} in use`} />}
            <span className={`${css.right} muted num`}>{utilization && count(utilization.available_ips)} free</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const DevicesCard = ({ network }: { readonly network: Network }) => {
  const { may } = usePermit()
  const { data } = useQuery({
    queryKey: ['network', network.id, 'devices'],
    queryFn: () => api.networks.devices({ id: network.id, limit: MOST_DEVICES }),
    enabled: may('devices:list'),
  })
  if (!may('devices:list')) return null
  return (
    <Card
      title="Devices"
      actions={
        <Link to="/devices" search={{ q: `ip:${network.subnet}` }} className="link">
          In the table of devices
        </Link>
      }
    >
      {!data && <Skeleton />}
      {data?.length === 0 && <p className="muted">No device has an address of this network.</p>}
      <ul className={css.pools}>
        {data?.map(({ id, name, addresses, os }) => (
          <li key={id} className={css.pool}>
            <Link to="/devices/$id" params={{ id }}>
              {name}
            </Link>
            <span className="mono truncate">
              {addresses
                .filter(({ network_id }) => network_id === network.id)
                .map(({ ip }) => ip)
                .join(', ')}
            </span>
            <span className="muted truncate">{os}</span>
          </li>
        ))}
      </ul>
      {data?.length === MOST_DEVICES && <p className="muted">These are the first {plural(MOST_DEVICES, 'device')}.</p>}
    </Card>
  )
}

export const NetworkPage = () => {
  const { id } = route.useParams()
  const { search, set } = usePageSearch()
  const navigate = useNavigate()
  const { may, blocked } = usePermit()
  const query = useQuery(networksQuery)
  const { data: datacenters = [] } = useQuery({ ...datacentersQuery, enabled: may('datacenters:list') })
  const [isDoomed, setDoomed] = useState(false)
  const network = query.data?.find((one) => one.id === id)
  const edit = () => void set({ edit: id })
  useHotkeys({ ...(may('networks:update') && network ? { e: edit } : {}) })
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
  const { utilization } = network
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
        <Menu trigger={more}>
          <MenuItem
            onSelect={() => void navigate({ to: '/networks', search: { new: '1', subnet: network.subnet } })}
            blocked={may('networks:create') ? undefined : 'networks:create'}
          >
            New network in it
          </MenuItem>
          <MenuLine />
          <MenuItem
            isDanger
            onSelect={() => setDoomed(true)}
            blocked={may('networks:delete') ? undefined : 'networks:delete'}
          >
            Delete network
          </MenuItem>
        </Menu>
      </PageHead>
      <PageBody>
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
              ['Datacenter', datacenters.find((one) => one.id === network.datacenter_id)?.name ?? ''],
              ['Description', network.description],
              ['ID', <CopyText key="id" text={network.id} label="ID" />],
              ['Changed', <TimeAgo key="updated" at={network.updated_at} />],
            ]}
          />
        </Card>
        <PoolsCard network={network} onCreate={() => void set({ new: '1' })} />
        <DevicesCard network={network} />
      </PageBody>
      <Hints
        hints={[
          [['e'], 'edit'],
          [['?'], 'all shortcuts'],
        ]}
      />
      {search.edit !== undefined && <ResourceDrawer resource={networkResource(datacenters)} id={id} onClose={close} />}
      {search.new !== undefined && (
        <ResourceDrawer resource={poolResource([network])} id={undefined} given={{ network_id: id }} onClose={close} />
      )}
      {isDoomed && (
        <DeleteDialog
          resource={networkResource(datacenters)}
          id={id}
          name={network.name}
          loss="Its pools and reservations go with it; the addresses of devices stay, without a network."
          onClose={() => setDoomed(false)}
          onDone={() => void navigate({ to: '/networks' })}
        />
      )}
    </>
  )
}
