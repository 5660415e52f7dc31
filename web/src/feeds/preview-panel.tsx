/** The content of a feed beside its form, and the devices that its format leaves out. */
import { Link } from '@tanstack/react-router'
import { RefreshCw } from 'lucide-react'
import { toAppError } from '../api/errors.ts'
import { Button } from '../ui/button.tsx'
import { formatCount, plural } from '../ui/format.ts'
import { Skeleton } from '../ui/primitives.tsx'
import css from './feeds.module.css'
import type { FeedPreview } from './queries.ts'
import type { Preview } from './use-preview.ts'

const Skipped = ({ preview }: { readonly preview: FeedPreview }) => {
  const { skipped, skipped_count } = preview
  if (skipped_count === 0) return null
  return (
    <section className={css.skipped} aria-label="Left out">
      <h3>
        {formatCount(skipped_count)} left out{skipped_count > skipped.length && `. The first ${skipped.length}:`}
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
      <ul tabIndex={0} aria-label="Devices and addresses that are left out">
        {skipped.map(({ device_id, device_name, reason }, index) => (
          // A device may be left out twice for one reason.
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
          <li key={`${device_id} ${index}`}>
            <Link to="/devices/$id" params={{ id: device_id }} className="link">
              {device_name}
            </Link>{' '}
            <span className="muted">{reason}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const Content = ({ preview, isOld }: { readonly preview: FeedPreview; readonly isOld: boolean }) => (
  <>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
    <pre className={css.content} tabIndex={0} data-old={isOld || undefined}>
      {preview.content === '' ? <span className="muted">The content is empty.</span> : preview.content}
    </pre>
    {preview.is_cut && (
      <p className={css.cut}>Only the first {formatCount(preview.content.length)} characters are shown.</p>
    )}
    <Skipped preview={preview} />
  </>
)

const formatFacts = ({ device_count, duration_ms, media_type }: FeedPreview): string =>
  `${plural(device_count, 'device')} · ${formatCount(duration_ms)} ms · ${media_type}`

/** Returns the reason why there is no content. */
const formatNote = ({ missing, isComplete, error, errors }: Preview): string | undefined => {
  if (missing !== undefined) return `The preview needs the permission ${missing}.`
  if (!isComplete) return 'Write a template, or choose a zone, to see the content.'
  if (!error) return undefined
  return Object.keys(errors).length > 0 ? 'Correct the marked fields to see the content.' : toAppError(error).message
}

type Props = {
  readonly preview: Preview
  /** The URL of a stored feed. */
  readonly url?: string | undefined
}

export const PreviewPanel = ({ preview, url }: Props) => {
  const { data, isLoading, missing, refresh } = preview
  const note = isLoading ? undefined : formatNote(preview)
  const shown = note === undefined ? data : undefined
  return (
    <section className={css.preview} aria-label="Preview">
      <header className={css.previewHead}>
        <h2>Preview</h2>
        <span role="status" className={css.facts}>
          {shown && formatFacts(shown)}
        </span>
        {url !== undefined && (
          <a href={url} target="_blank" rel="noreferrer" className="link">
            Open the saved content
          </a>
        )}
        {missing === undefined && (
          <Button isIcon look="quiet" aria-label="Refresh the preview" onClick={refresh}>
            <RefreshCw size={14} aria-hidden="true" />
          </Button>
        )}
      </header>
      {note !== undefined && <p className={css.noPreview}>{note}</p>}
      {isLoading && !data && (
        <div className={css.content} role="status" aria-label="Loading">
          <Skeleton width="70%" />
          <Skeleton width="45%" />
          <Skeleton width="60%" />
        </div>
      )}
      {shown && <Content preview={shown} isOld={isLoading} />}
    </section>
  )
}
