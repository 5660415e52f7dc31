/** The list of zones with their states. */
import { useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { ListPage } from '../resource/list-page.tsx'
import { ResourceDrawer } from '../resource/resource-drawer.tsx'
import { usePermit } from '../shell/me.ts'
import { SpaceBadge } from '../spaces/known-spaces.tsx'
import type { Column } from '../table/column.ts'
import { buildTimeColumn } from '../table/time-column.tsx'
import { formatCount } from '../ui/format.ts'
import { RowLink } from '../ui/row-link.tsx'
import { formatZoneKind } from './labels.ts'
import { ZoneStatus } from './marks.tsx'
import { followedZonesQuery, type Zone } from './queries.ts'
import { buildZoneSpec, getServerName, type ServerNames, useServerNames, useZoneResource } from './zone-resource.ts'

export const ZONE_WARNING = 'Its own records and its feeds are deleted too. The server keeps all that it holds.'

const countColumn = (id: string, text: string, of: (zone: Zone) => number): Column<Zone> => ({
  ...{ id, text, width: 80, isRight: true, isSortable: true },
  cell: (zone) => (of(zone) === 0 ? <span className="muted">0</span> : formatCount(of(zone))),
})

const buildColumns = (names: ServerNames): readonly Column<Zone>[] => [
  {
    id: 'name',
    text: 'Name',
    width: 190,
    isSortable: true,
    isEssential: true,
    cell: ({ id, name, space_id }) => (
      <>
        <RowLink to="dns" id={id} className="mono">
          {name}
        </RowLink>
        <SpaceBadge space_id={space_id} />
      </>
    ),
  },
  { id: 'kind', text: 'Kind', width: 200, isSortable: true, cell: formatZoneKind },
  {
    id: 'server',
    text: 'Server',
    width: 82,
    isSortable: true,
    cell: (zone) => getServerName(zone, names) || <span className="muted">file only</span>,
  },
  { id: 'mode', text: 'Mode', width: 84, isSortable: true, cell: ({ mode }) => mode },
  {
    id: 'status',
    text: 'Status',
    width: 220,
    isSortable: true,
    isEssential: true,
    cell: (zone) => <ZoneStatus zone={zone} />,
  },
  countColumn('rrsets', 'RRsets', ({ rrset_count }) => rrset_count),
  countColumn('pending', 'Pending', ({ pending_count }) => pending_count),
  countColumn('conflicts', 'Conflicts', ({ conflict_count }) => conflict_count),
  countColumn('blocked', 'Blocked', ({ blocked_count }) => blocked_count),
  countColumn('drift', 'Drift', ({ drift_count }) => drift_count),
  buildTimeColumn({ id: 'checked', text: 'Checked', width: 86, at: ({ last_checked_at }) => last_checked_at }),
  { id: 'description', text: 'Description', width: 220, cell: ({ description }) => description },
]

const DEFAULT_COLUMNS = [
  ...['name', 'kind', 'server', 'mode', 'status', 'rrsets', 'conflicts', 'blocked', 'drift', 'checked'],
  'actions',
]

const EMPTY =
  'A zone holds the names of devices and your own records. Plat keeps it in step on a DNS server, or gives it as a file.'

export const ZonesList = ({ tabs }: { readonly tabs: ReactNode }) => {
  const { may, blockedNow } = usePermit()
  const navigate = useNavigate()
  const query = useQuery({ ...followedZonesQuery, enabled: may('dns:list') })
  const resource = useZoneResource()
  const names = useServerNames()
  const spec = useMemo(() => buildZoneSpec(names), [names])
  const columns = useMemo(() => buildColumns(names), [names])
  return (
    <ListPage
      resourceName="dns"
      resource={resource}
      query={query}
      needs="dns:list"
      spec={spec}
      columns={columns}
      defaultColumns={DEFAULT_COLUMNS}
      sort="name"
      placeholder="Name, status:drift, kind:reverse, server:ns1"
      nothing="No zones yet"
      empty={EMPTY}
      deleteWarning={ZONE_WARNING}
      tabs={tabs}
      menu={{ needs: blockedNow }}
      open={({ id }) => void navigate({ to: '/dns/$id', params: { id } })}
      drawer={(id, close) =>
        id === undefined ? (
          <ResourceDrawer
            resource={resource}
            id={undefined}
            onClose={close}
            onSaved={(zone) => void navigate({ to: '/dns/$id', params: { id: zone.id } })}
            blocked={blockedNow('dns:create')}
          />
        ) : (
          // The form is on the page of the zone.
          <Navigate to="/dns/$id" params={{ id }} search={{ edit: id }} replace />
        )
      }
    />
  )
}
