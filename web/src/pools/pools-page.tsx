/** All pools, with how full they are. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Pool } from '../api/contracts.ts'
import { networksQuery, poolsQuery } from '../api/queries.ts'
import { ListPage } from '../resource/list-page.tsx'
import { usePermit } from '../shell/me.ts'
import type { Column } from '../table/column.ts'
import { count } from '../ui/format.ts'
import { Meter, Tags } from '../ui/primitives.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { poolResource, poolSpec } from './resource.ts'

const columnsFor = (names: ReadonlyMap<string, string>): readonly Column<Pool>[] => [
  {
    id: 'name',
    text: 'Name',
    width: 180,
    isSortable: true,
    isEssential: true,
    cell: ({ id, name }) => (
      <RowLink to="pools" id={id}>
        {name}
      </RowLink>
    ),
  },
  {
    id: 'network',
    text: 'Network',
    width: 170,
    isSortable: true,
    cell: ({ network_id }) => names.get(network_id) ?? network_id,
  },
  {
    id: 'range',
    text: 'Addresses',
    width: 250,
    isSortable: true,
    cell: ({ start_ip, end_ip }) => (
      <span className="mono">
        {start_ip} – {end_ip}
      </span>
    ),
  },
  {
    id: 'utilization',
    text: 'Utilization',
    width: 200,
    isSortable: true,
    isEssential: true,
    cell: ({ name, utilization }) => utilization && <Meter value={utilization.utilization} label={`${name} in use`} />,
  },
  {
    id: 'free',
    text: 'Free',
    width: 90,
    isSortable: true,
    isRight: true,
    cell: ({ utilization }) => <span className="mono">{utilization && count(utilization.available_ips)}</span>,
  },
  { id: 'tags', text: 'Tags', width: 160, cell: ({ tags }) => <Tags tags={tags} /> },
  { id: 'description', text: 'Description', width: 220, cell: ({ description }) => description },
]

const DEFAULT_COLUMNS = ['name', 'network', 'range', 'utilization', 'free', 'tags']

export const PoolsPage = () => {
  const { may } = usePermit()
  const navigate = useNavigate()
  const query = useQuery(poolsQuery)
  const { data: networks } = useQuery({ ...networksQuery, enabled: may('networks:list') })
  const names = useMemo(() => new Map((networks ?? []).map(({ id, name }) => [id, name])), [networks])
  const spec = useMemo(() => poolSpec(names), [names])
  const columns = useMemo(() => columnsFor(names), [names])
  const resource = useMemo(() => poolResource(networks ?? []), [networks])
  return (
    <ListPage
      title="Pools"
      resourceName="pools"
      resource={resource}
      query={query}
      spec={spec}
      columns={columns}
      defaultColumns={DEFAULT_COLUMNS}
      sort="name"
      placeholder="Name, address, network: or tag:"
      empty="A pool is a range of a network from which addresses are allocated."
      deleteWarning="Its reservations are deleted too. The addresses of devices stay, without a pool."
      open={({ id }) => void navigate({ to: '/pools/$id', params: { id } })}
    />
  )
}
