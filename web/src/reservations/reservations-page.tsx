/** All reservations: addresses that are spoken for. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Reservation } from '../api/contracts.ts'
import { networksQuery, poolsQuery, reservationsQuery } from '../api/queries.ts'
import { buildOwnColumns } from '../resource/columns.tsx'
import type { Names } from '../resource/facts/from-facts.ts'
import { ListPage } from '../resource/list-page.tsx'
import { useOwnedResource } from '../resource/owned-resource.tsx'
import { usePermit } from '../shell/me.ts'
import { SpaceBadge, useSpaces } from '../spaces/known-spaces.tsx'
import type { Column } from '../table/column.ts'
import { TimeAgo } from '../ui/primitives.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { fields } from './fields.ts'
import { buildReservationSpec, RESERVATION_RESOURCE } from './resource.ts'

const ORDER = [...['ip_address', 'hostname', 'mac_address', 'purpose', 'pool_id', 'expires_at', 'created_by', 'notes']]
/** The fields of a list in which no reservation has a MAC address. */
const WITHOUT_MAC = { ...fields, mac_address: { ...fields.mac_address, column: false } } as const

type Around = {
  /** Keyed by the ids of pools. */
  readonly spaces: ReadonlyMap<string, string | undefined>
  /** True if a reservation has a MAC; without one there is no such column. */
  readonly hasMacs: boolean
}

const buildColumns = (names: Names, { spaces, hasMacs }: Around): readonly Column<Reservation>[] =>
  buildOwnColumns(hasMacs ? fields : WITHOUT_MAC, ORDER, {
    ip_address: ({ ip_address, pool_id }) => (
      <>
        <span className="mono">{ip_address}</span>
        <SpaceBadge space_id={spaces.get(pool_id)} />
      </>
    ),
    pool_id: ({ pool_id }) => (
      <RowLink to="pools" id={pool_id}>
        {names.get(pool_id) ?? pool_id}
      </RowLink>
    ),
    expires_at: ({ expires_at }) =>
      expires_at === null ? <span className="muted">–</span> : <TimeAgo at={expires_at} />,
  })

const DEFAULT_COLUMNS = ['address', 'hostname', 'purpose', 'pool', 'ends', 'by']
const COLUMNS_WITH_MAC = ['address', 'hostname', 'mac', 'purpose', 'pool', 'ends', 'by']

export const ReservationsPage = () => {
  const { may, blocked } = usePermit()
  const query = useQuery(reservationsQuery)
  const { data: pools } = useQuery({ ...poolsQuery, enabled: may('pools:list') })
  const names = useMemo(() => new Map((pools ?? []).map(({ id, name }) => [id, name])), [pools])
  const spec = useMemo(() => buildReservationSpec(names), [names])
  const hasMacs = (query.data ?? []).some(({ mac_address }) => mac_address)
  const hasSpaces = useSpaces().length > 0
  const { data: networks } = useQuery({ ...networksQuery, enabled: hasSpaces && may('networks:list') })
  const columns = useMemo(() => {
    const ofNetworks = new Map((networks ?? []).map(({ id, space_id }) => [id, space_id]))
    const spaces = new Map((pools ?? []).map(({ id, network_id }) => [id, ofNetworks.get(network_id)]))
    return buildColumns(names, { spaces, hasMacs })
  }, [names, networks, pools, hasMacs])
  const blockedUpdate = blocked('reservations:update')
  const resource = useOwnedResource(RESERVATION_RESOURCE, {
    kind: 'reservation',
    rows: query.data,
    blocked: blockedUpdate,
  })
  return (
    <ListPage
      resourceName="reservations"
      resource={resource}
      query={query}
      spec={spec}
      columns={columns}
      defaultColumns={hasMacs ? COLUMNS_WITH_MAC : DEFAULT_COLUMNS}
      sort="address"
      placeholder="Address, host name, purpose, pool:"
      empty="A reservation holds an address of a pool, so that it is not allocated."
      deleteWarning="The address becomes free."
    />
  )
}
