/** Asks before an object is deleted, and shows the other objects that the deletion changes. The code is loaded when it is opened. */
import { lazy, Suspense } from 'react'
import type { DeleteProps } from './delete-confirm.tsx'

export const DeletePreview = lazy(() =>
  import('../../history/delete-preview.tsx').then((module) => ({ default: module.DeletePreview })),
)

const Content = lazy(() => import('./delete-confirm.tsx').then((module) => ({ default: module.DeleteConfirm })))

export const DeleteDialog = <T,>(props: DeleteProps<T>) => (
  <Suspense>
    <Content {...(props as DeleteProps<unknown>)} />
  </Suspense>
)
