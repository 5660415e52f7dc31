/** The link to the documentation. Its code is loaded when a list is empty. */
import { lazy, Suspense } from 'react'

const Link = lazy(() => import('./section-link.tsx').then((module) => ({ default: module.SectionLink })))

export const LearnMore = () => (
  <Suspense>
    <Link />
  </Suspense>
)
