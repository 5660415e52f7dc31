/** The natural keys of resources, from the identity in their facts. */

import { FACTS, RESOURCES, type Resource } from '../../inventory/resources.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { createKeyBuilder } from '../../resource/columns.ts'
import type { ResourceFacts } from '../../resource/facts.ts'
import { objectStore, type StoredObject } from '../../resource/store.ts'

/** The natural keys of a resource with objects that differ by some of their fields together. */
export type Unique = {
  /** @param draft a row that its schema has accepted */
  readonly buildKey: (draft: unknown) => string
  readonly findIdsByKeys: (ctx: Ctx, keys: readonly string[]) => Promise<Map<string, string>>
}

const buildUnique = (facts: ResourceFacts): Unique | undefined => {
  const buildKey = createKeyBuilder(facts)
  if (!buildKey) return undefined
  const { findIdsByKeys } = objectStore<ResourceFacts, StoredObject>(facts)
  return { buildKey: (draft) => buildKey(draft as object), findIdsByKeys }
}

const KEYS: ReadonlyMap<string, Unique | undefined> = new Map(
  RESOURCES.map((facts) => [facts.name, buildUnique(FACTS[facts.name])]),
)

/** Returns the natural keys of a resource; undefined without an identity. */
export const findUniqueKeys = (resource: Resource): Unique | undefined => KEYS.get(resource)
