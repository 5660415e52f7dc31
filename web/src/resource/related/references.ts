/** Reads which objects name an object by a field, and the objects of one such field. */
import { queryOptions } from '@tanstack/react-query'
import type { Reference, Referenced } from '../../../../src/inventory/references/api.ts'
import type { AnyOperation } from '../../../../src/kernel/operation.ts'
import { call } from '../../api/client.ts'
import { contracts } from '../../api/contracts.ts'
import { isCode } from '../../api/errors.ts'
import { queryClient } from '../../api/queries.ts'
import { definitionsQuery } from '../../custom-fields/definitions.ts'
import { kindsQuery } from '../../kinds/known-kinds.ts'
import { getOperations } from '../facts/lists.ts'
import { RESOURCE_NAMES } from '../facts/names.ts'

export type { Reference } from '../../../../src/inventory/references/api.ts'

/** The object that others name. */
export type Referred = {
  readonly resource: Referenced
  readonly id: string
  readonly name: string
  /** The kind of an object of a kind. */
  readonly kindId?: string | undefined
}

/** The parts of the estate that are there, and that the caller may list. */
type Used = { readonly hasFields: boolean; readonly hasKinds: boolean }

/** Objects of kinds name these by other than custom fields: as their datacenter, or their parent. */
const MAY_BE_OF_KINDS: readonly string[] = ['datacenters', 'objects']

/** True if any field may name the object. */
const isNameable = async ({ resource, kindId }: Referred, { hasFields, hasKinds }: Used): Promise<boolean> => {
  const [definitions, kinds] = await Promise.all([
    hasFields ? queryClient.fetchQuery(definitionsQuery) : [],
    hasKinds && MAY_BE_OF_KINDS.includes(resource) ? queryClient.fetchQuery(kindsQuery) : [],
  ])
  return (
    definitions.some(({ reference_to }) => reference_to === (kindId ?? resource)) ||
    kinds.some(({ id, located, nested }) => (resource === 'datacenters' ? located : nested && id === kindId))
  )
}

export const loadReferences = async (asked: Referred, used: Used): Promise<readonly Reference[]> => {
  if (!(await isNameable(asked, used))) return []
  try {
    return await call(contracts.references[asked.resource], { id: asked.id })
  } catch (error) {
    // The object is gone, which its page says.
    if (isCode(error, 'NOT_FOUND')) return []
    throw error
  }
}

const CUSTOM = 'custom.'

/** Returns the filter of a list for the objects that name an object. */
const toFilter = ({ field, kind_id }: Reference, id: string): Readonly<Record<string, unknown>> => ({
  ...(kind_id !== null && { kind_id }),
  ...(field.startsWith(CUSTOM) ? { custom: { [field.slice(CUSTOM.length)]: id } } : { [field]: id }),
})

type Row = Readonly<Record<string, unknown>>

export const MOST_LISTED = 50

/** The first objects that name an object by a field. */
export const referringQuery = (reference: Reference, id: string) =>
  queryOptions({
    queryKey: ['references', 'objects', reference.resource, reference.kind_id, reference.field, id],
    queryFn: async (): Promise<readonly Row[]> => {
      const name = RESOURCE_NAMES.find((one) => one === reference.resource)
      if (!name) return []
      const { all, list } = getOperations(name)
      // Each resource has a list of its objects, which is `all` for objects in other ones.
      return (await call((all ?? list) as AnyOperation, {
        ...toFilter(reference, id),
        limit: MOST_LISTED,
      })) as readonly Row[]
    },
  })
