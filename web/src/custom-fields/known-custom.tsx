/** Custom fields in the pages of objects. Before there is a definition, nothing is requested and nothing is shown. */
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import type { FieldSpec } from '../resource/resource.ts'
import { useIsInUse } from '../shell/me.ts'
import { type CustomFieldsProps, formatCustom, parseCustomInput } from './known-text.ts'
import type { CustomResource, FactsProps } from './values.ts'

const ValueFields = lazy(() => import('./value-fields.tsx').then((module) => ({ default: module.ValueFields })))
const ValueFacts = lazy(() => import('./value-facts.tsx').then((module) => ({ default: module.ValueFacts })))

/** Returns the columns, filters and orders of a list by custom fields; undefined without any. @param list `devices` */
export const useCustom = (list: string) => {
  const isInUse = useIsInUse('custom-fields')
  const { data } = useQuery({
    queryKey: ['custom-fields', list],
    queryFn: async () => (await import('./list.tsx')).loadCustomList(list),
    enabled: isInUse,
    // Names and functions are compared by identity.
    structuralSharing: false,
  })
  return data ?? undefined
}

/** The controls of a form. */
export const CustomFields = (props: CustomFieldsProps) =>
  useIsInUse('custom-fields') ? (
    <Suspense>
      <ValueFields {...props} />
    </Suspense>
  ) : null

/** The values of an object. */
export const CustomFacts = (props: FactsProps) =>
  props.object.custom ? (
    <Suspense>
      <ValueFacts {...props} />
    </Suspense>
  ) : null

/** Builds the field `custom` of a form. */
export const buildCustomControl = (resource: CustomResource): Partial<FieldSpec> => ({
  isShown: () => true,
  read: formatCustom,
  send: parseCustomInput,
  render: (input) => <CustomFields resource={resource} {...input} />,
})

export const buildCustomSpec = (resource: CustomResource): FieldSpec => ({
  name: 'custom',
  label: 'Custom fields',
  ...buildCustomControl(resource),
})
