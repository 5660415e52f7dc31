/** The control of the scanner in the form of a network. Its code is loaded with the first form that shows it. */
import { lazy, Suspense, useMemo } from 'react'
import type { FieldSpec } from '../resource/resource.ts'
import { useIsInUse } from '../shell/me.ts'
import { Skeleton } from '../ui/primitives.tsx'

const LabelField = lazy(() => import('./label-field.tsx').then((module) => ({ default: module.LabelField })))

/** Returns the control, which is hidden while there are no scanners. */
export const useLabelControl = (): Partial<FieldSpec> => {
  const isInUse = useIsInUse('scanners')
  return useMemo(
    () => ({
      isShown: ({ scanner = '' }) => isInUse || scanner !== '',
      render: ({ value, onChange, error }) => (
        <Suspense fallback={<Skeleton />}>
          <LabelField {...{ value, onChange, error }} />
        </Suspense>
      ),
    }),
    [isInUse],
  )
}
