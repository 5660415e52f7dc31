/** The columns of the table of devices. */
import type { DeviceStatus } from '../api/contracts.ts'
import { ConflictMark } from '../conflicts/active-mark.tsx'
import type { Column } from '../table/column.ts'
import { Badge, Tags, TimeAgo, type Tone } from '../ui/bits.tsx'
import { RowLink } from '../ui/row-link.tsx'
import type { DeviceRow } from './spec.ts'

const TONES: Readonly<Record<DeviceStatus, Tone>> = {
  planned: 'info',
  active: 'ok',
  maintenance: 'warn',
  decommissioned: 'idle',
}

export const StatusBadge = ({ status }: { readonly status: DeviceStatus }) => (
  <Badge tone={TONES[status]}>{status}</Badge>
)

export const DEVICE_COLUMNS: readonly Column<DeviceRow>[] = [
  {
    id: 'name',
    text: 'Name',
    width: 168,
    isSortable: true,
    isEssential: true,
    cell: (row) => (
      <>
        <RowLink to="devices" id={row.id}>
          {row.name}
        </RowLink>
        <ConflictMark id={row.id} />
      </>
    ),
  },
  {
    id: 'address',
    text: 'Address',
    width: 132,
    isSortable: true,
    isEssential: true,
    cell: (row) => (
      <>
        <span className="mono">{row.ip}</span>
        {row.addressCount > 1 && <span className="muted"> +{row.addressCount - 1}</span>}
      </>
    ),
  },
  { id: 'status', text: 'Status', width: 128, isSortable: true, cell: (row) => <StatusBadge status={row.status} /> },
  { id: 'datacenter', text: 'Datacenter', width: 98, isSortable: true, cell: (row) => row.datacenter },
  { id: 'model', text: 'Model', width: 186, isSortable: true, cell: (row) => row.model },
  { id: 'os', text: 'OS', width: 134, isSortable: true, cell: (row) => row.os },
  { id: 'tags', text: 'Tags', width: 188, cell: (row) => <Tags tags={row.tags} /> },
  { id: 'location', text: 'Location', width: 148, isSortable: true, cell: (row) => row.location },
  { id: 'hostname', text: 'Host name', width: 220, cell: (row) => <span className="mono">{row.hostname}</span> },
  { id: 'updated', text: 'Updated', width: 120, isSortable: true, cell: (row) => <TimeAgo at={row.updatedAt} /> },
]

export const USUAL_COLUMNS = ['name', 'address', 'status', 'datacenter', 'model', 'os', 'tags', 'location']
