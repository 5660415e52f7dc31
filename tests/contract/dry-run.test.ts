/** Checks the dry run of every write of the registry that has one, and that all other requests refuse it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { z } from 'zod'
import { contracts, routes } from '../../src/app/contracts.ts'
import { createPasswords } from '../../src/base/security/passwords.ts'
import { parseHttp } from '../../src/kernel/http-route.ts'
import type { AnyOperation, RawRoute } from '../../src/kernel/operation.ts'
import { buildSpec } from '../../src/surfaces/cli/parse/operation-spec.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { requiredExamples } from '../../testing/estates/required-example.ts'
import {
  host,
  type ScriptedScanner,
  scanOnce,
  scriptedScanner,
  snmpFacts,
} from '../../testing/servers/scripted-scanner.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

const operations: readonly AnyOperation[] = Object.values(contracts).flatMap((set) => Object.values<AnyOperation>(set))
const kept = operations.filter(({ hasHistory }) => hasHistory)
const named = <One extends { readonly name: string }>(some: readonly One[]) =>
  some.map((one): [string, One] => [one.name, one])

type Call = { readonly path: string; readonly body?: object; readonly headers?: Record<string, string> }

/** Creates one of each resource that `prepare` does not know, and returns the calls of its writes. */
const prepareOthers = async ({ request }: TestCaller, prepared: Readonly<Record<string, Call>>) => {
  const calls: Record<string, Call> = {}
  for (const { resource, path, body } of requiredExamples(
    Object.keys(prepared).map((name) => name.split('.')[0] ?? ''),
  )) {
    const { id } = (await (await request('POST', path, { ...body, name: 'made' })).json()) as { id: string }
    calls[`${resource}.create`] = { path, body: { ...body, name: 'new' } }
    calls[`${resource}.update`] = { path: `${path}/${id}`, body: { name: 'changed' } }
    calls[`${resource}.delete`] = { path: `${path}/${id}` }
  }
  return calls
}

