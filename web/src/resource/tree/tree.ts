/** Trees of objects that name the one above: datacenters, and objects of nested kinds. Pure functions. */
import { toSortKey } from '../../../../src/net/name-order.ts'

type Node = { readonly id: string; readonly name: string; readonly parent_id?: string | null | undefined }

/** Returns for each object the ones above it, the highest first. One that is above itself ends the path. */
export const buildPaths = <T extends Node>(objects: readonly T[]): ReadonlyMap<string, readonly T[]> => {
  const byId = new Map(objects.map((one) => [one.id, one]))
  const listAbove = ({ parent_id }: T): T[] => {
    const above: T[] = []
    for (let one = byId.get(parent_id ?? ''); one && !above.includes(one); one = byId.get(one.parent_id ?? ''))
      above.unshift(one)
    return above
  }
  return new Map(objects.map((one) => [one.id, listAbove(one)]))
}

/** Returns the text by which objects are sorted as a tree: each stands before the ones below it. */
export const buildTreeKey = (path: readonly Node[], { name }: Pick<Node, 'name'>): string =>
  [...path.map((one) => one.name), name].map(toSortKey).join('\n')

/** Returns the ids of an object and of all below it. */
export const listBelow = (id: string, objects: readonly Node[]): ReadonlySet<string> => {
  const children = Map.groupBy(objects, ({ parent_id }) => parent_id ?? '')
  const found = new Set([id])
  // The set grows while it is read.
  for (const one of found) for (const child of children.get(one) ?? []) found.add(child.id)
  return found
}
