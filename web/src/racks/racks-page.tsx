/** All racks, by datacenter, with their use of space and of power. */

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Datacenter } from '../api/contracts.ts'
import { datacentersQuery } from '../api/queries.ts'
import { buildOwnColumns } from '../resource/columns.tsx'
import { buildTableSpec } from '../resource/fields.ts'
import { ListPage } from '../resource/list-page.tsx'
import type { Resource } from '../resource/resource.ts'
import { findPlaceTest, type PlaceTest } from '../resource/tree/place-test.ts'
import { usePermit } from '../shell/me.ts'
import type { Column } from '../table/column.ts'
import type { TableSpec } from '../table/engine.ts'
import { RowLink } from '../ui/row-link.tsx'
import { buildRackFields, type ListedRack, type Names } from './fields.ts'
import { racksQuery } from './known-racks.ts'
import { DELETE_WARNING, RACK_RESOURCE } from './resource.ts'
import { computeUsedPercent, PowerMeter, SpaceMeter } from './usage.tsx'

const ORDER = ['name', 'datacenter_id', 'location', 'height']
const DEFAULT_COLUMNS = ['name', 'datacenter', 'location', 'height', 'space', 'largest', 'power', 'devices']
const NONE: readonly Datacenter[] = []

const USAGE: readonly Column<ListedRack>[] = [
  {
    id: 'space',
    text: 'Space',
    width: 170,
    isSortable: true,
    isEssential: true,
    cell: ({ name, usage }) => usage && <SpaceMeter name={name} usage={usage} />,
  },
  {
    id: 'largest',
    text: 'Free together',
    width: 120,
    isSortable: true,
    isRight: true,
    cell: ({ usage }) => usage && <span className="num">{usage.largest_free_units} U</span>,
  },
  {
    id: 'power',
    text: 'Power',
    width: 170,
    isSortable: true,
    cell: ({ name, usage }) => usage && <PowerMeter name={name} usage={usage} />,
  },
  {
    id: 'devices',
    text: 'Devices',
    width: 90,
    isSortable: true,
    isRight: true,
    cell: ({ usage }) => <span className="num">{usage?.devices}</span>,
  },
]

const buildColumns = (names: Names): readonly Column<ListedRack>[] =>
  buildOwnColumns<ListedRack>({ ...buildRackFields(names), usage: { label: 'Use', column: false } }, ORDER, {
    name: ({ id, name }) => (
      <RowLink to="racks" id={id}>
        {name}
      </RowLink>
    ),
    height: ({ height }) => <span className="num">{height} U</span>,
  }).toSpliced(ORDER.length, 0, ...USAGE)

const buildSpec = (names: Names, isInPlace: PlaceTest | undefined): TableSpec<ListedRack> => {
  const spec: TableSpec<ListedRack> = buildTableSpec(buildRackFields(names, isInPlace))
  return {
    ...spec,
    sorts: {
      ...spec.sorts,
      space: ({ usage }) => usage && computeUsedPercent(usage),
      largest: ({ usage }) => usage?.largest_free_units,
      power: ({ usage }) => usage?.power ?? undefined,
      devices: ({ usage }) => usage?.devices,
    },
  }
}

export const RacksPage = () => {
  const { may } = usePermit()
  const navigate = useNavigate()
  const query = useQuery({ ...racksQuery, enabled: may('racks:list') })
  const { data: datacenters = NONE } = useQuery({ ...datacentersQuery, enabled: may('datacenters:list') })
  const names = useMemo(() => new Map(datacenters.map(({ id, name }) => [id, name])), [datacenters])
  const resource: Resource<ListedRack> = RACK_RESOURCE
  const spec = useMemo(() => buildSpec(names, findPlaceTest(datacenters)), [names, datacenters])
  const columns = useMemo(() => buildColumns(names), [names])
  return (
    <ListPage
      resourceName="racks"
      resource={resource}
      query={query}
      needs="racks:list"
      spec={spec}
      columns={columns}
      defaultColumns={DEFAULT_COLUMNS}
      sort="datacenter"
      placeholder="Name, location or dc:"
      empty="A rack shows where devices are mounted, on its front and its rear, and how much space and power is left."
      deleteWarning={DELETE_WARNING}
      open={({ id }) => void navigate({ to: '/racks/$id', params: { id } })}
    />
  )
}
