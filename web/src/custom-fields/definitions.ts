/** The definitions of custom fields, as all pages read them. */
import { queryOptions } from '@tanstack/react-query'
import { isResource } from '../../../src/inventory/resources.ts'
import type { CustomField } from '../../../src/resource/custom/schema.ts'
import { api } from '../api/client.ts'
import { queryClient } from '../api/queries.ts'

/** Between two looks at definitions that no event has changed. */
const FRESH_MS = 5 * 60_000

export const definitionsQuery = queryOptions({
  queryKey: ['custom-fields'],
  queryFn: () => api.customFields.list(),
  staleTime: FRESH_MS,
})

/** Returns the fields of a resource in their order; none of a resource that has no custom fields. */
export const loadDefinitions = async (resource: string): Promise<readonly CustomField[]> =>
  (await queryClient.fetchQuery(definitionsQuery)).filter((one) => one.resource === resource)

/** The heading of the fields without a group. */
export const UNGROUPED = 'Custom fields'

/** True for the resource of a definition that is the id of a kind. */
export const isOfKind = (resource: string): boolean => resource !== 'addresses' && !isResource(resource)

/** Returns that heading. All fields of a kind are custom ones. */
export const getUngrouped = (resource: string): string => (isOfKind(resource) ? 'Fields' : UNGROUPED)

/** Returns the fields of each group, in their order; '' is the group of fields without one. */
export const collectGroups = <F extends Pick<CustomField, 'group'>>(
  definitions: readonly F[],
): readonly (readonly [group: string, fields: readonly F[]])[] => [...Map.groupBy(definitions, ({ group }) => group)]
