/** The list of all scopes: the parts of the estate in which roles are granted, with the numbers of their objects and grants. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { buildOwnColumns } from '../resource/columns.tsx'
import { buildTableSpec } from '../resource/fields.ts'
import { ListPage } from '../resource/list-page.tsx'
import { useIsInUse, usePermit } from '../shell/me.ts'
import type { Column } from '../table/column.ts'
import type { TableSpec } from '../table/engine.ts'
import { Tags, Withheld } from '../ui/primitives.tsx'
import { countOrNone } from './counts.ts'
import { countedScopesQuery, grantsQuery } from './queries.ts'
import { DeleteScope } from './scopes/delete-scope.tsx'
import { buildScopeFields, type Names, toNames } from './scopes/fields.ts'
import { useDatacenterNames, useKindNames, useScopeResource, useSpaceNames } from './scopes/resource.tsx'
import type { ListedScope } from './types.ts'

const ORDER = ['name', 'datacenter_ids', 'space_ids', 'kind_ids', 'subnets', 'tags', 'description', 'updated_at']
const DEFAULT_COLUMNS = [
  'name',
  'datacenters',
  'subnets',
  'tags',
  'networks',
  'devices',
  'grants',
  'updated',
  'actions',
]

type Tools = {
  readonly datacenters: Names
  readonly spaces: Names
  readonly kinds: Names
  /** The number of grants in each scope, by its id. Undefined if the caller may not list grants. */
  readonly grants: ReadonlyMap<string, number> | undefined
}

const COUNTED = ['networks', 'pools', 'devices'] as const

const COUNTS: readonly Column<ListedScope>[] = COUNTED.map((id) => ({
  id,
  text: id.charAt(0).toUpperCase() + id.slice(1),
  width: 84,
  isRight: true,
  isSortable: true,
  cell: ({ counts }) => <span className="num">{counts && countOrNone(counts[id])}</span>,
}))

const COUNT_SORTS = Object.fromEntries(
  COUNTED.map((id) => [id, ({ counts }: ListedScope) => counts?.[id] ?? undefined]),
)

const buildSpec = (names: Omit<Tools, 'grants'>): TableSpec<ListedScope> => {
  const spec: TableSpec<ListedScope> = buildTableSpec(buildScopeFields(names))
  return { ...spec, sorts: { ...spec.sorts, ...COUNT_SORTS } }
}

const buildGrantsColumn = (grants: Tools['grants']): Column<ListedScope> => ({
  id: 'grants',
  text: 'Grants',
  width: 80,
  isRight: true,
  isEssential: true,
  cell: ({ id }) =>
    grants ? <span className="num">{grants.get(id) ?? 0}</span> : <Withheld permission="users:list" />,
})

const buildFieldColumns = ({ datacenters, spaces, kinds }: Tools): readonly Column<ListedScope>[] =>
  buildOwnColumns(buildScopeFields({ datacenters, spaces, kinds }), ORDER, {
    name: ({ id, name }) => (
      <Link to="/scopes/$id" params={{ id }} tabIndex={-1}>
        {name}
      </Link>
    ),
    datacenter_ids: ({ datacenter_ids }) => <Tags tags={toNames(datacenter_ids, datacenters)} />,
    space_ids: ({ space_ids }) => <Tags tags={toNames(space_ids, spaces)} />,
    kind_ids: ({ kind_ids = [] }) => <Tags tags={toNames(kind_ids, kinds)} />,
    tags: ({ tags }) => <Tags tags={tags} />,
  })

const buildColumns = (tools: Tools): readonly Column<ListedScope>[] =>
  buildFieldColumns(tools).toSpliced(6, 0, ...COUNTS, buildGrantsColumn(tools.grants))

export const ScopesPage = () => {
  const { may } = usePermit()
  const navigate = useNavigate()
  const query = useQuery({ ...countedScopesQuery, enabled: may('scopes:list') })
  const { data: all } = useQuery({ ...grantsQuery(), enabled: may('scopes:list') && may('users:list') })
  const datacenters = useDatacenterNames()
  const spaces = useSpaceNames()
  const kinds = useKindNames()
  const hasSpaces = useIsInUse('spaces')
  const resource = useScopeResource()
  const columns = useMemo(() => {
    const groups = all && Map.groupBy(all, ({ scope_id }) => scope_id ?? '')
    const grants = groups && new Map([...groups].map(([id, found]) => [id, found.length]))
    return buildColumns({ datacenters, spaces, kinds, grants })
  }, [all, datacenters, spaces, kinds])
  const spec = useMemo(() => buildSpec({ datacenters, spaces, kinds }), [datacenters, spaces, kinds])
  return (
    <ListPage
      resourceName="scopes"
      resource={resource}
      query={query}
      needs="scopes:list"
      spec={spec}
      columns={columns}
      defaultColumns={hasSpaces ? DEFAULT_COLUMNS.toSpliced(2, 0, 'spaces') : DEFAULT_COLUMNS}
      sort="name"
      placeholder="Name, dc:, subnet:, tag:"
      empty="A scope is a named part of the estate: datacenters, subnets and tags. Users who have a role in a scope read the objects in it alone."
      deleteWarning=""
      menu={{}}
      open={({ id }) => void navigate({ to: '/scopes/$id', params: { id } })}
      removal={(scope, onClose) => <DeleteScope scope={scope} onClose={onClose} />}
    />
  )
}
