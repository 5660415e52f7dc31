// The tables in plans: each table is declared, with the rows that the database deletes along, and without secrets.
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { contracts } from '../../app/contracts.ts'
import { isSecretName } from '../../base/runtime/redaction.ts'
import { toJsonSchema } from '../../contract/json-schema.ts'
import type { AnyOperation } from '../../kernel/operation.ts'
import { CATALOGUE } from '../../people/roles/catalogue.ts'
import { resolveReferences } from '../../surfaces/mcp/signature.ts'
import { needsPlan } from '../../surfaces/mcp/tools.ts'
import { PLAN_TABLES, SHOWN_KINDS } from './plan-tables.ts'

/**
 * Tables with rows that belong to a declared object and change with it, and internal tables: outbox, counters and caches. Every table is
 * declared here or in plan-tables.ts.
 */
const NOT_SHOWN: ReadonlySet<string> = new Set([
  'addresses',
  'area_scopes',
  'areas',
  'cable_ends',
  'device_domains',
  'device_tags',
  'network_addresses',
  'pool_tags',
  'role_permissions',
  'changes',
  'history',
  'conflict_members',
  'custom_values',
  'discovered_addresses',
  'discovered_identities',
  'discovered_texts',
  'discovery_changes',
  'discovery_links',
  'discovery_scan_states',
  'oauth_access_tokens',
  'oauth_client_uses',
  'oauth_codes',
  'oauth_grant_uses',
  'oauth_refresh_tokens',
  'api_key_uses',
  'session_expiries',
  'ended_sessions',
  'recovery_codes',
  'sso_states',
  'sso_sessions',
  'sso_seen',
  'device_codes',
  'factor_failures',
  'factor_challenges',
  'address_blocks',
  'audit',
  'audit_chains',
  'changes',
  'dns_changes',
  'dns_reports',
  'dns_rrsets',
  'dns_zone_states',
  'events',
  'history',
  'history_extent',
  'idempotency_keys',
  'job_leases',
  'migrations',
  'plans',
  'pool_alarms',
  'refs',
  'revisions',
  'secret_checks',
  'space_keys',
  'sign_in_keys',
  'utilization_samples',
  'webhook_purges',
])

const schema = await Bun.file(join(import.meta.dirname, '../../../golden/schema.sqlite.sql')).text()
const tables = new Map(
  [...schema.matchAll(/^CREATE TABLE (\w+) \(([\s\S]*?)\n?\)(?: WITHOUT ROWID)?;$/gm)].map(
    ([, name = '', body = '']) => [name, body],
  ),
)
const planned = Object.values(contracts)
  .flatMap((set) => Object.values<AnyOperation>(set))
  .filter((op) => needsPlan(op) && op.mcp !== 'hidden')

test('every table is shown or declared as hidden', () => {
  const unknown = [...tables.keys()].filter((name) => !Object.hasOwn(PLAN_TABLES, name) && !NOT_SHOWN.has(name))
  expect(unknown).toEqual([])
})

test('no declared table is missing in the schema', () => {
  expect([...Object.keys(PLAN_TABLES), ...NOT_SHOWN].filter((name) => !tables.has(name))).toEqual([])
})

test('tables with cascades are shown', () => {
  const cascades = [...tables].flatMap(([child, body]) =>
    [...body.matchAll(/(\w+) TEXT[^,]*? REFERENCES (\w+) \(id\) ON DELETE CASCADE/g)].map(
      ([, column = '', parent = '']) => ({ parent, child, column }),
    ),
  )
  const missing = cascades.filter(
    ({ parent, child, column }) =>
      Object.hasOwn(PLAN_TABLES, child) &&
      !PLAN_TABLES[parent]?.cascades?.some((one) => one.table === child && one.column === column),
  )
  expect(cascades.length).toBeGreaterThan(10)
  expect(missing).toEqual([])
})

test('the permissions equal the permissions of the catalogue', () => {
  const known = new Set<string>(CATALOGUE.map(({ name }) => name))
  const asked = [...Object.values(PLAN_TABLES), ...Object.values(SHOWN_KINDS)].flatMap(
    ({ permission }) => permission ?? [],
  )
  expect(asked.filter((permission) => !known.has(permission))).toEqual([])
})

const secretsIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return []
  const own = Object.keys('properties' in value && value.properties ? value.properties : {}).filter(isSecretName)
  return [...own, ...Object.values(value).flatMap(secretsIn)]
}

describe.each(planned.map((op) => [op.name, op] as const))('a plan of %s', (_, op) => {
  test('stores no secret, because it stores its input', () => {
    const { schema, definitions } = toJsonSchema(op.input, 'input')
    expect(secretsIn(resolveReferences(schema, definitions))).toEqual([])
  })
})
