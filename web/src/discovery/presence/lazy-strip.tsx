/** The strip of presence, in a file of its own that pages do not wait for. */
import { lazy, Suspense } from 'react'
import { Skeleton } from '../../ui/primitives.tsx'

const Strip = lazy(async () => ({ default: (await import('./presence-strip.tsx')).PresenceStrip }))

type Props = { readonly of: { readonly device: string } | { readonly discovered: string } }

export const LazyPresenceStrip = ({ of }: Props) => (
  <Suspense fallback={<Skeleton />}>
    <Strip of={of} />
  </Suspense>
)
