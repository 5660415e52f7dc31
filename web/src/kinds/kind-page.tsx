/** One kind: its objects, its definition and its history. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { AppError } from '../../../src/contract/errors.ts'
import type { CustomField } from '../../../src/resource/custom/schema.ts'
import { definitionsQuery } from '../custom-fields/definitions.ts'
import { HistoryTab } from '../resource/object/history-tab.tsx'
import { MissingObject } from '../resource/object/object-page.tsx'
import { useIsInUse, usePermit, usePermitted } from '../shell/me.ts'
import { PageBody, PageHead } from '../shell/page.tsx'
import { PageLoading } from '../shell/page-loading.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { type Tab, Tabs } from '../ui/tabs.tsx'
import { kindsQuery } from './known-kinds.ts'
import { ObjectsTab } from './objects-tab.tsx'

const DefinitionTab = lazy(() => import('./definition-tab.tsx').then((module) => ({ default: module.DefinitionTab })))

const route = getRouteApi('/app/kinds/$id')
const PARENT = { text: 'Kinds', link: { to: '/kinds' } } as const
const NONE: readonly CustomField[] = []
const NOT_THERE = new AppError('NOT_FOUND', 'It is not in the list')

const TABS: readonly Tab[] = [
  { id: 'objects', text: 'Objects' },
  { id: 'definition', text: 'Definition' },
  { id: 'history', text: 'History' },
]

/** Returns all definitions; undefined while they are loaded. */
const useAllDefinitions = (): readonly CustomField[] | undefined => {
  const isEnabled = usePermit().may('custom-fields:list')
  const hasFields = useIsInUse('custom-fields')
  const { data, isError } = useQuery({ ...definitionsQuery, enabled: isEnabled && hasFields })
  return isEnabled && hasFields && !isError ? data : NONE
}

export const KindPage = () => {
  const { id } = route.useParams()
  const { search } = usePageSearch()
  const { data: kinds, error, refetch } = usePermitted('kinds:list', kindsQuery)
  const definitions = useAllDefinitions()
  const kind = kinds?.find((one) => one.id === id)
  if (!kind || !definitions) {
    const missing = kinds && !kind ? NOT_THERE : error
    return <MissingObject noun="kind" parent={PARENT} error={missing} refetch={refetch} />
  }
  const current = TABS.find((one) => one.id === search.tab)?.id ?? 'objects'
  const tabs = <Tabs label={`About ${kind.name}`} tabs={TABS} current={current} />
  if (current === 'definition')
    return (
      <Suspense fallback={<PageLoading />}>
        <DefinitionTab key={id} kind={kind} tabs={tabs} />
      </Suspense>
    )
  if (current === 'objects') return <ObjectsTab key={id} {...{ kind, definitions, tabs }} />
  return (
    <>
      <PageHead title={kind.name} />
      {tabs}
      <PageBody>
        <HistoryTab kind="kind" id={id} />
      </PageBody>
    </>
  )
}
