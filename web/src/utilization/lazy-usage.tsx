/** The use of a network or a pool over time. Its code is loaded when its tab is opened. */
import { type ComponentProps, lazy, Suspense } from 'react'
import { PageLoading } from '../shell/page-loading.tsx'
import type { Usage as Loaded } from './usage.tsx'

const Chart = lazy(() => import('./usage.tsx').then((module) => ({ default: module.Usage })))

export const LazyUsage = (props: ComponentProps<typeof Loaded>) => (
  <Suspense fallback={<PageLoading />}>
    <Chart {...props} />
  </Suspense>
)
