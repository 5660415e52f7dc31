/** All changes of the estate, the newest first. Scrolling loads older ones. */

import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { KIND_NAMES, KINDS } from '../../../src/record/history/kind-names.ts'
import { contracts } from '../api/contracts.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { Hints, PageHead } from '../shell/page.tsx'
import { undoing } from '../shell/palette-state.ts'
import { DataTable } from '../table/data-table.tsx'
import { type Facets, parseFilter } from '../table/filter.ts'
import { FilterBar, useFilterText } from '../table/filter-bar.tsx'
import { type Option, useUserOptions } from '../table/filter-controls.tsx'
import { type ListSearch, usePageSearch } from '../table/list-search.ts'
import tableCss from '../table/table.module.css'
import { TableSkeleton } from '../table/table-skeleton.tsx'
import { usePagedView } from '../table/use-paged-view.ts'
import { Button } from '../ui/button.tsx'
import { Failure, State } from '../ui/states.tsx'
import { ViewsMenu } from '../views/views-menu.tsx'
import { Begins } from './begins.tsx'
import css from './history.module.css'
import { buildChangeColumns } from './list/columns.tsx'
import type { HistoryRow } from './list/folds.ts'
import { UndoFoldDialog } from './list/undo-fold-dialog.tsx'
import { useFolds } from './list/use-folds.ts'
import { MomentField } from './moments/lazy-moment-field.tsx'
import { getDayStart } from './moments/moments.ts'
import { type ChangeFilter, changesQuery } from './queries.ts'
import { formatRow } from './sentences/fold.ts'

const NEWEST = { sort: 'time', isDescending: true }
const ANY_TIME = { from: undefined, to: undefined }
const FIELDS = ['by', 'kind']
/** The most characters by which the server finds objects. */
const MAX_TEXT = 128

const formatKind = (kind: (typeof KINDS)[number]): string => KIND_NAMES[kind].noun.replaceAll(' ', '-')
const findKind = (text: string | undefined) => KINDS.find((one) => one === text || formatKind(one) === text)

/** Reads the words of the filter box, and the fields of the URL. */
const toFilter = ({ q = '', kind, user, from, to }: ListSearch, users: readonly Option[]): ChangeFilter => {
  const terms = parseFilter(q, FIELDS).filter(({ isNegated }) => !isNegated)
  const getTerm = (field: string) => terms.find((term) => term.field === field)?.value
  const words = terms.filter(({ field }) => field === '').map(({ value }) => value)
  const known = findKind(getTerm('kind') ?? kind)
  const by = getTerm('by')
  // A user who is in no list has no changes.
  const userId = by === undefined ? user : (users.find(([, name]) => name.toLowerCase() === by)?.[0] ?? by)
  return {
    ...(words.length > 0 && { q: words.join(' ').slice(0, MAX_TEXT) }),
    ...(known && { kind: known }),
    ...(userId && { user_id: userId }),
    ...(from && { from }),
    ...(to && { to }),
  }
}

type Span = { readonly name: string; readonly from: string; readonly to: string | undefined }

const listSpans = (now: Date): readonly Span[] => {
  const today = getDayStart(now, 0)
  return [
    { name: 'Today', from: today.toISOString(), to: undefined },
    {
      name: 'Yesterday',
      from: getDayStart(now, 1).toISOString(),
      to: new Date(today.getTime() - 1).toISOString(),
    },
    { name: '7 days', from: '7d', to: undefined },
    { name: '30 days', from: '30d', to: undefined },
  ]
}

type SpansProps = Pick<ListSearch, 'from' | 'to'> & { readonly onChange: (next: Partial<ListSearch>) => void }

