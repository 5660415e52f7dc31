/** A write with `?proposal=` is tried, answered as in earnest, and noted. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Proposal, ProposalItem } from '../schema.ts'

/** The fields of answers and errors that the tests read one by one. */
type Body = {
  readonly id: string
  readonly name: string
  readonly os: string
  readonly code: string
  readonly error: string
  readonly summary: string
  readonly applied: boolean
  readonly changed: boolean
  readonly created_at: string
  readonly updated_at: string
  readonly details: readonly { readonly field: string }[]
}

type Answer<T> = {
  readonly status: number
  readonly body: T
  readonly proposal: string
  readonly headers: Headers
}

/** Reads a network and its pool, and may ask for changes. */
const ASKING = [
  ...([
    'networks:list',
    'networks:read',
    'pools:list',
    'pools:read',
    'reservations:list',
    'reservations:read',
  ] as const),
  ...(['devices:list', 'devices:read', 'proposals:list', 'proposals:read', 'proposals:create'] as const),
]

describe.each(engines())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect, withJobs: false, env: { AUDIT_ENABLED: 'true' } })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const send = async <T = Body>(
    method: string,
    path: string,
    { body, by = admin, headers }: { body?: object; by?: TestCaller; headers?: Record<string, string> } = {},
  ): Promise<Answer<T>> => {
    const response = await by.request(method, `/api${path}`, body, headers)
    const text = await response.text()
    const proposal = response.headers.get('X-Proposal') ?? ''
    return { status: response.status, body: text && JSON.parse(text), proposal, headers: response.headers }
  }
  const get = async (number: string, by = admin): Promise<Proposal> =>
    (await send<Proposal>('GET', `/proposals/${number}`, { by })).body
  const count = async (): Promise<number> => (await send<Proposal[]>('GET', '/proposals?limit=1000')).body.length

  test('a new device is answered with 202 and made by the merge with the answered id', async () => {
    const headers = { 'X-Change-Note': 'For the new rack' }
    const made = await send('POST', '/devices?proposal=open', { body: { name: 'proposed' }, headers })
    expect([made.status, made.headers.get('X-Change-Id')]).toEqual([202, null])
    expect(made.body).toMatchObject({ name: 'proposed', status: 'active' })
    expect((await send('GET', `/devices/${made.body.id}`)).status).toBe(404)
    const proposal = await get(made.proposal)
    expect(proposal).toMatchObject({
      ...{ state: 'open', title: 'For the new rack', summary: 'creates 1 device' },
      operations: [{ id: '1', operation: 'devices.create', input: { name: 'proposed' }, note: 'For the new rack' }],
    })
    expect((await send('POST', `/proposals/${made.proposal}/merge`, { body: {} })).status).toBe(200)
    const { created_at: _, updated_at: __, ...device } = made.body
    expect((await send('GET', `/devices/${made.body.id}`)).body).toMatchObject(device)
  })

  test('without a note the operation gives a draft its title', async () => {
    const { proposal } = await send('POST', '/devices?proposal=draft', { body: { name: 'drafted' } })
    expect(await get(proposal)).toMatchObject({ state: 'draft', opened_at: null, title: 'Create a device' })
  })

  test('further writes are tried on top of the others, by the number and by the id of the proposal', async () => {
    const first = await send('POST', '/devices?proposal=draft', { body: { id: 'base', name: 'base' } })
    const { id } = await get(first.proposal)
    const second = await send('PUT', `/devices/base?proposal=${first.proposal}`, { body: { os: 'bsd' } })
    expect([second.status, second.proposal, second.body.os]).toEqual([202, first.proposal, 'bsd'])
    const third = await send('DELETE', `/devices/base?proposal=${id}`)
    expect([third.status, third.proposal]).toEqual([202, first.proposal])
    expect(third.body).toMatchObject({ id: '', at: '', operation: 'devices.delete', summary: 'deletes 1 device' })
    const after = await get(first.proposal)
    expect(after).toMatchObject({ fingerprint: '', summary: 'changes nothing' })
    expect(after.operations.map((one) => [one.id, one.operation, one.input])).toEqual([
      ['1', 'devices.create', { id: 'base', name: 'base' }],
      ['2', 'devices.update', { id: 'base', os: 'bsd' }],
      ['3', 'devices.delete', { id: 'base' }],
    ])
    const { body: items } = await send<ProposalItem[]>('GET', `/proposals/${id}/items`)
    expect(items).toEqual([])
  })

  test('an apply says that nothing is applied', async () => {
    const body = { devices: [{ name: 'applied' }] }
    const { status, body: answer, proposal } = await send('POST', '/estate/apply?proposal=open', { body })
    expect([status, answer.applied, answer.changed]).toEqual([202, false, true])
    const [item] = (await send<ProposalItem[]>('GET', `/proposals/${proposal}/items`)).body
    expect(item).toMatchObject({ kind: 'device', name: 'applied', change: 'create' })
  })

  test('a rule that refuses answers as in earnest, and nothing is added or made', async () => {
    const before = await count()
    const refused = await send('POST', '/devices?proposal=draft', { body: { name: '' } })
    const earnest = await send('POST', '/devices', { body: { name: '' } })
    expect([refused.status, refused.body]).toEqual([earnest.status, earnest.body])
    expect(await count()).toBe(before)
    const { proposal } = await send('POST', '/devices?proposal=draft', { body: { id: 'taken', name: 'taken' } })
    const again = await send('POST', `/devices?proposal=${proposal}`, { body: { id: 'taken', name: 'taken' } })
    expect([again.status, again.body.code, again.proposal]).toEqual([409, 'ALREADY_EXISTS', ''])
    expect((await get(proposal)).operations).toHaveLength(1)
  })

  test('with a dry run it is tried on top of the proposal, and not added', async () => {
    const before = await count()
    const fresh = await send('POST', '/devices?proposal=open&dry_run=true', { body: { name: 'dry' } })
    expect([fresh.status, fresh.proposal, fresh.headers.get('X-Dry-Run')]).toEqual([200, '', 'true'])
    expect([fresh.body.name, await count()]).toEqual(['dry', before])
    const { proposal } = await send('POST', '/devices?proposal=draft', { body: { id: 'wet', name: 'wet' } })
    const { fingerprint } = await get(proposal)
    const on = await send('PUT', `/devices/wet?proposal=${proposal}&dry_run=changes`, { body: { os: 'bsd' } })
    expect([on.status, on.body.summary]).toEqual([200, 'changes 1 device'])
    expect(await get(proposal)).toMatchObject({ fingerprint, operations: [{ id: '1' }] })
  })

  test('an If-Match is not compared, and an Idempotency-Key is not kept', async () => {
    await send('POST', '/devices', { body: { id: 'matched', name: 'matched' } })
    const headers = { 'If-Match': '"another"' }
    const { status } = await send('PUT', '/devices/matched?proposal=draft', { body: { os: 'bsd' }, headers })
    expect(status).toBe(202)
    const keyed = { body: { name: 'keyed' }, headers: { 'Idempotency-Key': 'once' } }
    const [first, second] = [
      await send('POST', '/devices?proposal=draft', keyed),
      await send('POST', '/devices?proposal=draft', keyed),
    ]
    expect([first.status, second.status, second.proposal === first.proposal]).toEqual([202, 202, false])
    expect((await get(second.proposal)).operations[0]?.input).toEqual({ name: 'keyed' })
  })

  test.each(['4711', 'nonsense', '01a22e12-811a-72d1-9238-142e50fb68f1'])('%s is no proposal: 400', async (named) => {
    const { status, body } = await send('POST', `/devices?proposal=${named}`, { body: { name: 'x' } })
    expect([status, body.code, body.details[0]?.field]).toEqual([400, 'VALIDATION_ERROR', 'proposal'])
  })

  test('a draft of somebody else is unknown, an open one is not theirs to edit, and a closed one takes nothing', async () => {
    const asking = await app.as(ASKING)
    const add = (proposal: string, by = asking) =>
      send('POST', `/devices?proposal=${proposal}`, { body: { name: 'more' }, by })
    const { proposal } = await send('POST', '/devices?proposal=draft', { body: { name: 'own' } })
    expect((await add(proposal)).body).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'proposal' }] })
    await send('POST', `/proposals/${proposal}/open`)
    expect((await add(proposal)).status).toBe(403)
    expect((await get(proposal)).operations).toHaveLength(1)
    await send('POST', `/proposals/${proposal}/close`)
    expect((await add(proposal, admin)).body).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'state' }] })
  })

  test('an undo is added to no proposal that has other operations', async () => {
    const { body: device, headers } = await send('POST', '/devices', { body: { name: 'to undo' } })
    const { proposal } = await send('POST', '/devices?proposal=draft', { body: { name: 'beside' } })
    const change = headers.get('X-Change-Id')
    const refused = await send('POST', `/history/${change}/undo?proposal=${proposal}`)
    expect(refused.body).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'proposal' }] })
    const alone = await send('POST', `/history/${change}/undo?proposal=draft`)
    expect([alone.status, alone.body.id, alone.body.summary]).toEqual([202, '', 'deletes 1 device'])
    expect((await send('POST', `/devices?proposal=${alone.proposal}`, { body: { name: 'x' } })).status).toBe(400)
    expect((await send('GET', `/devices/${device.id}`)).status).toBe(200)
  })

  test('who reads and may propose needs no permission to write, and the refusal of a write says so', async () => {
    const asking = await app.as(ASKING)
    const { body: network } = await send('POST', '/networks', { body: { name: 'asked', subnet: '10.60.0.0/24' } })
    const range = { start_ip: '10.60.0.10', end_ip: '10.60.0.20' }
    const { body: pool } = await send('POST', `/networks/${network.id}/pools`, { body: { name: 'asked', ...range } })
    const path = `/pools/${pool.id}/allocate`
    const body = { hostname: 'printer' }
    const refused = await send('POST', path, { body, by: asking })
    expect([refused.status, refused.body.details[0]?.field]).toEqual([403, 'proposal'])
    const made = await send('POST', `${path}?proposal=open`, { body, by: asking })
    expect([made.status, made.body]).toMatchObject([202, { ips: ['10.60.0.10'] }])
    expect(await get(made.proposal, asking)).toMatchObject({ summary: 'creates 1 reservation' })
    // VLANs are not readable, so that their writes cannot be tried.
    expect((await send('POST', '/vlans?proposal=open', { body: { name: 'v', vlan_id: 7 }, by: asking })).status).toBe(
      403,
    )
    const viewer = await app.as('viewer')
    const unable = await send('POST', `${path}?proposal=open`, { body, by: viewer })
    expect([unable.status, unable.body.error]).toEqual([403, 'This needs the permission proposals:create'])
  })

  test('the audit trail names the proposal, and a dry run leaves no entry', async () => {
    const { proposal } = await send('POST', '/devices?proposal=open', { body: { name: 'audited' } })
    await send('POST', `/devices?proposal=${proposal}&dry_run=true`, { body: { name: 'dry audited' } })
    await send('POST', `/devices?proposal=${proposal}&dry_run=true`, { body: { name: '' } })
    const { id } = await get(proposal)
    const { body: entries } = await send('GET', `/audit?resource_id=${id}&limit=10`)
    expect(entries).toMatchObject([
      { action: 'update', resource: 'proposal', resource_id: id, change_id: '', status: 'success' },
    ])
  })

  test('writes of one user to one proposal at once are all in it, in some order', async () => {
    const { proposal } = await send('POST', '/devices?proposal=draft', { body: { id: 'd0', name: 'd0' } })
    const bodies = Array.from({ length: 8 }, (_, i) => ({ id: `d${i + 1}`, name: `d${i + 1}` }))
    const added = await Promise.all(bodies.map((body) => send('POST', `/devices?proposal=${proposal}`, { body })))
    expect(added.map(({ status }) => status)).toEqual(bodies.map(() => 202))
    const { operations, summary } = await get(proposal)
    expect([operations.map(({ id }) => id), summary]).toEqual([
      ['1', '2', '3', '4', '5', '6', '7', '8', '9'],
      'creates 9 devices',
    ])
  })
})
