/** The inbox: differences between discovered and documented devices that wait for a decision. */

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Inbox as InboxIcon, X } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { AppError } from '../../../../src/contract/errors.ts'
import { contracts } from '../../api/contracts.ts'
import { inboxCountsQuery } from '../../api/queries.ts'
import { CommandMenu } from '../../commands/command-menu.tsx'
import { LearnMore } from '../../help/lazy-learn-more.tsx'
import { announced } from '../../shell/announcer.tsx'
import { usePermit } from '../../shell/me.ts'
import { type Hint, Hints, PageHead } from '../../shell/page.tsx'
import { PageLoading } from '../../shell/page-loading.tsx'
import { SpaceBadge } from '../../spaces/known-spaces.tsx'
import { usePageSearch } from '../../table/list-search.ts'
import tableCss from '../../table/table.module.css'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/field.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import { Failure, State } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import css from '../inbox.module.css'
import { BUCKETS } from '../labels.ts'
import { NetworkFilter } from '../network-filter.tsx'
import { useNetworks } from '../networks.ts'
import type { InboxFilter } from '../queries.ts'
import { DifferenceList } from '../scans/difference-list.tsx'
import type { Bucket, InboxItem } from '../shapes.ts'
import { EvidenceDrawer } from './evidence-drawer.tsx'
import { InboxCard, ItemActions, useDocumentPermit, useFieldActions } from './inbox-item.tsx'
import { getItemName, type Inbox, useInbox } from './use-inbox.ts'
import { useInboxKeys } from './use-inbox-keys.ts'

const IGNORED = 'ignored'
/** The id of the checkbox that selects all items. */
const ALL = 'all-items'

const HINTS: readonly Hint[] = [
  [['j', 'k'], 'move'],
  [['↵'], 'evidence'],
  [['a'], 'document'],
  [['i'], 'ignore'],
  [['x'], 'select'],
  [['?'], 'all shortcuts'],
]
const LOOKING_HINTS = HINTS.filter(([, text]) => !['document', 'ignore', 'select'].includes(text))

const EMPTY: Readonly<Record<string, readonly [string, string]>> = {
  new: ['Nothing new', 'All discovered devices are documented.'],
  changed: ['Nothing has changed', 'The documentation matches the last scan.'],
  gone: ['Nothing is gone', 'All documented devices that a scan once found were seen again.'],
  conflict: ['Nothing contradicts', 'No discovered device contradicts an earlier one.'],
  ignored: ['Nothing is ignored', 'Ignored items wait here until another difference is found.'],
}

const Nothing = ({ tab, isNarrowed }: { readonly tab: string; readonly isNarrowed: boolean }) => {
  const { set } = usePageSearch()
  const [title = '', text = ''] = EMPTY[tab] ?? []
  return (
    <State icon={<InboxIcon size={28} aria-hidden="true" />} title={title} text={text}>
      {isNarrowed && <Button onClick={() => void set({ network: undefined })}>All networks</Button>}
      <Link to="/scans" className="link">
        Scans
      </Link>
      <LearnMore />
    </State>
  )
}

/** The top of the evidence drawer: the differences, and the actions on them. */
const Decision = ({ inbox, item, onDone }: { inbox: Inbox; item: InboxItem; onDone: () => void }) => {
  const actions = useFieldActions(inbox, item)
  return (
    <section className={css.decision} aria-label="Differences">
      <DifferenceList item={item} name={getItemName(item)} actions={actions} />
      <p className={css.decisionTools}>
        <ItemActions inbox={inbox} item={item} onDone={onDone} />
      </p>
    </section>
  )
}

type BulkProps = {
  readonly chosen: readonly InboxItem[]
  readonly inbox: Inbox
  readonly isIgnored: boolean
  readonly onDone: () => void
}

const Bulk = ({ chosen, inbox, isIgnored, onDone }: BulkProps) => {
  const { blockedNow } = usePermit()
  const noDocument = useDocumentPermit()
  if (chosen.length === 0) return null
  const ids = chosen.map(({ id }) => id)
  const run = (action: () => void) => () => {
    action()
    onDone()
  }
  return (
    <div className={tableCss.bulk} role="toolbar" aria-label="Selected items">
      <b>{formatCount(chosen.length)} selected</b>
      {isIgnored ? (
        <Button onClick={run(() => inbox.restore(ids))} blocked={blockedNow('discovery:update')}>
          Put back
        </Button>
      ) : (
        <>
          <Button
            look="primary"
            onClick={run(() => inbox.document(ids.map((id) => ({ id }))))}
            blocked={chosen.map(({ bucket }) => noDocument(bucket)).find((reason) => reason !== undefined)}
          >
            {inbox.proposing.label(`Document ${formatCount(chosen.length)}`)}
          </Button>
          <Button onClick={run(() => inbox.ignore(ids))} blocked={blockedNow('discovery:update')}>
            Ignore {formatCount(chosen.length)}
          </Button>
        </>
      )}
      <Button isIcon look="quiet" aria-label="Clear the selection" onClick={onDone}>
        <X size={15} aria-hidden="true" />
      </Button>
    </div>
  )
}

const filterFor = (tab: string, network: string | undefined): InboxFilter => {
  const place = network === undefined ? {} : { network_id: network }
  const bucket: Bucket = BUCKETS.find(([one]) => one === tab)?.[0] ?? 'new'
  return tab === IGNORED ? { ...place, ignored: true } : { ...place, bucket }
}

