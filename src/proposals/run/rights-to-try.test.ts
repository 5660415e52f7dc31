import { expect, test } from 'bun:test'
import type { ScopeSet } from '../../kernel/caller.ts'
import type { Permission } from '../../kernel/operation.ts'
import { createReach } from '../../kernel/rights/access.ts'
import { addRightsToTry } from './rights-to-try.ts'

const everywhere = (...permissions: Permission[]) => ({ permissions: new Set<string>(permissions) })

const createSet = (areas: readonly number[], ...scopes: readonly string[][]): ScopeSet =>
  createReach(
    new Set(areas),
    scopes.map((some) => new Set(some)),
  )

const inPart = (parts: Readonly<Record<Permission, ScopeSet>>, ...permissions: Permission[]) => ({
  permissions: new Set<string>(permissions),
  // The keys of the record are permissions.
  scopedPermissions: new Map(Object.entries(parts) as [Permission, ScopeSet][]),
})

test('a caller who reads a resource and proposes tries its other actions', () => {
  const { permissions, scopedPermissions } = addRightsToTry(everywhere('proposals:create', 'devices:read'))
  expect([...permissions].sort()).toEqual([
    ...['devices:create', 'devices:delete', 'devices:list', 'devices:read', 'devices:update'],
    'proposals:create',
  ])
  expect(scopedPermissions).toBeUndefined()
})

test('a caller who may not propose tries nothing else', () => {
  expect([...addRightsToTry(everywhere('devices:read')).permissions]).toEqual(['devices:read'])
})

test.each(['scanners:read', 'users:read', 'webhook:read', 'sources:read', 'credentials:read'] as const)(
  '%s adds no write of accounts, secrets and scanners',
  (read) => {
    const { permissions } = addRightsToTry(everywhere('proposals:create', read))
    expect([...permissions]).toEqual(['proposals:create', read])
  },
)

test('a permission to propose in a scope limits the trial to that scope', () => {
  const own = createSet([1, 2], ['a'])
  const { permissions, scopedPermissions } = addRightsToTry(inPart({ 'proposals:create': own }, 'devices:read'))
  expect([...permissions]).toEqual(['devices:read'])
  expect(scopedPermissions?.get('devices:update')).toEqual(own)
})

test('of two scopes an object must be in both', () => {
  const rights = inPart({ 'proposals:create': createSet([1, 2], ['a']), 'devices:read': createSet([2, 3], ['b']) })
  const { scopedPermissions } = addRightsToTry(rights)
  expect(scopedPermissions?.get('devices:delete')).toEqual(createSet([2], ['a'], ['b']))
})

test('a write that is held in another scope counts in either', () => {
  const rights = inPart(
    { 'devices:update': createSet([5], ['c']), 'devices:read': createSet([2], ['b']) },
    'proposals:create',
  )
  expect(addRightsToTry(rights).scopedPermissions?.get('devices:update')).toEqual(createSet([2, 5], ['b', 'c']))
})

test('a write that is held everywhere stays held everywhere', () => {
  const rights = inPart({ 'devices:read': createSet([2], ['b']) }, 'proposals:create', 'devices:update')
  const { permissions, scopedPermissions } = addRightsToTry(rights)
  expect(permissions.has('devices:update')).toBe(true)
  expect(scopedPermissions?.has('devices:update')).toBe(false)
})
