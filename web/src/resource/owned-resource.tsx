/** The drawer of an object without a page: its owner and its history below its form. */
import { type ReactNode, Suspense, useMemo } from 'react'
import type { ObjectKind } from '../history/queries.ts'
import { HistoryTab } from './object/history-tab.tsx'
import { ManagedBy } from './object/object-page.tsx'
import type { Resource } from './resource.ts'

type Owned = { readonly id: string; readonly managed_by: string }

type Parts<T> = {
  readonly kind: ObjectKind
  /** The rows of the list. */
  readonly rows: readonly T[] | undefined
  /** Why the object cannot be changed. */
  readonly blocked: string | undefined
  /** Content between owner and history. */
  readonly more?: (object: T) => ReactNode
}

/** Returns the resource with these parts below its form. */
export const useOwnedResource = <T extends Owned>(
  resource: Resource<T>,
  { kind, rows, blocked, more }: Parts<T>,
): Resource<T> =>
  useMemo(() => {
    const byId = new Map((rows ?? []).map((row) => [row.id, row]))
    const below = (id: string) => {
      const object = byId.get(id)
      return (
        <>
          {object && object.managed_by !== '' && (
            <Suspense>
              <ManagedBy owner={object.managed_by} id={id} resource={resource} blocked={blocked} />
            </Suspense>
          )}
          {object && more?.(object)}
          <HistoryTab kind={kind} id={id} />
        </>
      )
    }
    return { ...resource, below }
  }, [resource, kind, rows, blocked, more])
