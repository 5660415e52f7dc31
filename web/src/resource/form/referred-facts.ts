/** The parts of objects that references show. The build evaluates this file, so that forms load no facts. */
import { RESOURCES, type Resource } from '../../../../src/inventory/resources.ts'
import type { ResourceFacts } from '../../../../src/resource/facts.ts'
import { toKind } from '../../../../src/resource/nouns.ts'

export type ReferredFacts = {
  /** The type of its objects in answers of the search; absent of a resource that the search does not find. */
  readonly kind?: string
  /** The field that names an object. */
  readonly label: string
  /** The field that tells equal names apart. */
  readonly detail?: string
}

/** By the names of resources. */
export const REFERRED: Readonly<Record<string, ReferredFacts>> = Object.fromEntries(
  RESOURCES.map((facts) => {
    const { label = 'name', detail, search }: ResourceFacts = facts
    const name: Resource = facts.name
    return [name, { label, ...(search && { kind: toKind(name) }), ...(detail !== undefined && { detail }) }]
  }),
)
