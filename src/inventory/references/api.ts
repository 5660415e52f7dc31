/** The contract of references from the other end: what names an object. Made from the registry. Browser-safe. */
import { z } from 'zod'
import { idOf, Page } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { type BuiltInTarget, isReferenceTarget } from '../../resource/custom/fields.ts'
import type { ResourceFacts } from '../../resource/facts.ts'
import { FACTS, INVENTORY, RESOURCES, type Resource } from '../resources.ts'

/** A resource with objects that references may name. */
export type Referenced = BuiltInTarget | 'objects'
export const REFERENCED: readonly Referenced[] = INVENTORY.filter(
  (resource): resource is Referenced => resource === 'objects' || isReferenceTarget(resource),
)

/** The resources with objects that have values of custom fields. */
export const HOLDERS: readonly Resource[] = RESOURCES.filter((facts: ResourceFacts) => facts.custom !== undefined).map(
  ({ name }) => name,
)

/** In the order of answers. The addresses of a device have values of their own. */
export const COUNTED = HOLDERS.flatMap((resource) =>
  resource === 'devices' ? ([resource, 'addresses'] as const) : [resource],
)
export type Counted = (typeof COUNTED)[number]

export const Reference = z
  .object({
    resource: z.enum(COUNTED).describe('The resource of these objects; `addresses` for addresses of devices'),
    kind_id: z.string().nullable().describe('The kind of these objects, if their resource is `objects`'),
    field: z.string().describe('The field that names this object, such as `custom.tenant`'),
    label: z.string().describe('The label of the field'),
    objects: z.int().describe('How many of the objects that you may list name this object'),
  })
  .meta({ id: 'Reference', columns: ['resource', 'kind_id', 'field', 'label', 'objects'] })
export type Reference = z.infer<typeof Reference>

const defineReferences = (resource: Referenced) => {
  const { noun } = FACTS[resource]
  return operation({
    name: `${resource}.references`,
    summary: `Count what refers to ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}, by field`,
    description: 'The list of a resource has the objects themselves: `GET /api/devices?custom.tenant=ID`.',
    http: `GET /api/${resource}/{id}/references`,
    supportsAsOf: true,
    access: `${resource}:read`,
    scope: 'checkPath',
    shows: HOLDERS,
    input: () => z.object({ id: idOf(resource), ...Page }),
    output: () => z.array(Reference),
  })
}

/** The references to the objects of each resource. */
export const references =
  // One for each of the resources.
  Object.fromEntries(REFERENCED.map((resource) => [resource, defineReferences(resource)])) as {
    readonly [R in Referenced]: ReturnType<typeof defineReferences>
  }
