/** The link to the documentation. Its code is loaded when a list is empty. */
import { lazy, Suspense } from 'react'

const Link = lazy(() => import('./learn-more.tsx').then((module) => ({ default: module.LearnMore })))

export const LearnMore = () => (
  <Suspense>
    <Link />
  </Suspense>
)
