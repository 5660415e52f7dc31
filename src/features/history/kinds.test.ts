/** The registry of kinds covers what is kept, and no document holds a secret. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { singular } from '../../platform/cli/command-name.ts'
import type { AnyOperation } from '../../platform/operation/operation.ts'
import { isSecretName } from '../../platform/runtime/redaction.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app.ts'
import { contracts } from '../index.ts'
import { PLAN_TABLES } from '../mcp/plan-tables.ts'
import { CATALOGUE } from '../roles/catalogue.ts'
import { KINDS, type Kind, READ_PERMISSIONS } from './api.ts'
import { KIND_RULES } from './kinds.ts'

const BY_HAND = /\.(create|update|delete)$/
const kept = Object.values(contracts)
  .flatMap((set) => Object.values<AnyOperation>(set))
  .filter(({ keeps, name }) => keeps && BY_HAND.test(name))

test('every resource whose writes are kept is a kind', () => {
  const resources = new Set(kept.map(({ name }) => singular(name.slice(0, name.indexOf('.')))))
  const kinds = new Set<string>(KINDS)
  const missing = [...resources]
    .filter((resource) => !kinds.has(resource))
    .map((resource) => `${resource}: add it to KINDS in history/api.ts and to KIND_RULES in history/kinds.ts`)
  expect(resources.size).toBeGreaterThan(5)
  expect(missing).toEqual([])
})

test('the permissions of the kinds are in the catalogue', () => {
  const known = new Set<string>(CATALOGUE.map(({ name }) => name))
  const asked = KINDS.flatMap((kind) => [READ_PERMISSIONS[kind], ...Object.values(KIND_RULES[kind].permissions)])
  expect(asked.filter((permission) => !known.has(permission))).toEqual([])
})

/** The permission of an operation that creates, updates or deletes an object of a kind. */
const byHand = kept.flatMap(({ name, effect, access }) => {
  const kind = KINDS.find((one) => one === singular(name.slice(0, name.indexOf('.'))))
  return kind && typeof access === 'string' ? [[name, kind, effect, access] as const] : []
})
test.each(byHand)('an undo needs the permission of %s', (_, kind, effect, access) => {
  expect(KIND_RULES[kind].permissions[effect as 'create' | 'update' | 'delete']).toBe(access as never)
})

const TABLES: Readonly<Record<Kind, string>> = {
  datacenter: 'datacenters',
  network: 'networks',
  pool: 'pools',
  reservation: 'reservations',
  device: 'devices',
  relationship: 'relationships',
  'discovery-rule': 'discovery_rules',
  'discovery-lock': 'discovery_locks',
}
test.each(Object.entries(TABLES))('a plan calls a %s as the history does', (kind, table) => {
  expect(PLAN_TABLES[table]).toMatchObject({
    noun: KIND_RULES[kind as Kind].noun,
    permission: READ_PERMISSIONS[kind as Kind],
  })
})

const namesIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => [...(Array.isArray(value) ? [] : [name]), ...namesIn(inner)])
    : []

describe('documents', () => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ env: { DISCOVERY_ALLOWED_SUBNETS: '10.0.0.0/8' } })
    admin = await app.as('admin')
    const { id: datacenter_id } = await admin.api.datacenters.create({ name: 'dc' })
    const { id: network_id } = await admin.api.networks.create({ name: 'n', subnet: '10.0.0.0/24', datacenter_id })
    const pool = await admin.api.pools.create({ network_id, name: 'p', start_ip: '10.0.0.10', end_ip: '10.0.0.20' })
    await admin.api.reservations.create({ pool_id: pool.id, ip_address: '10.0.0.11' })
    const device = await admin.api.devices.create({ name: 'd', addresses: [{ ip: '10.0.0.1' }] })
    const other = await admin.api.devices.create({ name: 'e' })
    await admin.api.relationships.create({ device_id: device.id, child_id: other.id, type: 'contains' })
    await admin.api.discoveryRules.create({ network_id, interval_hours: 24, enabled: false })
    await admin.api.discoveryLocks.create({ device_id: device.id, field: 'hostname' })
  })
  afterAll(() => app.close())

  test.each([...KINDS])('of a %s have no field with the name of a secret', async (kind) => {
    const [change] = await admin.api.history.list({ kind, limit: 1 })
    const { items = [] } = await admin.api.history.get({ id: change?.id ?? '' })
    const names = items.filter((item) => item.kind === kind).flatMap(({ fields }) => namesIn(fields))
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter(isSecretName)).toEqual([])
  })
})
