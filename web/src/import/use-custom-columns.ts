/** The columns of custom fields that the rows of a resource may have. */
import { useMemo } from 'react'
import { useCustom } from '../custom-fields/known-custom.tsx'
import type { ResourceName } from '../export/fields.ts'

/** @returns `custom.owner` and so on, none without custom fields */
export const useCustomColumns = (resource: ResourceName): readonly string[] => {
  const custom = useCustom(resource)
  return useMemo(() => (custom?.definitions ?? []).map(({ name }) => `custom.${name}`), [custom])
}
