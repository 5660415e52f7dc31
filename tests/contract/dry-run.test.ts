/** Checks the dry run of every write of the registry that has one, and that all other requests refuse it. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { z } from 'zod'
import { contracts, routes } from '../../src/app/contracts.ts'
import { INVENTORY, toContractName } from '../../src/inventory/resources.ts'
import { parseHttp } from '../../src/kernel/http-route.ts'
import type { AnyOperation, OperationSet, RawRoute } from '../../src/kernel/operation.ts'
import { buildSpec } from '../../src/surfaces/cli/parse/operation-spec.ts'
import { buildAddress, operations, type World, worldSuite } from '../../testing/estates/world.ts'
import { host, scanOnce, snmpFacts } from '../../testing/servers/scripted-scanner.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

const kept = operations.filter(({ hasHistory }) => hasHistory)
const named = <One extends { readonly name: string }>(some: readonly One[]) =>
  some.map((one): [string, One] => [one.name, one])

type Call = { readonly path: string; readonly body?: object; readonly headers?: Record<string, string> }

/** Changes that keep the rules between the objects of the world. */
const CHANGES: Readonly<Record<string, object>> = {
  networks: { subnet: '10.0.0.0/8' },
  pools: { end_ip: '10.1.1.200', tags: ['b'] },
  cables: { label: 'changed' },
}
/** Resources with objects that cannot be deleted in the world, because others use them. */
const USED = ['custom-fields', 'spaces']

/** Returns the calls that create, change and delete the object of each resource. */
const buildResourceCalls = async ({ ids, examples, make }: World): Promise<Record<string, Call>> => {
  const calls: Record<string, Call> = {}
  for (const noun of INVENTORY) {
    const { create, update, delete: remove }: OperationSet = contracts[toContractName(noun)]
    if (create) calls[create.name] = examples.build(noun)
    if (update)
      calls[update.name] = { path: buildAddress(update, ids), body: CHANGES[noun] ?? examples.buildChange(noun) }
    const id = USED.includes(noun) ? await make(noun) : (ids[noun] ?? '')
    if (remove) calls[remove.name] = { path: buildAddress(remove, { ...ids, [noun]: id }) }
  }
  return calls
}

