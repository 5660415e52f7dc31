/** The columns of custom fields that the rows of a resource may have. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { queryClient } from '../api/queries.ts'
import { useCustom } from '../custom-fields/known-custom.tsx'
import type { ResourceName } from '../export/fields.ts'
import { useIsInUse } from '../shell/me.ts'

const NONE: readonly string[] = []

/** Returns the names of the fields of all kinds. */
const loadNames = async (): Promise<readonly string[]> => {
  const { definitionsQuery, isOfKind } = await import('../custom-fields/definitions.ts')
  const all = await queryClient.fetchQuery(definitionsQuery)
  return all.flatMap(({ resource, name }) => (isOfKind(resource) ? [name] : []))
}

/** @returns `custom.owner` and so on, none without custom fields; of objects the fields of all kinds */
export const useCustomColumns = (resource: ResourceName): readonly string[] => {
  const custom = useCustom(resource)
  const isOfObjects = resource === 'objects'
  const { data = NONE } = useQuery({
    queryKey: ['custom-fields', 'names of kinds'],
    queryFn: loadNames,
    enabled: useIsInUse('custom-fields') && isOfObjects,
  })
  return useMemo(() => {
    const names = isOfObjects ? data : (custom?.definitions ?? []).map(({ name }) => name)
    return [...new Set(names)].map((name) => `custom.${name}`)
  }, [custom, data, isOfObjects])
}
