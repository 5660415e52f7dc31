/**
 * The rights with which operations are tried in a transaction that is rolled back. Who may read a resource and propose may try all of its
 * other actions, where both count. Pure.
 */
import { INVENTORY } from '../../inventory/resources.ts'
import type { Caller, ScopeSet } from '../../kernel/caller.ts'
import type { Permission } from '../../kernel/operation.ts'
import { createReach } from '../../kernel/rights/access.ts'
import { CATALOGUE } from '../../people/roles/catalogue.ts'

type Rights = Pick<Caller, 'permissions' | 'scopedPermissions'>

/** Where a permission counts: everywhere, in a part, or nowhere. */
type Part = 'everywhere' | ScopeSet | undefined

const PROPOSE: Permission = 'proposals:create'

/** The resources with writes that can be proposed. Scanners have secrets. */
const RESOURCES: readonly string[] = [
  ...INVENTORY.filter((resource) => resource !== 'scanners'),
  ...['discovery', 'conflicts', 'dns'],
]

const PERMISSIONS: ReadonlyMap<string, readonly Permission[]> = new Map(
  RESOURCES.map((resource) => [resource, CATALOGUE.filter((one) => one.resource === resource).map(({ name }) => name)]),
)

const findPart = ({ permissions, scopedPermissions }: Rights, permission: Permission): Part =>
  permissions.has(permission) ? 'everywhere' : scopedPermissions?.get(permission)

/** Returns the part in which both count. */
const intersect = (one: Part, other: Part): Part => {
  if (one === undefined || other === undefined) return undefined
  if (one === 'everywhere') return other
  if (other === 'everywhere' || other.cacheKey === one.cacheKey) return one
  return createReach(one.areas.intersection(other.areas), [...one.scopes, ...other.scopes])
}

/** Returns the part in which one of both counts. */
const unite = (one: Part, other: ScopeSet): ScopeSet => {
  if (one === undefined || one === 'everywhere' || one.cacheKey === other.cacheKey) return other
  // In one scope of each set of the first or of the second: in one of each pair of sets.
  const scopes = one.scopes.flatMap((some) => other.scopes.map((others) => some.union(others)))
  return createReach(one.areas.union(other.areas), scopes)
}

/** Adds the rights to try. */
export const addRightsToTry = (rights: Rights): Rights => {
  const own = findPart(rights, PROPOSE)
  const everywhere = new Set(rights.permissions)
  const inPart = new Map(rights.scopedPermissions)
  for (const [resource, permissions] of PERMISSIONS) {
    const part = intersect(own, findPart(rights, `${resource}:read`))
    if (part === undefined) continue
    for (const permission of permissions) {
      if (everywhere.has(permission)) continue
      if (part === 'everywhere') {
        everywhere.add(permission)
        inPart.delete(permission)
      } else inPart.set(permission, unite(inPart.get(permission), part))
    }
  }
  return { permissions: everywhere, ...(inPart.size > 0 && { scopedPermissions: inPart }) }
}

/** Returns the caller with the rights to try. */
export const toTrier = ({ scopedPermissions: _, ...caller }: Caller, rights: Rights): Caller => ({
  ...caller,
  ...addRightsToTry(rights),
})
