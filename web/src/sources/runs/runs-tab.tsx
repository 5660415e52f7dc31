/** The runs of a source, the newest first. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { PagedTable } from '../../resource/object/paged-table.tsx'
import type { Column } from '../../table/column.ts'
import { usePageSearch } from '../../table/list-search.ts'
import { usePagedView } from '../../table/use-paged-view.ts'
import { formatExactMoment } from '../../ui/format.ts'
import { State } from '../../ui/states.tsx'
import { EntryLink } from '../entry-link.tsx'
import { formatCounts, formatRead, formatTook, sumCounts, TRIGGERS } from '../labels.ts'
import { RunOutcome } from '../marks.tsx'
import { runsQuery, type Source, type SourceRun } from '../queries.ts'
import { RunDrawer } from './run-drawer.tsx'

const NEWEST = { sort: 'started', isDescending: false }

const COLUMNS: readonly Column<SourceRun>[] = [
  {
    ...{ id: 'started', text: 'Begun', width: 160, isEssential: true },
    cell: ({ id, started_at }) => (
      <EntryLink id={id}>{started_at === null ? 'not yet' : formatExactMoment(started_at)}</EntryLink>
    ),
  },
  { ...{ id: 'trigger', text: 'By', width: 90 }, cell: ({ trigger }) => TRIGGERS[trigger] },
  { ...{ id: 'result', text: 'Result', width: 130, isEssential: true }, cell: (run) => <RunOutcome run={run} /> },
  {
    ...{ id: 'read', text: 'Read', width: 190 },
    cell: ({ read }) => <span title={formatRead(read)}>{formatRead(read)}</span>,
  },
  {
    ...{ id: 'counts', text: 'Objects', width: 210 },
    cell: ({ counts, message, result }) => {
      const text = message || formatCounts(sumCounts(counts), result)
      return <span title={text}>{text}</span>
    },
  },
  { ...{ id: 'requests', text: 'Requests', width: 90, isRight: true }, cell: ({ requests }) => requests },
  { ...{ id: 'took', text: 'Took', width: 90, isRight: true }, cell: formatTook },
]

export const RunsTab = ({ source }: { readonly source: Source }) => {
  const { search, set } = usePageSearch()
  const paged = usePagedView(useInfiniteQuery(runsQuery(source.id)))
  return (
    <>
      <PagedTable
        label="Runs"
        paged={paged}
        columns={COLUMNS}
        sorting={NEWEST}
        getName={({ started_at }) => `run of ${started_at ?? 'soon'}`}
        onOpen={({ id }) => void set({ entry: id })}
        empty={
          <State title="It was never read" text="Each run is listed here, with what it read and what it changed." />
        }
      />
      {search.entry !== undefined && (
        <RunDrawer
          key={search.entry}
          source={source}
          id={search.entry}
          onClose={() => void set({ entry: undefined })}
        />
      )}
    </>
  )
}
