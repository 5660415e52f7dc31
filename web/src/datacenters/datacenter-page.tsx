/** One datacenter: where it is, the devices and the networks that are there. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { useMemo, useState } from 'react'
import { AppError } from '../../../src/platform/contract/errors.ts'
import { api } from '../api/client.ts'
import { contracts, type Datacenter } from '../api/contracts.ts'
import { datacentersQuery, networksQuery } from '../api/queries.ts'
import { CommandItems, useCommand } from '../commands/command-menu.tsx'
import { DevicesTable, MOST_DEVICES } from '../networks/devices-table.tsx'
import { NetworkList } from '../networks/network-list.tsx'
import { DeleteDialog } from '../resource/delete-dialog.tsx'
import { HistoryTab } from '../resource/history-tab.tsx'
import { ResourceDrawer } from '../resource/resource-drawer.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { usePermit } from '../shell/me.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { PageLoading } from '../shell/shell.tsx'
import { termText } from '../table/filter.ts'
import { usePageSearch } from '../table/list-search.ts'
import { TableSkeleton } from '../table/table-skeleton.tsx'
import { Button } from '../ui/button.tsx'
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx'
import { CopyText, TimeAgo } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'
import css from './datacenters.module.css'
import { datacenterResource } from './resource.ts'

const route = getRouteApi('/app/datacenters/$id')
const notThere = new AppError('NOT_FOUND', 'There is no such datacenter')

const DevicesTab = ({ datacenter }: { readonly datacenter: Datacenter }) => {
  const { may } = usePermit()
  const { data, error, refetch } = useQuery({
    queryKey: ['datacenter', datacenter.id, 'devices'],
    queryFn: () => api.datacenters.devices({ id: datacenter.id, limit: MOST_DEVICES }),
    enabled: may('devices:list'),
  })
  if (!may('devices:list'))
    return <Failure error={new AppError('FORBIDDEN', 'This needs the permission devices:list')} />
  return (
    <DevicesTable
      devices={data}
      error={error}
      onRetry={() => void refetch()}
      filter={termText('dc', datacenter.name)}
      empty="No device is in this datacenter yet."
    />
  )
}

const NetworksTab = ({ id }: { readonly id: string }) => {
  const { may } = usePermit()
  const { data, error, refetch } = useQuery({ ...networksQuery, enabled: may('networks:list') })
  const networks = useMemo(() => data?.filter(({ datacenter_id }) => datacenter_id === id), [data, id])
  if (!may('networks:list'))
    return <Failure error={new AppError('FORBIDDEN', 'This needs the permission networks:list')} />
  if (!networks && error) return <Failure error={error} onRetry={() => void refetch()} />
  return networks ? <NetworkList networks={networks} /> : <TableSkeleton columns={[]} />
}

const Head = ({ datacenter }: { readonly datacenter: Datacenter }) => (
  <dl className={css.facts}>
    <div>
      <dt>Location</dt>
      <dd>{datacenter.location || '–'}</dd>
    </div>
    {datacenter.description !== '' && (
      <div className={css.wide}>
        <dt>Description</dt>
        <dd>{datacenter.description}</dd>
      </div>
    )}
    <div>
      <dt>Changed</dt>
      <dd>
        <TimeAgo at={datacenter.updated_at} />
      </dd>
    </div>
    <div>
      <dt>ID</dt>
      <dd>
        <CopyText text={datacenter.id} label="ID" />
      </dd>
    </div>
  </dl>
)

export const DatacenterPage = () => {
  const { id } = route.useParams()
  const { search, set } = usePageSearch()
  const navigate = useNavigate()
  const { may, blocked } = usePermit()
  const query = useQuery(datacentersQuery)
  const { data: networks } = useQuery({ ...networksQuery, enabled: may('networks:list') })
  const [isDoomed, setPendingDelete] = useState(false)
  const getCall = useCommand(contracts.datacenters.get, { id })
  const datacenter = query.data?.find((one) => one.id === id)
  const edit = () => void set({ edit: id })
  useHotkeys({
    ...(may('datacenters:update') && datacenter ? { e: edit } : {}),
    ...(may('datacenters:delete') && datacenter ? { '#': () => setPendingDelete(true) } : {}),
  })
  const parent = { text: 'Datacenters', link: { to: '/datacenters' } } as const
  if (!datacenter)
    return (
      <>
        <PageHead title="Datacenter" parent={parent} />
        {query.data && <Failure error={notThere} noun="datacenter" />}
        {!query.data && query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
        {!query.data && !query.error && <PageLoading />}
      </>
    )
  const more = (
    <Button>
      More
      <ChevronDown size={14} aria-hidden="true" />
    </Button>
  )
  const tab = search.tab ?? 'devices'
  return (
    <>
      <PageHead title={datacenter.name} parent={parent}>
        <Button onClick={edit} blocked={blocked('datacenters:update')}>
          Edit
          <kbd>e</kbd>
        </Button>
        <Menu trigger={more}>
          <CommandItems getCall={getCall} />
          <MenuLine />
          <MenuItem
            isDanger
            onSelect={() => setPendingDelete(true)}
            blocked={may('datacenters:delete') ? undefined : 'datacenters:delete'}
          >
            Delete datacenter<kbd>#</kbd>
          </MenuItem>
        </Menu>
      </PageHead>
      <Head datacenter={datacenter} />
      <Tabs
        label="About this datacenter"
        current={tab}
        tabs={[
          { id: 'devices', text: 'Devices' },
          {
            id: 'networks',
            text: 'Networks',
            count: networks?.filter(({ datacenter_id }) => datacenter_id === id).length,
          },
          { id: 'history', text: 'History' },
        ]}
      />
      {tab === 'networks' && <NetworksTab id={id} />}
      {tab === 'history' && (
        <PageBody>
          <HistoryTab resource="datacenter" id={id} />
        </PageBody>
      )}
      {tab !== 'networks' && tab !== 'history' && <DevicesTab datacenter={datacenter} />}
      <Hints
        hints={[
          [['e'], 'edit'],
          [['?'], 'all shortcuts'],
        ]}
      />
      {search.edit !== undefined && (
        <ResourceDrawer resource={datacenterResource} id={id} onClose={() => void set({ edit: undefined })} />
      )}
      {isDoomed && (
        <DeleteDialog
          resource={datacenterResource}
          id={id}
          name={datacenter.name}
          deleteWarning="Its networks and devices stay, without a datacenter."
          onClose={() => setPendingDelete(false)}
          onDone={() => void navigate({ to: '/datacenters' })}
        />
      )}
    </>
  )
}
