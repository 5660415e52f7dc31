/** The map of a network or a pool. Its code is loaded when it is shown. */
import { type ComponentProps, lazy, Suspense } from 'react'
import { PageLoading } from '../shell/page-loading.tsx'
import type { AddressMapCard } from './address-map-card.tsx'

const Card = lazy(() => import('./address-map-card.tsx').then((module) => ({ default: module.AddressMapCard })))

export const LazyAddressMap = (props: ComponentProps<typeof AddressMapCard>) => (
  <Suspense fallback={<PageLoading />}>
    <Card {...props} />
  </Suspense>
)
