/** The strip of presence, which a page loads when it is quiet. */
import { lazy, Suspense } from 'react'
import { useQuiet } from '../live/use-quiet.ts'
import { Skeleton } from '../ui/primitives.tsx'

const Strip = lazy(async () => ({ default: (await import('../discovery/presence/presence-strip.tsx')).PresenceStrip }))

type Props = { readonly of: { readonly device: string } | { readonly discovered: string } }

export const LazyPresence = ({ of }: Props) => {
  const isQuiet = useQuiet()
  return <Suspense fallback={<Skeleton />}>{isQuiet ? <Strip of={of} /> : <Skeleton />}</Suspense>
}
