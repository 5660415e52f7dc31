/** Runs of sources against a Docker engine on this machine, and pushed documents. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { ask, refusal } from '../../../testing/estates/inventory.ts'
import { type Dialect, engines, onSqlite } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import type { Source, SourceRun, SourceRunWithLog } from '../schema.ts'
import { INFO, startDockerEngine, VERSION } from '../testing/docker-engine.ts'

const KEY = 'c2'.repeat(32)
/** The first suite on PostgreSQL waits for the server to start. */
const START_TIMEOUT_MS = 60_000
const start = (dialect: Dialect) => {
  const it = {} as { app: TestApp; admin: TestCaller }
  beforeAll(async () => {
    it.app = await testApp({
      dialect,
      env: { ENCRYPTION_KEY: KEY, SOURCE_TARGETS: '127.0.0.0/8' },
    })
    it.admin = await it.app.as('admin')
  }, START_TIMEOUT_MS)
  afterAll(() => it.app.close(), START_TIMEOUT_MS)
  const send = (http: string, body?: unknown) => ask(it.admin, http, body)
  let n = 0
  const create = async (draft: object): Promise<Source> => {
    const { status, body } = await send('POST /api/sources', { name: `source ${++n}`, ...draft })
    if (status !== 201) throw new Error(JSON.stringify(body))
    // The answer of a 201 is a source.
    return body as Source
  }
  const get = async (id: string) => (await send(`GET /api/sources/${id}`)).body as Source
  const listRuns = async (id: string) => (await send(`GET /api/sources/${id}/runs`)).body as SourceRun[]
  const show = async (id: string, runId: string) =>
    (await send(`GET /api/sources/${id}/runs/${runId}`)).body as SourceRunWithLog
  /** Waits for the end of all runs. Returns them, the newest first. */
  const ended = (id: string, count: number) =>
    until(`the end of ${count} runs`, async () => {
      const all = await listRuns(id)
      const isOver = all.length >= count && all.every(({ completed_at }) => completed_at !== null)
      return isOver && !(await get(id)).is_running ? all : undefined
    })
  const run = async (id: string, body: object = {}) => {
    const answer = await send(`POST /api/sources/${id}/run`, body)
    expect([answer.status, answer.body]).toMatchObject([202, { source_id: id }])
    return answer.body as SourceRun
  }
  const push = async (
    id: string,
    file: unknown,
    { query = '', key = it.admin.key } = {},
  ): Promise<{ status: number; body: unknown }> => {
    const url = `http://plat.test/api/sources/${id}/push${query}`
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/octet-stream' }
    const body = typeof file === 'string' ? file : JSON.stringify(file)
    const response = await it.app.fetch(new Request(url, { method: 'POST', headers, body }))
    return { status: response.status, body: await response.json() }
  }
  const listEvents = async (id: string): Promise<string[]> => {
    const rows = await it.app.db.read
      .selectFrom('events')
      .select('event')
      .where('resource_id', '=', id)
      .orderBy('seq')
      .execute()
    return rows.map(({ event }) => event)
  }
  /** Returns the names of the devices that a source has made. */
  const listMade = async (id: string): Promise<string[]> =>
    ((await send(`GET /api/devices?managed_by=source:${id}`)).body as { name: string }[]).map(({ name }) => name)
  return { it, send, create, get, listRuns, show, ended, run, push, listEvents, listMade }
}

