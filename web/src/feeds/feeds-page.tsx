/** The list of feeds, and the page of a new one. */
import { useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { keysQuery } from '../access/queries.ts'
import { zonesQuery } from '../dns/zones-query.ts'
import { ListPage } from '../resource/list-page.tsx'
import { usePermit } from '../shell/me.ts'
import { Hints, PageHead } from '../shell/page.tsx'
import type { Column } from '../table/column.ts'
import { usePageSearch } from '../table/list-search.ts'
import { buildTimeColumn } from '../table/time-column.tsx'
import { CopyText } from '../ui/primitives.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { buildAbsoluteUrl } from './consumer-tab.tsx'
import { FeedEditor } from './feed-editor.tsx'
import { DELETE_WARNING, PARENT } from './feed-page.tsx'
import { buildFeedSpec, getTitle, type Shown } from './feed-resource.ts'
import { filterInWords, type Names } from './labels.ts'
import { type Feed, feedsQuery } from './queries.ts'
import { useFeedResource, useFilterNames } from './use-feed-parts.ts'

type Tools = Shown & {
  /** Only a caller who sees all keys knows the last use of a feed. */
  readonly hasUse: boolean
}

const buildColumns = ({ names, used, hasUse }: Tools): readonly Column<Feed>[] => [
  {
    id: 'name',
    text: 'Name',
    width: 180,
    isSortable: true,
    isEssential: true,
    cell: ({ id, name }) => (
      <RowLink to="feeds" id={id}>
        {name}
      </RowLink>
    ),
  },
  {
    id: 'format',
    text: 'Format',
    width: 110,
    isSortable: true,
    isEssential: true,
    cell: ({ format }) => getTitle(format),
  },
  {
    id: 'url',
    text: 'URL',
    width: 270,
    isSortable: true,
    cell: (feed) => <CopyText text={buildAbsoluteUrl(feed)} shown={feed.url} label={`URL of ${feed.name}`} isInRow />,
  },
  {
    id: 'devices',
    text: 'Devices',
    width: 320,
    isSortable: true,
    cell: (feed) => {
      const words = filterInWords(feed, names)
      return <span title={words}>{words}</span>
    },
  },
  ...(hasUse
    ? [buildTimeColumn<Feed>({ id: 'used', text: 'Last used', width: 120, at: ({ id }) => used.get(id) ?? null })]
    : []),
  { id: 'description', text: 'Description', width: 220, cell: ({ description }) => description },
  buildTimeColumn({
    ...{ id: 'updated', text: 'Changed', width: 120, isNewestFirst: true },
    at: ({ updated_at }) => updated_at,
  }),
]

const DEFAULT_COLUMNS = ['name', 'format', 'url', 'devices', 'used', 'updated', 'actions']

const EMPTY =
  'A feed gives devices to another program, in its format and at a URL: targets for Prometheus, an inventory for Ansible, host files, DHCP reservations, or any text by a template.'

/** Returns the last use of the keys of each feed. */
const useLastUse = (): Shown['used'] => {
  const { may } = usePermit()
  const { data } = useQuery({ ...keysQuery, enabled: may('apikeys:list') })
  return useMemo(() => {
    const used = new Map<string, string>()
    for (const { feed_id, last_used_at } of data ?? [])
      if (feed_id !== null && last_used_at !== null && last_used_at > (used.get(feed_id) ?? ''))
        used.set(feed_id, last_used_at)
    return used
  }, [data])
}

/** Adds the names of zones, if there are feeds of them. */
const useZoneNames = (feeds: readonly Feed[] | undefined, names: Names): Names => {
  const { may } = usePermit()
  const isWanted = feeds?.some(({ zone_id }) => zone_id !== null) === true
  const { data } = useQuery({ ...zonesQuery, enabled: isWanted && may('dns:list') })
  return useMemo(
    () => (data ? new Map([...names, ...data.map(({ id, name }) => [id, name] as const)]) : names),
    [data, names],
  )
}

const FeedList = () => {
  const { may, blocked } = usePermit()
  const navigate = useNavigate()
  const query = useQuery({ ...feedsQuery, enabled: may('feeds:list') })
  const resource = useFeedResource()
  const filterNames = useFilterNames()
  const names = useZoneNames(query.data, filterNames)
  const used = useLastUse()
  const spec = useMemo(() => buildFeedSpec({ names, used }), [names, used])
  // biome-ignore lint/correctness/useExhaustiveDependencies: permissions stay the same until the page is reloaded
  const columns = useMemo(() => buildColumns({ names, used, hasUse: may('apikeys:list') }), [names, used])
  return (
    <ListPage
      resourceName="feeds"
      resource={resource}
      query={query}
      needs="feeds:list"
      spec={spec}
      columns={columns}
      defaultColumns={DEFAULT_COLUMNS}
      sort="name"
      placeholder="Name, URL, format:prometheus, tag:web"
      empty={EMPTY}
      deleteWarning={DELETE_WARNING}
      menu={{ needs: blocked }}
      open={({ id }) => void navigate({ to: '/feeds/$id', params: { id } })}
      // The form is on the page of the feed.
      drawer={(id) => id !== undefined && <Navigate to="/feeds/$id" params={{ id }} search={{ edit: id }} replace />}
    />
  )
}

const NewFeed = () => {
  const { set } = usePageSearch()
  const navigate = useNavigate()
  const { blocked } = usePermit()
  const resource = useFeedResource()
  return (
    <>
      <PageHead title="New feed" parent={PARENT} />
      <FeedEditor
        resource={resource}
        blocked={blocked('feeds:create')}
        onClose={() => void set({ new: undefined })}
        onSaved={({ id }) => void navigate({ to: '/feeds/$id', params: { id }, search: { tab: 'use' } })}
      />
      <Hints hints={[[['?'], 'all shortcuts']]} />
    </>
  )
}

export const FeedsPage = () => {
  const { search } = usePageSearch()
  return search.new === undefined ? <FeedList /> : <NewFeed />
}
