import { expect, test } from 'bun:test'
import { contracts } from '../../app/contracts.ts'
import { listPermissions } from '../../kernel/operation.ts'
import { CATALOGUE, findSystemRole, normalizePermission, SYSTEM_ROLES } from './catalogue.ts'

const held = (id: string): readonly string[] => findSystemRole(id)?.permissions ?? []

test('each name is its resource and its action', () => {
  expect(CATALOGUE.filter(({ name, resource, action }) => name !== `${resource}:${action}`)).toEqual([])
})

test('admin holds everything', () => {
  expect([...held('role-admin')]).toEqual(CATALOGUE.map(({ name }) => name))
})

test('operator deletes nothing', () => {
  expect(held('role-operator').filter((name) => name.endsWith(':delete'))).toEqual([])
})

test('viewer only lists and reads', () => {
  expect(held('role-viewer').filter((name) => !/:(list|read)$/.test(name))).toEqual([])
})

test('the system roles are three, with fixed ids', () => {
  expect(SYSTEM_ROLES.map(({ id, name }) => [id, name])).toEqual([
    ['role-admin', 'admin'],
    ['role-operator', 'operator'],
    ['role-viewer', 'viewer'],
  ])
})

test('webhooks is another name of webhook', () => {
  expect(normalizePermission('webhooks:list')).toBe('webhook:list')
  expect(normalizePermission('webhook:list')).toBe('webhook:list')
})

test.each(['*', 'devices:*', 'webhooks:*', 'devices', 'devices:export', '', 'constructor'])(
  '%p is no permission',
  (name) => {
    expect(normalizePermission(name)).toBeUndefined()
  },
)

test('every permission that an operation asks for is in the catalog', () => {
  const asked = Object.values(contracts).flatMap((set) =>
    Object.values(set).flatMap((op) => listPermissions(op.access)),
  )
  expect(asked.filter((name) => normalizePermission(name) !== name)).toEqual([])
})
