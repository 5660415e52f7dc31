/** The labels of custom fields in changes, and the texts of their values. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { CustomField } from '../../../src/resource/custom/schema.ts'
import type { HistoryItem } from '../api/contracts.ts'
import { queryClient } from '../api/queries.ts'
import type { toTexts, Value } from '../custom-fields/values.ts'
import { useIsInUse } from '../shell/me.ts'
import { type CustomWord, formatValue, type Names } from './labels.ts'

type Item = Pick<HistoryItem, 'kind' | 'id' | 'fields'>

/** The definitions, with the code that reads their values. */
type Known = { readonly definitions: readonly CustomField[]; readonly toTexts: typeof toTexts }

const NOTHING: Known = { definitions: [], toTexts: () => [] }

/** Returns the kind of an object: items of objects carry it, and a new one has it among its fields. */
const getKindId = (item: Item): string => String(Reflect.get(item, 'kind_id') ?? item.fields.kind_id?.to ?? '')

/** Returns the resource or kind that defines the custom fields of an object. */
const getResource = (item: Item): string => {
  if (item.kind === 'object') return getKindId(item)
  return item.kind === 'reservation' ? 'addresses' : `${item.kind}s`
}

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
  const resource = getResource(item)
  return useMemo(
    () => ({
      own: createCustomWord(known, resource, names),
      inside: createCustomWord(known, 'addresses', names),
    }),
    [known, resource, names],
  )
}
