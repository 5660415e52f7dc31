/** A resource as its facts declare it: how it is read and written, its form, and the names of the objects that it refers to. */
import type { ReactNode } from 'react'
import { listFields, type ResourceFacts } from '../../../src/resource/facts.ts'
import { TimeAgo } from '../ui/primitives.tsx'
import { buildResource, type DeclaredFacts } from './build-resource.ts'
import { buildFields, type Names } from './facts/from-facts.ts'
import { type Fields, getColumnId, listColumnFields } from './fields.ts'
import type { Resource, Values } from './resource.ts'

/** An object of any resource. Its other fields are read by their names. */
export type Item = { readonly id: string; readonly managed_by: string }

export const buildDeclaredFields = (facts: DeclaredFacts, names?: Names): Fields<Item> =>
  // Without differences, the type of the objects does not matter.
  buildFields<DeclaredFacts, Item>(facts, {}, { names })

/** A change of an object leaves its fixed references as they are. */
export const buildDeclaredResource = (facts: DeclaredFacts): Resource<Item> => {
  const { fixed = [] }: ResourceFacts = facts
  const controls = listFields(facts).flatMap(([field, { type }]) =>
    type === 'reference' && fixed.includes(field)
      ? [[field, { isShown: (_: Values, isNew: boolean) => isNew }] as const]
      : [],
  )
  return buildResource(facts, buildDeclaredFields(facts), { controls: Object.fromEntries(controls) })
}

/** Moments are shown as the time since, or until them. */
export const buildCells = (facts: DeclaredFacts): Readonly<Record<string, (row: Item) => ReactNode>> => {
  const moments = listFields(facts).flatMap(([name, { type }]) => (type === 'moment' ? name : []))
  return Object.fromEntries(
    moments.map((name) => [
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
