/** All address spaces but the default one, with the number of networks in each. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { FACTS } from '../../../src/inventory/resources.ts'
import { networksQuery } from '../api/queries.ts'
import { buildResource } from '../resource/build-resource.ts'
import { buildOwnColumns } from '../resource/columns.tsx'
import { buildTableSpec } from '../resource/fields.ts'
import { ListPage } from '../resource/list-page.tsx'
import { usePermit } from '../shell/me.ts'
import type { Column } from '../table/column.ts'
import { fields, type Space } from './fields.ts'
import { spacesQuery } from './known-spaces.tsx'

const ORDER = ['name', 'reachable', 'description', 'updated_at']
const COLUMNS = buildOwnColumns(fields, ORDER)
const DEFAULT_COLUMNS = ['name', 'networks', 'reachable', 'description', 'updated']
const SPEC = buildTableSpec(fields)

export const SPACE_RESOURCE = buildResource(FACTS.spaces, fields, { noun: 'address space', order: ORDER })

const buildColumns = (counts: ReadonlyMap<string, number>): readonly Column<Space>[] =>
  COLUMNS.toSpliced(1, 0, {
    id: 'networks',
    text: 'Networks',
    width: 90,
    isRight: true,
    cell: ({ id }) => <span className="num">{counts.get(id) ?? 0}</span>,
  })

export const SpacesPage = () => {
  const { may } = usePermit()
  const navigate = useNavigate()
  const query = useQuery({ ...spacesQuery, enabled: may('spaces:list') })
  const { data: networks } = useQuery({ ...networksQuery, enabled: may('networks:list') })
  const columns = useMemo(() => {
    const groups = Map.groupBy(networks ?? [], ({ space_id }) => space_id ?? '')
    return buildColumns(new Map([...groups].map(([id, found]) => [id, found.length])))
  }, [networks])
  return (
    <ListPage
      resourceName="spaces"
      resource={SPACE_RESOURCE}
      query={query}
      needs="spaces:list"
      spec={SPEC}
      columns={columns}
      defaultColumns={DEFAULT_COLUMNS}
      sort="name"
      placeholder="Name or description"
      empty="An address space is a set of addresses of its own, such as a VRF, a customer or a lab: 10.0.0.1 in it is another address than 10.0.0.1 outside of it. Networks without a space are in the default one."
      deleteWarning="A space with a network, an address, a feed or a DNS zone cannot be deleted."
      open={({ id }) => void navigate({ to: '/networks', search: { space: id } })}
    />
  )
}
