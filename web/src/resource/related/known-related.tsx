/** The objects that name the object of a page by a field: a tab, and rows of the card "Related". */
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense } from 'react'
import { useIsInUse } from '../../shell/me.ts'
import { PageLoading } from '../../shell/page-loading.tsx'
import type { Reference, Referred } from './references.ts'

const RelatedTab = lazy(() => import('./related-tab.tsx').then((module) => ({ default: module.RelatedTab })))
const RelatedRows = lazy(() => import('./related-tab.tsx').then((module) => ({ default: module.RelatedRows })))

const NONE: readonly Reference[] = []

type Parts = {
  readonly more?: ReactNode
  readonly tabs: readonly { readonly id: string; readonly text: string; readonly content: ReactNode }[]
}

/** Requests nothing before there are custom fields or kinds. @param referred undefined while it is loaded */
export const useRelated = (referred: Referred | undefined): Parts => {
  const hasFields = useIsInUse('custom-fields')
  const hasKinds = useIsInUse('kinds')
  const { data = NONE } = useQuery({
    queryKey: ['references', referred?.resource, referred?.id],
    queryFn: async () =>
      referred ? (await import('./references.ts')).loadReferences(referred, { hasFields, hasKinds }) : NONE,
    enabled: referred !== undefined && (hasFields || hasKinds),
  })
  if (!referred || data.length === 0) return { tabs: [] }
  const content = (
    <Suspense fallback={<PageLoading />}>
      <RelatedTab referred={referred} references={data} />
    </Suspense>
  )
  return {
    more: (
      <Suspense>
        <RelatedRows references={data} />
      </Suspense>
    ),
    tabs: [{ id: 'related', text: 'Related', content }],
  }
}
