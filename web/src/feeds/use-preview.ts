/** Previews the content of a draft while it is typed. A changed draft cancels the request of the previous one. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { getFieldErrors } from '../api/errors.ts'
import { usePermit } from '../shell/me.ts'
import { useSettled } from '../ui/use-settled.ts'
import type { FeedPreview, PreviewDraft } from './queries.ts'

/** A draft that is typed again is shown at once for this long. */
const KEPT_MS = 60_000

export type Preview = {
  /** The missing permission; undefined if the preview is permitted. */
  readonly missing: string | undefined
  readonly isComplete: boolean
  /** The last content, also while a newer one is loaded. */
  readonly data: FeedPreview | undefined
  readonly error: unknown
  readonly isLoading: boolean
  /** The errors of the draft, by field. */
  readonly errors: Readonly<Record<string, string>>
  readonly refresh: () => void
}

/** @param draft undefined while there is nothing to preview */
export const usePreview = (draft: PreviewDraft | undefined): Preview => {
  const { may } = usePermit()
  const edits = may('feeds:create') || may('feeds:update') ? [] : ['feeds:update']
  const [missing] = [...edits, ...['feeds:read', 'devices:list'].filter((one) => !may(one))]
  const text = draft === undefined ? '' : JSON.stringify(draft)
  const isSettled = useSettled(text) === text
  const isAsked = missing === undefined && text !== ''
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['feed-preview', text],
    // The text is that of a draft.
    queryFn: ({ signal }) => api.feeds.preview(JSON.parse(text) as PreviewDraft, { signal }),
    enabled: isAsked && isSettled,
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: KEPT_MS,
    refetchOnWindowFocus: false,
  })
  return {
    ...{ missing, data, error },
    isComplete: text !== '',
    isLoading: isAsked && (isFetching || !isSettled),
    errors: isAsked && error ? getFieldErrors(error) : {},
    refresh: () => void refetch(),
  }
}
