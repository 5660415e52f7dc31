/** The labels of custom fields in changes, and the texts of their values. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { CustomField } from '../../../src/resource/custom/schema.ts'
import type { HistoryItem, Kind } from '../api/contracts.ts'
import { queryClient } from '../api/queries.ts'
import type { CustomResource, toTexts, Value, WithCustom } from '../custom-fields/values.ts'
import { useIsInUse } from '../shell/me.ts'
import { type CustomWord, formatValue, type Names } from './labels.ts'

type Item = Pick<HistoryItem, 'kind' | 'id' | 'fields'>

/** The definitions, with the code that reads their values. */
type Known = { readonly definitions: readonly CustomField[]; readonly toTexts: typeof toTexts }

const NOTHING: Known = { definitions: [], toTexts: () => [] }

/** Returns the resource that defines the custom fields of the objects of a kind. */
const getResource = (kind: Kind): string => (kind === 'reservation' ? 'addresses' : `${kind}s`)

const hasCustom = ({ fields }: Item): boolean => JSON.stringify(fields).includes('"custom":')

/** Is loaded if one of the items has values of custom fields. */
const useKnown = (items: readonly Item[]): Known => {
  const isInUse = useIsInUse('custom-fields')
  const isAsked = useMemo(() => isInUse && items.some(hasCustom), [isInUse, items])
  const { data = NOTHING } = useQuery({
    queryKey: ['custom-fields', 'of-history'],
    queryFn: async (): Promise<Known> => {
      const [{ definitionsQuery }, values] = await Promise.all([
        import('../custom-fields/definitions.ts'),
        import('../custom-fields/values.ts'),
      ])
      return { definitions: await queryClient.fetchQuery(definitionsQuery), toTexts: values.toTexts }
    },
    enabled: isAsked,
    structuralSharing: false,
  })
  return data
}

/** Creates the label of a custom field. A field that was deleted since has its name as its label. */
const createCustomWord = (known: Known, resource: string, names: Names): CustomWord => {
  return (name, value) => {
    const definition = known.definitions.find((one) => one.resource === resource && one.name === name)
    if (!definition) return { label: name, text: formatValue(value, names) }
    // The field may have had another type then.
    return {
      label: definition.label,
      text: known.toTexts(definition, (value ?? undefined) as Value | undefined, names).join(', '),
    }
  }
}

/** Returns the words of the values of an object, and of the values of its addresses. */
export const useCustomWords = (item: Item, names: Names): { readonly own: CustomWord; readonly inside: CustomWord } => {
  const items = useMemo(() => [item], [item])
  const known = useKnown(items)
  return useMemo(
    () => ({
      own: createCustomWord(known, getResource(item.kind), names),
      inside: createCustomWord(known, 'addresses', names),
    }),
    [known, item.kind, names],
  )
}

type Holder = readonly [resource: string, row: WithCustom]

/** Returns the values of an object before and after, and the values of its addresses. */
const listHolders = ({ kind, id, fields }: Item): Holder[] => {
  const { custom, addresses } = fields
  const own = [custom?.from, custom?.to].map(
    (values): Holder => [getResource(kind), { id, custom: values as WithCustom['custom'] }],
  )
  const inside = [addresses?.from, addresses?.to].flatMap((list) =>
    // The value of a device.
    ((list ?? []) as readonly { readonly custom?: WithCustom['custom'] }[]).map(
      (address): Holder => ['addresses', { id, custom: address.custom }],
    ),
  )
  return [...own, ...inside].filter(([, row]) => row.custom)
}

const NO_NAMES: Names = new Map()

/** The names of the objects that values of custom fields refer to. */
export const useReferredNames = (items: readonly Item[]): Names => {
  const { definitions } = useKnown(items)
  const references = useMemo(() => definitions.filter(({ type }) => type === 'reference'), [definitions])
  const holders = useMemo(() => (references.length > 0 ? items.flatMap(listHolders) : []), [references, items])
  const { data = NO_NAMES } = useQuery({
    queryKey: ['custom-fields', 'history-names', references, holders],
    queryFn: async () => {
      const { loadNamesForRows } = await import('../custom-fields/names.ts')
      const resources = [...new Set(references.map(({ resource }) => resource))]
      const all = await Promise.all(
        resources.map((resource: CustomResource) =>
          loadNamesForRows(
            references.filter((one) => one.resource === resource),
            holders.flatMap(([of, row]) => (of === resource ? row : [])),
          ),
        ),
      )
      return new Map(all.flatMap((names) => [...names]))
    },
    enabled: holders.length > 0,
    structuralSharing: false,
  })
  return data
}
