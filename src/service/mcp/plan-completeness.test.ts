// A plan counts each object of which the call changes a row: the rows of all tables are compared before and after it is applied.
import { afterAll, describe, expect, spyOn, test } from 'bun:test'
import { sql } from 'kysely'
import { discoveryApp } from '../../../testing/discovery.ts'
import { callTool, Plan } from '../../../testing/mcp.ts'
import { host } from '../../../testing/servers/scripted-scanner.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { isSecretName } from '../../base/runtime/redaction.ts'
import { type ChangedObject, ChangeRecord } from '../../kernel/changes/change-record.ts'

/** The tables with a row for each object of a kind: noun and key. */
const OBJECTS: Readonly<Record<string, readonly [noun: string, ...key: string[]]>> = {
  kinds: ['kind', 'id'],
  objects: ['object', 'id'],
  custom_fields: ['custom field', 'id'],
  spaces: ['address space', 'id'],
  datacenters: ['datacenter', 'id'],
  vlans: ['VLAN', 'id'],
  scanners: ['scanner', 'id'],
  networks: ['network', 'id'],
  pools: ['pool', 'id'],
  device_types: ['device type', 'id'],
  racks: ['rack', 'id'],
  devices: ['device', 'id'],
  ports: ['interface', 'id'],
  cables: ['cable', 'id'],
  relationships: ['relationship', 'parent_id', 'child_id', 'type'],
  reservations: ['reservation', 'id'],
  discovery_rules: ['discovery rule', 'id'],
  discovery_locks: ['field lock', 'device_id', 'field'],
  discovered_devices: ['discovered device', 'id'],
  discovery_scans: ['scan', 'id'],
  conflicts: ['conflict', 'id'],
  webhooks: ['webhook', 'id'],
  users: ['user', 'id'],
  grants: ['granted role', 'id'],
  groups: ['group', 'id'],
  group_members: ['membership', 'group_id', 'user_id', 'source'],
  roles: ['role', 'id'],
  scopes: ['scope', 'id'],
  api_keys: ['API key', 'id'],
  identities: ['identity', 'id'],
  sso_providers: ['sso provider', 'id'],
  credentials: ['credential', 'id'],
  feeds: ['feed', 'id'],
  dns_providers: ['DNS server', 'id'],
  dns_zones: ['DNS zone', 'id'],
  dns_records: ['DNS record', 'id'],
  sources: ['source', 'id'],
  oauth_clients: ['OAuth client', 'id'],
  oauth_grants: ['OAuth consent', 'id'],
  views: ['saved view', 'id'],
}

/** Tables with parts of these objects, and internal ones: outbox, counters and caches. */
const PARTS: ReadonlySet<string> = new Set([
  ...['addresses', 'area_scopes', 'areas', 'cable_ends', 'device_domains', 'device_tags', 'network_addresses'],
  ...['pool_tags', 'role_permissions', 'custom_values', 'refs', 'address_blocks', 'space_keys', 'pool_alarms'],
  ...['conflict_members', 'utilization_samples'],
  ...['discovered_addresses', 'discovered_identities', 'discovered_texts', 'discovery_changes', 'discovery_links'],
  ...['discovered_certificates', 'presence', 'scanner_states', 'scanner_beats'],
  ...['discovery_scan_states', 'discovery_host_keys'],
  ...['oauth_access_tokens', 'oauth_client_uses', 'oauth_codes', 'oauth_grant_uses', 'oauth_refresh_tokens'],
  ...['api_key_uses', 'sessions', 'session_expiries', 'ended_sessions', 'sign_in_keys', 'device_codes'],
  ...['totp', 'passkeys', 'recovery_codes', 'factor_failures', 'factor_challenges'],
  ...['sso_states', 'sso_sessions', 'sso_seen', 'secret_checks', 'view_pins'],
  ...['dns_changes', 'dns_reports', 'dns_rrsets', 'dns_zone_states'],
  ...['source_states', 'source_runs', 'source_objects'],
  ...['changes', 'history', 'history_extent', 'audit', 'audit_chains', 'events', 'idempotency_keys', 'plans'],
  ...['proposals', 'proposal_effects', 'proposal_entries', 'proposal_checks'],
  // No tool writes them.
  'policies',
  ...[
    'webhook_deliveries',
    'webhook_purges',
    'notification_entries',
    'notification_told',
    'netbox_ids',
    'job_leases',
    'migrations',
    'revisions',
  ],
])

