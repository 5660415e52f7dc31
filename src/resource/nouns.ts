/** The singular nouns of the resources of the inventory: in data, and in texts. Browser-safe, without Zod. */
import { toSingular } from '../contract/command-name.ts'
import { FACTS, type Resource } from '../inventory/resources.ts'

/** The type of the result of `toSingular`. */
type Singular<Noun extends string> = Noun extends `${infer Stem}ies`
  ? `${Stem}y`
  : Noun extends `${infer Stem}s`
    ? Stem
    : Noun

/** The kind of the objects of a resource. */
export type KindOf<R extends Resource> = Singular<R>
export const toKind = <R extends Resource>(resource: R): KindOf<R> =>
  // The type of `toSingular` does not tell the text.
  toSingular(resource) as KindOf<R>

/** Returns the singular noun of the objects of a resource in texts. */
export const getNoun = (resource: Resource): string => FACTS[resource].noun
