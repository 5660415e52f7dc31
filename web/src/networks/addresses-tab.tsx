/** The addresses of a network: as a map, and as a list of those that a device or a reservation has. */

import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { DEFAULT_SPACE, parseIpKey } from '../../../src/net/ip.ts'
import { toSortKey } from '../../../src/net/name-order.ts'
import { LazyAddressMap } from '../addresses/lazy-address-map.tsx'
import { countAddresses } from '../addresses/place.ts'
import type { AddressDialogTools } from '../addresses/use-address-dialog.tsx'
import type { Device, Network, Pool, Reservation } from '../api/contracts.ts'
import { poolsQuery, reservationsQuery } from '../api/queries.ts'
import { usePermitted } from '../shell/me.ts'
import { PageBody } from '../shell/page.tsx'
import type { Column } from '../table/column.ts'
import type { TableSpec } from '../table/engine.ts'
import { usePageSearch } from '../table/list-search.ts'
import { LocalTable } from '../table/local-table.tsx'
import { plural } from '../ui/format.ts'
import { Badge } from '../ui/primitives.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { State } from '../ui/states.tsx'
import { MOST_DEVICES, type NetworkDevices } from './devices-table.tsx'
import type { createNetworkFinder } from './inside.ts'
import css from './networks.module.css'

type Row = {
  readonly id: string
  readonly ip: string
  readonly kind: 'device' | 'reservation'
  /** The use of the address: the name of a device, or the purpose of the reservation. */
  readonly name: string
  readonly deviceId: string
  readonly label: string
  readonly network: Network
  readonly pool: string
}

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'address',
    text: 'Address',
    width: 170,
    isSortable: true,
    isEssential: true,
    cell: ({ ip }) => <span className="mono">{ip}</span>,
  },
  {
    id: 'kind',
    text: 'State',
    width: 110,
    isSortable: true,
    cell: ({ kind }) => (
      <Badge tone={kind === 'device' ? 'info' : 'warn'}>{kind === 'device' ? 'used' : 'reserved'}</Badge>
    ),
  },
  {
    id: 'name',
    text: 'Held by',
    width: 220,
    isSortable: true,
    isEssential: true,
    cell: ({ kind, name, deviceId }) =>
      kind === 'device' ? (
        <RowLink to="devices" id={deviceId}>
          {name}
        </RowLink>
      ) : (
        name
      ),
  },
  {
    id: 'network',
    text: 'Network',
    width: 180,
    isSortable: true,
    cell: ({ network }) => (
      <RowLink to="networks" id={network.id}>
        {network.name}
      </RowLink>
    ),
  },
  { id: 'label', text: 'Label', width: 160, cell: ({ label }) => label },
  { id: 'pool', text: 'Pool', width: 160, isSortable: true, cell: ({ pool }) => pool },
]

const SPEC: TableSpec<Row> = {
  id: ({ id }) => id,
  text: ({ ip, name }) => `${ip}\n${name}`,
  sorts: {
    address: ({ ip }) => parseIpKey(ip, DEFAULT_SPACE) ?? ip,
    kind: ({ kind }) => kind,
    name: ({ name }) => toSortKey(name),
    network: ({ network }) => toSortKey(network.name),
    pool: ({ pool }) => toSortKey(pool),
  },
  fields: {},
  facets: {},
}

const NONE: readonly never[] = []

type Shown = {
  /** The networks to which the addresses of the list belong, by their ids. */
  readonly networks: ReadonlyMap<string, Network>
  readonly findNetwork: ReturnType<typeof createNetworkFinder>
  readonly pools: readonly Pool[]
}

const buildRows = (
  devices: readonly Device[],
  reservations: readonly Reservation[],
  { networks, findNetwork, pools }: Shown,
): readonly Row[] => {
  const byId = new Map(pools.map((pool) => [pool.id, pool]))
  return [
    ...devices.flatMap(({ id, name, addresses }) =>
      addresses.flatMap((address, index): Row[] => {
        const network = networks.get(findNetwork(address)?.id ?? '')
        if (!network) return []
        const { ip, label, pool_id } = address
        const pool = byId.get(pool_id ?? '')?.name ?? ''
        return [{ id: `${id} ${index}`, ip, kind: 'device', name, deviceId: id, label, network, pool }]
      }),
    ),
    ...reservations.flatMap(({ id, ip_address, hostname, purpose, pool_id }): Row[] => {
      const pool = byId.get(pool_id)
      const network = networks.get(pool?.network_id ?? '')
      if (!pool || !network) return []
      return [
        {
          ...{ id, ip: ip_address, kind: 'reservation', name: purpose || hostname, deviceId: '' },
          ...{ label: purpose === '' ? '' : hostname, network, pool: pool.name },
        },
      ]
    }),
  ]
}

/** The largest network that is shown as a map at first: a /20. */
const MOST_MAPPED = 4096n

type Props = {
  readonly network: Network
  readonly devices: NetworkDevices
  /** The networks whose addresses are listed: this one, and those inside it. */
  readonly shown: readonly Network[]
  readonly findNetwork: Shown['findNetwork']
  /** The switch that leaves out the networks inside. */
  readonly only: ReactNode
  readonly tools: AddressDialogTools
}

const MAP = 'map'
const LIST = 'list'

export const AddressesTab = ({ network, devices: { data: devices, error, refetch }, shown, ...props }: Props) => {
  const { findNetwork, only, tools } = props
  const navigate = useNavigate()
  const { search, set } = usePageSearch()
  const { data: pools = NONE } = usePermitted('pools:list', poolsQuery)
  const { data: reserved = NONE } = usePermitted('reservations:list', reservationsQuery)
  const rows = useMemo(() => {
    const networks = new Map(shown.map((one) => [one.id, one]))
    return devices && buildRows(devices, reserved, { networks, findNetwork, pools })
  }, [devices, reserved, shown, findNetwork, pools])
  const ownPools = useMemo(() => pools.filter(({ network_id }) => network_id === network.id), [pools, network.id])
  const usual = countAddresses(network.subnet) <= MOST_MAPPED ? MAP : LIST
  const view = search.view ?? usual
  const show = (wanted: string) => void set({ view: wanted === usual ? undefined : wanted }, { isReplace: true })
  const choice = (
    <fieldset className={css.switch}>
      <legend className="sr">How addresses are shown</legend>
      <button type="button" aria-pressed={view === MAP} onClick={() => show(MAP)}>
        Map
      </button>
      <button type="button" aria-pressed={view !== MAP} onClick={() => show(LIST)}>
        List
      </button>
    </fieldset>
  )
  const place = { kind: 'network', id: network.id } as const
  if (view === MAP)
    return (
      <PageBody>
        <LazyAddressMap place={place} range={network.subnet} pools={ownPools} tools={tools} actions={choice} />
      </PageBody>
    )
  return (
    <LocalTable
      label="Addresses"
      rows={rows}
      error={error}
      refetch={refetch}
      spec={SPEC}
      columns={COLUMNS}
      sort="address"
      getName={({ ip }) => ip}
      open={({ kind, deviceId, ip }) =>
        void (kind === 'device'
          ? navigate({ to: '/devices/$id', params: { id: deviceId } })
          : navigate({ to: '/reservations', search: { q: ip } }))
      }
      tools={
        <div className={css.tools}>
          {choice}
          {only}
        </div>
      }
      note={
        devices?.length === MOST_DEVICES && `These are the addresses of the first ${plural(MOST_DEVICES, 'device')}.`
      }
      empty={<State title="Every address is free" text="No device or reservation uses one yet." />}
    />
  )
}
