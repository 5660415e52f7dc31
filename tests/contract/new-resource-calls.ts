/** Calls of the resources that no other file of this folder names, from their facts: a new resource is compared without an edit here. */
import { FACTS, INVENTORY, type Resource } from '../../src/inventory/resources.ts'
import type { ResourceFacts } from '../../src/resource/facts.ts'
import { type Body, createExamples, type Ids } from '../../testing/estates/examples.ts'
import { type Call, call, compare, operations, refuse } from './engine-pair.ts'

/** Returns the resources of the inventory that are not among the named ones. */
export const listNewResources = (named: readonly string[]): readonly Resource[] =>
  INVENTORY.filter(
    (resource) => !named.includes(resource) && operations.some(({ name }) => name === `${resource}.create`),
  )

/** The names of the objects, which engines may sort in different orders. The first object is used by the other calls. */
const WORDS = ['Zebra', 'äpfel', 'zebra_2', 'Apfel']

/** Returns the reference to an object that `buildNewObjects` makes of a resource. */
export const getNewObject = (resource: string, at = 0): string => `@{new ${resource} ${at}}`

/** Returns the fields of the objects of a resource. @param ids the objects that they refer to */
const buildBodies = (resource: Resource, ids: Ids): readonly Body[] => {
  const counts = {}
  return WORDS.map((word) => createExamples(ids, counts, () => word).build(resource).whole)
}

/** Returns the values of a field in the objects, as filters give them. */
export const listNewValues = (resource: Resource, field: string, ids: Ids): readonly unknown[] => {
  const { [field]: fact } = (FACTS[resource] as ResourceFacts).fields
  const values = buildBodies(resource, ids).flatMap(({ [field]: value }) => (value === undefined ? [] : [value]))
  return fact?.filter === 'equal' ? values : values.flatMap((value) => [value, String(value).toUpperCase()])
}

/** Creates the objects of each of the resources, and changes the first. */
export const buildNewObjects = (resources: readonly Resource[], ids: Ids): readonly Call[] =>
  resources.flatMap((resource) => {
    const bodies = buildBodies(resource, ids)
    const refs = { netbox: `new.${resource}` }
    const change = createExamples(ids, { [resource]: bodies.length }).buildChange(resource)
    const id = getNewObject(resource)
    return [
      ...bodies.map((body, at) =>
        call(
          `${resource}.create`,
          { ...body, ...(at === 0 && { refs, managed_by: 'git' }) },
          { save: { [`new ${resource} ${at}`]: 'id' } },
        ),
      ),
      // A rule of the resource may refuse it before the ref does.
      compare(`${resource}.create`, { ...bodies[0], refs }),
      call(`${resource}.update`, { id, ...change }, { save: { [`changed ${resource}`]: 'header:x-change-id' } }),
      call('history.undo', { id: `@{changed ${resource}}` }),
      refuse(404, `${resource}.update`, { id: 'unknown', ...change }),
      refuse(412, `${resource}.update`, { id, ...change }, { headers: { 'If-Match': '"stale"' } }),
    ]
  })

export const buildNewRemovals = (resources: readonly Resource[]): readonly Call[] =>
  resources.flatMap((resource) => [
    call(
      `${resource}.delete`,
      { id: getNewObject(resource) },
      { save: { [`removed ${resource}`]: 'header:x-change-id' } },
    ),
    refuse(404, `${resource}.delete`, { id: getNewObject(resource) }),
    call('history.undo', { id: `@{removed ${resource}}` }),
    call(`${resource}.delete`, { id: getNewObject(resource) }),
  ])
