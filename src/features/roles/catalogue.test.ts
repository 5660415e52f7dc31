import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { permissionsOf } from '../../platform/operation/operation.ts'
import { contracts } from '../index.ts'
import { CATALOGUE, canonicalPermission, SYSTEM_ROLES, systemRole } from './catalogue.ts'

/** The expected permissions, written out: resource, actions, operator, viewer. */
const DECIDED = `
datacenters LRCUD LR LR
networks LRCUD LRCU LR
pools LRCUD LRCU LR
devices LRCUD LRCU LR
relationships LRCUD LRCU LR
reservations LRCUD LRCU LR
discovery LRCUD LRCU LR
conflicts LRD,detect,resolve LR,detect,resolve LR
webhook LRCUD LR LR
audit LR,export LR -
users LRCUD - -
roles LRCUD - -
apikeys LRCUD - -
oauth-clients LRCUD - -
credentials LRCUD LR LR
dns LRCUD,sync,test LR,test LR
search R R R
dashboard R R R
metrics R R R
events R R R`

const LETTERS: Readonly<Record<string, string>> = { L: 'list', R: 'read', C: 'create', U: 'update', D: 'delete' }

const decided = (column: 1 | 2 | 3): string[] =>
  DECIDED.trim()
    .split('\n')
    .flatMap((line) => {
      const cells = line.split(' ')
      const [letters = '', ...words] = (cells[column] ?? '-').split(',')
      const actions = [...letters].flatMap((letter) => LETTERS[letter] ?? []).concat(words)
      return actions.map((action) => `${cells[0]}:${action}`)
    })
    .sort()

const held = (id: string): readonly string[] => systemRole(id)?.permissions ?? []

test('the catalogue is the decided one, by name', () => {
  expect(CATALOGUE.map(({ name }) => name) as string[]).toEqual(decided(1))
})

test('each name is its resource and its action', () => {
  expect(CATALOGUE.filter(({ name, resource, action }) => name !== `${resource}:${action}`)).toEqual([])
})

test('admin holds everything', () => {
  expect([...held('role-admin')]).toEqual(decided(1))
})

test('operator holds what was decided, and deletes nothing', () => {
  expect([...held('role-operator')]).toEqual(decided(2))
  expect(held('role-operator').filter((name) => name.endsWith(':delete'))).toEqual([])
})

test('viewer holds what was decided, and only lists and reads', () => {
  expect([...held('role-viewer')]).toEqual(decided(3))
  expect(held('role-viewer').filter((name) => !/:(list|read)$/.test(name))).toEqual([])
})

test('the guide shows the same table', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/access.md'), 'utf8')
  const cells = page.split('\n').flatMap((line) => {
    const [, resource, ...columns] = /^\| `([a-z-]+)` \| ([a-z -]+) \| ([a-z -]+) \| ([a-z -]+) \|$/.exec(line) ?? []
    return resource === undefined
      ? []
      : [columns.map((actions) => actions.split(' ').map((one) => `${resource}:${one}`))]
  })
  const shown = (column: number) =>
    cells
      .flatMap((columns) => columns[column] ?? [])
      .filter((name) => !name.endsWith(':-'))
      .sort()
  expect([shown(0), shown(1), shown(2)]).toEqual([decided(1), decided(2), decided(3)])
})

test('the system roles are three, with fixed ids', () => {
  expect(SYSTEM_ROLES.map(({ id, name }) => [id, name])).toEqual([
    ['role-admin', 'admin'],
    ['role-operator', 'operator'],
    ['role-viewer', 'viewer'],
  ])
})

test('webhooks is another name of webhook', () => {
  expect(canonicalPermission('webhooks:list')).toBe('webhook:list')
  expect(canonicalPermission('webhook:list')).toBe('webhook:list')
})

test.each(['*', 'devices:*', 'webhooks:*', 'devices', 'devices:export', '', 'constructor'])(
  '%p is no permission',
  (name) => {
    expect(canonicalPermission(name)).toBeUndefined()
  },
)

test('every permission that an operation asks for is in the catalogue', () => {
  const asked = Object.values(contracts).flatMap((set) => Object.values(set).flatMap((op) => permissionsOf(op.access)))
  expect(asked.filter((name) => canonicalPermission(name) !== name)).toEqual([])
})
