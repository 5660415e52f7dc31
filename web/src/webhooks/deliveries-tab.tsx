/** The deliveries of a webhook, newest first. New ones appear as they are recorded. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { PagedTable } from '../resource/object/paged-table.tsx'
import type { Column } from '../table/column.ts'
import { usePageSearch } from '../table/list-search.ts'
import tableCss from '../table/table.module.css'
import { usePagedView } from '../table/use-paged-view.ts'
import { Button } from '../ui/button.tsx'
import { formatMoment, plural } from '../ui/format.ts'
import { State } from '../ui/states.tsx'
import { DeliveryDrawer } from './delivery-drawer.tsx'
import { Answer, DeliveryBadge, NextTry } from './delivery-marks.tsx'
import { type Delivery, type DeliveryFilter, deliveriesQuery, STATUSES, type Webhook } from './queries.ts'
import css from './webhooks.module.css'

const NEWEST = { sort: 'when', isDescending: true }
/** Sent by hand, and not part of the catalog of events. */
const PING = 'webhook.ping'
/** Messages of several events. */
const MESSAGES = ['notification.summary', 'notification.digest']

const COLUMNS: readonly Column<Delivery>[] = [
  {
    id: 'when',
    text: 'When',
    width: 165,
    isEssential: true,
    cell: ({ id, created_at }) => (
      <Link to="." search={(old: object) => ({ ...old, entry: id })} className="mono" tabIndex={-1}>
        <span className={css.year}>{formatMoment(created_at).slice(0, 5)}</span>
        {formatMoment(created_at).slice(5)}:{created_at.slice(17, 19)}
      </Link>
    ),
  },
  {
    id: 'event',
    text: 'Event',
    width: 190,
    isEssential: true,
    cell: ({ event }) => <span className="mono">{event}</span>,
  },
  {
    id: 'status',
    text: 'Status',
    width: 135,
    isEssential: true,
    cell: ({ status }) => <DeliveryBadge status={status} />,
  },
  { id: 'answer', text: 'Answer', width: 240, cell: (delivery) => <Answer delivery={delivery} /> },
  { id: 'attempts', text: 'Attempts', width: 90, isRight: true, cell: ({ attempt_number }) => attempt_number },
  {
    id: 'duration',
    text: 'Took',
    width: 90,
    isRight: true,
    cell: ({ duration_ms }) => duration_ms !== null && `${duration_ms} ms`,
  },
  { id: 'next', text: 'Next attempt', width: 110, cell: (delivery) => <NextTry delivery={delivery} /> },
]

const useFilter = (): DeliveryFilter => {
  const { search } = usePageSearch()
  const status = STATUSES.find((one) => one === search.status)
  // The `action` filter of this page is the name of an event.
  return { ...(status ? { status } : {}), ...(search.action === undefined ? {} : { event: search.action }) }
}

export const DeliveriesTab = ({ webhook }: { readonly webhook: Webhook }) => {
  const { search, set } = usePageSearch()
  const filter = useFilter()
  const paged = usePagedView(useInfiniteQuery(deliveriesQuery(webhook.id, filter)))
  const { query, total } = paged
  const summary = query.data ? plural(total, 'delivery', 'deliveries') : ''
  const change = (status: string, action: string) =>
    void set({ status: status || undefined, action: action || undefined }, { isReplace: true })
  const isFiltered = filter.status !== undefined || filter.event !== undefined
  return (
    <>
      <search className={tableCss.bar} aria-label="Filter">
        <select
          aria-label="Status"
          className={css.select}
          data-set={filter.status !== undefined || undefined}
          value={filter.status ?? ''}
          onChange={(event) => change(event.target.value, filter.event ?? '')}
        >
          <option value="">Any status</option>
          {STATUSES.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
        <select
          aria-label="Event"
          className={css.select}
          data-set={filter.event !== undefined || undefined}
          value={filter.event ?? ''}
          onChange={(event) => change(filter.status ?? '', event.target.value)}
        >
          <option value="">Any event</option>
          {[
            ...new Set([
              ...webhook.events,
              ...(webhook.format === 'generic' ? [] : MESSAGES),
              PING,
              filter.event ?? PING,
            ]),
          ].map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
        {isFiltered && <Button onClick={() => change('', '')}>Clear</Button>}
        <span className={tableCss.summary}>{summary}</span>
      </search>
      <PagedTable
        label="Deliveries"
        paged={paged}
        columns={COLUMNS}
        sorting={NEWEST}
        getName={({ event }) => event}
        onOpen={({ id }) => void set({ entry: id })}
        summary={summary}
        filtered={isFiltered ? { title: 'No delivery matches the filter', onClear: () => change('', '') } : undefined}
        empty={
          <State
            title="Nothing was sent yet"
            text="The next subscribed event is sent. A ping tests the webhook at once."
          />
        }
      />
      {search.entry !== undefined && (
        <DeliveryDrawer
          key={search.entry}
          webhook={webhook}
          id={search.entry}
          onClose={() => void set({ entry: undefined })}
        />
      )}
    </>
  )
}
