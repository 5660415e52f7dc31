/** The drawer that makes or changes an object of a small resource. It opens before the code of its form is there. */
import { lazy, Suspense, useState } from 'react'
import { PageLoading } from '../shell/page-loading.tsx'
import { Drawer } from '../ui/layers.tsx'
import { Failure } from '../ui/states.tsx'
import { getLoadedForm, loadForm } from './load-form.ts'
import type { Resource, Values } from './resource.ts'
import { useOpened } from './use-opened.ts'

// `lazy` forgets that the component is generic.
const LazyForm = lazy(() => loadForm().then((module) => ({ default: module.ResourceForm }))) as Awaited<
  ReturnType<typeof loadForm>
>['ResourceForm']

type DrawerProps<T> = {
  readonly resource: Resource<T>
  /** Undefined for a new one. */
  readonly id: string | undefined
  readonly given?: Values | undefined
  readonly onClose: () => void
  readonly onSaved?: (value: T, values: Values) => void
  /** Why nothing can be changed; it is all there to be read. */
  readonly blocked?: string | undefined
}

export const ResourceDrawer = <T extends object>(props: DrawerProps<T>) => {
  const { resource, id, given, onClose, onSaved, blocked } = props
  const [ResourceForm] = useState(() => getLoadedForm() ?? LazyForm)
  const { opened, error, refetch, reload } = useOpened(resource, id, given)
  const key = id === undefined ? `new ${JSON.stringify(given ?? {})}` : id
  const verb = blocked === undefined ? 'Edit ' : ''
  const title = id === undefined ? `New ${resource.noun}` : `${verb}${opened?.name ?? resource.noun}`
  return (
    <Drawer title={title} onClose={onClose} isWide={resource.isWide === true}>
      {!opened && error && <Failure error={error} onRetry={() => void refetch()} noun={resource.noun} />}
      {!opened && !error && <PageLoading />}
      {opened && (
        <Suspense fallback={<PageLoading />}>
          <ResourceForm
            // Another version starts the form again.
            key={opened.etag}
            resource={resource}
            id={id}
            opened={opened}
            draftKey={`${resource.noun}.${key}`}
            onClose={onClose}
            onReload={() => void reload()}
            onSaved={(value, values) => {
              onClose()
              onSaved?.(value, values)
            }}
            blocked={blocked}
            // It arrives after its drawer, which has moved the focus by then.
            isFocused
          />
        </Suspense>
      )}
    </Drawer>
  )
}
