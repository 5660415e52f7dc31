/** Calls of the resources that no other file of this folder names, so that a new resource is compared without an edit here. */
import { INVENTORY } from '../../src/inventory/resources.ts'
import { requiredExample } from '../../testing/estates/required-example.ts'
import { type Call, call, operations, refuse } from './engine-pair.ts'

/** Returns the resources of the inventory that are not among the named ones and are made by their required fields. */
export const listNewResources = (named: readonly string[]): readonly string[] =>
  INVENTORY.filter(
    (resource) => !named.includes(resource) && operations.some(({ name }) => name === `${resource}.create`),
  )

/** Returns the reference to the object that `buildNewObjects` makes of a resource. */
export const getNewObject = (resource: string): string => `@{new ${resource}}`

const buildExample = (resource: string) => {
  const create = operations.find(({ name }) => name === `${resource}.create`)
  return create ? requiredExample(create) : {}
}

/** Creates and changes one object of each of the resources. */
export const buildNewObjects = (resources: readonly string[]): readonly Call[] =>
  resources.flatMap((resource) => {
    const example = buildExample(resource)
    return [
      call(`${resource}.create`, example, { save: { [`new ${resource}`]: 'id' } }),
      call(`${resource}.update`, { ...example, id: getNewObject(resource) }),
      refuse(404, `${resource}.update`, { ...example, id: 'unknown' }),
    ]
  })

export const buildNewRemovals = (resources: readonly string[]): readonly Call[] =>
  resources.flatMap((resource) => [
    call(`${resource}.delete`, { id: getNewObject(resource) }),
    refuse(404, `${resource}.delete`, { id: getNewObject(resource) }),
  ])
