/** Proposals run the ordinary rules each time: previews, conflicts, moved ground and merges. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Proposal, ProposalItem, TimelineEntry } from '../schema.ts'

type Operation = { readonly operation: string; readonly input: object; readonly note?: string }

describe.each(engines())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect, withJobs: false })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const call = async <T>(method: string, path: string, body?: object, by = admin): Promise<T> => {
    const response = await by.request(method, `/api/proposals${path}`, body)
    const text = await response.text()
    expect([path, response.status, text]).toEqual([path, response.status < 300 ? response.status : 0, text])
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
  const refuse = async (method: string, path: string, body?: object, by = admin) => {
    const response = await by.request(method, `/api/proposals${path}`, body)
    const { code, details } = (await response.json()) as { code: string; details: { field: string }[] }
    return [response.status, code, details.map(({ field }) => field)]
  }
  const propose = (operations: readonly Operation[], more: object = {}, by = admin): Promise<Proposal> =>
    call('POST', '', { title: 'A change', open: true, operations, ...more }, by)
  const refresh = ({ number }: Proposal): Promise<Proposal> => call('POST', `/${number}/refresh`)
  const merge = ({ number, fingerprint }: Proposal, by = admin): Promise<Proposal> =>
    call('POST', `/${number}/merge`, { fingerprint }, by)
  const items = ({ number }: Proposal): Promise<ProposalItem[]> => call('GET', `/${number}/items`)
  const types = async ({ number }: Proposal): Promise<string[]> =>
    (await call<TimelineEntry[]>('GET', `/${number}/timeline`)).map(({ type }) => type)
  const createDevice = (id: string, more: object = {}): Operation => ({
    ...{ operation: 'devices.create', input: { id, name: id, ...more } },
  })
  const updateDevice = (id: string, patch: object): Operation => ({
    ...{ operation: 'devices.update', input: { id, ...patch } },
  })

  test('later operations use the objects of earlier ones, also by refs, and the merge makes them with the shown ids', async () => {
    const proposal = await propose([
      { operation: 'datacenters.create', input: { name: 'North', refs: { cmdb: 'north' } } },
      { operation: 'networks.create', input: { name: 'lan', subnet: '10.20.0.0/24', datacenter_id: 'cmdb:north' } },
      createDevice('first', { datacenter_id: 'cmdb:north', addresses: [{ ip: '10.20.0.7' }] }),
    ])
    expect(proposal).toMatchObject({ errors: 0, summary: 'creates 1 datacenter, 1 network and 1 device' })
    const shown = await items(proposal)
    const network = shown.find(({ kind }) => kind === 'network')
    const pooled = await call<Proposal>('PUT', `/${proposal.number}`, { description: 'With a pool' })
    expect(pooled.fingerprint).toBe(proposal.fingerprint)
    const { change_id } = await merge(proposal)
    const [stored] = await admin.api.networks.list({ name: 'lan' })
    expect(stored?.id).toBe(network?.id ?? '')
    expect(network?.names).toEqual({ [String(stored?.datacenter_id)]: 'North' })
    expect(await admin.api.devices.get({ id: 'first' })).toMatchObject({ datacenter_id: stored?.datacenter_id })
    expect(await admin.api.history.get({ id: change_id ?? '' })).toMatchObject({
      ...{ operation: 'proposals.merge', note: 'A change', proposal_id: proposal.id },
    })
    // After the merge the items are read from the change.
    expect(await items(proposal)).toEqual(shown)
  })

  test('a preview leaves nothing behind but itself', async () => {
    const before = await admin.request('GET', '/api/devices')
    const history = await admin.request('GET', '/api/history')
    await propose([createDevice('unseen')])
    expect((await admin.request('GET', '/api/devices')).headers.get('etag')).toBe(before.headers.get('etag'))
    expect((await admin.request('GET', '/api/history')).headers.get('etag')).toBe(history.headers.get('etag'))
    expect((await admin.request('GET', '/api/devices/unseen')).status).toBe(404)
  })

  test('another field that was changed on the object leaves the fingerprint, and the merge keeps its value', async () => {
    await admin.api.devices.create({ id: 'kept', name: 'kept', os: 'debian' })
    const proposal = await propose([updateDevice('kept', { os: 'bsd' })])
    await admin.api.devices.update({ id: 'kept', description: 'edited' })
    const again = await refresh(proposal)
    expect([again.fingerprint, again.is_current]).toEqual([proposal.fingerprint, true])
    expect(await types(again)).toEqual(['opened'])
    await merge(proposal)
    expect(await admin.api.devices.get({ id: 'kept' })).toMatchObject({ os: 'bsd', description: 'edited' })
  })

  test('an address that is taken after the run is found by the merge, which stores the preview of the next one', async () => {
    const network = await admin.api.networks.create({ name: 'taken', subnet: '10.21.0.0/24' })
    const range = { start_ip: '10.21.0.10', end_ip: '10.21.0.11' }
    const pool = await admin.api.pools.create({ network_id: network.id, name: 'taken', ...range })
    const proposal = await propose([{ operation: 'reservations.allocate', input: { id: pool.id } }])
    const address = async () => (await items(proposal)).map(({ fields }) => fields.ip_address?.to)
    expect(await address()).toEqual(['10.21.0.10'])
    await admin.api.reservations.allocate({ id: pool.id })
    // Only objects of the last run are compared, and the reservation is not there yet.
    expect(await call<Proposal>('GET', `/${proposal.number}`)).toMatchObject({ is_current: true })
    const { number, fingerprint } = proposal
    const refused = await refuse('POST', `/${number}/merge`, { fingerprint })
    expect(refused).toEqual([412, 'PRECONDITION_FAILED', ['reservation 10.21.0.11']])
    expect(await address()).toEqual(['10.21.0.11'])
    await admin.api.reservations.allocate({ id: pool.id })
    expect(await refresh(proposal)).toMatchObject({ errors: 1, fingerprint: '' })
  })

  test('a changed object makes a proposal outdated, and another effect is a new fingerprint with an entry', async () => {
    await admin.api.devices.create({ id: 'moved', name: 'moved', os: 'debian' })
    const proposal = await propose([updateDevice('moved', { os: 'bsd' })])
    await admin.api.devices.update({ id: 'moved', os: 'ubuntu' })
    expect(await call<Proposal>('GET', `/${proposal.number}`)).toMatchObject({ is_current: false })
    const again = await refresh(proposal)
    expect(again).toMatchObject({ is_current: true, errors: 0 })
    expect(again.fingerprint).not.toBe(proposal.fingerprint)
    expect(await types(again)).toEqual(['opened', 'moved'])
    expect(await refuse('POST', `/${proposal.number}/merge`, { fingerprint: proposal.fingerprint })).toEqual([
      ...[412, 'PRECONDITION_FAILED', []],
    ])
    await merge(again)
    expect(await admin.api.devices.get({ id: 'moved' })).toMatchObject({ os: 'bsd' })
  })

  test('a merge that would do something else names the object, changes nothing, and stores the new preview', async () => {
    await admin.api.devices.create({ id: 'drifted', name: 'drifted', os: 'debian' })
    const proposal = await propose([updateDevice('drifted', { os: 'bsd' })])
    await admin.api.devices.update({ id: 'drifted', os: 'ubuntu' })
    expect(await refuse('POST', `/${proposal.number}/merge`, {})).toEqual([
      ...[412, 'PRECONDITION_FAILED', ['device drifted']],
    ])
    expect(await admin.api.devices.get({ id: 'drifted' })).toMatchObject({ os: 'ubuntu' })
    const stored = await call<Proposal>('GET', `/${proposal.number}`)
    expect(stored.fingerprint).not.toBe(proposal.fingerprint)
    expect(await types(stored)).toEqual(['opened', 'moved'])
    expect(await merge(stored)).toMatchObject({ state: 'merged' })
  })

  test('a dry run of a merge that would do something else stores nothing', async () => {
    await admin.api.devices.create({ id: 'dry', name: 'dry', os: 'debian' })
    const proposal = await propose([updateDevice('dry', { os: 'bsd' })])
    await admin.api.devices.update({ id: 'dry', os: 'ubuntu' })
    expect(await refuse('POST', `/${proposal.number}/merge?dry_run=true`, {})).toEqual([
      ...[412, 'PRECONDITION_FAILED', ['device dry']],
    ])
    expect(await call<Proposal>('GET', `/${proposal.number}`)).toMatchObject({ fingerprint: proposal.fingerprint })
    await refresh(proposal)
    const dry = await call<Proposal>('POST', `/${proposal.number}/merge?dry_run=true`, {})
    expect(dry.state).toBe('merged')
    expect(await call<Proposal>('GET', `/${proposal.number}`)).toMatchObject({ state: 'open', change_id: null })
  })

  test('a rule that refuses an operation later keeps the operation with its error, and the others go on', async () => {
    await admin.api.networks.create({ name: 'busy', subnet: '10.30.0.0/24' })
    await admin.api.devices.create({ id: 'gone', name: 'gone' })
    const proposal = await propose([updateDevice('gone', { os: 'bsd' }), createDevice('other')])
    await admin.api.devices.delete({ id: 'gone' })
    const again = await refresh(proposal)
    expect(again).toMatchObject({ errors: 1, summary: 'creates 1 device' })
    expect(again.operations.map(({ error }) => error?.code)).toEqual(['NOT_FOUND', undefined])
    expect(again.blockers).toMatchObject([{ reason: 'error' }])
    expect(await refuse('POST', `/${proposal.number}/merge`, {})).toEqual([409, 'MERGE_CONFLICT', ['operations[0]']])
    expect((await admin.request('GET', '/api/devices/other')).status).toBe(404)
    await call('DELETE', `/${proposal.number}/operations/1`)
    const left = await call<Proposal>('GET', `/${proposal.number}`)
    expect(left).toMatchObject({ errors: 0, operations: [{ id: '2' }] })
    expect(await types(left)).toEqual(['opened', 'moved', 'changed'])
    await merge(left)
    expect(await admin.api.devices.get({ id: 'other' })).toMatchObject({ name: 'other' })
  })

  test('the field of a refused operation is named at the merge', async () => {
    await admin.api.devices.create({ id: 'tagged', name: 'tagged' })
    const proposal = await propose([updateDevice('tagged', { asset_tag: 'A-1' })])
    await admin.api.devices.create({ name: 'has the tag', asset_tag: 'A-1' })
    expect(await refuse('POST', `/${proposal.number}/merge`, {})).toEqual([
      ...[409, 'MERGE_CONFLICT', ['operations[0].asset_tag']],
    ])
  })

  test('a replaced operation runs again with its new input, and a refusal replaces nothing', async () => {
    await admin.api.devices.create({ id: 'replaced', name: 'replaced' })
    const proposal = await propose([updateDevice('replaced', { os: 'bsd' })])
    const path = `/${proposal.number}/operations/1`
    const changed = await call<Proposal>('PUT', path, { input: { id: 'replaced', os: 'plan9' } })
    expect(changed.fingerprint).not.toBe(proposal.fingerprint)
    expect(await refuse('PUT', path, { input: { id: 'replaced', status: 'nonsense' } })).toEqual([
      ...[400, 'VALIDATION_ERROR', ['status']],
    ])
    expect(await call<Proposal>('GET', `/${proposal.number}`)).toMatchObject({
      ...{ fingerprint: changed.fingerprint, operations: [{ input: { id: 'replaced', os: 'plan9' } }] },
    })
    await merge(changed)
    expect(await admin.api.devices.get({ id: 'replaced' })).toMatchObject({ os: 'plan9' })
  })

  test('a closed proposal is opened again by its author, after a run on what there is now', async () => {
    await admin.api.devices.create({ id: 'reopened', name: 'reopened', os: 'debian' })
    const proposal = await propose([updateDevice('reopened', { os: 'bsd' })])
    const closed = await call<Proposal>('POST', `/${proposal.number}/close`, { text: 'Not yet' })
    expect(closed).toMatchObject({ state: 'closed', close_reason: 'withdrawn', closed_by: closed.author })
    expect(await refuse('POST', `/${proposal.number}/merge`, {})).toEqual([400, 'VALIDATION_ERROR', ['state']])
    await admin.api.devices.update({ id: 'reopened', os: 'ubuntu' })
    const opened = await call<Proposal>('POST', `/${proposal.number}/open`)
    expect(opened).toMatchObject({ state: 'open', close_reason: '', closed_by: '', closed_at: null })
    expect(opened.fingerprint).not.toBe(proposal.fingerprint)
    expect(await types(opened)).toEqual(['opened', 'closed', 'opened'])
    await merge(opened)
    expect(await refuse('POST', `/${proposal.number}/open`)).toEqual([400, 'VALIDATION_ERROR', ['state']])
    expect(await refuse('POST', `/${proposal.number}/refresh`)).toEqual([400, 'VALIDATION_ERROR', ['state']])
  })

  test('an undo stands alone, merges as one change, and can be undone', async () => {
    const { id } = await admin.api.devices.create({ id: 'undone', name: 'undone' })
    const [change] = await admin.api.history.list({ object_id: id, limit: 1 })
    const undo = { operation: 'history.undo', input: { id: change?.id ?? '' } }
    expect(await refuse('POST', '', { title: 'Two', operations: [undo, createDevice('beside')] })).toEqual([
      ...[400, 'VALIDATION_ERROR', ['operations']],
    ])
    const proposal = await propose([undo])
    expect(proposal.summary).toBe('deletes 1 device')
    const { change_id } = await merge(proposal)
    expect((await admin.request('GET', `/api/devices/${id}`)).status).toBe(404)
    expect(await admin.api.history.get({ id: change_id ?? '' })).toMatchObject({
      ...{ undoes: change?.id ?? '', operation: 'proposals.merge', note: 'A change', proposal_id: proposal.id },
    })
    await admin.api.history.undo({ id: change_id ?? '' })
    expect(await admin.api.devices.get({ id })).toMatchObject({ name: 'undone' })
    expect(await call<Proposal>('GET', `/${proposal.number}`)).toMatchObject({ state: 'merged' })
  })

  test('of an allocation the merge takes the address that is free then, after another look', async () => {
    const network = await admin.api.networks.create({ name: 'asked', subnet: '10.40.0.0/24' })
    const pool = await admin.api.pools.create({
      ...{ name: 'asked', network_id: network.id, start_ip: '10.40.0.10', end_ip: '10.40.0.20' },
    })
    const proposal = await propose([
      { operation: 'reservations.allocate', input: { id: pool.id, hostname: 'printer', ttl_seconds: 3600 } },
    ])
    expect((await refresh(proposal)).fingerprint).toBe(proposal.fingerprint)
    await admin.api.reservations.allocate({ id: pool.id })
    const again = await refresh(proposal)
    expect(again.fingerprint).not.toBe(proposal.fingerprint)
    await merge(again)
    const found = await admin.api.reservations.list({ pool_id: pool.id })
    expect(found.map(({ ip_address }) => ip_address).sort()).toEqual(['10.40.0.10', '10.40.0.11'])
  })

  test('the author of a reservation is the one who proposed it', async () => {
    const asking = await app.as([
      ...(['pools:list', 'pools:read', 'networks:read', 'reservations:list', 'reservations:read'] as const),
      ...(['proposals:create', 'proposals:read'] as const),
    ])
    const network = await admin.api.networks.create({ name: 'authors', subnet: '10.50.0.0/24' })
    const pool = await admin.api.pools.create({
      ...{ name: 'authors', network_id: network.id, start_ip: '10.50.0.10', end_ip: '10.50.0.20' },
    })
    const operations = [{ operation: 'reservations.allocate', input: { id: pool.id, hostname: 'printer' } }]
    const proposal = await propose(operations, {}, asking)
    expect(await refuse('POST', `/${proposal.number}/merge`, {}, asking)).toEqual([403, 'FORBIDDEN', []])
    expect(await call<Proposal>('GET', `/${proposal.number}`, undefined, asking)).toMatchObject({
      blockers: [{ reason: 'permission', message: 'You lack the permission reservations:create' }],
    })
    await merge(proposal)
    const [made] = await admin.api.reservations.list({ pool_id: pool.id })
    expect(made).toMatchObject({ hostname: 'printer', created_by: proposal.author })
  })
})