describe.each(engines())('a source is read on %s', (dialect) => {
  const { it, send, create, get, show, ended, run, push, listEvents, listMade } = start(dialect)

  test('at once when it is new, and a person applies', async () => {
    const { url, stop } = startDockerEngine()
    const { id } = await create({ kind: 'docker', url })
    const [first] = await ended(id, 1)
    expect(first).toMatchObject({
      ...{ trigger: 'schedule', status: 'completed', result: 'read', product: 'Docker 29.0.1' },
      ...{ read: { host: 1, container: 2 }, error_code: '', change_id: '', requests: 4 },
    })
    const source = await get(id)
    expect(source).toMatchObject({ status: 'waiting', is_running: false, product: 'Docker 29.0.1' })
    expect(source.counts.changed).toBeGreaterThan(2)
    expect(source.next_run_at).not.toBeNull()
    expect(await listEvents(id)).toEqual(['source.waiting'])
    expect(await listMade(id)).toEqual([])
    expect((await show(id, first?.id ?? '')).log.length).toBeGreaterThan(0)
    stop()
  })

  test('and applied in the mode auto, by a change of the history', async () => {
    const { engine, url, stop } = startDockerEngine()
    engine.names = ['auto-1', 'auto-2']
    const { id } = await create({ kind: 'docker', url, mode: 'auto', interval_minutes: 0 })
    await run(id)
    const [first] = await ended(id, 1)
    expect(first).toMatchObject({ trigger: 'hand', status: 'completed', result: 'applied' })
    const change = await send(`GET /api/history/${first?.change_id}`)
    expect(change.body).toMatchObject({ operation: 'sources.run', via: 'job' })
    expect(await listMade(id)).toEqual(['auto-1', 'auto-2', 'engine-1'])
    expect(await get(id)).toMatchObject({ status: 'ok', status_message: '' })

    await run(id)
    expect((await ended(id, 2))[0]).toMatchObject({ result: 'unchanged', change_id: '' })
    engine.names = ['auto-1']
    await run(id)
    expect((await ended(id, 3))[0]).toMatchObject({ result: 'applied' })
    expect(await listMade(id)).toEqual(['auto-1', 'engine-1'])
    stop()
  })

  test('an object that a person edits is judged again, and kept by the next run', async () => {
    const { engine, url, stop } = startDockerEngine()
    engine.names = ['edited']
    const { id } = await create({ kind: 'docker', url, mode: 'auto', interval_minutes: 0 })
    await run(id)
    await ended(id, 1)
    const [{ id: device } = { id: '' }] = await it.admin.api.devices.list({ managed_by: `source:${id}` })
    expect((await send(`PUT /api/devices/${device}`, { status: 'planned' })).status).toBe(200)
    await until('the judgment', async () => ((await get(id)).counts.kept === 1 ? true : undefined))
    await run(id)
    await ended(id, 2)
    expect((await it.admin.api.devices.get({ id: device })).status).toBe('planned')
    stop()
  })

  test('a failed run tells why, and the next success ends it', async () => {
    const { engine, url, stop } = startDockerEngine()
    engine.status = 403
    const { id } = await create({ kind: 'docker', url, interval_minutes: 0 })
    await run(id)
    const [failed] = await ended(id, 1)
    expect(failed).toMatchObject({ status: 'failed', result: '', error_code: 'forbidden' })
    expect(await get(id)).toMatchObject({ status: 'failed', status_message: failed?.message, last_success_at: null })
    engine.status = 200
    await run(id)
    await ended(id, 2)
    expect(await listEvents(id)).toEqual(['source.failed', 'source.recovered', 'source.waiting'])
    stop()
  })

  test('a run that an instance has left behind is failed, and the next one starts at once', async () => {
    const { url, stop } = startDockerEngine()
    const { id } = await create({ kind: 'docker', url, enabled: false })
    await it.app.db.write(({ db }) =>
      db
        .insertInto('source_runs')
        .values({
          ...{ id: 'left', source_id: id, trigger: 'schedule', status: 'running', result: '', product: '' },
          ...{ read: '{}', counts: '{}', left_over: '[]', warnings: '[]', log: '[]', requests: 0, bytes: 0 },
          ...{ error_code: '', message: '', change_id: '', applies: 1, force: 0 },
          ...{ created_at: '2026-01-01T00:00:00.000Z', started_at: '2026-01-01T00:00:00.000Z', completed_at: null },
        })
        .execute(),
    )
    const [left] = await ended(id, 1)
    expect(left).toMatchObject({ id: 'left', status: 'failed', error_code: 'interrupted' })
    stop()
  })

  test('a change of its url ends a running run', async () => {
    const { engine, url, stop } = startDockerEngine()
    const held = Promise.withResolvers<void>()
    engine.held = held.promise
    const { id } = await create({ kind: 'docker', url, interval_minutes: 0 })
    const asked = await run(id)
    await until('the first request', async () => (engine.asked > 0 ? true : undefined))
    expect(await run(id)).toMatchObject({ id: asked.id, status: 'running' })
    expect((await send(`PUT /api/sources/${id}`, { url: `${url}/other` })).status).toBe(200)
    expect((await show(id, asked.id)).status).toBe('cancelled')
    expect((await get(id)).is_running).toBe(false)
    held.resolve()
    expect((await ended(id, 1))[0]).toMatchObject({ status: 'cancelled' })
    stop()
  })

  test('an empty list where there was one fails the run, until it is forced', async () => {
    const { id } = await create({
      kind: 'document',
      mode: 'auto',
      ref: 'crm',
      when_gone: 'delete',
      gone_after_hours: 0,
    })
    const device = (key: string) => ({ name: `doc-${key}`, refs: { crm: key } })
    expect(await push(id, { devices: [device('1'), device('2')] })).toMatchObject({
      status: 202,
      body: { trigger: 'push' },
    })
    expect((await ended(id, 1))[0]).toMatchObject({ status: 'completed', result: 'applied' })
    await push(id, { datacenters: [{ name: 'DC of the document', refs: { crm: 'dc' } }] })
    expect((await ended(id, 2))[0]).toMatchObject({ status: 'failed', error_code: 'empty' })
    expect(await listMade(id)).toEqual(['doc-1', 'doc-2'])
    const datacenter = { datacenters: [{ name: 'DC of the document', refs: { crm: 'dc' } }] }
    const { key } = await it.app.as(['sources:push'])
    expect(await push(id, datacenter, { query: '?force=true', key })).toMatchObject({
      ...{ status: 403, body: { error: expect.stringContaining('sources:run') } },
    })
    expect(await push(id, datacenter, { query: '?force=yes' })).toMatchObject(refusal('force'))
    expect((await push(id, datacenter, { query: '?force=true' })).status).toBe(202)
    expect((await ended(id, 3))[0]).toMatchObject({ status: 'completed', result: 'applied' })
    expect(await listMade(id)).toEqual([])
  })
})

