/** How requests name objects of a kind: by their number, their slug or their name. */

import type { Kind } from '../numbers/kinds.ts'
import type { NamedObject, SmallSet } from '../world/small-set.ts'
import type { World } from '../world/world.ts'

export type Resolver = {
  readonly kind: Kind
  /** Returns the keys of the objects with these numbers that the caller sees. */
  readonly byNumbers: (world: World, numbers: readonly number[]) => Promise<ReadonlyMap<number, string>>
  /** Returns the keys of the objects with this value of an attribute. */
  readonly byAttribute: (world: World, attribute: string, value: string) => Promise<readonly string[]>
  /** The attributes by which a request may name an object. */
  readonly attributes: readonly string[]
  /** Returns the text that Plat stores for a name. */
  readonly toText?: (world: World, key: string) => string | undefined
  /** Returns the keys of the objects that all of several attributes name, where a single attribute names none. */
  readonly byAttributes?: (world: World, attributes: Readonly<Record<string, unknown>>) => Promise<readonly string[]>
}

/** @param is selects the members of the kind, in a set of several kinds */
export const setResolver = <T extends NamedObject>(kind: Kind, set: SmallSet<T>): Resolver => ({
  kind,
  attributes: ['name', 'slug'],
  byNumbers: async (world, numbers) => {
    const { all } = await world.read(set)
    const wanted = new Set(numbers)
    return new Map(all.flatMap((one) => (one.kind === kind && wanted.has(one.number) ? [[one.number, one.key]] : [])))
  },
  byAttribute: async (world, attribute, value) => {
    const { all } = await world.read(set)
    const isSame = attribute === 'slug' ? (one: { slug: string }) => one.slug === value : undefined
    return all.flatMap((one) => (one.kind === kind && (isSame ? isSame(one) : one.name === value) ? [one.key] : []))
  },
  toText: (world, key) => world.get(set).find(key)?.name,
})
