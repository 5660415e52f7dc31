/** The history of an object, on its page or in its drawer. Its code is loaded when it is opened. */
import { lazy, Suspense } from 'react'
import type { ObjectKind } from '../../history/queries.ts'
import { PageLoading } from '../../shell/page-loading.tsx'

const ObjectHistory = lazy(() =>
  import('../../history/object-history.tsx').then((module) => ({ default: module.ObjectHistory })),
)

type Props = {
  readonly kind: ObjectKind
  readonly id: string
}

export const HistoryTab = (props: Props) => (
  <Suspense fallback={<PageLoading />}>
    <ObjectHistory {...props} />
  </Suspense>
)