/** Creates one of every object, and returns a call for each operation that would change something. */
const prepare = async (caller: TestCaller, scanner: ScriptedScanner): Promise<Readonly<Record<string, Call>>> => {
  const { api } = caller
  const space = await api.spaces.create({ name: 'space' })
  const datacenter = await api.datacenters.create({ name: 'dc' })
  const vlan = await api.vlans.create({ vlan_id: 10, name: 'v', datacenter_id: datacenter.id })
  const network = await api.networks.create({ name: 'net', subnet: '10.0.0.0/24', datacenter_id: datacenter.id })
  const pool = await api.pools.create({ network_id: network.id, name: 'p', start_ip: '10.0.0.10', end_ip: '10.0.0.99' })
  const reservation = await api.reservations.create({ pool_id: pool.id, ip_address: '10.0.0.20' })
  const field = await api.customFields.create({ resource: 'devices', name: 'field', type: 'text' })
  const addresses = [{ ip: '10.0.0.11', pool_id: pool.id }]
  const device = await api.devices.create({ name: 'one', addresses, datacenter_id: datacenter.id })
  const other = await api.devices.create({ name: 'other', addresses: [{ ip: '10.0.0.11' }] })
  await api.relationships.create({ device_id: device.id, child_id: other.id, type: 'contains' })
  const interfaces = [{ index: 1, name: 'eth0', mac: '', addresses: [] }]
  const agent = host('127.9.0.2', { snmp: snmpFacts({ interfaces }) })
  const found = await scanOnce(scanner, caller, [host('127.9.0.1'), agent])
  const reporting = await api.devices.create({ name: 'reporting', addresses: [{ ip: '127.9.0.2' }] })
  const rule = await api.discoveryRules.create({ network_id: found.network, enabled: false })
  await api.discoveryLocks.create({ device_id: device.id, field: 'hostname' })
  const local = await api.networks.create({ name: 'local', subnet: '127.8.0.0/24' })
  const halves = [
    await api.networks.create({ name: 'low half', subnet: '10.1.0.0/25' }),
    await api.networks.create({ name: 'high half', subnet: '10.1.0.128/25' }),
  ]
  const [conflict] = await api.conflicts.list({ status: 'active', limit: 1 })
  const [item] = await api.inbox.list({ limit: 1 })
  const [change] = await api.history.list({ operation: 'discovery-locks.create', limit: 1 })
  const type = await api.deviceTypes.create({ manufacturer: 'Acme', model: 'X', ports: [{ name: 'p1' }] })
  const rack = await api.racks.create({ name: 'rack' })
  const typed = await api.devices.create({ name: 'typed' })
  await api.devices.update({ id: typed.id, device_type_id: type.id })
  const port = await api.ports.create({ device_id: device.id, name: 'eth0' })
  const cable = await api.cables.create({ a: { port_id: port.id }, b: { device_id: other.id, port: 'eth0' } })
  const create = [{ op: 'create', device: { name: 'by bulk' } }]
  return {
    'custom-fields.create': { path: '/api/custom-fields', body: { resource: 'devices', name: 'new', type: 'text' } },
    'custom-fields.update': { path: `/api/custom-fields/${field.id}`, body: { name: 'changed' } },
    'custom-fields.delete': { path: `/api/custom-fields/${field.id}` },
    'spaces.create': { path: '/api/spaces', body: { name: 'new' } },
    'spaces.update': { path: `/api/spaces/${space.id}`, body: { reachable: true } },
    'spaces.delete': { path: `/api/spaces/${space.id}` },
    'datacenters.create': { path: '/api/datacenters', body: { name: 'new' } },
    'datacenters.update': { path: `/api/datacenters/${datacenter.id}`, body: { name: 'changed' } },
    'datacenters.delete': { path: `/api/datacenters/${datacenter.id}` },
    'vlans.create': { path: '/api/vlans', body: { vlan_id: 11, name: 'new' } },
    'vlans.update': { path: `/api/vlans/${vlan.id}`, body: { vlan_id: 12, group: 'changed' } },
    'vlans.delete': { path: `/api/vlans/${vlan.id}` },
    'networks.create': { path: '/api/networks', body: { name: 'new', subnet: '10.0.0.0/25' } },
    'networks.update': { path: `/api/networks/${network.id}`, body: { subnet: '10.0.0.0/16' } },
    'networks.delete': { path: `/api/networks/${network.id}` },
    'networks.bulk': {
      path: '/api/networks/bulk',
      body: { operations: [{ op: 'delete', id: network.id }] },
    },
    'networks.allocate': {
      path: `/api/networks/${network.id}/allocate`,
      body: { prefix_length: 26 },
      headers: { 'Idempotency-Key': 'of a dry run' },
    },
    'networks.split': { path: `/api/networks/${network.id}/split`, body: { prefix_length: 25 } },
    'networks.merge': { path: '/api/networks/merge', body: { network_ids: halves.map(({ id }) => id) } },
    'pools.create': {
      path: `/api/networks/${network.id}/pools`,
      body: { name: 'new', start_ip: '10.0.0.100', end_ip: '10.0.0.110', tags: ['a'] },
    },
    'pools.update': { path: `/api/pools/${pool.id}`, body: { end_ip: '10.0.0.90', tags: ['b'] } },
    'pools.delete': { path: `/api/pools/${pool.id}` },
    'reservations.create': { path: `/api/pools/${pool.id}/reservations`, body: { ip_address: '10.0.0.30' } },
    'reservations.update': { path: `/api/reservations/${reservation.id}`, body: { notes: 'changed' } },
    'reservations.delete': { path: `/api/reservations/${reservation.id}` },
    'reservations.allocate': {
      path: `/api/pools/${pool.id}/allocate`,
      body: { count: 2 },
      headers: { 'Idempotency-Key': 'of a dry run' },
    },
    'devices.create': { path: '/api/devices', body: { name: 'new', addresses: [{ ip: '10.0.0.11' }] } },
    'devices.update': { path: `/api/devices/${device.id}`, body: { name: 'changed', addresses: [], tags: ['x'] } },
    'devices.delete': { path: `/api/devices/${device.id}` },
    'devices.bulk': { path: '/api/devices/bulk', body: { operations: [...create, { op: 'delete', id: device.id }] } },
    'device-types.create': { path: '/api/device-types', body: { manufacturer: 'Acme', model: 'Y' } },
    'device-types.update': { path: `/api/device-types/${type.id}`, body: { height: 2 } },
    'device-types.delete': { path: `/api/device-types/${type.id}` },
    'device-types.apply': { path: `/api/device-types/${type.id}/apply`, body: {} },
    'device-types.import': { path: '/api/device-types/import', body: { yaml: 'manufacturer: Acme\nmodel: Z\n' } },
    'racks.create': { path: '/api/racks', body: { name: 'new' } },
    'racks.update': { path: `/api/racks/${rack.id}`, body: { height: 10 } },
    'racks.delete': { path: `/api/racks/${rack.id}` },
    'ports.create': { path: `/api/devices/${device.id}/ports`, body: { name: 'new' } },
    'ports.update': { path: `/api/ports/${port.id}`, body: { name: 'changed', vlan_id: 5 } },
    'ports.delete': { path: `/api/ports/${port.id}` },
    'ports.bulk': {
      path: '/api/ports/bulk',
      body: { operations: [{ op: 'create', port: { device_id: device.id, name: 'by bulk' } }] },
    },
    'ports.adopt': { path: `/api/devices/${reporting.id}/ports/adopt`, body: {} },
    'cables.create': {
      path: '/api/cables',
      body: { a: { device_id: device.id, port: 'new' }, b: { device_id: other.id, port: 'new' } },
    },
    'cables.update': { path: `/api/cables/${cable.id}`, body: { label: 'changed' } },
    'cables.delete': { path: `/api/cables/${cable.id}` },
    'cables.bulk': { path: '/api/cables/bulk', body: { operations: [{ op: 'delete', id: cable.id }] } },
    'relationships.create': {
      path: `/api/devices/${other.id}/relationships`,
      body: { child_id: device.id, type: 'depends_on' },
    },
    'relationships.delete': { path: `/api/devices/${device.id}/relationships/${other.id}/contains` },
    'discovery.promote': { path: `/api/discovery/devices/${found.device}/promote`, body: { name: 'promoted' } },
    'discovery.promote-many': {
      path: '/api/discovery/devices/promote',
      body: { ids: [found.device], name: 'promoted-{ip}' },
    },
    'discovery-rules.create': { path: '/api/discovery/rules', body: { network_id: local.id, enabled: false } },
    'discovery-rules.update': { path: `/api/discovery/rules/${rule.id}`, body: { interval_hours: 99 } },
    'discovery-rules.delete': { path: `/api/discovery/rules/${rule.id}` },
    'inbox.accept': { path: '/api/discovery/inbox/accept', body: { items: [{ id: item?.id }] } },
    'discovery-locks.create': { path: '/api/discovery/locks', body: { device_id: device.id, field: 'os' } },
    'discovery-locks.delete': { path: `/api/discovery/locks/${device.id}/hostname` },
    'conflicts.resolve': { path: `/api/conflicts/${conflict?.id}/resolve`, body: { keep_device_id: device.id } },
    'estate.apply': { path: '/api/estate/apply', body: { devices: [{ name: 'one', os: 'Debian' }, { name: 'new' }] } },
    'history.undo': { path: `/api/history/${change?.id}/undo`, body: {} },
  }
}

