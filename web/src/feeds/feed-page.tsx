/** The page of one feed: its form with the preview, its keys, and the configuration of its consumer. */
import { getRouteApi } from '@tanstack/react-router'
import { contracts } from '../api/contracts.ts'
import { MissingObject, ObjectPage } from '../resource/object/object-page.tsx'
import { usePermit, usePermitted } from '../shell/me.ts'
import { PageBody } from '../shell/page.tsx'
import { ConsumerTab } from './consumer-tab.tsx'
import { FeedEditor } from './feed-editor.tsx'
import { feedQuery } from './queries.ts'
import { useFeedResource } from './use-feed-parts.ts'

const route = getRouteApi('/app/feeds/$id')

export const PARENT = { text: 'Feeds', link: { to: '/feeds' } } as const

export const DELETE_WARNING = 'Its URL stops working, and its API keys are deleted too.'

export const FeedPage = () => {
  const { id } = route.useParams()
  const { blocked } = usePermit()
  const { data, error, refetch } = usePermitted('feeds:read', feedQuery(id))
  const resource = useFeedResource(data?.value.format)
  if (!data) return <MissingObject noun="feed" parent={PARENT} error={error} refetch={refetch} />
  const feed = data.value
  // A stored media type is read by the format.
  const editorKey = `${id} ${feed.format}`
  return (
    <ObjectPage
      noun="feed"
      parent={PARENT}
      id={id}
      title={feed.name}
      get={contracts.feeds.get}
      resource={resource}
      remove={{ blocked: blocked('feeds:delete'), warning: DELETE_WARNING }}
      tabs={[
        {
          ...{ id: 'content', text: 'Content', isFull: true },
          content: <FeedEditor key={editorKey} resource={resource} feed={feed} blocked={blocked('feeds:update')} />,
        },
        {
          ...{ id: 'use', text: 'Keys and use' },
          content: <ConsumerTab key={id} feed={feed} />,
        },
      ]}
      body={(content) => <PageBody>{content}</PageBody>}
    />
  )
}