const useTabs = (network: string | undefined) => {
  const { may } = usePermit()
  const { data } = useQuery({ ...inboxCountsQuery(network), enabled: may('discovery:list') })
  return [
    ...BUCKETS.map(([id, text]) => ({ id, text, count: data?.[id] })),
    { id: IGNORED, text: 'Ignored', count: data?.ignored },
  ]
}

/** The items of a bucket. */
const Items = ({ tab, filter }: { readonly tab: string; readonly filter: InboxFilter }) => {
  const { search, set } = usePageSearch()
  const { mayNow } = usePermit()
  const noDocument = useDocumentPermit()
  const networks = useNetworks()
  const known = useMemo(() => new Map(networks.map((network) => [network.id, network])), [networks])
  const inbox = useInbox(filter)
  const { items, query } = inbox
  const isIgnored = tab === IGNORED
  const mayIgnore = mayNow('discovery:update')
  const mayDocument = filter.bucket !== undefined && noDocument(filter.bucket) === undefined
  const listIds = (wanted: readonly InboxItem[]) => wanted.map(({ id }) => id)
  const keys = useInboxKeys({
    items,
    onOpen: ({ id }) => void set({ entry: id }),
    onDocument: mayDocument ? (wanted) => inbox.document(listIds(wanted).map((id) => ({ id }))) : undefined,
    onIgnore: mayIgnore ? (wanted) => (isIgnored ? inbox.restore : inbox.ignore)(listIds(wanted)) : undefined,
  })
  const total = query.data?.pages[0]?.total
  const summary = total === undefined ? '' : plural(total, 'item')
  useEffect(() => {
    if (summary !== '') announced.set(summary)
  }, [summary])
  const close = () => void set({ entry: undefined })
  const opened = items.find(({ id }) => id === search.entry)
  if (!query.data)
    return query.error ? <Failure error={query.error} onRetry={() => void query.refetch()} /> : <PageLoading />
  return (
    <>
      {items.length === 0 && <Nothing tab={tab} isNarrowed={search.network !== undefined} />}
      {items.length > 0 && (
        <div className={css.scroller}>
          {mayIgnore && (
            <label className={css.all} htmlFor={ALL}>
              <Checkbox
                id={ALL}
                checked={keys.chosen.length === items.length}
                isMixed={keys.chosen.length > 0 && keys.chosen.length < items.length}
                onChange={() => (keys.chosen.length > 0 ? keys.clear() : keys.selectAll())}
              />
              {keys.chosen.length === 0
                ? `Select the ${plural(items.length, 'item')} shown`
                : `${formatCount(keys.chosen.length)} selected`}
            </label>
          )}
          <ul ref={keys.list} className={css.items} aria-label="Items">
            {items.map((item, index) => (
              <InboxCard
                key={item.id}
                inbox={inbox}
                item={item}
                network={
                  <>
                    {known.get(item.network_id)?.name ?? item.network_id}
                    <SpaceBadge space_id={known.get(item.network_id)?.space_id} />
                  </>
                }
                isCurrent={index === keys.cursor}
                isSelected={keys.selected.has(item.id)}
                onPoint={() => keys.setCursor(index)}
                onToggle={mayIgnore ? (isRange) => keys.toggle(index, isRange) : undefined}
              />
            ))}
          </ul>
          {query.hasNextPage && (
            <p className={css.more}>
              <Button onClick={() => void query.fetchNextPage()} disabled={query.isFetchingNextPage}>
                Show more
              </Button>{' '}
              <span className="muted">
                {formatCount(items.length)} of {formatCount(total ?? items.length)}
              </span>
            </p>
          )}
        </div>
      )}
      <Bulk chosen={keys.chosen} inbox={inbox} isIgnored={isIgnored} onDone={keys.clear} />
      {search.entry !== undefined && (
        <EvidenceDrawer
          key={search.entry}
          id={search.entry}
          onClose={close}
          above={opened && <Decision inbox={inbox} item={opened} onDone={close} />}
        />
      )}
    </>
  )
}

export const InboxPage = () => {
  const { search } = usePageSearch()
  const { may, mayNow } = usePermit()
  const tabs = useTabs(search.network)
  const tab = tabs.some(({ id }) => id === search.tab) ? (search.tab ?? 'new') : 'new'
  const filter = useMemo(() => filterFor(tab, search.network), [tab, search.network])
  const isAllowed = may('discovery:list')
  const note = BUCKETS.find(([id]) => id === tab)?.[2] ?? 'Ignored until another difference is found.'
  return (
    <>
      <PageHead />
      <Tabs label="What differs" current={tab} tabs={tabs} />
      <div className={tableCss.bar}>
        <span className="muted">{note}</span>
        <NetworkFilter />
        <span className={tableCss.end}>
          <CommandMenu getCall={() => ({ op: contracts.inbox.list, input: filter })} />
        </span>
      </div>
      <div className={tableCss.wrap}>
        {isAllowed ? (
          <Items key={JSON.stringify(filter)} tab={tab} filter={filter} />
        ) : (
          <Failure error={new AppError('FORBIDDEN', 'This needs the permission discovery:list')} />
        )}
      </div>
      <Hints hints={mayNow('discovery:update') ? HINTS : LOOKING_HINTS} />
    </>
  )
}