const Refused = z.object({ code: z.literal('VALIDATION_ERROR'), details: z.array(z.object({ field: z.string() })) })
const fieldsOf = async (response: Response): Promise<string[]> =>
  Refused.parse(await response.json()).details.map(({ field }) => field)

const Preview = z.object({
  id: z.literal(''),
  at: z.literal(''),
  summary: z.string().regex(/^(creates|changes|deletes) /),
  items: z.array(z.object({ kind: z.string() })).min(1),
})

describe.each(onSqlite())('on %s', (dialect) => {
  const scanner = scriptedScanner()
  let app: TestApp
  let admin: TestCaller
  let calls: Readonly<Record<string, Call>>
  let before: Record<string, string>

  /** Returns the rows of every table as text, and the tags of the lists. */
  const everything = async (): Promise<Record<string, string>> => {
    const tables = await app.db.read.introspection.getTables()
    const all: Record<string, string> = {}
    for (const { name } of tables.filter((table) => !table.isView)) {
      const { rows } = await sql<object>`SELECT * FROM ${sql.table(name)}`.execute(app.db.read)
      all[name] = rows
        .map((row) => JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)))
        .sort()
        .join('\n')
    }
    for (const path of [
      'custom-fields',
      'spaces',
      'datacenters',
      'vlans',
      'networks',
      'pools',
      'devices',
      'device-types',
      'racks',
      'ports',
      'cables',
      'reservations',
      'relationships',
      'history',
      'audit',
    ])
      all[`tag of ${path}`] = (await admin.request('GET', `/api/${path}`)).headers.get('etag') ?? ''
    return all
  }

  beforeAll(async () => {
    app = await testApp({
      dialect,
      env: { AUDIT_ENABLED: 'true' },
      passwords: createPasswords({ cost: 4 }),
      startScan: scanner.startScan,
      withJobs: false,
    })
    admin = await app.as('admin')
    const prepared = await prepare(admin, scanner)
    calls = { ...prepared, ...(await prepareOthers(admin, prepared)) }
    // It would get a delivery for each event.
    const events = (await admin.api.webhooks.events({})).map(({ name }) => name)
    await admin.api.webhooks.create({ name: 'all', url: 'http://hook.invalid/', events })
    before = await everything()
  }, 60_000)
  afterAll(() => app.close(), 60_000)

  const callOf = (op: AnyOperation): Call => {
    const call = calls[op.name]
    if (!call) throw new Error(`say in "prepare" how to call ${op.name}`)
    return call
  }
  const run = (op: AnyOperation, dryRun: string) => {
    const { path, body, headers } = callOf(op)
    return admin.request(parseHttp(op.http).method, `${path}?dry_run=${dryRun}`, body, headers)
  }

  test('there are tables with rows to compare', () => {
    const filled = Object.entries(before).filter(([, rows]) => rows !== '')
    expect(filled.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        'devices',
        'networks',
        'events',
        'audit',
        'history',
        'changes',
        'webhooks',
        'tag of devices',
      ]),
    )
  })

  test.each(named(kept))('%s answers 200, and leaves everything as it was', async (_, op) => {
    const response = await run(op, 'true')
    const { headers, status } = response
    expect([status, headers.get('x-dry-run'), headers.get('x-change-id')]).toEqual([200, 'true', null])
    const answer: unknown = await response.json()
    const isEmpty = op.output instanceof z.ZodVoid
    expect((isEmpty ? Preview : op.output).safeParse(answer).error?.issues).toBeUndefined()
    expect(await everything()).toEqual(before)
  })

  const previewed = kept.filter(({ handlesDryRun }) => !handlesDryRun)
  test.each(named(previewed))('%s shows what it would change, and leaves everything as it was', async (_, op) => {
    const response = await run(op, 'changes')
    expect([response.status, response.headers.get('x-dry-run')]).toEqual([200, 'true'])
    const answer: unknown = await response.json()
    expect(Preview.safeParse(answer).error?.issues).toBeUndefined()
    expect(contracts.history.get.output.safeParse(answer).error?.issues).toBeUndefined()
    expect(await everything()).toEqual(before)
  })

  test.each(named(kept))('%s takes no other value', async (_, op) => {
    const response = await run(op, 'maybe')
    expect([response.status, await fieldsOf(response)]).toEqual([400, ['dry_run']])
  })

  test.each(named(kept))('%s takes a note of one line', async (_, op) => {
    const { path, body, headers } = callOf(op)
    const ask = (note: string) =>
      admin.request(parseHttp(op.http).method, `${path}?dry_run=true`, body, { ...headers, 'X-Change-Note': note })
    const [long, lines, good] = [
      await ask('x'.repeat(1001)),
      await ask('two%0Alines'),
      await ask(`  ${'%C3%A9'.repeat(1000)} `),
    ]
    expect([long.status, await fieldsOf(long)]).toEqual([400, ['change_note']])
    expect([lines.status, await fieldsOf(lines)]).toEqual([400, ['change_note']])
    expect(good.status).toBe(200)
  })

  test('a dry run that fails is refused as in earnest, and leaves everything as it was', async () => {
    const start = await everything()
    const { status } = await admin.request('POST', '/api/networks?dry_run=true', { name: 'new', subnet: 'none' })
    const missing = await admin.request('DELETE', '/api/devices/unknown?dry_run=changes')
    expect([status, missing.status]).toEqual([400, 404])
    expect(await everything()).toEqual(start)
  })

  /** The admin has a key, which is refused where a session is needed. */
  const forKeys = [...operations, ...routes].filter(
    (one: AnyOperation | RawRoute) => one.http.includes(' /api/') && one.session === undefined,
  )
  const takesNone = forKeys.filter((one) => !takes(one, 'dry_run'))
  test.each(named(takesNone))('%s has no dry run, and says so', async (_, { http }) => {
    const { method, path } = parseHttp(http)
    const response = await admin.request(method, `${path.replace(/\{\w+\}/g, 'x')}?dry_run=true`)
    expect([response.status, await fieldsOf(response)]).toEqual([400, ['dry_run']])
  })

  const hasNoPast = forKeys.filter((one) => !takes(one, 'as_of'))
  test.each(named(hasNoPast))('%s has no past, and says so', async (_, { http }) => {
    const { method, path } = parseHttp(http)
    const response = await admin.request(method, `${path.replace(/\{\w+\}/g, 'x')}?as_of=1h`)
    expect([response.status, await fieldsOf(response)]).toEqual([400, ['as_of']])
  })
})

const takes = (called: AnyOperation | RawRoute, field: string): boolean =>
  Object.hasOwn({ ...called.input?.shape, ...('query' in called ? called.query?.shape : {}) }, field)

describe.each(named(kept))('the command of %s', (_, op) => {
  test('has a switch for a dry run, and a note', () => {
    const { flags } = buildSpec(op)
    const named = flags.filter(({ names: [name = ''] }) => ['dry-run', 'change-note'].includes(name))
    expect(named.map(({ names: [name], isSwitch }) => [name, isSwitch]).sort()).toEqual([
      ['change-note', false],
      ['dry-run', true],
    ])
  })
})

describe.each(named(operations.filter(({ supportsAsOf }) => supportsAsOf)))('the command of %s', (_, op) => {
  test('takes a moment', () => {
    expect(buildSpec(op).flags.map(({ names: [name] }) => name)).toContain('as-of')
  })
})
