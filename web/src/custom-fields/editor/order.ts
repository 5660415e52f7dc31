/** The order of the fields of a resource, by group and position. Pure functions. */
import { compareNames, sortByName } from '../../../../src/net/name-order.ts'
import type { CustomField } from '../../../../src/resource/custom/schema.ts'

export type Ordered = Pick<CustomField, 'id' | 'name' | 'group' | 'position'>

/** A place among the fields of a group. */
export type Place = { readonly group: string; readonly index: number }

/** A new position. Only the moved field has a group: the shifted fields keep their group on the server. */
export type Moved = Pick<CustomField, 'id' | 'position'> & Partial<Pick<CustomField, 'group'>>

const compareByPosition = (a: Ordered, b: Ordered): number => a.position - b.position || compareNames(a.name, b.name)

/** Returns the groups in the order of the server: that without a name first, then by name. */
export const listGroupNames = (fields: readonly Ordered[]): string[] =>
  sortByName(new Set(fields.map(({ group }) => group)), (group) => group)

/** Returns the fields of a group in their order. */
export const filterByGroup = <F extends Ordered>(fields: readonly F[], group: string): F[] =>
  fields.filter((one) => one.group === group).sort(compareByPosition)

/** Returns the changed fields when one is moved to a place: the moved field, and all fields with a new position. */
export const move = (fields: readonly Ordered[], id: string, { group, index }: Place): Moved[] => {
  const moved = fields.find((one) => one.id === id)
  if (!moved) return []
  const others = filterByGroup(fields, group).filter((one) => one.id !== id)
  return others.toSpliced(index, 0, moved).flatMap((one, position): Moved[] => {
    const isSame = one.group === group && one.position === position
    return isSame ? [] : [{ id: one.id, position, ...(one.id === id && { group }) }]
  })
}

/**
 * Returns the place one step up or down, of the last field of a group in the next group. Undefined at the end.
 * @param by -1 or 1
 */
export const findNextPlace = (fields: readonly Ordered[], id: string, by: -1 | 1): Place | undefined => {
  const moved = fields.find((one) => one.id === id)
  if (!moved) return undefined
  const own = filterByGroup(fields, moved.group)
  const index = own.findIndex((one) => one.id === id) + by
  if (index >= 0 && index < own.length) return { group: moved.group, index }
  const groups = listGroupNames(fields)
  const group = groups[groups.indexOf(moved.group) + by]
  return group === undefined ? undefined : { group, index: by > 0 ? 0 : filterByGroup(fields, group).length }
}
