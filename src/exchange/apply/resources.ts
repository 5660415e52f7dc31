/** The resources of an estate document: the fields and the natural keys of their rows. */
import { z } from 'zod'
import { idOf } from '../../contract/fields/fields.ts'
import { isFieldOfCall } from '../../contract/fields/history-fields.ts'
import { type FieldSchema, getInputSchema, stripNull } from '../../contract/input-schema.ts'
import { CablePatch } from '../../inventory/cables/api.ts'
import { inventory, listComputed } from '../../inventory/contracts.ts'
import { kindCrud } from '../../inventory/kinds/api.ts'
import { RelationshipDraft, RelationshipPatch } from '../../inventory/relationships/api.ts'
import { FACTS, INVENTORY, isResource, type Resource, toContractName } from '../../inventory/resources.ts'
import { vlanCrud } from '../../inventory/vlans/api.ts'
import type { AnyOperation, OperationSet } from '../../kernel/operation.ts'
import { getNoun, type Kind, toKind } from '../../record/history/kind-names.ts'
import type { ResourceFacts } from '../../resource/facts.ts'

/**
 * A field that holds an id, and the field of a row that names the object in its place: `network_id`, `network`. They are the
 * same where the object has another field of that name.
 */
export type Reference = {
  readonly field: string
  readonly as: string
  readonly resource: Resource
  /** The text, in any case, that means no object. */
  readonly word: string | undefined
}

/** The references of an object, and of the objects in it and in its lists. */
export type Level = {
  readonly references: readonly Reference[]
  readonly objects: readonly (readonly [field: string, level: Level])[]
  readonly lists: readonly (readonly [field: string, level: Level])[]
  /** Set for an address: its network or pool says in which space it is. */
  readonly isPlaced: boolean
}

export type ResourceRules = {
  readonly resource: Resource
  readonly kind: Kind
  /** The singular noun. */
  readonly noun: string
  /** The schema of a row with ids in place of names. */
  readonly draft: z.ZodObject
  /** The fields that an update sets. */
  readonly patch: z.ZodObject
  readonly level: Level
  /** The fields that never change. */
  readonly fixed: readonly string[]
  readonly key: Key
}

/**
 * The natural key of a row without id and ref: a name, fields that no two objects share, or all of its fixed fields.
 * `within`: names repeat in different objects of this field. `apart`: where names repeat, these fields tell them apart.
 */
export type Key = NameKey | { readonly by: 'fixed' } | { readonly by: 'unique' }
export type NameKey = { readonly by: 'name'; readonly within: readonly string[]; readonly apart: readonly string[] }

const removeKernelFields = (schema: z.ZodObject): z.ZodObject =>
  // The mask has the names of the fields. Their types are lost here.
  schema.omit(
    Object.fromEntries(
      Object.keys(schema.shape).flatMap((field) => (isFieldOfCall(field) ? [[field, true]] : [])),
    ) as Record<string, never>,
  )

type Own = Partial<Pick<ResourceRules, 'draft' | 'patch' | 'key'>>

const { device_id: _, ...relationshipFields } = RelationshipDraft.shape

/** The resources with rows that do not follow from their facts. */
const OWN: Partial<Record<Resource, Own>> = {
  // A row of its own defines a custom field.
  kinds: {
    draft: removeKernelFields(kindCrud.Draft),
    patch: removeKernelFields(kindCrud.Patch.omit({ fields: true })),
  },
  // The ends of a stored cable are compared by the key.
  cables: { key: { by: 'unique' }, patch: CablePatch.omit({ a: true, b: true }) },
  relationships: {
    draft: z.object({ parent_id: idOf('devices').min(1).describe('The parent'), ...relationshipFields }),
    patch: RelationshipPatch,
  },
  // The number is a part of the natural key, so a row has it.
  vlans: { draft: removeKernelFields(vlanCrud.Draft) },
}

const SUFFIX = '_id'

/** Returns a level and the levels inside it. */
export const listLevels = (level: Level): readonly Level[] => [
  level,
  ...[...level.objects, ...level.lists].flatMap(([, inner]) => listLevels(inner)),
]

const buildLevel = ({ properties = {} }: FieldSchema): Level => {
  const references: Reference[] = []
  const objects: [string, Level][] = []
  const lists: [string, Level][] = []
  for (const [field, schema] of Object.entries(properties)) {
    const one = stripNull(schema)
    const { ref, word, items } = one
    const short = field.slice(0, -SUFFIX.length)
    if (isResource(ref) && field.endsWith(SUFFIX))
      references.push({ field, as: Object.hasOwn(properties, short) ? field : short, resource: ref, word })
    const own = one.properties && buildLevel(one)
    if (own && own.references.length > 0) objects.push([field, own])
    const inner = items && buildLevel(stripNull(items))
    if (inner && inner.references.length > 0) lists.push([field, inner])
  }
  // An object is read before the objects that it contains.
  references.sort((a, b) => INVENTORY.indexOf(a.resource) - INVENTORY.indexOf(b.resource))
  const has = (field: string) => references.some((one) => one.field === field)
  return { references, objects, lists, isPlaced: has('network_id') && has('space_id') }
}

/** Returns the key by which rows find objects of a resource. */
const buildKey = ({ identity, fixed = [], within = [], apart = [] }: ResourceFacts): Key => {
  if (!identity) return { by: 'name', within, apart }
  return { by: identity.every((field) => fixed.includes(field)) ? 'fixed' : 'unique' }
}

const buildRules = (resource: Resource): ResourceRules => {
  const { create, update }: OperationSet = inventory[toContractName(resource)]
  const own: Own = OWN[resource] ?? {}
  const facts: ResourceFacts = FACTS[resource]
  const getVerbSchema = (op: AnyOperation | undefined): z.ZodObject => {
    if (!op) throw new Error(`${resource} lacks an operation that its rows need`)
    return removeKernelFields(op.input)
  }
  const draft = own.draft ?? getVerbSchema(create)
  return {
    resource,
    kind: toKind(resource),
    noun: getNoun(resource),
    draft,
    patch: own.patch ?? getVerbSchema(update),
    level: buildLevel(getInputSchema(draft)),
    fixed: facts.fixed ?? [],
    key: own.key ?? buildKey(facts),
  }
}

const made = new Map<Resource, ResourceRules>()

/** Made on first use, as the schemas of the operations are. */
export const getRules = (resource: Resource): ResourceRules => {
  const known = made.get(resource) ?? buildRules(resource)
  made.set(resource, known)
  return known
}

const READ_ONLY = ['created_at', 'updated_at', 'created_by', 'utilization', 'network_ids']

/** Returns the fields of an answer that a row may have, and that have no effect. */
export const listReadOnly = (resource: Resource): ReadonlySet<string> =>
  new Set([...READ_ONLY, ...listComputed(resource)])
