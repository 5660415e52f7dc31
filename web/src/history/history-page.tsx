/** All changes of the estate, the newest first. Scrolling loads older ones. */

import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { KIND_NAMES, KINDS } from '../../../src/record/history/kind-names.ts'
import { type Change, contracts } from '../api/contracts.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { Hints, PageHead } from '../shell/page.tsx'
import { DataTable } from '../table/data-table.tsx'
import { Choice, Filters, MomentBox, useUserOptions } from '../table/filter-controls.tsx'
import { type ListSearch, usePageSearch } from '../table/list-search.ts'
import tableCss from '../table/table.module.css'
import { TableSkeleton } from '../table/table-skeleton.tsx'
import { usePagedView } from '../table/use-paged-view.ts'
import { Button } from '../ui/button.tsx'
import { plural } from '../ui/format.ts'
import { Failure, State } from '../ui/states.tsx'
import { ViewsMenu } from '../views/views-menu.tsx'
import { Begins } from './begins.tsx'
import { CHANGE_COLUMNS } from './columns.tsx'
import css from './history.module.css'
import { type ChangeFilter, changesQuery } from './queries.ts'

const NEWEST = { sort: 'time', isDescending: true }
const NO_FILTER = { kind: undefined, user: undefined, from: undefined, to: undefined }

const toFilter = ({ kind, user, from, to }: ListSearch): ChangeFilter => {
  const known = KINDS.find((one) => one === kind)
  return {
    ...(known && { kind: known }),
    ...(user && { user_id: user }),
    ...(from && { from }),
    ...(to && { to }),
  }
}

export const HistoryPage = () => {
  const { search, set } = usePageSearch()
  const navigate = useNavigate()
  const { kind, user, from, to } = search
  const filter = useMemo(() => toFilter({ kind, user, from, to }), [kind, user, from, to])
  const { query, view, total, rows } = usePagedView(useInfiniteQuery(changesQuery(filter)))
  const users = useUserOptions(rows.map(({ user_id, username }) => [user_id, username]))
  const change = (next: Partial<ListSearch>) => void set(next, { isReplace: true })
  const isFiltered = Object.keys(filter).length > 0
  const clear = isFiltered && <Button onClick={() => change(NO_FILTER)}>Clear</Button>
  return (
    <>
      <PageHead title="History">
        <Button onClick={() => void navigate({ to: '/history/diff' })}>Compare two moments</Button>
      </PageHead>
      <Filters>
        <Choice
          label="Kind"
          any="Any kind"
          value={kind}
          options={KINDS.map((one) => [one, KIND_NAMES[one].noun] as const)}
          onChange={(value) => change({ kind: value })}
        />
        <Choice
          label="User"
          any="Any user"
          value={user}
          options={users}
          onChange={(value) => change({ user: value })}
        />
        <MomentBox label="From" value={from} onChange={(at) => change({ from: at })} />
        <MomentBox label="to" value={to} onChange={(at) => change({ to: at })} />
        {clear}
        <span className={tableCss.summary}>{query.data && plural(total, 'change')}</span>
        <span className={tableCss.end}>
          <ViewsMenu /> <CommandMenu getCall={() => ({ op: contracts.history.list, input: filter })} />
        </span>
      </Filters>
      <div className={tableCss.wrap}>
        {query.error && !query.data && <Failure error={query.error} onRetry={() => void query.refetch()} />}
        {!query.error && !query.data && <TableSkeleton columns={CHANGE_COLUMNS} />}
        {query.data && rows.length === 0 && (
          <State title={isFiltered ? 'No change matches the filter' : 'Nothing has been changed yet'} text={<Begins />}>
            {clear}
          </State>
        )}
        {rows.length > 0 && (
          <DataTable<Change>
            label="History"
            columns={CHANGE_COLUMNS}
            view={view}
            sorting={NEWEST}
            onSort={() => {}}
            getId={({ id }) => id}
            getName={({ summary }) => summary}
            actions={{ open: ({ id }) => void navigate({ to: '/history/$id', params: { id } }) }}
          />
        )}
      </div>
      <div className={css.begins}>
        <Begins />
      </div>
      <Hints
        hints={[
          [['j', 'k'], 'move'],
          [['↵'], 'open'],
          [['t'], 'show another moment'],
          [['?'], 'all shortcuts'],
        ]}
      />
    </>
  )
}
