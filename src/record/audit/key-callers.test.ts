// Calls by API key: an entry names the key, and the user who owns it.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { createUser } from '../../../testing/estates/identities.ts'
import { callTool } from '../../../testing/mcp.ts'
import { memoryIo } from '../../../testing/memory-io.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { runCli } from '../../app/cli.ts'
import { AuditEntry, Verification } from './api.ts'

const Entries = z.array(AuditEntry)

describe.each(onSqlite())('a call by API key on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let owner: { readonly id: string }
  let key: { readonly id: string; readonly key: string }
  beforeEach(async () => {
    app = await testApp({ dialect, env: { AUDIT_ENABLED: 'true' } })
    admin = await app.as('admin')
    owner = await createUser(app.db, { username: 'ada', roles: ['admin'] })
    key = await admin.api.keys.create({ name: 'ci', user_id: owner.id })
  })
  afterEach(() => app.close())

  const byKey = (method: string, path: string, body?: unknown) =>
    app.guest(method, path, body, { Authorization: `Bearer ${key.key}` })
  const cli = async (...argv: string[]): Promise<string> => {
    const env = { PLAT_URL: 'http://plat.test', PLAT_TOKEN: admin.key }
    const { io, out } = memoryIo({ argv, env, fetch: (target, init) => app.fetch(new Request(target, init)) })
    expect(await runCli(io)).toBe(0)
    return out()
  }
  const listed = async (query: string) =>
    Entries.parse(await (await admin.request('GET', `/api/audit?${query}`)).json()).map(
      ({ resource_id }) => resource_id,
    )

  const expected = () => ({
    ...{ user_id: key.id, username: 'ci' },
    ...{ key_id: key.id, key_owner_id: owner.id, key_owner: 'ada' },
  })

  test('names the key and its owner', async () => {
    await byKey('POST', '/api/datacenters', { id: 'ams', name: 'ams' })
    const [entry] = await admin.api.audit.list({ resource_id: 'ams' })
    expect(entry).toMatchObject({ ...expected(), status: 'success' })
  })

  test('that is refused names them as well', async () => {
    await byKey('POST', '/api/datacenters', { name: '' })
    const [entry] = await admin.api.audit.list({ status: 'failure' })
    expect(entry).toMatchObject(expected())
  })

  test('over MCP names them as well', async () => {
    const peer = { fetch: app.fetch, key: key.key }
    await callTool(peer, 'device_create', { name: 'by tool' })
    const [entry] = await admin.api.audit.list({ resource: 'device' })
    expect(entry).toMatchObject({ ...expected(), tool: 'device_create' })
    const { value } = await callTool(peer, 'audit_list', { user_id: 'ada', fields: ['username', 'key_owner'] })
    expect(value.items).toEqual([['ci', 'ada']])
  })

  test('is found by the id of the key and by that of the owner', async () => {
    await byKey('POST', '/api/datacenters', { id: 'ams', name: 'ams' })
    await admin.request('POST', '/api/datacenters', { id: 'other', name: 'other' })
    expect([await listed(`user_id=${key.id}`), await listed(`user_id=${owner.id}`)]).toEqual([['ams'], ['ams']])
  })

  test('is found on the command line by the name of the owner and by that of the key', async () => {
    await byKey('POST', '/api/datacenters', { id: 'ams', name: 'ams' })
    await admin.request('POST', '/api/datacenters', { id: 'other', name: 'other' })
    const idsBy = async (user: string) =>
      Entries.parse(JSON.parse(await cli('audit', 'list', '--user', user, '-o', 'json'))).map((one) => one.resource_id)
    expect([await idsBy('ada'), await idsBy('ci'), await idsBy(key.id)]).toEqual([['ams'], ['ams'], ['ams']])
  })

  test('is found on the command line by the id of a key that was deleted', async () => {
    await byKey('POST', '/api/datacenters', { id: 'ams', name: 'ams' })
    await admin.api.keys.delete({ id: key.id })
    expect(await cli('audit', 'list', '--user', key.id, '-o', 'csv')).toContain('ams')
  })

  test('is a row with the owner in the table of the command line', async () => {
    await byKey('POST', '/api/datacenters', { id: 'ams', name: 'ams' })
    const [head = '', row = ''] = (await cli('audit', 'list', '--resource-id', 'ams', '-o', 'table')).split('\n')
    expect([head.split(/\s+/).slice(0, 3), row.split(/\s+/).slice(1, 3)]).toEqual([
      ['TIMESTAMP', 'USERNAME', 'KEY_OWNER'],
      ['ci', 'ada'],
    ])
  })

  test('is exported with the owner, and by the same filter', async () => {
    await byKey('POST', '/api/datacenters', { id: 'ams', name: 'ams' })
    const csv = await (await admin.request('GET', `/api/audit/export?format=csv&user_id=${owner.id}`)).text()
    const [head = '', ...rows] = csv.trim().split('\r\n')
    expect(head).toEndWith(',key_owner_id,key_owner,change_id,proposal_id')
    expect(rows).toEqual([expect.stringMatching(new RegExp(`,${key.id},ci,.*,${owner.id},ada,[0-9a-f-]{36},$`))])
  })

  test('leaves a trail that is whole', async () => {
    await byKey('POST', '/api/datacenters', { id: 'ams', name: 'ams' })
    expect(Verification.parse(await (await admin.request('GET', '/api/audit/verify')).json()).ok).toBe(true)
  })

  test.each(['key_owner_id', 'key_owner'])('cannot be altered unseen in %s', async (column) => {
    await byKey('POST', '/api/datacenters', { id: 'ams', name: 'ams' })
    await app.db.write(({ db }) =>
      db
        .updateTable('audit')
        .set({ [column]: 'somebody' })
        .where('resource_id', '=', 'ams')
        .execute(),
    )
    expect(Verification.parse(await (await admin.request('GET', '/api/audit/verify')).json()).ok).toBe(false)
  })

  test('cannot have its owner moved unseen to the fields of an OAuth client', async () => {
    await byKey('POST', '/api/datacenters', { id: 'ams', name: 'ams' })
    await app.db.write(({ db }) =>
      db
        .updateTable('audit')
        .set(({ ref }) => ({
          oauth_client: ref('key_owner_id'),
          tool: ref('key_owner'),
          key_owner_id: '',
          key_owner: '',
        }))
        .where('resource_id', '=', 'ams')
        .execute(),
    )
    expect(Verification.parse(await (await admin.request('GET', '/api/audit/verify')).json()).ok).toBe(false)
  })

  test('is shown with the owner among the last changes of the overview and of a lookup', async () => {
    await byKey('POST', '/api/devices', { id: 'web-01', name: 'web-01', addresses: [{ ip: '192.0.2.7' }] })
    const { changes } = await admin.api.dashboard.show({})
    expect(changes?.[0]).toMatchObject({ username: 'ci', key_owner: 'ada' })
    const found = await admin.api.lookup.show({ query: '192.0.2.7' })
    expect(found.changes?.[0]).toMatchObject({ username: 'ci', key_owner: 'ada' })
  })
})

describe.each(onSqlite())('a call by session on %s', (dialect) => {
  test('has no key and no owner of one', async () => {
    const app = await testApp({ dialect, env: { AUDIT_ENABLED: 'true' } })
    const admin = await app.as('admin')
    await app.guest('POST', '/api/auth/login', { username: 'root', password: 'wrong password' })
    const [entry] = await admin.api.audit.list({ action: 'login' })
    expect(entry).toMatchObject({ user_id: '', username: 'root', key_id: '', key_owner_id: '', key_owner: '' })
    await app.close()
  })
})
