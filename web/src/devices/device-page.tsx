/** One device: details, addresses, relationships and history. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { type Conflict, contracts, type Device } from '../api/contracts.ts'
import { ConflictBanner } from '../conflicts/active-banner.tsx'
import { HistoryTab } from '../resource/object/history-tab.tsx'
import { MissingObject, ObjectPage } from '../resource/object/object-page.tsx'
import { useRelated } from '../resource/related/known-related.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { usePermit, usePermitted } from '../shell/me.ts'
import { PageBody } from '../shell/page.tsx'
import { PageLoading } from '../shell/page-loading.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { MenuItem } from '../ui/menu.tsx'
import { toast } from '../ui/toast.tsx'
import { DeviceOverview, useDeviceParts } from './device-overview.tsx'
import { LazyDeviceDrawer } from './form/lazy-drawer.tsx'
import { deviceConflictsQuery, deviceQuery } from './queries.ts'
import { DELETE_WARNING, DEVICE_RESOURCE } from './resource.ts'

const route = getRouteApi('/app/devices/$id')

const AddressesTab = lazy(() => import('./addresses-tab.tsx').then((module) => ({ default: module.AddressesTab })))
const RelationshipsTab = lazy(() =>
  import('./relationships-tab.tsx').then((module) => ({ default: module.RelationshipsTab })),
)

const PortsTab = lazy(() => import('../ports/ports-tab.tsx').then((module) => ({ default: module.PortsTab })))

const DuplicateDialog = lazy(() =>
  import('./form/duplicate-dialog.tsx').then((module) => ({ default: module.DuplicateDialog })),
)

const PARENT = { text: 'Devices', link: { to: '/devices' } } as const

const NONE: readonly never[] = []

export const DevicePage = () => {
  const { id } = route.useParams()
  const { data, error, refetch } = useQuery(deviceQuery(id))
  const { data: conflicts = NONE } = usePermitted('conflicts:list', deviceConflictsQuery(id))
  if (!data)
    return <MissingObject noun="device" parent={PARENT} title={error ? 'Device' : id} error={error} refetch={refetch} />
  return <DeviceContent device={data.value} conflicts={conflicts} />
}

type Props = { readonly device: Device; readonly conflicts: readonly Conflict[] }

const DeviceContent = ({ device, conflicts }: Props) => {
  const { id } = device
  const navigate = useNavigate()
  const { search } = usePageSearch()
  const [isDuplicating, setDuplicating] = useState(false)
  const { may, blocked } = usePermit()
  useHotkeys({ '.': () => void navigator.clipboard.writeText(id).then(() => toast(`Copied ${id}`)) })
  // Enough is requested for the drawer and for the other tabs.
  const isShown = (search.tab ?? 'overview') === 'overview' && search.edit === undefined
  const { strip, related } = useDeviceParts(device, isShown)
  const naming = useRelated({ resource: 'devices', id, name: device.name })
  const loaded = (tab: ReactNode) => <Suspense fallback={<PageLoading />}>{tab}</Suspense>
  return (
    <ObjectPage
      noun="device"
      parent={PARENT}
      id={id}
      title={device.name}
      managedBy={device.managed_by}
      get={contracts.devices.get}
      resource={DEVICE_RESOURCE}
      drawer={(close) => <LazyDeviceDrawer id={id} onClose={close} />}
      edit={{ blocked: blocked('devices:update') }}
      remove={{
        blocked: blocked('devices:delete') && 'devices:delete',
        warning: DELETE_WARNING,
      }}
      actions={[
        {
          text: 'Topology',
          onSelect: () => void navigate({ to: '/topology', search: { focus: id } }),
          blocked: blocked('relationships:list'),
        },
      ]}
      menu={
        <>
          <MenuItem
            onSelect={() => void navigate({ to: '/topology', search: { impact: id } })}
            blocked={blocked('relationships:list')}
          >
            What if this goes away?
          </MenuItem>
          <MenuItem onSelect={() => setDuplicating(true)} blocked={blocked('devices:create')}>
            Duplicate…
          </MenuItem>
          <MenuItem onSelect={() => void navigator.clipboard.writeText(id).then(() => toast('Copied the ID'))}>
            Copy ID<kbd>.</kbd>
          </MenuItem>
        </>
      }
      strip={strip}
      side={{ kind: 'device', related, more: naming.more }}
      tabs={[
        { id: 'overview', text: 'Overview', content: <DeviceOverview device={device} isShown={isShown} /> },
        {
          id: 'addresses',
          text: 'Addresses',
          count: device.addresses.length,
          content: loaded(<AddressesTab device={device} />),
        },
        { id: 'relationships', text: 'Relationships', content: loaded(<RelationshipsTab device={device} />) },
        ...(may('ports:list')
          ? [{ id: 'ports', text: 'Ports', content: loaded(<PortsTab device={device} />), isFull: true, hasKeys: true }]
          : []),
        ...naming.tabs,
        { id: 'history', text: 'History', content: <HistoryTab kind="device" id={id} /> },
      ]}
      body={(content) => (
        <PageBody>
          <ConflictBanner conflicts={conflicts} />
          {content}
        </PageBody>
      )}
      hints={[[['.'], 'copy ID']]}
    >
      {isDuplicating && (
        <Suspense>
          <DuplicateDialog device={device} onClose={() => setDuplicating(false)} />
        </Suspense>
      )}
    </ObjectPage>
  )
}