/** The buttons of spans of time. A second click shows all times again. */
const Spans = ({ from, to, onChange }: SpansProps) => {
  const [isAsked, setAsked] = useState(false)
  const spans = listSpans(new Date())
  const chosen = spans.find((span) => span.from === from && span.to === to)
  const isOpen = isAsked || (!chosen && (from !== undefined || to !== undefined))
  const choose = (span: Span) => {
    setAsked(false)
    onChange(span === chosen ? ANY_TIME : { from: span.from, to: span.to })
  }
  return (
    <>
      {spans.map((span) => (
        <Button key={span.name} aria-pressed={span === chosen} onClick={() => choose(span)}>
          {span.name}
        </Button>
      ))}
      <Button
        aria-pressed={isOpen}
        onClick={() => {
          setAsked(!isOpen)
          onChange(ANY_TIME)
        }}
      >
        From … to …
      </Button>
      {isOpen && (
        <>
          <MomentField label="From" value={from} onChange={(at) => onChange({ from: at })} />
          <MomentField label="to" value={to} onChange={(at) => onChange({ to: at })} />
        </>
      )}
    </>
  )
}

export const HistoryPage = () => {
  const { search, set } = usePageSearch()
  const navigate = useNavigate()
  const { q, kind, user, from, to } = search
  const [text, setText] = useFilterText()
  const users = useUserOptions([])
  const filter = useMemo(() => toFilter({ q, kind, user, from, to }, users), [q, kind, user, from, to, users])
  const { query, view, total, rows } = usePagedView(useInfiniteQuery(changesQuery(filter)))
  const change = (next: Partial<ListSearch>) => void set(next, { isReplace: true })
  const isFiltered = Object.keys(filter).length > 0
  const loadFacets = async (): Promise<Facets> => ({
    by: users.map(([, name]) => [name, 0] as const),
    kind: KINDS.map((one) => [formatKind(one), 0] as const),
  })
  const clear = isFiltered && (
    <Button
      onClick={() => {
        setText('')
        change({ ...ANY_TIME, q: undefined, kind: undefined, user: undefined })
      }}
    >
      Clear
    </Button>
  )
  const folds = useFolds(view, rows)
  const [undone, setUndone] = useState<HistoryRow>()
  const undo = useCallback((row: HistoryRow) => {
    const [left, ...others] = row.changes.filter(({ undone_by }) => undone_by === null)
    if (others.length > 0) setUndone(row)
    else if (left) undoing.set(left.id)
  }, [])
  const columns = useMemo(() => buildChangeColumns({ onToggle: folds.toggle, onUndo: undo }), [folds.toggle, undo])
  return (
    <>
      <PageHead>
        <Button onClick={() => void navigate({ to: '/history/diff' })}>Compare two moments</Button>
      </PageHead>
      <FilterBar
        noun="change"
        text={text}
        onChange={setText}
        placeholder="Filter: a name, by:ada, kind:device"
        fields={FIELDS}
        loadFacets={loadFacets}
        shown={query.data && total}
        total={query.data && total}
      >
        <Spans from={from} to={to} onChange={change} />
        {clear}
        <span className={tableCss.end}>
          <ViewsMenu /> <CommandMenu getCall={() => ({ op: contracts.history.list, input: filter })} />
        </span>
      </FilterBar>
      <div className={tableCss.wrap}>
        {query.error && !query.data && <Failure error={query.error} onRetry={() => void query.refetch()} />}
        {!query.error && !query.data && <TableSkeleton columns={columns} />}
        {query.data && rows.length === 0 && (
          <State title={isFiltered ? 'No change matches the filter' : 'Nothing has been changed yet'} text={<Begins />}>
            {clear}
          </State>
        )}
        {rows.length > 0 && (
          <DataTable<HistoryRow>
            label="History"
            columns={columns}
            view={folds.view}
            tree={folds.tree}
            sorting={NEWEST}
            onSort={() => {}}
            getId={({ id }) => id}
            getName={({ changes }) => formatRow(changes)}
            actions={{
              open: (row) => {
                if (row.isExpanded === undefined) void navigate({ to: '/history/$id', params: { id: row.id } })
                else folds.toggle(row, !row.isExpanded)
              },
              keys: { u: undo },
            }}
          />
        )}
      </div>
      <div className={css.begins}>
        <Begins />
      </div>
      {undone && <UndoFoldDialog changes={undone.changes} onClose={() => setUndone(undefined)} />}
      <Hints
        hints={[
          [['j', 'k'], 'move'],
          [['↵'], 'open'],
          [['u'], 'undo'],
          [['t'], 'another moment'],
        ]}
      />
    </>
  )
}
