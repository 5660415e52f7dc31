/** The findings of a report: a table with its parameters, a file of all of them, and actions on the selected ones. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useMemo } from 'react'
import { datacentersQuery, networksQuery } from '../api/queries.ts'
import { useHotkeys } from '../shell/hotkeys.ts'
import { usePermit, usePermitted } from '../shell/me.ts'
import { type Hint, Hints, PageHead } from '../shell/page.tsx'
import { ColumnsMenu, useColumns } from '../table/columns-menu.tsx'
import { DataTable } from '../table/data-table.tsx'
import { FilterBar, useFilterText } from '../table/filter-bar.tsx'
import type { Option } from '../table/filter-controls.tsx'
import { ListContent } from '../table/list-content.tsx'
import { usePageSearch, useSorting } from '../table/list-search.ts'
import tableCss from '../table/table.module.css'
import { useSelection } from '../table/use-selection.ts'
import { useLocalView } from '../table/view.ts'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { Menu, MenuLink } from '../ui/menu.tsx'
import { BulkActions, hasAction } from './bulk.tsx'
import { ReportFilters, toAsked } from './filters.tsx'
import { buildFindingColumns, buildFindingLink, buildFindingSpec, listDefaultColumns } from './finding-columns.tsx'
import { type Asked, exportUrl, type Finding, findingsQuery, reportsQuery } from './queries.ts'

const NONE: readonly Finding[] = []
const HINTS: readonly Hint[] = [
  [['j', 'k'], 'move'],
  [['x'], 'select'],
  [['↵'], 'open'],
  [['?'], 'all shortcuts'],
]

const DownloadMenu = ({ asked }: { readonly asked: Asked }) => (
  <Menu
    trigger={
      <Button>
        <Download size={15} aria-hidden="true" />
        Export
      </Button>
    }
  >
    <MenuLink href={exportUrl(asked, 'csv')} download={`${asked.name}.csv`}>
      CSV, for a spreadsheet
    </MenuLink>
    <MenuLink href={exportUrl(asked, 'json')} download={`${asked.name}.json`}>
      JSON, with everything
    </MenuLink>
  </Menu>
)

type Named = { readonly id: string; readonly name: string }
const toOption = ({ id, name }: Named): Option => [id, name]

/** Returns the networks and datacenters that the user may list. */
const usePlaces = (): { readonly networks: readonly Named[]; readonly datacenters: readonly Named[] } => {
  const { may } = usePermit()
  const { data: networks = [] } = useQuery({ ...networksQuery, enabled: may('networks:list') })
  const { data: datacenters = [] } = useQuery({ ...datacentersQuery, enabled: may('datacenters:list') })
  return { networks, datacenters }
}

export const ReportPage = () => {
  const { id: name } = useParams({ from: '/app/reports/$id' })
  const navigate = useNavigate()
  const { search } = usePageSearch()
  const { networks, datacenters } = usePlaces()
  const names = useMemo(
    () => new Map([...networks, ...datacenters].map((one) => [one.id, one.name])),
    [networks, datacenters],
  )
  const { data: reports } = usePermitted('reports:read', reportsQuery)
  const report = reports?.find((one) => one.name === name)
  const asked = toAsked(name, search)
  const query = usePermitted('reports:read', findingsQuery(asked))
  const rows = query.data?.rows ?? NONE
  const [text, setText] = useFilterText()
  const { sort, isDescending, onSort } = useSorting('order')
  const spec = useMemo(() => {
    const own = buildFindingSpec(names)
    const order = new Map(rows.map(({ id }, at) => [id, at]))
    // The order of the report, until a column is chosen.
    return { ...own, sorts: { ...own.sorts, order: ({ id }: Finding) => order.get(id) ?? 0 } }
  }, [names, rows])
  const view = useLocalView(rows, spec, { q: text, sort, isDescending })
  const columns = useMemo(() => buildFindingColumns(names), [names])
  const choice = useColumns(`Report ${name}`, columns, listDefaultColumns(rows))
  const selection = useSelection(view)
  const chosen = useMemo(() => rows.filter(({ id }) => selection.ids.has(id)), [rows, selection.ids])
  const total = query.data?.total ?? 0
  const open = (finding: Finding) => {
    const link = buildFindingLink(finding)
    // The paths are of the menu.
    if (link) void navigate(link as { to: '/' })
  }
  useHotkeys({ Escape: () => (selection.ids.size > 0 ? selection.clear() : setText('')) })
  return (
    <>
      <PageHead title={report?.title ?? name} parent={{ text: 'Reports', link: { to: '/reports' } }}>
        <DownloadMenu asked={asked} />
      </PageHead>
      <FilterBar
        text={text}
        onChange={setText}
        placeholder="Name, address, MAC, words"
        fields={Object.keys(spec.fields)}
        loadFacets={view.facets}
        noun="finding"
        shown={query.data ? view.count : undefined}
        total={query.data ? total : undefined}
      >
        <ReportFilters report={report} networks={networks.map(toOption)} datacenters={datacenters.map(toOption)} />
        <span className={tableCss.end}>
          <ColumnsMenu all={columns} choice={choice} />
        </span>
      </FilterBar>
      <p className={tableCss.note}>
        {report?.description}
        {rows.length < total && `. These are the first ${formatCount(rows.length)}: an export has all of them.`}
      </p>
      <ListContent
        view={query.data && { count: view.count, total: view.total }}
        error={query.error}
        refetch={query.refetch}
        columns={choice.columns}
        filter={text}
        onClear={() => setText('')}
        empty={{ title: 'Nothing to do', text: 'This report has no findings. Each look computes it again.' }}
        table={
          <DataTable
            label={report?.title ?? name}
            columns={choice.columns}
            view={view}
            sorting={{ sort, isDescending }}
            onSort={onSort}
            getId={spec.id}
            getName={(finding) => finding.name}
            actions={{ open }}
            selection={hasAction(name) ? selection : undefined}
          />
        }
      >
        <BulkActions name={name} chosen={chosen} onClear={selection.clear} />
      </ListContent>
      <Hints hints={hasAction(name) ? HINTS : HINTS.filter(([, what]) => what !== 'select')} />
    </>
  )
}
