/** The natural keys of resources, from the identity in their facts. */

import type { CableDraft } from '../../inventory/cables/api.ts'
import * as cables from '../../inventory/cables/keys.ts'
import type { PortDraft } from '../../inventory/ports/api.ts'
import * as ports from '../../inventory/ports/store.ts'
import { FACTS, INVENTORY, type Resource } from '../../inventory/resources.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { createKeyBuilder } from '../../resource/columns.ts'
import type { CustomFieldDraft } from '../../resource/custom/schema.ts'
import * as customFields from '../../resource/custom/store.ts'
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

/** The natural keys that do not follow from the facts. */
const OWN_KEYS: Partial<Record<Resource, Unique>> = {
  'custom-fields': {
    buildKey: (draft) => customFields.naturalKey(draft as CustomFieldDraft),
    findIdsByKeys: customFields.idsOfKeys,
  },
  ports: { buildKey: (draft) => ports.buildNaturalKey(draft as PortDraft), findIdsByKeys: ports.findIdsByKeys },
  cables: { buildKey: (draft) => cables.buildNaturalKey(draft as CableDraft), findIdsByKeys: cables.findIdsByKeys },
}

const KEYS: ReadonlyMap<string, Unique | undefined> = new Map(
  INVENTORY.map((name) => [name, OWN_KEYS[name] ?? buildUnique(FACTS[name])]),
)

/** Returns the natural keys of a resource; undefined without an identity. */
export const findUniqueKeys = (resource: Resource): Unique | undefined => KEYS.get(resource)