describe.each(onSqlite())('a push on %s', (dialect) => {
  const { it, send, create, get, ended, push } = start(dialect)

  test.each([
    [{ kind: 'kubernetes', snapshot: {} }, 'kind'],
    [{ kind: 'docker', snapshot: { version: 1 } }, 'snapshot'],
    [{ kind: 'docker' }, 'snapshot'],
    ['no JSON', 'snapshot'],
    ['', 'snapshot'],
  ])('of %j is refused', async (file, field) => {
    const { id } = await create({ kind: 'docker' })
    expect(await push(id, file)).toMatchObject(refusal(field))
  })

  test('to a disabled source is refused', async () => {
    const { id } = await create({ kind: 'docker', enabled: false })
    expect(await push(id, { kind: 'docker', snapshot: {} })).toMatchObject(refusal('enabled'))
  })

  test('waits for its turn, and a second one that would wait is refused', async () => {
    const { engine, url, stop } = startDockerEngine()
    const held = Promise.withResolvers<void>()
    engine.held = held.promise
    const docker = await create({ kind: 'docker', url, interval_minutes: 0 })
    const snapshot = { version: VERSION, info: INFO, containers: [], networks: [] }
    const file = { kind: 'docker', snapshot }
    await send(`POST /api/sources/${docker.id}/run`)
    await until('the first request', async () => (engine.asked > 0 ? true : undefined))
    // The first of the two that comes waits for the run, the other one is refused.
    const both = [push(docker.id, file), push(docker.id, file)]
    const refused = await Promise.race(both)
    expect(refused).toMatchObject({ status: 503, body: { error: expect.stringContaining('waits for its turn') } })
    held.resolve()
    const statuses = (await Promise.all(both)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([202, 503])
    expect((await ended(docker.id, 2)).map(({ trigger }) => trigger)).toEqual(['push', 'hand'])
    stop()
  })

  test('to no source is refused', async () => {
    expect((await push('none', {})).status).toBe(404)
  })

  test('of the same file changes nothing, and is read again after a change of the settings', async () => {
    const { id } = await create({ kind: 'document', mode: 'auto', ref: 'same', interval_minutes: 0 })
    const file = (os: string) => ({ devices: [{ name: 'same-1', os, refs: { same: '1' } }] })
    const runs: SourceRun[] = []
    const pushed = async (os: string) => {
      await push(id, file(os))
      const [newest] = await ended(id, runs.length + 1)
      if (newest) runs.push(newest)
      return newest
    }
    const find = async () => (await it.admin.api.devices.list({ managed_by: `source:${id}` }))[0]
    expect(await pushed('Debian 12')).toMatchObject({ result: 'applied', read: { device: 1 } })
    expect(await pushed('Debian 12')).toMatchObject({ result: 'unchanged', read: { device: 1 }, change_id: '' })
    expect(await pushed('Debian 13')).toMatchObject({ result: 'applied' })
    expect(await pushed('Debian 12')).toMatchObject({ result: 'applied' })
    expect((await send(`PUT /api/sources/${id}`, { tags: ['told'] })).status).toBe(200)
    expect(await pushed('Debian 12')).toMatchObject({ result: 'applied' })
    expect(await find()).toMatchObject({ os: 'Debian 12', tags: ['told'] })
    const state = it.app.db.read.selectFrom('source_states').select('snapshot_hash').where('source_id', '=', id)
    expect((await state.executeTakeFirst())?.snapshot_hash).toMatch(/^[0-9a-f]{64}$/)
    expect((await send(`PUT /api/sources/${id}`, { custom: { cpu: 'none' } })).status).toBe(400)
  })

  test('needs no permission but its own', async () => {
    const { id } = await create({ kind: 'docker' })
    const snapshot = { version: VERSION, info: INFO, containers: [], networks: [] }
    const narrow = await it.app.as(['sources:push'])
    const headers = { Authorization: `Bearer ${narrow.key}` }
    const request = { method: 'POST', headers, body: JSON.stringify({ kind: 'docker', snapshot }) }
    const response = await it.app.fetch(new Request(`http://plat.test/api/sources/${id}/push`, request))
    expect([response.status, await response.json()]).toMatchObject([202, { source_id: id, trigger: 'push' }])
    expect((await ended(id, 1))[0]).toMatchObject({ status: 'completed', result: 'read', read: { host: 1 } })
    expect((await get(id)).counts.changed).toBeGreaterThan(0)
    expect((await ask(narrow, `GET /api/sources/${id}`)).status).toBe(403)
  })

  test('secrets of another key fail a run with the code key', async () => {
    const { url, stop } = startDockerEngine()
    const secrets = { client_certificate: 'a', client_key: 'b' }
    const { id } = await create({ kind: 'docker', url, interval_minutes: 0, secrets })
    await it.app.db.write(({ db }) =>
      db.updateTable('sources').set({ secrets: 'v1.00000000.AAAA' }).where('id', '=', id).execute(),
    )
    await send(`POST /api/sources/${id}/run`)
    expect((await ended(id, 1))[0]).toMatchObject({ status: 'failed', error_code: 'key' })
    stop()
  })
})
