/** The columns of the table of devices. */
import type { DeviceStatus } from '../api/contracts.ts'
import { ConflictMark } from '../conflicts/active-mark.tsx'
import { buildColumns } from '../resource/columns.tsx'
import { SpaceBadge } from '../spaces/known-spaces.tsx'
import { Badge, Tags, TimeAgo, type Tone } from '../ui/primitives.tsx'
import { RowLink } from '../ui/row-link.tsx'
import type { DeviceRow } from './column-spec.ts'
import { buildDeviceFields, DEVICE_ORDER } from './fields.ts'

const TONES: Readonly<Record<DeviceStatus, Tone>> = {
  planned: 'info',
  active: 'ok',
  maintenance: 'warn',
  decommissioned: 'idle',
}

export const StatusBadge = ({ status }: { readonly status: DeviceStatus }) => (
  <Badge tone={TONES[status]}>{status}</Badge>
)

/** Their texts have commas between the values. */
const LISTS = new Set(['addresses', 'tags', 'domains'])

export const DEVICE_COLUMNS = buildColumns(buildDeviceFields(), {
  first: DEVICE_ORDER.table,
  formatCell: (row: DeviceRow, { name }) => row.texts[name] ?? '',
  toText: ({ texts, updated_at }, { name }) => {
    if (name === 'updated_at') return updated_at
    const text = texts[name] ?? ''
    return LISTS.has(name) ? text.replaceAll(', ', '; ') : text
  },
  cells: {
    name: ({ id, name }) => (
      <>
        <RowLink to="devices" id={id}>
          {name}
        </RowLink>
        <ConflictMark id={id} />
      </>
    ),
    addresses: ({ ip, space_id, addressCount }) => (
      <>
        <span className="mono">{ip}</span>
        <SpaceBadge space_id={space_id} />
        {addressCount > 1 && <span className="muted"> +{addressCount - 1}</span>}
      </>
    ),
    status: ({ status }) => <StatusBadge status={status} />,
    tags: ({ tags }) => <Tags tags={tags} />,
    updated_at: ({ updated_at }) => <TimeAgo at={updated_at} />,
  },
})

type InUse = { readonly racks: boolean; readonly types: boolean }

/** Returns whether a column or a filter, which have the same ids, is offered. */
export const isOffered =
  ({ racks, types }: InUse) =>
  (id: string): boolean =>
    (id !== 'rack' || racks) && (id !== 'type' || types)

export const DEFAULT_COLUMNS = DEVICE_COLUMNS.slice(0, DEVICE_ORDER.table.length).map(({ id }) => id)
