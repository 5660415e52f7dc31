/** One device: details, addresses, relationships and history. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { contracts } from '../api/contracts.ts'
import { CommandItems, useCommand } from '../commands/command-menu.tsx'
import { ConflictBanner } from '../conflicts/active-banner.tsx'
import { HistoryTab } from '../resource/history-tab.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { usePermit } from '../shell/me.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { PageLoading } from '../shell/shell.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/layers.tsx'
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx'
import { Failure } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { toast } from '../ui/toast.tsx'
import { AddressesTab } from './addresses-tab.tsx'
import { DeviceDrawer } from './device-drawer.tsx'
import { DeviceOverview } from './device-overview.tsx'
import { deviceConflictsQuery, deviceQuery } from './queries.ts'
import { RelationshipsTab } from './relationships-tab.tsx'
import { removeLater } from './removal.ts'

const route = getRouteApi('/app/devices/$id')

export const DevicePage = () => {
  const { id } = route.useParams()
  const { search, set } = usePageSearch()
  const navigate = useNavigate()
  const { may, blocked } = usePermit()
  const { data, error, refetch } = useQuery(deviceQuery(id))
  const { data: conflicts = [] } = useQuery({ ...deviceConflictsQuery(id), enabled: may('conflicts:list') })
  const [isDoomed, setPendingDelete] = useState(false)
  const getCall = useCommand(contracts.devices.get, { id })
  const edit = () => void set({ edit: id })
  useHotkeys({
    ...(may('devices:update') && data ? { e: edit } : {}),
    ...(may('devices:delete') && data ? { '#': () => setPendingDelete(true) } : {}),
    '.': () => void navigator.clipboard.writeText(id).then(() => toast(`Copied ${id}`)),
  })
  const parent = { text: 'Devices', link: { to: '/devices' } } as const
  if (!data)
    return (
      <>
        <PageHead title={error ? 'Device' : id} parent={parent} />
        {error ? <Failure error={error} onRetry={() => void refetch()} noun="device" /> : <PageLoading />}
      </>
    )
  const device = data.value
  const tab = search.tab ?? 'overview'
  const more = (
    <Button>
      More
      <ChevronDown size={14} aria-hidden="true" />
    </Button>
  )
  return (
    <>
      <PageHead title={device.name} parent={parent}>
        <Button onClick={edit} blocked={blocked('devices:update')}>
          Edit
          <kbd>e</kbd>
        </Button>
        <Button
          onClick={() => void navigate({ to: '/topology', search: { focus: id } })}
          blocked={blocked('relationships:list')}
        >
          Topology
        </Button>
        <Menu trigger={more}>
          <MenuItem onSelect={() => void navigator.clipboard.writeText(id).then(() => toast('Copied the ID'))}>
            Copy ID<kbd>.</kbd>
          </MenuItem>
          <CommandItems getCall={getCall} />
          <MenuLine />
          <MenuItem
            isDanger
            onSelect={() => setPendingDelete(true)}
            blocked={may('devices:delete') ? undefined : 'devices:delete'}
          >
            Delete device<kbd>#</kbd>
          </MenuItem>
        </Menu>
      </PageHead>
      <Tabs
        label="About this device"
        current={tab}
        tabs={[
          { id: 'overview', text: 'Overview' },
          { id: 'addresses', text: 'Addresses', count: device.addresses.length },
          { id: 'relationships', text: 'Relationships' },
          { id: 'history', text: 'History' },
        ]}
      />
      <PageBody>
        <ConflictBanner conflicts={conflicts} />
        {tab === 'addresses' && <AddressesTab device={device} />}
        {tab === 'relationships' && <RelationshipsTab device={device} />}
        {tab === 'history' && <HistoryTab resource="device" id={id} />}
        {!['addresses', 'relationships', 'history'].includes(tab) && <DeviceOverview device={device} />}
      </PageBody>
      <Hints
        hints={[
          ...(may('devices:update') ? [[['e'], 'edit'] as const] : []),
          [['.'], 'copy ID'],
          [['?'], 'all shortcuts'],
        ]}
      />
      {search.edit !== undefined && <DeviceDrawer id={id} onClose={() => void set({ edit: undefined })} />}
      {isDoomed && (
        <Confirm
          title={`Delete ${device.name}?`}
          action="Delete device"
          onConfirm={() => {
            removeLater([id], device.name)
            void navigate({ to: '/devices' })
          }}
          onClose={() => setPendingDelete(false)}
        >
          Its addresses become free, and its relationships end.
        </Confirm>
      )}
    </>
  )
}
