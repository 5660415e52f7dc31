/** All datacenters, with what is in each. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Datacenter } from '../api/contracts.ts'
import { datacentersQuery, networksQuery } from '../api/queries.ts'
import { buildOwnColumns } from '../resource/columns.tsx'
import { buildTableSpec } from '../resource/fields.ts'
import { ListPage } from '../resource/list-page.tsx'
import { Indented } from '../resource/tree/indented.tsx'
import { buildPaths } from '../resource/tree/tree.ts'
import { usePermit } from '../shell/me.ts'
import type { Column } from '../table/column.ts'
import { RowLink } from '../ui/row-link.tsx'
import { buildDatacenterFields } from './fields.ts'
import { buildDatacenterResource } from './resource.ts'

const ORDER = ['name', 'location', 'description', 'parent_id', 'updated_at']

/** The columns, with the number of networks, and names that are indented by their levels. */
const buildColumns = (
  datacenters: readonly Datacenter[],
  networkCounts: ReadonlyMap<string, number>,
): readonly Column<Datacenter>[] => {
  const paths = buildPaths(datacenters)
  return buildOwnColumns(buildDatacenterFields(datacenters), ORDER, {
    name: ({ id, name }) => {
      const above = paths.get(id)?.length ?? 0
      const link = (
        <RowLink to="datacenters" id={id}>
          {name}
        </RowLink>
      )
      return above === 0 ? link : <Indented level={above}>{link}</Indented>
    },
  }).toSpliced(2, 0, {
    id: 'networks',
    text: 'Networks',
    width: 90,
    isRight: true,
    cell: ({ id }) => <span className="num">{networkCounts.get(id) ?? 0}</span>,
  })
}

const NONE: readonly Datacenter[] = []
const DEFAULT_COLUMNS = ['name', 'location', 'networks', 'description', 'updated']

export const DatacentersPage = () => {
  const { may } = usePermit()
  const navigate = useNavigate()
  const query = useQuery(datacentersQuery)
  const { data: datacenters = NONE } = query
  const { data: networks } = useQuery({ ...networksQuery, enabled: may('networks:list') })
  const columns = useMemo(() => {
    const groups = Map.groupBy(networks ?? [], ({ datacenter_id }) => datacenter_id ?? '')
    return buildColumns(datacenters, new Map([...groups].map(([id, found]) => [id, found.length])))
  }, [datacenters, networks])
  const spec = useMemo(() => buildTableSpec(buildDatacenterFields(datacenters)), [datacenters])
  const resource = useMemo(() => buildDatacenterResource(datacenters), [datacenters])
  return (
    <ListPage
      resourceName="datacenters"
      resource={resource}
      query={query}
      spec={spec}
      columns={columns}
      defaultColumns={DEFAULT_COLUMNS}
      sort="name"
      placeholder="Name or location"
      empty="A datacenter is a site with networks and devices."
      deleteWarning="Its networks and devices stay, without a datacenter. Those below move to the one above."
      open={({ id }) => void navigate({ to: '/datacenters/$id', params: { id } })}
    />
  )
}
