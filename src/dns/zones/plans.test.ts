// Plans of AI clients for writes to DNS servers: shown first, then made exactly or not at all.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { ask } from '../../../testing/estates/inventory.ts'
import { type Answer, callTool, Plan } from '../../../testing/mcp.ts'
import { DNS_KEYS, startNamed, type TestDnsServer } from '../../../testing/servers/dns-servers.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import { createTargetRules } from '../../base/security/outbound-target.ts'
import { parseCidrOrThrow } from '../../net/cidr.ts'
import type { RrsetChange } from '../../net/dns/update.ts'
import { createDnsClient, type DnsClient } from '../client/client.ts'
import { createDnsConnector } from '../client/connector.ts'
import type { DnsZone } from './schema.ts'

const ZONE = 'example.org'
const START_MS = 60_000
const KEY = DNS_KEYS.find(({ algorithm }) => algorithm === 'hmac-sha256')
if (KEY === undefined) throw new Error('no key')
const { connect } = createDnsConnector({ rules: createTargetRules(false), servers: [parseCidrOrThrow('127.0.0.1/32')] })

describe.each(onSqlite())('plans of a DNS zone, on %s', (dialect) => {
  let server: TestDnsServer
  let app: TestApp
  let admin: TestCaller
  let client: DnsClient
  let id = ''
  beforeAll(async () => {
    server = await startNamed()
    client = createDnsClient({ connect, host: '127.0.0.1', port: server.port, key: KEY, timeoutMs: 30_000 })
    app = await testApp({
      dialect,
      env: { DNS_SERVERS: '127.0.0.1', ENCRYPTION_KEY: 'ab'.repeat(32), AUDIT_ENABLED: 'true' },
    })
    admin = await app.as('admin')
    const provider = { name: 'bind', host: '127.0.0.1', port: server.port, tsig_name: KEY.name }
    const tsig_secret = Buffer.from(KEY.secret).toString('base64')
    const made = await send('POST /api/dns/providers', { ...provider, tsig_secret })
    const { id: provider_id } = made.body as { id: string }
    id = ((await send('POST /api/dns/zones', { name: ZONE, provider_id })).body as DnsZone).id
    for (let n = 0; n < 10; n++) {
      const hostname = `h${n}.${ZONE}`
      await admin.api.devices.create({ id: `h${n}`, name: `h${n}`, hostname, addresses: [{ ip: `10.0.0.${n}` }] })
    }
    await settled()
  }, START_MS)
  afterAll(async () => {
    await app?.close()
    await server?.stop()
  }, START_MS)

  const send = (http: string, body?: unknown) => ask(admin, http, body)
  const settled = (): Promise<DnsZone> =>
    until('settled zone', async () => {
      const zone = (await send(`GET /api/dns/zones/${id}`)).body as DnsZone
      return zone.pending_count === 0 ? zone : undefined
    })
  const call = (tool: string, args: Record<string, unknown>, caller = admin): Promise<Answer> =>
    callTool({ fetch: app.fetch, key: caller.key }, tool, args)
  const asked = (operation: string, input: object, caller = admin): Promise<Answer> =>
    call('call_operation', { operation, input: { id, ...input } }, caller)
  const plan = async (operation: string, input: object, caller = admin): Promise<Plan> =>
    Plan.parse((await asked(`dns-zones.${operation}`, input, caller)).value)
  const apply = ({ plan_id }: Plan): Promise<Answer> => call('apply_plan', { plan_id })
  /** Writes to the server as another program would, and compares. */
  const drift = async (...changes: RrsetChange[]) => {
    await client.update({ zone: ZONE, prerequisites: [], changes })
    expect((await send(`POST /api/dns/zones/${id}/check`)).status).toBe(200)
  }
  const set = (name: string, type: string, value: string): RrsetChange[] => [drop(name, type), add(name, type, value)]
  const add = (name: string, type: string, value: string): RrsetChange => ({
    ...{ kind: 'add', name: `${name}.${ZONE}`, type, ttl: 60, values: [value] },
  })
  const drop = (name: string, type: string): RrsetChange => ({ kind: 'delete', name: `${name}.${ZONE}`, type })
  const onServer = async (name: string): Promise<string[]> => {
    const found: string[] = []
    for await (const record of client.transfer(ZONE))
      if (record.name === `${name}.${ZONE}`) found.push(`${record.ttl} ${record.type} ${record.value}`)
    return found.sort()
  }
  const rrset = (change: string, name: string, from: unknown, to: unknown) => {
    const key = `${name.replace(' ', `.${ZONE} `)}`
    return { change, kind: 'RRset', id: key, name: key, fields: expect.objectContaining({ values: { from, to } }) }
  }

  test('a push is shown with the values of both sides, and then made once', async () => {
    await drift(...set('h0', 'A', '192.0.2.1'), add('extra', 'TXT', 'theirs'))
    const chosen = [
      { name: 'h0', type: 'A' },
      { name: 'extra', type: 'TXT' },
      { name: 'none', type: 'A' },
    ]
    const made = await plan('resolve', { direction: 'push', entries: chosen })
    expect(made).toMatchObject({ summary: 'deletes 1 RRset; changes 1 RRset', failures: [{ name: 'none', type: 'A' }] })
    expect(made.objects).toEqual([
      rrset('update', 'h0 A', ['192.0.2.1'], ['10.0.0.0']),
      rrset('delete', 'extra TXT', ['theirs'], null),
    ])
    expect([await onServer('h0'), await onServer('extra')]).toEqual([['60 A 192.0.2.1'], ['60 TXT theirs']])
    expect(await apply(made)).toMatchObject({
      isError: false,
      value: { applied: true, summary: made.summary, failures: [{ name: 'none' }], result: { resolved: 2 } },
    })
    expect([await onServer('h0'), await onServer('extra')]).toEqual([['3600 A 10.0.0.0'], []])
    const entries = await admin.api.audit.list({ resource_id: id })
    expect(entries.filter(({ tool }) => tool !== '')).toMatchObject([
      { action: 'update', status: 'success', tool: 'apply_plan' },
    ])
    expect(await apply(made)).toMatchObject({ isError: true, value: { code: 'PRECONDITION_FAILED' } })
  })

  test('a plan is refused after a name has changed, names it, and sends nothing to the server', async () => {
    await drift(...set('h1', 'A', '192.0.2.1'))
    const made = await plan('resolve', { direction: 'push', kind: 'changed' })
    await admin.api.devices.update({ id: 'h1', addresses: [{ ip: '10.0.1.1' }] })
    const { isError, value } = await apply(made)
    expect([isError, value.code]).toEqual([true, 'PRECONDITION_FAILED'])
    expect(value.details).toMatchObject([{ field: `RRset h1.${ZONE} A` }])
    expect(await onServer('h1')).toEqual(['60 A 192.0.2.1'])
    await settled()
    await send(`POST /api/dns/zones/${id}/check`)
    await send(`POST /api/dns/zones/${id}/resolve`, { direction: 'push', entries: [{ name: 'h1', type: 'A' }] })
    expect(await onServer('h1')).toEqual(['3600 A 10.0.1.1'])
  })

  test('a push of a CNAME shows the records that it replaces; a pull of it is refused', async () => {
    await drift(add('alias', 'A', '192.0.2.7'))
    const record = { zone_id: id, name: 'alias', type: 'CNAME', value: `h0.${ZONE}` }
    expect((await send('POST /api/dns/records', record)).status).toBe(201)
    await settled()
    await send(`POST /api/dns/zones/${id}/check`)
    const entries = [{ name: 'alias', type: 'CNAME' }]
    const made = await plan('resolve', { direction: 'push', entries })
    expect(made.objects).toEqual([
      rrset('create', 'alias CNAME', null, [`h0.${ZONE}`]),
      rrset('delete', 'alias A', ['192.0.2.7'], null),
    ])
    const refused = { failed: [{ name: 'alias', type: 'CNAME', error: expect.stringContaining('holds nothing') }] }
    expect((await send(`POST /api/dns/zones/${id}/resolve`, { direction: 'pull', entries })).body).toMatchObject(
      refused,
    )
    expect((await apply(made)).value).toMatchObject({ applied: true })
    expect(await onServer('alias')).toEqual([`3600 CNAME h0.${ZONE}`])
  })

  test('a pull shows own RRsets and what cannot be pulled, and needs the permission to create', async () => {
    await drift(...set('h2', 'A', '192.0.2.2'), drop('h3', 'A'))
    const entries = [
      { name: 'h2', type: 'A' },
      { name: 'h3', type: 'A' },
    ]
    const syncer = await app.as(['dns:sync', 'dns:list'])
    const forbidden = await asked('dns-zones.resolve', { direction: 'pull', entries }, syncer)
    expect(forbidden).toMatchObject({ isError: true, value: { code: 'FORBIDDEN' } })
    const made = await plan('resolve', { direction: 'pull', entries })
    expect(made).toMatchObject({ summary: 'changes 1 own RRset', failures: [{ name: 'h3', type: 'A' }] })
    expect(((await send(`GET /api/dns/records?zone_id=${id}&name=h2`)).body as object[]).length).toBe(0)
    expect((await apply(made)).value).toMatchObject({
      applied: true,
      result: { resolved: 1, failed: [{ name: 'h3' }] },
    })
    expect((await send(`GET /api/dns/records?zone_id=${id}&name=h2`)).body).toMatchObject([{ value: '192.0.2.2' }])
    expect(await onServer('h2')).toEqual(['60 A 192.0.2.2'])
    const unseen = await plan('resolve', { direction: 'push', entries: entries.slice(1) }, syncer)
    expect(unseen).toMatchObject({ summary: 'creates 1 RRset', objects: [] })
    await send(`POST /api/dns/zones/${id}/resolve`, { direction: 'push', kind: 'missing' })
  })

  test('a pull changes no own record that a policy protects', async () => {
    const record = { zone_id: id, name: 'guarded', type: 'A', value: '192.0.2.3' }
    expect((await send('POST /api/dns/records', record)).status).toBe(201)
    await settled()
    await drift(...set('guarded', 'A', '192.0.2.4'))
    const policy = await send('POST /api/policies', { name: 'Records', permissions: ['dns:delete'], protect: true })
    const entries = [{ name: 'guarded', type: 'A' }]
    const pulled = () => send(`POST /api/dns/zones/${id}/resolve`, { direction: 'pull', entries })
    const values = async () => (await send(`GET /api/dns/records?zone_id=${id}&name=guarded`)).body
    expect(await pulled()).toMatchObject({ status: 403, body: { code: 'APPROVAL_REQUIRED' } })
    expect(await values()).toMatchObject([{ value: '192.0.2.3' }])
    await send(`DELETE /api/policies/${(policy.body as { id: string }).id}`)
    expect(await pulled()).toMatchObject({ body: { resolved: 1, failed: [] } })
    expect(await values()).toMatchObject([{ value: '192.0.2.4' }])
  })

  test('a sync that deletes much names force, and shows what goes', async () => {
    expect(await asked('dns-zones.sync', {})).toMatchObject({ value: { summary: 'changes nothing', objects: [] } })
    const gone = ['h4', 'h5', 'h6', 'h7', 'h8', 'h9']
    // At once: the lane sends the first ones otherwise, because few may go.
    await admin.api.devices.bulk({ operations: gone.map((device) => ({ op: 'delete', id: device })) })
    const held = await until('held zone', async () => {
      const zone = (await send(`GET /api/dns/zones/${id}`)).body as DnsZone
      return zone.status_message.startsWith('6 of') ? zone : undefined
    })
    const refused = await asked('dns-zones.sync', {})
    expect(refused).toMatchObject({
      isError: true,
      value: { details: [{ field: 'force', message: held.status_message }] },
    })
    expect(await asked('dns-zones.sync', { dry_run: true })).toMatchObject({
      value: { details: [{ field: 'dry_run', message: 'unknown field' }] },
    })
    const made = await plan('sync', { force: true })
    expect([made.summary, made.objects.map(({ name }) => name)]).toEqual([
      'deletes 6 RRsets',
      gone.map((name) => `${name}.${ZONE} A`),
    ])
    expect(await onServer('h9')).toHaveLength(1)
    expect((await apply(made)).value).toMatchObject({ applied: true, result: { status: 'in_sync' } })
    expect(await onServer('h9')).toEqual([])
  })
})
