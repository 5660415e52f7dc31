/** The ports of a device with the other ends of their cables, as a table or as the cells of its front. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, Plus } from 'lucide-react'
import { useMemo } from 'react'
import { call, getWritten } from '../api/client.ts'
import { contracts, type Device } from '../api/contracts.ts'
import { useReport } from '../proposals/known-proposals.ts'
import { ResourceDrawer } from '../resource/resource-drawer.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { usePermit } from '../shell/me.ts'
import { type Hint, Hints, PageBody } from '../shell/page.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { TableSkeleton } from '../table/table-skeleton.tsx'
import { Button } from '../ui/button.tsx'
import { plural } from '../ui/format.ts'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { Card } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import { AddPorts } from './add-ports.tsx'
import type { Port } from './fields.ts'
import { ConnectDrawer } from './port-actions.tsx'
import { buildPortColumns } from './port-columns.tsx'
import { PortGrid } from './port-grid.tsx'
import { PortTable } from './port-table.tsx'
import { CHANGES, devicePortsQuery } from './queries.ts'
import { buildPortResource } from './resource.ts'

type Props = { readonly device: Pick<Device, 'id' | 'name'> }

/** Values of the parameter `new`. */
const ADD = 'ports'
const CONNECT = 'cable'

const NONE: readonly Port[] = []

const ALL: Hint = [['?'], 'all shortcuts']
const ACTIONS: readonly Hint[] = [
  [['↵'], 'open'],
  [['l'], 'connect'],
  [['e'], 'edit'],
]
const NO_HINTS: readonly Hint[] = [[['c'], 'create'], ALL]
const TABLE_HINTS: readonly Hint[] = [
  [['j', 'k'], 'move'],
  [['x'], 'select'],
  ...ACTIONS,
  [['#'], 'delete'],
  ...NO_HINTS,
]
const GRID_HINTS: readonly Hint[] = [[['←', '→', '↑', '↓'], 'move'], ...ACTIONS, ...NO_HINTS]

/** Takes over the ports that SNMP reported of a device. */
const useAdopt = (deviceId: string) => {
  const client = useQueryClient()
  const report = useReport()
  return useMutation({
    mutationFn: () => call(contracts.ports.adopt, { device_id: deviceId }),
    onSuccess: (answer) => {
      const { added, updated } = answer
      if (added + updated === 0) return toast('SNMP has told of no port or MAC address that is missing here')
      report(`Added ${plural(added, 'port')}, and a MAC address to ${updated}`, getWritten(answer))
      for (const key of [...CHANGES, 'history']) void client.invalidateQueries({ queryKey: [key] })
    },
    onError: (error) => toastError('The ports could not be adopted', error),
  })
}

export const PortsTab = ({ device }: Props) => {
  const { may, blocked } = usePermit()
  const { search, set } = usePageSearch()
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery(devicePortsQuery(device.id))
  const adopt = useAdopt(device.id)
  const ports = data ?? NONE
  const known = useMemo(() => new Set(ports.map(({ name }) => name.toLowerCase())), [ports])
  const chosen = ports.find(({ id }) => id === search.entry)
  const close = () => void set({ new: undefined, entry: undefined })
  useHotkeys(may('ports:create') ? { c: () => void set({ new: ADD }) } : {})
  if (!data) {
    if (error) return <Failure error={error} onRetry={() => void refetch()} />
    return <TableSkeleton columns={buildPortColumns(NONE)} />
  }
  const add = (
    <Button onClick={() => void set({ new: ADD })} blocked={blocked('ports:create')}>
      <Plus size={15} aria-hidden="true" />
      Add ports
    </Button>
  )
  const connect = (port?: Port) => void set({ new: CONNECT, entry: port?.id })
  const connectButton = (
    <Button onClick={() => connect()} blocked={blocked('cables:create')}>
      Connect…
    </Button>
  )
  const more = (
    <Menu
      trigger={
        <Button isIcon aria-label="More about ports">
          <Ellipsis size={15} aria-hidden="true" />
        </Button>
      }
    >
      <MenuItem onSelect={() => adopt.mutate()} blocked={may('ports:create') ? undefined : 'ports:create'}>
        Adopt ports from SNMP
      </MenuItem>
      <MenuItem
        onSelect={() => void navigate({ to: '/cables', search: { q: `device:${device.name}` } })}
        blocked={may('cables:list') ? undefined : 'cables:list'}
      >
        Cables of this device
      </MenuItem>
    </Menu>
  )
  const tools = (
    <>
      {connectButton}
      {add}
      {more}
    </>
  )
  const edit = (port: Port) => void set({ entry: port.id, new: undefined })
  const shared = { ports, tools, onConnect: connect, onEdit: edit }
  return (
    <>
      {ports.length === 0 ? (
        <PageBody>
          <Card title="Ports" actions={tools}>
            <p className="muted">No ports. Nothing needs them: they are for those who keep track of cables.</p>
          </Card>
        </PageBody>
      ) : search.view === 'grid' ? (
        <PortGrid {...shared} />
      ) : (
        <PortTable {...shared} />
      )}
      <Hints hints={ports.length === 0 ? NO_HINTS : search.view === 'grid' ? GRID_HINTS : TABLE_HINTS} />
      {search.new === ADD && <AddPorts device={device} known={known} onClose={close} />}
      {search.new === CONNECT && <ConnectDrawer device={device} port={chosen} onClose={close} />}
      {search.new === undefined && chosen && (
        <ResourceDrawer
          key={chosen.id}
          resource={buildPortResource(ports, chosen.id)}
          id={chosen.id}
          onClose={close}
          blocked={blocked('ports:update')}
        />
      )}
    </>
  )
}
