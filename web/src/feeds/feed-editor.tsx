/** The form of a feed, with the preview of its content beside it; below it on a phone. */
import { useMemo, useState } from 'react'
import type { Resource, Values } from '../resource/resource.ts'
import { ResourceForm } from '../resource/resource-form.tsx'
import { useOpened } from '../resource/use-opened.ts'
import { PageLoading } from '../shell/page-loading.tsx'
import { Failure } from '../ui/states.tsx'
import { buildPreviewDraft } from './feed-fields.tsx'
import css from './feeds.module.css'
import { PreviewPanel } from './preview-panel.tsx'
import type { Feed } from './queries.ts'
import { usePreview } from './use-preview.ts'

type Props = {
  readonly resource: Resource<Feed>
  /** Undefined for a new feed. */
  readonly feed?: Feed
  readonly blocked: string | undefined
  readonly onClose: () => void
  readonly onSaved: (feed: Feed) => void
}

export const FeedEditor = ({ resource, feed, blocked, onClose, onSaved }: Props) => {
  const { opened, error, refetch, reload } = useOpened(resource, feed?.id)
  const [values, setValues] = useState<Values>()
  const draft = useMemo(() => values && buildPreviewDraft(resource.fields, values), [resource, values])
  const preview = usePreview(draft)
  if (!opened) return error ? <Failure error={error} onRetry={() => void refetch()} noun="feed" /> : <PageLoading />
  return (
    <div className={css.editor}>
      <section className={css.form} aria-label="Feed">
        <ResourceForm
          key={opened.etag}
          resource={resource}
          id={feed?.id}
          opened={opened}
          draftKey={`feed.${feed?.id ?? 'new'}`}
          onClose={onClose}
          onReload={() => void reload()}
          onSaved={onSaved}
          blocked={blocked}
          isFocused
          onValues={setValues}
          errors={preview.errors}
        />
      </section>
      <PreviewPanel preview={preview} url={feed?.url} />
    </div>
  )
}
