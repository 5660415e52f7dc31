/** The views that the user has pinned to the menu. Their list is loaded if there are any. */
import { lazy, Suspense } from 'react'
import { useMe } from '../shell/me.ts'

const PinnedList = lazy(() => import('./pinned-list.tsx').then((module) => ({ default: module.PinnedList })))

export const PinnedViews = (props: { readonly onClick?: () => void }) =>
  useMe().pinned_views && (
    <Suspense>
      <PinnedList {...props} />
    </Suspense>
  )
