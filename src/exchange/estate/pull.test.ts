/** A NetBox that is read by its URL: rights, answer, secrets and errors of the operation. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../testing/app/app.ts'
import { ask } from '../../../testing/estates/inventory.ts'
import { SECRET } from '../../../testing/netbox/estate.ts'
import { restLists } from '../../../testing/netbox/forms.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { createOutbound } from '../../base/security/outbound.ts'
import { createTargetRules } from '../../base/security/outbound-target.ts'

const TOKEN = 'token-of-the-netbox'

/** Takes the loopback address for a public one. */
const outbound = createOutbound({ rules: { ...createTargetRules(false), reach: () => 'public' } })

describe.each(onSqlite())('the pull of a NetBox on %s', (dialect) => {
  let app: TestApp
  let netbox: ReturnType<typeof Bun.serve>
  let url: string
  beforeAll(async () => {
    app = await testApp({ dialect, outbound, env: { AUDIT_ENABLED: 'true' } })
    const lists = restLists('4.6')
    netbox = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => {
        if (request.headers.get('Authorization') !== `Token ${TOKEN}`) return new Response('{}', { status: 403 })
        const results = lists[new URL(request.url).pathname.replace(/^\/api\/|\/$/g, '')]
        return results ? Response.json({ count: results.length, results }) : new Response('{}', { status: 404 })
      },
    })
    url = `http://127.0.0.1:${netbox.port}/`
  }, 60_000)
  afterAll(async () => {
    await netbox.stop(true)
    await app.close()
  }, 60_000)

  test('answers with rows and a report, and creates nothing', async () => {
    const admin = await app.as('admin')
    const answer = await admin.api.estate.pull({ format: 'netbox', url, token: TOKEN })
    expect([answer.format, answer.source, answer.documents.devices?.length, answer.report.made.devices]).toEqual([
      'netbox',
      'rest',
      9,
      9,
    ])
    expect('leftover' in answer).toBe(false)
    expect(answer.documents).toMatchObject({ packs: expect.arrayContaining(['circuits', 'tenancy']) })
    expect(answer.documents.objects).toContainEqual(expect.objectContaining({ kind: 'circuits', name: 'CID-1' }))
    expect(await admin.api.devices.list({})).toEqual([])
  })

  test('adds the leftover on request, without secrets', async () => {
    const admin = await app.as('admin')
    const answer = await admin.api.estate.pull({ format: 'netbox', url, token: TOKEN, leftover: true })
    expect(answer.leftover?.['vpn.ikepolicy']).toHaveLength(1)
    expect(JSON.stringify(answer)).not.toContain(SECRET)
  })

  test('is recorded without the token', async () => {
    const admin = await app.as('admin')
    await admin.api.estate.pull({ format: 'netbox', url, token: TOKEN })
    const entries = JSON.stringify(await admin.api.audit.list({}))
    expect(entries).toContain(url)
    expect(entries).not.toContain(TOKEN)
  })

  test.each([
    ['a token that is refused', 'token', { token: 'other' }],
    ['another format', 'format', { format: 'nothing' }],
    ['a URL of another scheme', 'url', { url: 'ftp://netbox.example/' }],
  ])('%s is an error on %s', async (_, field, change) => {
    const admin = await app.as('admin')
    const { status, body } = await ask(admin, 'POST /api/estate/pull', {
      format: 'netbox',
      url,
      token: TOKEN,
      ...change,
    })
    expect([status, body]).toMatchObject([400, { code: 'VALIDATION_ERROR', details: [{ field }] }])
  })

  test('a caller who may not create devices is refused', async () => {
    const viewer = await app.as('viewer')
    const { status } = await ask(viewer, 'POST /api/estate/pull', { format: 'netbox', url, token: TOKEN })
    expect(status).toBe(403)
  })
})
