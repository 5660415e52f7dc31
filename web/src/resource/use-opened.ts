/** Loads an object for its form. The drawer needs it before the code of the form. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { createEmptyValues, readValues } from './form-values.ts'
import type { Resource, Values } from './resource.ts'

/** An object as the form has loaded it, with the ETag of its version. */
export type Opened = {
  readonly values: Values
  readonly etag: string
  readonly name: string
  /** The owner by estate documents; '' without one. */
  readonly owner: string
}

const getOwner = (value: object): string => String(Reflect.get(value, 'managed_by') ?? '')

/** An answer that is younger is not requested again. */
const FRESH_MS = 2000

/** Loads an object for its form once, because a later change by another user must not alter the open form. */
export const useOpened = <T extends object>(resource: Resource<T>, id: string | undefined, given?: Values) => {
  const { data, error, refetch, isFetchedAfterMount, dataUpdatedAt } = useQuery({
    queryKey: resource.queryKey?.(id ?? '') ?? [resource.noun, 'edited', id ?? ''],
    queryFn: () => resource.get(id ?? ''),
    enabled: id !== undefined,
    refetchOnMount: ({ state }) =>
      resource.queryKey && Date.now() - state.dataUpdatedAt < FRESH_MS && !state.isInvalidated ? false : 'always',
    refetchOnWindowFocus: false,
  })
  const [openedAtMs] = useState(Date.now)
  const isFresh = isFetchedAfterMount || (resource.queryKey !== undefined && openedAtMs - dataUpdatedAt < FRESH_MS)
  const toOpened = (value: T, etag: string): Opened => ({
    values: readValues(resource, value),
    etag,
    name: resource.getName(value),
    owner: getOwner(value),
  })
  const [opened, setOpened] = useState<Opened | undefined>(() =>
    id === undefined ? { values: createEmptyValues(resource, given), etag: '', name: '', owner: '' } : undefined,
  )
  useEffect(() => {
    if (data && isFresh && !opened) setOpened(toOpened(data.value, data.etag))
  })
  const reload = async () => {
    const { data: fresh } = await refetch()
    if (fresh) setOpened(toOpened(fresh.value, fresh.etag))
  }
  return { opened, error, refetch, reload }
}
