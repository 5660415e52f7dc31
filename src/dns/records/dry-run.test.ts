// The dry run of a new record: it answers as the create would, and adds nothing.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { ask } from '../../../testing/estates/inventory.ts'
import { runCommand } from '../../../testing/run-command.ts'
import { DnsRecord } from './api.ts'

let app: TestApp
let admin: TestCaller
let zone_id: string
beforeAll(async () => {
  app = await testApp({ env: { AUDIT_ENABLED: 'true' } })
  admin = await app.as('admin')
  zone_id = (await admin.api.dnsZones.create({ name: 'example.org' })).id
})
afterAll(() => app.close())

const draft = (more: object = {}) => ({ zone_id, name: 'www', type: 'A', value: '192.0.2.1', ...more })
const createRecord = (query: string, body: object = draft(), by = admin) =>
  ask(by, `POST /api/dns/records${query}`, body)
const refused = (field: string) => ({ status: 400, body: { code: 'VALIDATION_ERROR', details: [{ field }] } })
const findState = async () => [
  await admin.api.dnsRecords.list({}),
  await admin.api.proposals.list({}),
  (await admin.api.audit.list({ limit: 1 }))[0]?.id,
]

test.each(['?dry_run=true', '?dry_run=true&proposal=open', '?dry_run=true&proposal=draft'])(
  'with %s it answers the record, adds nothing, and leaves no entry in the audit trail',
  async (query) => {
    const before = await findState()
    const { status, body } = await createRecord(query)
    expect([status, DnsRecord.parse(body)]).toMatchObject([200, { fqdn: 'www.example.org', value: '192.0.2.1' }])
    expect(await findState()).toEqual(before)
  },
)

test('it refuses what the create would refuse', async () => {
  await createRecord('', draft({ name: 'taken' }))
  const [dry, earnest] = [
    await createRecord('?dry_run=true', draft({ name: 'taken' })),
    await createRecord('', draft({ name: 'taken' })),
  ]
  expect([dry.status, earnest.status]).toEqual([409, 409])
  for (const query of ['?dry_run=true', '?dry_run=true&proposal=open'])
    expect(await createRecord(query, draft({ value: 'none' }))).toMatchObject(refused('value'))
})

test('it shows no changes, because records have no history', async () => {
  for (const query of ['?dry_run=changes', '?dry_run=changes&proposal=open', '?dry_run='])
    expect(await createRecord(query)).toMatchObject(refused('dry_run'))
})

test('a user who may only propose sees the record', async () => {
  const asker = await app.as(['dns:list', 'dns:read', 'proposals:create'])
  expect((await createRecord('?dry_run=true', draft(), asker)).status).toBe(403)
  expect(await createRecord('?dry_run=true&proposal=open', draft(), asker)).toMatchObject({
    ...{ status: 200, body: { fqdn: 'www.example.org' } },
  })
})

test('false adds it', async () => {
  expect((await createRecord('?dry_run=false', draft({ name: 'real' }))).status).toBe(201)
})

test('the command has a switch for it', async () => {
  const before = await findState()
  const argv = ['dns', 'record', 'create', 'example.org', 'cli', 'A', '192.0.2.1', '--dry-run', '-o', 'json']
  for (const more of [[], ['--propose']]) {
    const { code, out } = await runCommand({ app, key: admin.key }, { argv: [...argv, ...more] })
    expect([code, JSON.parse(out)]).toMatchObject([0, { fqdn: 'cli.example.org' }])
  }
  expect(await findState()).toEqual(before)
})