/** Creates the objects that further operations need, and returns a call for each operation that would change something. */
const prepare = async (world: World): Promise<Readonly<Record<string, Call>>> => {
  const { ids, admin, scanner } = world
  const { api } = admin
  const agent = host('127.9.0.2', {
    snmp: snmpFacts({ interfaces: [{ index: 1, name: 'eth0', mac: '', addresses: [] }] }),
  })
  const found = await scanOnce(scanner, admin, [host('127.9.0.1'), agent])
  const reporting = await api.devices.create({ name: 'reporting', addresses: [{ ip: '127.9.0.2' }] })
  await api.discoveryLocks.create({ device_id: ids.devices ?? '', field: 'hostname' })
  const local = await api.networks.create({ name: 'local', subnet: '127.8.0.0/24' })
  const halves = [
    await api.networks.create({ name: 'low half', subnet: '10.200.0.0/25' }),
    await api.networks.create({ name: 'high half', subnet: '10.200.0.128/25' }),
  ]
  const typed = await api.devices.create({ name: 'typed' })
  await api.devices.update({ id: typed.id, device_type_id: ids['device-types'] ?? '' })
  const [conflict] = await api.conflicts.list({ status: 'active', limit: 1 })
  const [item] = await api.inbox.list({ limit: 1 })
  const [change] = await api.history.list({ operation: 'discovery-locks.create', limit: 1 })
  const removal = (noun: string) => ({ operations: [{ op: 'delete', id: ids[noun] }] })
  const once = { headers: { 'Idempotency-Key': 'of a dry run' } }
  const create = { op: 'create', device: { name: 'by bulk' } }
  return {
    ...(await buildResourceCalls(world)),
    'networks.bulk': { path: '/api/networks/bulk', body: removal('networks') },
    'networks.allocate': { path: `/api/networks/${ids.networks}/allocate`, body: { prefix_length: 26 }, ...once },
    'networks.split': { path: `/api/networks/${ids.networks}/split`, body: { prefix_length: 17 } },
    'networks.merge': { path: '/api/networks/merge', body: { network_ids: halves.map(({ id }) => id) } },
    'reservations.allocate': { path: `/api/pools/${ids.pools}/allocate`, body: { count: 2 }, ...once },
    'devices.bulk': { path: '/api/devices/bulk', body: { operations: [create, ...removal('devices').operations] } },
    'device-types.apply': { path: `/api/device-types/${ids['device-types']}/apply`, body: {} },
    'device-types.import': { path: '/api/device-types/import', body: { yaml: 'manufacturer: Acme\nmodel: Z\n' } },
    'ports.bulk': {
      path: '/api/ports/bulk',
      body: { operations: [{ op: 'create', port: { device_id: ids.devices, name: 'by bulk' } }] },
    },
    'ports.adopt': { path: `/api/devices/${reporting.id}/ports/adopt`, body: {} },
    'cables.bulk': { path: '/api/cables/bulk', body: removal('cables') },
    'relationships.create': {
      path: `/api/devices/${ids.child}/relationships`,
      body: { child_id: ids.devices, type: 'contains' },
    },
    'relationships.delete': { path: `/api/devices/${ids.devices}/relationships/${ids.child}/depends_on` },
    'discovery.promote': { path: `/api/discovery/devices/${found.device}/promote`, body: { name: 'promoted' } },
    'discovery.promote-many': {
      path: '/api/discovery/devices/promote',
      body: { ids: [found.device], name: 'promoted-{ip}' },
    },
    'discovery-rules.create': { path: '/api/discovery/rules', body: { network_id: local.id, enabled: false } },
    'discovery-rules.update': { path: `/api/discovery/rules/${ids['discovery-rules']}`, body: { interval_hours: 99 } },
    'discovery-rules.delete': { path: `/api/discovery/rules/${ids['discovery-rules']}` },
    'inbox.accept': { path: '/api/discovery/inbox/accept', body: { items: [{ id: item?.id }] } },
    'discovery-locks.create': { path: '/api/discovery/locks', body: { device_id: ids.devices, field: 'os' } },
    'discovery-locks.delete': { path: `/api/discovery/locks/${ids.devices}/hostname` },
    'conflicts.resolve': {
      path: `/api/conflicts/${conflict?.id}/resolve`,
      body: { keep_device_id: conflict?.device_ids[0] },
    },
    'estate.apply': {
      path: '/api/estate/apply',
      body: { devices: [{ name: 'typed', os: 'Debian' }, { name: 'new' }] },
    },
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
  const world = worldSuite({ dialect, withJobs: false })
  let calls: Readonly<Record<string, Call>>
  let before: Record<string, string>

  /** Returns the rows of every table as text, and the tags of the lists. */
  const everything = async (): Promise<Record<string, string>> => {
    const tables = await world.app.db.read.introspection.getTables()
    const all: Record<string, string> = {}
    for (const { name } of tables.filter((table) => !table.isView)) {
      const { rows } = await sql<object>`SELECT * FROM ${sql.table(name)}`.execute(world.app.db.read)
      all[name] = rows
        .map((row) => JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)))
        .sort()
        .join('\n')
    }
    for (const path of [...INVENTORY, 'history', 'audit'])
      all[`tag of ${path}`] = (await world.admin.request('GET', `/api/${path}`)).headers.get('etag') ?? ''
    return all
  }

  beforeAll(async () => {
    calls = await prepare(world)
    // It would get a delivery for each event.
    const events = (await world.admin.api.webhooks.events({})).map(({ name }) => name)
    await world.admin.api.webhooks.create({ name: 'all', url: 'http://hook.invalid/', events })
    before = await everything()
  }, 60_000)

  const callOf = (op: AnyOperation): Call => {
    const call = calls[op.name]
    if (!call) throw new Error(`say in "prepare" how to call ${op.name}`)
    return call
  }
  const run = (op: AnyOperation, dryRun: string) => {
    const { path, body, headers } = callOf(op)
    return world.admin.request(parseHttp(op.http).method, `${path}?dry_run=${dryRun}`, body, headers)
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
      world.admin.request(parseHttp(op.http).method, `${path}?dry_run=true`, body, {
        ...headers,
        'X-Change-Note': note,
      })
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
    const { status } = await world.admin.request('POST', '/api/networks?dry_run=true', { name: 'new', subnet: 'none' })
    const missing = await world.admin.request('DELETE', '/api/devices/unknown?dry_run=changes')
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
    const response = await world.admin.request(method, `${path.replace(/\{\w+\}/g, 'x')}?dry_run=true`)
    expect([response.status, await fieldsOf(response)]).toEqual([400, ['dry_run']])
  })

  const hasNoPast = forKeys.filter((one) => !takes(one, 'as_of'))
  test.each(named(hasNoPast))('%s has no past, and says so', async (_, { http }) => {
    const { method, path } = parseHttp(http)
    const response = await world.admin.request(method, `${path.replace(/\{\w+\}/g, 'x')}?as_of=1h`)
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
