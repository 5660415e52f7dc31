/** The page of one feed: its settings with the content, its keys, and the configuration of its consumer. */
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { contracts } from '../api/contracts.ts'
import { zonesQuery } from '../dns/zones-query.ts'
import { readValues } from '../resource/form-values.ts'
import { type Fact, MissingObject, ObjectPage } from '../resource/object/object-page.tsx'
import { relate } from '../resource/object/object-side.tsx'
import type { Resource } from '../resource/resource.ts'
import { usePermit, usePermitted } from '../shell/me.ts'
import { Hints, PageHead } from '../shell/page.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { Card, CopyText, Facts, TimeAgo } from '../ui/primitives.tsx'
import { buildAbsoluteUrl, ConsumerTab } from './consumer-tab.tsx'
import { FeedEditor } from './feed-editor.tsx'
import { buildPreviewDraft } from './feed-fields.tsx'
import { getTitle } from './feed-resource.ts'
import css from './feeds.module.css'
import { filterInWords, type Names } from './labels.ts'
import { PreviewPanel } from './preview-panel.tsx'
import { type Feed, feedQuery } from './queries.ts'
import { useFeedResource, useFilterNames } from './use-feed-parts.ts'
import { usePreview } from './use-preview.ts'

const route = getRouteApi('/app/feeds/$id')

export const PARENT = { text: 'Feeds', link: { to: '/feeds' } } as const

const NOT_LOADED = { datacenter_id: null, network_id: null }

export const DELETE_WARNING = 'Its URL stops working, and its API keys are deleted too.'

/** The form of a feed with the preview of its content. */
const EditFeed = ({ feed, resource }: { readonly feed: Feed; readonly resource: Resource<Feed> }) => {
  const { blocked } = usePermit()
  const { set } = usePageSearch()
  const close = () => void set({ edit: undefined })
  const parent = { text: feed.name, link: { to: '/feeds/$id', params: { id: feed.id }, search: {} } } as const
  return (
    <>
      <PageHead title={`Edit ${feed.name}`} parent={parent} />
      <FeedEditor resource={resource} feed={feed} blocked={blocked('feeds:update')} onClose={close} onSaved={close} />
      <Hints hints={[[['?'], 'all shortcuts']]} />
    </>
  )
}

const listStrip = (feed: Feed, names: Names): readonly Fact[] => [
  ['Format', getTitle(feed.format)],
  ['URL', <CopyText key="url" text={buildAbsoluteUrl(feed)} shown={feed.url} label="URL" />],
  ['Devices', filterInWords(feed, names)],
  [
    'Media type',
    <span key="type" className="mono">
      {feed.media_type}
    </span>,
  ],
  ['Created', <TimeAgo key="created" at={feed.created_at} />],
  ['Changed', <TimeAgo key="updated" at={feed.updated_at} />],
]

const Overview = ({ feed, resource }: { readonly feed: Feed; readonly resource: Resource<Feed> }) => {
  const draft = useMemo(() => buildPreviewDraft(resource.fields, readValues(resource, feed)), [resource, feed])
  return (
    <>
      <section className={css.shown}>
        <PreviewPanel preview={usePreview(draft)} url={feed.url} />
      </section>
      <Card title="Details">
        <Facts
          facts={[
            ['Description', feed.description],
            ['Port', feed.port === null ? '' : String(feed.port)],
            [
              'Template',
              feed.format === 'template' && (
                <pre key="template" className={css.stored}>
                  {feed.template}
                </pre>
              ),
            ],
            ['ID', <CopyText key="id" text={feed.id} label="ID" />],
          ]}
        />
      </Card>
    </>
  )
}

export const FeedPage = () => {
  const { id } = route.useParams()
  const { search } = usePageSearch()
  const { blocked } = usePermit()
  const { data, error, refetch } = usePermitted('feeds:read', feedQuery(id))
  const feed = data?.value
  const resource = useFeedResource(feed?.format)
  const filterNames = useFilterNames(feed ?? NOT_LOADED)
  const zoneId = feed?.zone_id ?? null
  const { data: zones } = usePermitted('dns:list', { ...zonesQuery, enabled: zoneId !== null })
  const names = useMemo(
    () => new Map([...filterNames, ...(zones ?? []).map(({ id: zone, name }) => [zone, name] as const)]),
    [filterNames, zones],
  )
  if (!feed) return <MissingObject noun="feed" parent={PARENT} error={error} refetch={refetch} />
  // A stored media type is read by the format.
  const key = `${id} ${feed.format}`
  if (search.edit !== undefined) return <EditFeed key={key} feed={feed} resource={resource} />
  const { datacenter_id: place, network_id: network } = feed
  const getName = (one: string) => names.get(one) ?? one
  return (
    <ObjectPage
      noun="feed"
      parent={PARENT}
      id={id}
      title={feed.name}
      get={contracts.feeds.get}
      resource={resource}
      edit={{ blocked: blocked('feeds:update') }}
      remove={{ blocked: blocked('feeds:delete'), warning: DELETE_WARNING }}
      strip={listStrip(feed, names)}
      side={{
        audited: 'feed',
        related: [
          ...(place === null
            ? []
            : [relate({ to: '/datacenters/$id', params: { id: place } }, getName(place), 'datacenter')]),
          ...(network === null
            ? []
            : [relate({ to: '/networks/$id', params: { id: network } }, getName(network), 'network')]),
          ...(zoneId === null ? [] : [relate({ to: '/dns/$id', params: { id: zoneId } }, getName(zoneId), 'zone')]),
        ],
      }}
      tabs={[
        { id: 'overview', text: 'Overview', content: <Overview key={key} feed={feed} resource={resource} /> },
        { id: 'use', text: 'Keys and use', content: <ConsumerTab key={id} feed={feed} /> },
      ]}
    />
  )
}
