/** A resource as its facts declare it: how it is read and written, its form, and the names of the objects that it refers to. */
import type { ReactNode } from 'react'
import type { RESOURCES } from '../../../src/inventory/resources.ts'
import { listFields, type ResourceFacts } from '../../../src/resource/facts.ts'
import { buildCustomControl } from '../custom-fields/known-custom.tsx'
import type { CustomResource } from '../custom-fields/values.ts'
import { RESOURCE_KEYS } from '../live/keys.ts'
import { TimeAgo } from '../ui/primitives.tsx'
import { createCrud } from './crud.ts'
import { buildFormFields, type Fields, getColumnId, listColumnFields } from './fields.ts'
import { buildFields, type Names } from './from-facts.ts'
import { getOperations } from './lists.ts'
import { ReferenceControl, type ReferenceFacts } from './reference-control.tsx'
import type { ControlInput, FieldSpec, Resource } from './resource.ts'

type Operations = Parameters<typeof createCrud>[0]

export type DeclaredFacts = (typeof RESOURCES)[number]

/** An object of any resource. Its other fields are read by their names. */
export type Item = { readonly id: string; readonly managed_by: string }

export const buildDeclaredFields = (facts: DeclaredFacts, names?: Names): Fields<Item> =>
  // Without differences, the type of the objects does not matter.
  buildFields<DeclaredFacts, Item>(facts, {}, { names })

/** @param isFixed of a reference that a change of the object leaves as it is */
const buildReferenceControl = (label: string, facts: ReferenceFacts, isFixed: boolean): Partial<FieldSpec> => ({
  isShown: (_, isNew) => isNew || !isFixed,
  render: (input: ControlInput): ReactNode => <ReferenceControl {...input} label={label} facts={facts} />,
})

export const buildDeclaredResource = (facts: DeclaredFacts): Resource<Item> => {
  const { name, noun, label = 'name', custom, customOf = name, fixed = [] }: ResourceFacts = facts
  const fields = buildDeclaredFields(facts)
  const labels: Readonly<Record<string, { readonly label: string }>> = fields
  const controls = listFields(facts).flatMap(([field, one]) =>
    one.type === 'reference'
      ? [[field, buildReferenceControl(labels[field]?.label ?? field, one, fixed.includes(field))] as const]
      : [],
  )
  return {
    noun,
    fields: buildFormFields(fields, [], {
      ...Object.fromEntries(controls),
      // A resource with custom fields, or the resource of their definitions.
      ...(custom !== undefined && { custom: buildCustomControl(customOf as CustomResource) }),
    }),
    getName: (item) => String(Reflect.get(item, label) ?? ''),
    // Every resource has these operations, and its objects are what `get` answers.
    ...(createCrud(getOperations(facts.name) as Operations) as Omit<
      Resource<Item>,
      'noun' | 'fields' | 'getName' | 'changes'
    >),
    changes: RESOURCE_KEYS[name] ?? [name],
  }
}

/** Moments are shown as the time since, or until them. */
export const buildCells = (facts: DeclaredFacts): Readonly<Record<string, (row: Item) => ReactNode>> => {
  const moments = listFields(facts).flatMap(([name, { type }]) => (type === 'moment' ? name : []))
  return Object.fromEntries(
    [...moments, 'updated_at'].map((name) => [
      name,
      (row: Item) => {
        const at: unknown = Reflect.get(row, name)
        return typeof at === 'string' ? <TimeAgo at={at} /> : null
      },
    ]),
  )
}

/** Returns the ids of the columns that are shown at first: those of the command line. */
export const listDefaultColumns = (facts: DeclaredFacts, fields: Fields<Item>): readonly string[] => {
  const shown: readonly string[] = facts.columns
  return listColumnFields(fields).flatMap((one) => (shown.includes(one.name) ? getColumnId(one) : []))
}

/** Names the first two fields that words are searched in. @example 'Name or location' */
export const describeSearch = (fields: Fields<Item>): string => {
  const searched = listColumnFields(fields).filter(({ field }) => field.isSearched !== false)
  const [first = '', ...others] = searched.slice(0, 2).map(({ field }) => field.label)
  return [first, ...others.map((label) => label.replace(/^[A-Z](?=[a-z])/, (capital) => capital.toLowerCase()))].join(
    ' or ',
  )
}

/** Returns the id of the column by which the list is sorted at first. */
export const getFirstSort = ({ order = [], label = 'name' }: ResourceFacts, fields: Fields<Item>): string => {
  const first = order[0] ?? label
  const found = listColumnFields(fields).find(({ name }) => name === first)
  return found ? getColumnId(found) : first
}
