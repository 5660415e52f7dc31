/** The field for a moment, loaded when a page shows one: few pages do. */
import { type ComponentProps, lazy, Suspense } from 'react'

const Field = lazy(() => import('./moment-field.tsx').then((module) => ({ default: module.MomentFilter })))

export const MomentField = (props: ComponentProps<typeof Field>) => (
  <Suspense>
    <Field {...props} />
  </Suspense>
)
