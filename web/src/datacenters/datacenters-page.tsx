/** All datacenters, with what is in each. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Datacenter } from '../api/contracts.ts'
import { datacentersQuery, networksQuery } from '../api/queries.ts'
import { buildOwnColumns } from '../resource/columns.tsx'
import { buildTableSpec } from '../resource/fields.ts'
import { ListPage } from '../resource/list-page.tsx'
import { usePermit } from '../shell/me.ts'
import type { Column } from '../table/column.ts'
import { RowLink } from '../ui/row-link.tsx'
import { fields } from './fields.ts'
import { datacenterResource } from './resource.ts'

const ORDER = ['name', 'location', 'description', 'updated_at']
const COLUMNS = buildOwnColumns(fields, ORDER, {
  name: ({ id, name }) => (
    <RowLink to="datacenters" id={id}>
      {name}
    </RowLink>
  ),
})
const spec = buildTableSpec(fields)

const buildColumns = (networkCounts: ReadonlyMap<string, number>): readonly Column<Datacenter>[] =>
  COLUMNS.toSpliced(2, 0, {
    id: 'networks',
    text: 'Networks',
    width: 90,
    isRight: true,
    cell: ({ id }) => <span className="num">{networkCounts.get(id) ?? 0}</span>,
  })

const DEFAULT_COLUMNS = ['name', 'location', 'networks', 'description', 'updated']

export const DatacentersPage = () => {
  const { may } = usePermit()
  const navigate = useNavigate()
  const query = useQuery(datacentersQuery)
  const { data: networks } = useQuery({ ...networksQuery, enabled: may('networks:list') })
  const columns = useMemo(() => {
    const groups = Map.groupBy(networks ?? [], ({ datacenter_id }) => datacenter_id ?? '')
    return buildColumns(new Map([...groups].map(([id, found]) => [id, found.length])))
  }, [networks])
  return (
    <ListPage
      title="Datacenters"
      resourceName="datacenters"
      resource={datacenterResource}
      query={query}
      spec={spec}
      columns={columns}
      defaultColumns={DEFAULT_COLUMNS}
      sort="name"
      placeholder="Name or location"
      empty="A datacenter is a site with networks and devices."
      deleteWarning="Its networks and devices stay, without a datacenter."
      open={({ id }) => void navigate({ to: '/datacenters/$id', params: { id } })}
    />
  )
}
