/** The list of the pinned views, with the number of their rows. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bookmark } from 'lucide-react'
import { useEffect, useState } from 'react'
import { parseSearch } from '../search-text.ts'
import { useMe, usePermit } from '../shell/me.ts'
import css from '../shell/shell.module.css'
import { formatCount } from '../ui/format.ts'
import { findViewPage } from './views.ts'

/** The page comes first. */
const COUNT_AFTER_MS = 1500
const COUNT_EVERY_MS = 60_000

type Pinned = NonNullable<ReturnType<typeof useMe>['pinned_views']>[number]

const useIsLater = (): boolean => {
  const [isLater, setIsLater] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLater(true), COUNT_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return isLater
}

type Props = { readonly view: Pinned; readonly isCounted: boolean; readonly onClick?: (() => void) | undefined }

const PinnedLink = ({ view, isCounted, onClick }: Props) => {
  const { name, path, search } = view
  const { data: count } = useQuery({
    queryKey: ['view-count', path, search],
    queryFn: async () => (await import('./count-view.ts')).countView(view),
    enabled: isCounted,
    staleTime: COUNT_EVERY_MS,
    refetchInterval: COUNT_EVERY_MS,
    retry: false,
  })
  return (
    <li>
      <Link
        // A list, whose path is checked by `findViewPage`.
        to={path as '/devices'}
        search={parseSearch(search)}
        className={css.item}
        activeOptions={{ exact: true, includeSearch: true }}
        title={name}
        onClick={onClick}
      >
        <Bookmark size={16} aria-hidden="true" />
        <span className={`${css.text} truncate`}>{name}</span>
        {typeof count === 'number' && <span className={css.count}>{formatCount(count)}</span>}
      </Link>
    </li>
  )
}

export const PinnedList = ({ onClick }: { readonly onClick?: () => void }) => {
  const { may } = usePermit()
  const isCounted = useIsLater()
  const { pinned_views = [] } = useMe()
  const shown = pinned_views.filter((view) => findViewPage(may, view))
  if (shown.length === 0) return null
  return (
    <ul className={css.group} aria-label="Pinned views">
      {shown.map((view) => (
        <PinnedLink key={view.id} view={view} isCounted={isCounted} onClick={onClick} />
      ))}
    </ul>
  )
}
