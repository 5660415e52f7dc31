/** Reads the sets, names and definitions of an endpoint before its items are made. */
import type { Kind } from '../numbers/kinds.ts'
import type { NamedObject, SmallSet } from './small-set.ts'
import type { World } from './world.ts'

type Needs = {
  readonly sets: readonly SmallSet<NamedObject>[]
  readonly names: readonly Kind[]
  /** The resources of custom fields. */
  readonly definitions: readonly string[]
}

export const prepareWorld = async (world: World, { sets, names, definitions }: Needs): Promise<void> => {
  await world.readDefinitions(definitions)
  for (const set of sets) await world.read(set)
  await world.readNames(names)
}
