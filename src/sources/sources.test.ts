/** Settings of sources: fields, secrets, permissions, and what other objects do to them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { alreadyExists, ask, changedSince, failure, missing, refusal } from '../../testing/estates/inventory.ts'
import { type Dialect, engines, onSqlite } from '../../testing/servers/servers.ts'
import { createSecrets } from '../base/security/crypto.ts'
import type { Source } from './schema.ts'
import { openSecrets } from './secrets.ts'

const KEY = 'c1'.repeat(32)
const secrets = createSecrets({ key: KEY, previous: [] })
/** The first suite on PostgreSQL waits for the server to start. */
const START_TIMEOUT_MS = 60_000
const NOW = '2026-06-01T00:00:00.000Z'
const URL = 'https://192.0.2.10:2376'
const TLS = { client_certificate: 'certificate-1', client_key: 'private-1' }
/** Read by hand only, so that no run changes it. */
const BY_HAND = { kind: 'docker', url: URL, interval_minutes: 0 } as const

type Sent = Awaited<ReturnType<typeof ask>>

const start = (dialect: Dialect, env: Record<string, string> = {}) => {
  const it = {} as { app: TestApp; admin: TestCaller }
  let n = 0
  beforeAll(async () => {
    it.app = await testApp({
      dialect,
      now: () => new Date(NOW),
      env: { ENCRYPTION_KEY: KEY, AUDIT_ENABLED: 'true', ...env },
    })
    it.admin = await it.app.as('admin')
  }, START_TIMEOUT_MS)
  afterAll(() => it.app.close(), START_TIMEOUT_MS)
  const send = (http: string, body?: unknown, headers?: Record<string, string>) => ask(it.admin, http, body, headers)
  const create = (draft: object) => send('POST /api/sources', { name: `source ${++n}`, ...BY_HAND, ...draft })
  const read = ({ status, body }: Sent): Source => {
    if (status !== 200 && status !== 201) throw new Error(JSON.stringify(body))
    // The answer of a success is a source.
    return body as Source
  }
  const made = async (draft: object = {}): Promise<Source> => read(await create(draft))
  const update = (id: string, patch: object) => send(`PUT /api/sources/${id}`, patch)
  const get = async (id: string) => read(await send(`GET /api/sources/${id}`))
  const openStored = async (id: string) => {
    const row = await it.app.db.read.selectFrom('sources').select('secrets').where('id', '=', id).executeTakeFirst()
    return openSecrets(secrets, id, row?.secrets ?? null)
  }
  return { it, send, create, made, update, get, openStored }
}

describe.each(engines())('a source on %s', (dialect) => {
  const { send, create, made, update, get, openStored } = start(dialect)

  test('a new source has the defaults of its kind', async () => {
    const { body } = await send('POST /api/sources', { id: 'first', name: 'Engine', kind: 'docker' })
    expect(body).toEqual({
      ...{ id: 'first', name: 'Engine', kind: 'docker', url: '', options: { containers: true, host: '' } },
      ...{ secrets_set: [], enabled: true, mode: 'review', interval_minutes: 60, timeout_seconds: 600 },
      ...{ allow_private: false, tls_ca: '', tls_fingerprint: '', include: [], exclude: [] },
      ...{ datacenter_id: null, space_id: null, places: [], tags: [], custom: {}, ref: 'docker' },
      ...{ when_gone: 'delete', gone_after_hours: 0, max_gone_percent: 100, description: '' },
      ...{ managed_by: 'source:first', status: 'new', status_message: '', is_running: false, product: '' },
      counts: { objects: 0, changed: 0, kept: 0, gone: 0, unclear: 0, failed: 0 },
      ...{ last_run_at: null, last_success_at: null, next_run_at: null, created_at: NOW, updated_at: NOW },
    })
  })

  test('secrets are merged by name, and never sent', async () => {
    const { id, secrets_set } = await made({ secrets: TLS })
    expect(secrets_set).toEqual(['client_certificate', 'client_key'])
    const changed = await update(id, { secrets: { client_key: 'private-2' } })
    expect(JSON.stringify(changed.body)).not.toMatch(/private-|certificate-1/)
    expect(await openStored(id)).toEqual({ client_certificate: 'certificate-1', client_key: 'private-2' })
    await update(id, { secrets: { client_key: null, client_certificate: '' } })
    expect([(await get(id)).secrets_set, await openStored(id)]).toEqual([[], {}])
  })

  test('a name is taken in any case, and a given id is kept', async () => {
    await made({ name: 'Äpfel' })
    expect(await create({ name: 'äPFEL' })).toMatchObject(alreadyExists)
    await made({ id: 'own.id' })
    expect(await create({ id: 'own.id' })).toMatchObject(alreadyExists)
    expect(await create({ id: 'objects' })).toMatchObject(refusal('id'))
  })

  test('the list is filtered by name, kind, status and whether a source is enabled', async () => {
    const { id } = await made({ name: 'Filtered one', enabled: false })
    const list = async (query: string) =>
      ((await send(`GET /api/sources?${query}`)).body as Source[]).map((one) => one.id)
    expect(await list('name=FILTERED')).toEqual([id])
    expect(await list('enabled=false&kind=docker&status=new')).toEqual([id])
    expect(await list('name=filtered&status=failed')).toEqual([])
    expect(await list('name=filtered&kind=kubernetes')).toEqual([])
  })

  test('a change needs the last state of the source', async () => {
    const { id } = await made()
    const stale = { 'If-Match': '"stale"' }
    expect(await send(`PUT /api/sources/${id}`, { description: 'x' }, stale)).toMatchObject(changedSince)
    const { etag } = await send(`GET /api/sources/${id}`)
    expect((await send(`PUT /api/sources/${id}`, { description: 'x' }, { 'If-Match': etag ?? '' })).status).toBe(200)
  })

  test('deleting a datacenter clears it in the sources', async () => {
    const datacenter = { id: 'gone', name: 'Gone' }
    await send('POST /api/datacenters', datacenter)
    const places = [{ match: 'A*', datacenter_id: 'gone' }]
    const { id } = await made({ datacenter_id: 'gone', places })
    expect((await send('DELETE /api/datacenters/gone')).status).toBe(204)
    expect(await get(id)).toMatchObject({ datacenter_id: null, places: [{ match: 'A*', datacenter_id: null }] })
  })

  test('a space that a source names cannot be deleted', async () => {
    for (const space of ['lab', 'shop']) await send('POST /api/spaces', { id: space, name: `Space ${space}` })
    const first = await made({ space_id: 'lab' })
    const second = await made({ places: [{ match: '*', space_id: 'shop' }] })
    expect(await send('DELETE /api/spaces/lab')).toMatchObject(failure(409, 'IN_USE'))
    expect(await send('DELETE /api/spaces/shop')).toMatchObject(failure(409, 'IN_USE'))
    for (const { id } of [first, second]) expect((await send(`DELETE /api/sources/${id}`)).status).toBe(204)
    expect((await send('DELETE /api/spaces/lab')).status).toBe(204)
    expect((await send('DELETE /api/spaces/shop')).status).toBe(204)
  })

  test('a deleted source is gone with its runs', async () => {
    const { id } = await made()
    expect((await send(`POST /api/sources/${id}/run`)).status).toBe(202)
    expect((await send(`DELETE /api/sources/${id}`)).status).toBe(204)
    expect(await send(`GET /api/sources/${id}`)).toMatchObject(missing)
    expect(await send(`GET /api/sources/${id}/runs`)).toMatchObject(missing)
  })
})

