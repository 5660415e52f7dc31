/** The list of sources, and the page of a new one. */
import { useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { ListPage } from '../resource/list-page.tsx'
import { usePermit } from '../shell/me.ts'
import type { Column } from '../table/column.ts'
import { usePageSearch } from '../table/list-search.ts'
import { buildTimeColumn } from '../table/time-column.tsx'
import { formatCount } from '../ui/format.ts'
import { RowLink } from '../ui/row-link.tsx'
import { DeleteSource } from './delete-source.tsx'
import { countOpen, formatInterval } from './labels.ts'
import { formatOpen, NextRun, SourceStatus } from './marks.tsx'
import { kindsQuery, type Source, sourcesQuery } from './queries.ts'
import { NewSource } from './settings/new-source.tsx'
import { buildSourceSpec, SOURCE_RESOURCE } from './settings/source-resource.tsx'

type Titles = ReadonlyMap<string, string>

const buildColumns = (titles: Titles): readonly Column<Source>[] => [
  {
    ...{ id: 'name', text: 'Name', width: 190, isSortable: true, isEssential: true },
    cell: ({ id, name }) => (
      <RowLink to="sources" id={id}>
        {name}
      </RowLink>
    ),
  },
  {
    ...{ id: 'kind', text: 'Kind', width: 180, isSortable: true },
    cell: ({ kind, product }) => <span title={product}>{titles.get(kind) ?? kind}</span>,
  },
  {
    ...{ id: 'status', text: 'State', width: 130, isSortable: true, isEssential: true },
    cell: (source) => <SourceStatus {...source} />,
  },
  {
    ...{ id: 'objects', text: 'Objects', width: 90, isSortable: true, isRight: true },
    cell: ({ counts }) => formatCount(counts.objects),
  },
  {
    ...{ id: 'open', text: 'Not in sync', width: 220, isSortable: true },
    toText: (source) => String(countOpen(source)),
    cell: ({ counts }) => {
      const [, ...open] = formatOpen(counts).split(', ')
      return <span title={open.join(', ')}>{open.join(', ')}</span>
    },
  },
  {
    ...{ id: 'mode', text: 'Differences', width: 120 },
    cell: ({ mode }) => (mode === 'auto' ? 'applied by itself' : 'reviewed'),
  },
  { ...{ id: 'interval', text: 'Read', width: 120 }, cell: ({ interval_minutes }) => formatInterval(interval_minutes) },
  buildTimeColumn({
    ...{ id: 'success', text: 'Last success', width: 120, isNewestFirst: true },
    at: ({ last_success_at }) => last_success_at,
  }),
  {
    ...{ id: 'next', text: 'Next run', width: 120, isSortable: true },
    toText: ({ next_run_at }) => next_run_at ?? '',
    cell: ({ next_run_at }) =>
      next_run_at === null ? <span className="muted">not by itself</span> : <NextRun at={next_run_at} />,
  },
  {
    ...{ id: 'url', text: 'URL', width: 260 },
    cell: ({ url }) => (
      <span className="mono" title={url}>
        {url}
      </span>
    ),
  },
  { id: 'description', text: 'Description', width: 220, cell: ({ description }) => description },
]

const DEFAULT_COLUMNS = ['name', 'kind', 'status', 'objects', 'open', 'mode', 'success', 'next', 'actions']

const EMPTY =
  'A hypervisor, a cloud account or a cluster knows its machines already. Plat reads it on a schedule, shows you what differs, and applies it when you say so.'

const SourceList = () => {
  const { may, blocked } = usePermit()
  const navigate = useNavigate()
  const query = useQuery({ ...sourcesQuery, enabled: may('sources:list') })
  const { data: kinds } = useQuery({ ...kindsQuery, enabled: may('sources:list') && (query.data?.length ?? 0) > 0 })
  const titles: Titles = useMemo(() => new Map(kinds?.map(({ kind, title }) => [kind, title])), [kinds])
  const spec = useMemo(() => buildSourceSpec(titles), [titles])
  const columns = useMemo(() => buildColumns(titles), [titles])
  return (
    <ListPage
      resourceName="sources"
      resource={SOURCE_RESOURCE}
      query={query}
      needs="sources:list"
      spec={spec}
      columns={columns}
      defaultColumns={DEFAULT_COLUMNS}
      sort="name"
      placeholder="Name, URL, status:failed, kind:proxmox"
      empty={EMPTY}
      deleteWarning=""
      removal={(source, close, onDone) => <DeleteSource source={source} onClose={close} onDeleted={onDone} />}
      menu={{ needs: blocked }}
      open={({ id }) => void navigate({ to: '/sources/$id', params: { id } })}
      // The form is on the page of the source.
      drawer={(id) =>
        id !== undefined && <Navigate to="/sources/$id" params={{ id }} search={{ tab: 'settings' }} replace />
      }
    />
  )
}

export const SourcesPage = () => {
  const { search } = usePageSearch()
  return search.new === undefined ? <SourceList /> : <NewSource chosen={search.new} />
}