/** A secret of a factor, a webhook and a DNS server. */
const SECRET = 'c2VjcmV0IG9mIGFuIG9iamVjdA=='

/** Returns the names of the members with a text as their value. */
const listTextNames = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => (typeof inner === 'string' ? [name] : listTextNames(inner)))
    : []

/** The key by which addresses are sorted. */
const NO_SECRETS: ReadonlySet<string> = new Set(['discovered-device ip_key'])

type Counts = Record<string, Record<string, number>>

describe.each(onSqlite())('the plan on %s', (dialect) => {
  const d = discoveryApp(dialect, {
    ENCRYPTION_KEY: '5a'.repeat(32),
    DISCOVERY_SNMPV2C_ENABLED: 'true',
    PUBLIC_URL: 'https://plat.example',
  })
  const recorded = spyOn(ChangeRecord.prototype, 'plannedItems')
  afterAll(() => recorded.mockRestore())
  let n = 0
  const call = (name: string, args: Record<string, unknown>) =>
    callTool({ fetch: d.app.fetch, key: d.admin.key }, name, args)

  type Rows = ReadonlyMap<string, ReadonlyMap<string, string>>
  const readRows = async (): Promise<Rows> => {
    const rows = new Map<string, ReadonlyMap<string, string>>()
    for (const [table, [, ...key]] of Object.entries(OBJECTS)) {
      const found = await sql<Record<string, unknown>>`SELECT * FROM ${sql.table(table)}`.execute(d.app.db.read)
      rows.set(
        table,
        new Map(found.rows.map((row) => [JSON.stringify(key.map((column) => row[column])), JSON.stringify(row)])),
      )
    }
    return rows
  }
  const countChanges = (before: Rows, after: Rows): Counts => {
    const counts: Counts = {}
    for (const [table, [noun]] of Object.entries(OBJECTS)) {
      const [old, now] = [before.get(table) ?? new Map(), after.get(table) ?? new Map()]
      for (const id of new Set([...old.keys(), ...now.keys()])) {
        if (old.get(id) === now.get(id)) continue
        const verb = !old.has(id) ? 'create' : now.has(id) ? 'update' : 'delete'
        counts[verb] = { ...counts[verb], [noun]: (counts[verb]?.[noun] ?? 0) + 1 }
      }
    }
    return counts
  }

  /** Creates a user with an object of each kind that is deleted with it. */
  const person = async () => {
    const { id } = await d.app.as('viewer').then(({ userId }) => ({ id: userId }))
    const group = await d.api.groups.create({ name: `group ${++n}` })
    await d.api.groups.add({ id: group.id, user_id: id })
    const role = await d.api.roles.create({ name: `role ${n}`, permissions: ['devices:list'] })
    const scope = await d.api.scopes.create({ name: `scope ${n}`, tags: [`tag-${n}`] })
    const grant = await d.api.grants.create({ role_id: role.id, user_id: id, scope_id: scope.id })
    await d.api.grants.create({ role_id: role.id, group_id: group.id })
    await d.api.users.grantRole({ user_id: id, role_id: role.id })
    const provider = await d.api.ssoProviders.create({
      name: `provider ${n}`,
      issuer: `https://issuer-${n}.example`,
      client_secret: SECRET,
      client_id: 'c',
    })
    const at = d.now()
    const owner = { id: Bun.randomUUIDv7(), user_id: id, created_at: at }
    const client_id = Bun.randomUUIDv7()
    await d.app.db.write(async ({ db }) => {
      const lists = { redirect_uris: '[]', grant_types: '[]', response_types: '[]', auth_method: 'none' as const }
      const client = { id: client_id, name: 'c', name_key: 'c', name_order: '', secret_hash: null, scope: '', ...lists }
      await db
        .insertInto('oauth_clients')
        .values({ ...client, created_at: at, consented_at: at })
        .execute()
      const consent = { ...owner, client_id, user_generation: 0, scope: '' }
      await db.insertInto('oauth_grants').values(consent).execute()
      await db
        .insertInto('oauth_grant_uses')
        .values({ grant_id: owner.id, last_used_at: null, expires_at: '2099-01-01T00:00:00.000Z' })
        .execute()
      await db
        .insertInto('identities')
        .values({
          ...{ ...owner, provider_id: provider.id, subject: id, last_login_at: at },
          ...{ logged_out_at: null, linked_by_email: 0 },
        })
        .execute()
      await db
        .insertInto('totp')
        .values({ ...owner, secret: SECRET, last_step: -1, confirmed_at: at, last_used_at: null })
        .execute()
      await db
        .insertInto('passkeys')
        .values({
          ...{ ...owner, credential_id: id, public_key: SECRET, counter: 0, transports: '[]', is_synced: 0 },
          ...{ name: 'p', name_key: 'p', last_used_at: null },
        })
        .execute()
      await db
        .insertInto('sessions')
        .values({
          ...{ ...owner, token_hash: id, user_generation: 0, ip_address: '', user_agent: '', method: 'password' },
          ...{ provider_id: null, ends_at: null },
        })
        .execute()
    })
    return { id, group, role, scope, grant, client_id, consent_id: owner.id }
  }

  const zone = async () => {
    const provider = await d.api.dnsProviders.create({
      ...{ name: `server ${++n}`, host: '192.0.2.1' },
      ...{ tsig_name: 'key.example', tsig_algorithm: 'hmac-sha256', tsig_secret: SECRET },
    })
    const made = await d.api.dnsZones.create({ name: `zone-${n}.example` })
    const record = await d.api.dnsRecords.create({ zone_id: made.id, name: 'www', type: 'A', value: '192.0.2.7' })
    const feed = await d.api.feeds.create({ name: `feed ${n}`, format: 'hosts' })
    await d.api.keys.create({ name: `feed key ${n}`, feed_id: feed.id })
    return { provider, zone: made, record, feed }
  }

  /** Creates a network with an object of each kind that is deleted or changed with it. */
  const network = async () => {
    const { id, at } = await d.network()
    const pool = await d.api.pools.create({ network_id: id, name: 'pool', start_ip: at(10), end_ip: at(20) })
    await d.api.reservations.create({ pool_id: pool.id, ip_address: at(11) })
    const device = await d.api.devices.create({ name: `device ${++n}`, addresses: [{ ip: at(12), network_id: id }] })
    await d.api.devices.create({ name: `twin ${n}`, addresses: [{ ip: at(12), network_id: id }] })
    await d.api.discoveryRules.create({ network_id: id, enabled: false })
    const login = { type: 'snmp_v2c' as const, community: SECRET }
    await d.api.credentials.create({ name: `of the network ${n}`, ...login, network_id: id })
    await d.api.credentials.create({ name: `of the device ${n}`, ...login, device_id: device.id })
    await d.api.discoveryLocks.create({ device_id: device.id, field: 'hostname' })
    const scan_id = await d.scan(
      id,
      [12, 31, 32, 33].map((last) => host(at(last))),
    )
    const found = await d.api.discovery.list({ network_id: id })
    return { id, device, scan_id, found: found.filter(({ ip }) => ip !== at(12)).map((one) => one.id) }
  }

  type Case = readonly [operation: string, input: () => Promise<object>]
  const CASES: readonly Case[] = [
    ['users.delete', async () => ({ id: (await person()).id })],
    ['groups.delete', async () => ({ id: (await person()).group.id })],
    [
      'groups.remove',
      async () => {
        const { group, id } = await person()
        return { id: group.id, user_id: id }
      },
    ],
    ['roles.delete', async () => ({ id: (await person()).role.id })],
    ['scopes.delete', async () => ({ id: (await person()).scope.id })],
    ['grants.delete', async () => ({ id: (await person()).grant.id })],
    ['oauth-clients.delete', async () => ({ id: (await person()).client_id })],
    ['oauth-grants.delete', async () => ({ id: (await person()).consent_id })],
    [
      'keys.delete',
      async () => {
        const { userId } = await d.app.as('viewer')
        return { id: (await d.api.keys.list({ user_id: userId }))[0]?.id }
      },
    ],
    [
      'webhooks.delete',
      async () => {
        const hook = {
          name: `hook ${++n}`,
          url: 'https://192.0.2.1/hook',
          events: ['device.created' as const],
          secret: SECRET,
        }
        return { id: (await d.api.webhooks.create(hook)).id }
      },
    ],
    ['feeds.delete', async () => ({ id: (await zone()).feed.id })],
    ['dns-zones.delete', async () => ({ id: (await zone()).zone.id })],
    ['dns-records.delete', async () => ({ id: (await zone()).record.id })],
    ['sources.delete', async () => ({ id: (await d.api.sources.create({ name: `s ${++n}`, kind: 'docker' })).id })],
    ['dns-providers.delete', async () => ({ id: (await zone()).provider.id })],
    [
      'credentials.delete',
      async () => ({
        id: (await d.api.credentials.create({ name: `c ${++n}`, type: 'snmp_v2c', community: SECRET })).id,
      }),
    ],
    ['networks.delete', async () => ({ id: (await network()).id })],
    ['devices.delete', async () => ({ id: (await network()).device.id })],
    ['scans.delete', async () => ({ id: (await network()).scan_id })],
    ['discovery.delete', async () => ({ id: (await network()).found[0] })],
    ['discovery.delete-many', async () => ({ ids: (await network()).found })],
    ['discovery.clear', async () => ({ network_id: (await network()).id })],
    ['discovery.promote-many', async () => ({ ids: (await network()).found, name: `found-${n}-{n}` })],
    [
      'discovery.merge',
      async () => {
        const [id, ...other_ids] = (await network()).found
        return { id, other_ids }
      },
    ],
    ['inbox.accept', async () => ({ items: (await network()).found.map((id) => ({ id })) })],
    ['inbox.ignore', async () => ({ ids: (await network()).found })],
    [
      'conflicts.delete',
      async () => {
        const { device } = await network()
        const conflict = (await d.api.conflicts.list()).find(({ device_ids }) => device_ids.includes(device.id))
        return { id: conflict?.id }
      },
    ],
    [
      'devices.bulk',
      async () => {
        const { device } = await network()
        const [address] = device.addresses
        return { operations: [{ op: 'create', device: { name: `bulk ${n}`, addresses: [{ ip: address?.ip }] } }] }
      },
    ],
  ]

  test.each(CASES)('of %s counts each object with a changed row', async (operation, prepare) => {
    const input = await prepare()
    d.advance(5000)
    const before = await readRows()
    const plan = Plan.parse((await call('call_operation', { operation, input })).value)
    expect(countChanges(before, await readRows())).toEqual({})
    d.advance(5000)
    const { value } = await call('apply_plan', { plan_id: plan.plan_id })
    const changed = countChanges(before, await readRows())
    expect([plan.changes, value.changes]).toEqual([changed, changed])
    expect(Object.keys(changed)).not.toEqual([])
  })

  test('of a deleted user has the numbers of its sessions and factors', async () => {
    const { id } = await person()
    const plan = Plan.parse((await call('call_operation', { operation: 'users.delete', input: { id } })).value)
    expect(plan.objects.find(({ kind }) => kind === 'user')).toMatchObject({
      change: 'delete',
      fields: {
        sessions: { from: 1, to: null },
        passkeys: { from: 1, to: null },
        authenticator_apps: { from: 1, to: null },
      },
    })
  })

  test('is made of documents without secrets', async () => {
    const items = (
      await Promise.all(recorded.mock.results.map(({ value }) => value as Promise<ChangedObject[]>))
    ).flat()
    const documents = items.flatMap(({ kind, before, after }) =>
      [before, after].flatMap((text) => (text === undefined ? [] : [[kind, JSON.parse(text) as object] as const])),
    )
    const names = new Set(
      documents.flatMap(([kind, document]) => listTextNames(document).map((name) => `${kind} ${name}`)),
    )
    const secret = [...names.difference(NO_SECRETS)].filter((name) =>
      isSecretName(name.slice(name.lastIndexOf(' ') + 1)),
    )
    expect(new Set(documents.map(([kind]) => kind)).size).toBeGreaterThan(20)
    expect(secret).toEqual([])
    const { password_hash } = await d.app.db.read.selectFrom('users').select('password_hash').executeTakeFirstOrThrow()
    const all = JSON.stringify(documents)
    for (const value of [password_hash, SECRET]) expect(all).not.toContain(value)
  })
})

test('every table has objects, or is declared to have their parts', async () => {
  const schema = await Bun.file(new URL('../../../golden/schema.sqlite.sql', import.meta.url)).text()
  const tables = new Set([...schema.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name = '']) => name))
  const declared = new Set([...Object.keys(OBJECTS), ...PARTS])
  expect([...tables.symmetricDifference(declared)]).toEqual([])
})
