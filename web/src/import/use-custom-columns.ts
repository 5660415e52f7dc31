/** The columns of custom fields that the rows of a resource may have. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { CustomField } from '../../../src/resource/custom/schema.ts'
import { definitionsQuery, isOfKind } from '../custom-fields/definitions.ts'
import { useCustom } from '../custom-fields/known-custom.tsx'
import type { ResourceName } from '../export/fields.ts'
import { useIsInUse } from '../shell/me.ts'

const NONE: readonly CustomField[] = []

/** @returns `custom.owner` and so on, none without custom fields; of objects the fields of all kinds */
export const useCustomColumns = (resource: ResourceName): readonly string[] => {
  const custom = useCustom(resource)
  const isOfObjects = resource === 'objects'
  const { data = NONE } = useQuery({ ...definitionsQuery, enabled: useIsInUse('custom-fields') && isOfObjects })
  return useMemo(() => {
    const fields = isOfObjects ? data.filter((one) => isOfKind(one.resource)) : (custom?.definitions ?? NONE)
    return [...new Set(fields.map(({ name }) => `custom.${name}`))]
  }, [custom, data, isOfObjects])
}
