/** The difference of two moments: the objects that were created, changed and deleted, by kind. */

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { KIND_NAMES, KINDS } from '../../../src/record/history/kind-names.ts'
import { contracts, type HistoryItem, type Kind } from '../api/contracts.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { PageLoading } from '../shell/page-loading.tsx'
import { Choice, Filters } from '../table/filter-controls.tsx'
import { type ListSearch, usePageSearch } from '../table/list-search.ts'
import tableCss from '../table/table.module.css'
import { Button } from '../ui/button.tsx'
import { formatCount, formatExactMoment, plural } from '../ui/format.ts'
import { Card } from '../ui/primitives.tsx'
import { Failure, State } from '../ui/states.tsx'
import { Begins } from './begins.tsx'
import { ItemRow } from './item-row.tsx'
import { CHANGE_WORDS, formatHeading } from './labels.ts'
import { MomentField } from './moments/lazy-moment-field.tsx'
import { type DiffFilter, diffQuery, extentQuery } from './queries.ts'
import { ShowMore } from './show-more.tsx'

const PARENT = { text: 'History', link: { to: '/history' } } as const

const DAY_MS = 86_400_000
const SPANS = [
  ['Last hour', DAY_MS / 24],
  ['Last day', DAY_MS],
  ['Last week', 7 * DAY_MS],
] as const

/** @example formatCounts(items) // '2 created, 1 deleted' */
const formatCounts = (items: readonly HistoryItem[]): string =>
  (['create', 'update', 'delete'] as const)
    .map((change) => [items.filter((item) => item.change === change).length, CHANGE_WORDS[change]] as const)
    .filter(([number]) => number > 0)
    .map(([number, word]) => `${formatCount(number)} ${word}`)
    .join(', ')

/** @example formatBeginning(at) // '13:53 today' */
const formatBeginning = (at: string): string => {
  const text = formatExactMoment(at)
  const [day, time = ''] = text.split(' ')
  return day === formatExactMoment(new Date().toISOString()).split(' ')[0] ? `${time.slice(0, 5)} today` : text
}

type GroupProps = {
  readonly kind: Kind
  readonly items: readonly HistoryItem[]
  readonly filter: DiffFilter
}

const Group = ({ kind, items, filter: { from, to } }: GroupProps) => (
  <Card title={formatHeading(kind)} actions={<span className="muted">{formatCounts(items)}</span>}>
    <ul>
      {items.map((item) => (
        // A deleted object is there at the earlier moment.
        <ItemRow key={item.id} item={item} asOf={item.change === 'delete' ? from : to} />
      ))}
    </ul>
  </Card>
)

const Differences = ({ filter }: { readonly filter: DiffFilter }) => {
  const query = useInfiniteQuery(diffQuery(filter))
  const { data, error, refetch } = query
  const items = useMemo(() => data?.pages.flatMap(({ rows }) => rows) ?? [], [data])
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <PageLoading />
  if (items.length === 0) return <State title="Nothing is different" text="The estate was the same at both moments." />
  const total = data.pages[0]?.total ?? items.length
  return (
    <>
      <p role="status">
        {plural(total, 'object')} {total === 1 ? 'differs' : 'differ'}
        {items.length < total && `; the first ${formatCount(items.length)} of them`}
      </p>
      {[...Map.groupBy(items, ({ kind }) => kind)].map(([kind, some]) => (
        <Group key={kind} kind={kind} items={some} filter={filter} />
      ))}
      {query.hasNextPage && (
        <div>
          <ShowMore query={query} />
        </div>
      )}
    </>
  )
}

export const DiffPage = () => {
  const { search, set } = usePageSearch()
  const { from, to, kind } = search
  const change = (next: Partial<ListSearch>) => void set(next, { isReplace: true })
  const { data: extent } = useQuery(extentQuery)
  // A time before the history begins is compared from its beginning.
  const clamped = extent && from && Date.parse(from) < Date.parse(extent.begins_at) ? extent.begins_at : undefined
  const filter = useMemo((): DiffFilter | undefined => {
    const known = KINDS.find((one) => one === kind)
    if (from === undefined) return undefined
    return { from: clamped ?? from, ...(to && { to }), ...(known && { kind: known }) }
  }, [from, to, kind, clamped])
  return (
    <>
      <PageHead title="Compare two moments" parent={PARENT} />
      <Filters label="Moments">
        <MomentField label="From" value={from} onChange={(at) => change({ from: at })} />
        <MomentField label="to" value={to} onChange={(at) => change({ to: at })} />
        {to === undefined && <span className="muted">now</span>}
        <Choice
          label="Kind"
          any="Any kind"
          value={kind}
          options={KINDS.map((one) => [one, KIND_NAMES[one].noun] as const)}
          onChange={(value) => change({ kind: value })}
        />
        {SPANS.map(([name, ms]) => (
          <Button key={name} onClick={() => change({ from: new Date(Date.now() - ms).toISOString(), to: undefined })}>
            {name}
          </Button>
        ))}
        <span className={tableCss.end}>
          <CommandMenu getCall={() => filter && { op: contracts.history.diff, input: filter }} />
        </span>
      </Filters>
      {filter && extent ? (
        <PageBody>
          {clamped !== undefined && (
            <p role="note">The history begins at {formatBeginning(clamped)}; compared from there.</p>
          )}
          <Differences filter={filter} />
          <Begins />
        </PageBody>
      ) : filter ? (
        <PageLoading />
      ) : (
        <State title="Choose the earlier moment" text={<Begins />} />
      )}
      <Hints hints={[[['?'], 'all shortcuts']]} />
    </>
  )
}
