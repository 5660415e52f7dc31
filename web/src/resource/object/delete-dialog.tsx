/** Asks before an object is deleted, and shows the other objects that the deletion changes. The code is loaded when it is opened. */
import { lazy, Suspense } from 'react'
import type { Resource } from '../resource.ts'

export const DeletePreview = lazy(() =>
  import('../../history/delete-preview.tsx').then((module) => ({ default: module.DeletePreview })),
)

export type DeleteProps<T> = {
  readonly resource: Resource<T>
  readonly id: string
  readonly name: string
  /** Describes the further objects that are deleted, or lose their reference. */
  readonly deleteWarning: string
  readonly onClose: () => void
  /** Leaves the page of the object. */
  readonly onConfirmed?: () => unknown
}

const Content = lazy(() => import('./delete-confirm.tsx').then((module) => ({ default: module.DeleteConfirm })))

export const DeleteDialog = <T,>(props: DeleteProps<T>) => (
  <Suspense>
    <Content {...(props as DeleteProps<unknown>)} />
  </Suspense>
)
