/** The registry of kinds covers what is kept, and no document holds a secret. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { worldSuite } from '../../../testing/estates/world.ts'
import { contracts } from '../../app/contracts.ts'
import { isSecretName } from '../../base/runtime/redaction.ts'
import { toSingular } from '../../contract/command-name.ts'
import { listCrudResources } from '../../kernel/crud-resources.ts'
import type { AnyOperation } from '../../kernel/operation.ts'
import { CATALOGUE } from '../../people/roles/catalogue.ts'
import { KIND_NAMES, KINDS } from './kind-names.ts'

const operations = Object.values(contracts).flatMap((set) => Object.values<AnyOperation>(set))
const nounOf = ({ name }: AnyOperation): string => name.slice(0, name.indexOf('.'))
const BY_HAND = /\.(create|update|delete)$/
const kept = operations.filter(({ hasHistory, name }) => hasHistory && BY_HAND.test(name))

/** Resources that an undo must not bring back: secrets, rights and the connections to other programs. Their changes are in the audit trail. */
const WITHOUT_HISTORY = [
  ...[
    'credentials',
    'dns-providers',
    'dns-records',
    'dns-zones',
    'feeds',
    'groups',
    'policies',
    'roles',
    'scopes',
    'sources',
    'sso-providers',
    'users',
    'webhooks',
  ],
]

test('a resource has a history, or is declared to have none', () => {
  const kinds = new Set<string>(KINDS)
  const missing = [...new Set([...listCrudResources(contracts).map(({ name }) => name), ...kept.map(nounOf)])]
    .filter((name) => !kinds.has(toSingular(name)) && !WITHOUT_HISTORY.includes(name))
    .map((name) => `${name} has no history: add it to INVENTORY in src/inventory/resources.ts`)
  expect(missing).toEqual([])
})

test('the writes of the inventory are kept, and its reads have a past', () => {
  const missing = operations
    .filter((op) => KINDS.some((kind) => kind === toSingular(nounOf(op))))
    .flatMap((op) => {
      const flag = BY_HAND.test(op.name) ? 'hasHistory' : /^\w+\.(list|get)$/.test(op.name) ? 'supportsAsOf' : undefined
      return flag === undefined || op[flag] ? [] : [`${op.name} has no "${flag}: true" in ${fileOf(op)}`]
    })
  expect(missing).toEqual([])
})

const fileOf = (op: AnyOperation): string => `src/inventory/${nounOf(op)}`

test('the permissions of the kinds are in the catalog', () => {
  const known = new Set<string>(CATALOGUE.map(({ name }) => name))
  const asked = Object.values(KIND_NAMES).flatMap(({ read, permissions }) => [read, ...Object.values(permissions)])
  expect(asked.filter((permission) => !known.has(permission))).toEqual([])
})

/** The permission of an operation that creates, updates or deletes an object of a kind. */
const byHand = kept.flatMap((op) => {
  const kind = KINDS.find((one) => one === toSingular(nounOf(op)))
  return kind && typeof op.access === 'string' ? [[op.name, kind, op.effect, op.access] as const] : []
})
test.each(byHand)('an undo needs the permission of %s', (_, kind, effect, access) => {
  expect(KIND_NAMES[kind].permissions[effect as 'create' | 'update' | 'delete']).toBe(access as never)
})

const namesIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => [...(Array.isArray(value) ? [] : [name]), ...namesIn(inner)])
    : []

describe('documents', () => {
  const world = worldSuite()
  beforeAll(async () => {
    await world.admin.api.discoveryLocks.create({ device_id: world.ids.devices ?? '', field: 'hostname' })
  })

  test.each([...KINDS])('of a %s have no field with the name of a secret', async (kind) => {
    const [change] = await world.admin.api.history.list({ kind, limit: 1 })
    const { items = [] } = await world.admin.api.history.get({ id: change?.id ?? '' })
    const names = items.filter((item) => item.kind === kind).flatMap(({ fields }) => namesIn(fields))
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter(isSecretName)).toEqual([])
  })
})