describe.each(onSqlite())('the fields of a source on %s', (dialect) => {
  const { it, send, create, made, update, get } = start(dialect)
  beforeAll(async () => {
    await send('POST /api/custom-fields', { resource: 'devices', name: 'cluster', type: 'text' })
  })

  test.each([
    [{ kind: 'netscaler' }, 'kind'],
    [{ url: 'ftp://192.0.2.1' }, 'url'],
    [{ url: 'http://127.0.0.1:2375' }, 'url'],
    [{ url: 'http://169.254.169.254/latest' }, 'url'],
    [{ url: 'http://10.0.0.1:2375' }, 'url'],
    [{ url: 'https://user:pw@192.0.2.1' }, 'url'],
    [{ url: 'https://192.0.2.1?x=1' }, 'url'],
    [{ url: 'https://192.0.2.1#x' }, 'url'],
    [{ url: 'unix:/run/docker.sock' }, 'url'],
    [{ options: { unknown: 1 } }, 'options.unknown'],
    [{ options: { containers: 'yes' } }, 'options.containers'],
    [{ secrets: { token: 'x' } }, 'secrets.token'],
    [{ secrets: { client_key: 'x'.repeat(32_769) } }, 'secrets.client_key'],
    [{ tls_ca: 'not a certificate' }, 'tls_ca'],
    [{ tls_fingerprint: 'AB:CD' }, 'tls_fingerprint'],
    [{ interval_minutes: 4 }, 'interval_minutes'],
    [{ timeout_seconds: 5 }, 'timeout_seconds'],
    [{ include: Array.from({ length: 101 }, (_, i) => `a${i}`) }, 'include'],
    [{ datacenter_id: 'nowhere' }, 'datacenter_id'],
    [{ space_id: 'nowhere' }, 'space_id'],
    [{ places: [{ match: 'a' }, { match: 'b', datacenter_id: 'nowhere' }] }, 'places[1].datacenter_id'],
    [{ custom: { node: 'unknown' } }, 'custom.node'],
    [{ max_gone_percent: 101 }, 'max_gone_percent'],
    [{ ref: 'A B' }, 'ref'],
  ])('%j is refused', async (draft, field) => {
    expect(await create(draft)).toMatchObject(refusal(field))
  })

  test('the kind of a source cannot change', async () => {
    const { id, kind } = await made()
    expect(await update(id, { kind: 'kubernetes' })).toMatchObject(refusal('kind'))
    expect((await update(id, { kind })).status).toBe(200)
  })

  test('null is the default of the kind again', async () => {
    const { id } = await made({ when_gone: 'keep', gone_after_hours: 5, max_gone_percent: 7, tags: ['a'] })
    const patch = { when_gone: null, gone_after_hours: null, max_gone_percent: null, tags: null, options: null }
    expect((await update(id, patch)).body).toMatchObject({
      when_gone: 'delete',
      gone_after_hours: 0,
      max_gone_percent: 100,
      tags: [],
    })
  })

  test('refs count up, and a ref in use is refused', async () => {
    const [first, second] = [await made(), await made()]
    expect(second.ref).not.toBe(first.ref)
    expect(await create({ ref: first.ref })).toMatchObject(refusal('ref'))
    expect(await update(second.id, { ref: first.ref })).toMatchObject(refusal('ref'))
    expect((await update(second.id, { ref: 'mine' })).body).toMatchObject({ ref: 'mine' })
  })

  test('a ref is fixed after the first run', async () => {
    const { id } = await made()
    await send(`POST /api/sources/${id}/run`)
    expect(await update(id, { ref: 'other' })).toMatchObject(refusal('ref'))
  })

  test('a fingerprint is shown in capitals with colons', async () => {
    const { tls_fingerprint } = await made({ tls_fingerprint: 'ab'.repeat(32) })
    expect(tls_fingerprint).toBe(Array.from({ length: 32 }, () => 'AB').join(':'))
  })

  test.each([['https://192.0.2.11:2376'], ['https://192.0.2.10:2377'], ['http://192.0.2.10:2376']])(
    'secrets are needed again for %s',
    async (url) => {
      const { id } = await made({ secrets: TLS })
      expect(await update(id, { url })).toMatchObject(refusal('secrets.client_certificate', 'secrets.client_key'))
      expect(await update(id, { url, secrets: { client_key: 'again' } })).toMatchObject(
        refusal('secrets.client_certificate'),
      )
      expect(
        (await update(id, { url, secrets: { client_key: 'again', client_certificate: null } })).body,
      ).toMatchObject({
        url,
        secrets_set: ['client_key'],
      })
    },
  )

  test('another path of the host needs no secret again', async () => {
    const { id } = await made({ secrets: TLS })
    expect((await update(id, { url: `${URL}/engine` })).status).toBe(200)
  })

  test('a required secret is required of a source that the server fetches', async () => {
    const kubernetes = { kind: 'kubernetes', url: 'https://192.0.2.20:6443' }
    const kinds = (await send('GET /api/sources/kinds')).body as { kind: string; secrets: { name: string }[] }[]
    expect(kinds.map(({ kind }) => kind)).toContain('kubernetes')
    expect((await create({ ...kubernetes, secrets: { token: 'token-1' } })).status).toBe(201)
  })

  test('a disabled source is not run, and one without a url is pushed', async () => {
    const [disabled, pushed] = [await made({ enabled: false }), await made({ url: '' })]
    expect(await send(`POST /api/sources/${disabled.id}/run`)).toMatchObject(refusal('enabled'))
    expect(await send(`POST /api/sources/${pushed.id}/run`)).toMatchObject(refusal('url'))
    expect(await send(`POST /api/sources/${pushed.id}/test`)).toMatchObject(refusal('url'))
  })

  test('who lacks what a source hands out creates and changes none', async () => {
    const { id } = await made()
    const some = ['sources:create', 'sources:update', 'devices:create', 'networks:create', 'ports:create']
    const narrow = await it.app.as(some)
    const refused = await ask(narrow, 'POST /api/sources', { name: 'narrow', ...BY_HAND })
    expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
    expect(JSON.stringify(refused.body)).toContain('devices:update')
    expect((await ask(narrow, `PUT /api/sources/${id}`, { description: 'x' })).status).toBe(403)
    expect((await get(id)).description).toBe('')
  })

  test('operators run and read sources, and viewers read them', async () => {
    const { id } = await made({ enabled: false })
    const [operator, viewer] = [await it.app.as('operator'), await it.app.as('viewer')]
    expect(await ask(operator, `POST /api/sources/${id}/run`)).toMatchObject(refusal('enabled'))
    expect((await ask(viewer, `POST /api/sources/${id}/run`)).status).toBe(403)
    expect((await ask(viewer, `GET /api/sources/${id}`)).status).toBe(200)
    expect((await ask(operator, `DELETE /api/sources/${id}`)).status).toBe(403)
  })

  test('the audit trail does not have the secrets of a source', async () => {
    await made({ name: 'audited', secrets: TLS })
    const { body } = await send('GET /api/audit?limit=5')
    expect(JSON.stringify(body)).toContain('audited')
    expect(JSON.stringify(body)).not.toMatch(/certificate-1|private-1/)
  })
})

describe.each(onSqlite())('sources without an encryption key on %s', (dialect) => {
  const { create } = start(dialect, { ENCRYPTION_KEY: '' })

  test('a secret is refused, naming the setting', async () => {
    const answer = await create({ secrets: TLS })
    expect(answer).toMatchObject(refusal('secrets.client_certificate', 'secrets.client_key'))
    expect(JSON.stringify(answer.body)).toContain('ENCRYPTION_KEY')
  })
})
