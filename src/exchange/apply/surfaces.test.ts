// An apply by an AI client, which plans it first, and by two instances at once.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { callTool, Plan } from '../../../testing/mcp.ts'
import { instanceBeside } from '../../../testing/servers/instances.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const TIMEOUT_MS = 60_000

describe.each(onSqlite())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect })
    admin = await app.as('admin')
  }, TIMEOUT_MS)
  afterAll(() => app.close(), TIMEOUT_MS)

  const call = (tool: string, args: Record<string, unknown>) =>
    callTool({ fetch: app.fetch, key: admin.key }, tool, args)
  const document = {
    datacenters: [{ name: 'by mcp' }],
    devices: [{ name: 'mcp-1', datacenter: 'by mcp' }, { name: 'mcp-2' }],
    relationships: [{ parent: 'mcp-1', child: 'mcp-2', type: 'contains' }],
  }

  test('an AI client plans it, and applies the plan once', async () => {
    const found = await call('search_operations', { query: 'apply estate document' })
    expect(JSON.stringify(found.value)).toContain('estate.apply')
    const plan = Plan.parse((await call('call_operation', { operation: 'estate.apply', input: document })).value)
    expect(plan.summary).toBe('creates 1 datacenter, 2 devices and 1 relationship')
    expect(await admin.api.devices.list({})).toEqual([])
    const applied = await call('apply_plan', { plan_id: plan.plan_id })
    expect(applied.value).toMatchObject({ applied: true, operation: 'estate.apply' })
    expect((await admin.api.devices.list({})).map(({ name }) => name)).toEqual(['mcp-1', 'mcp-2'])
    expect((await call('apply_plan', { plan_id: plan.plan_id })).isError).toBe(true)
  })

  test('an AI client cannot apply a plan after another change', async () => {
    const devices = [{ name: 'mcp-1', os: 'new' }]
    const plan = Plan.parse((await call('call_operation', { operation: 'estate.apply', input: { devices } })).value)
    const [device] = await admin.api.devices.list({})
    await admin.api.devices.update({ id: device?.id ?? '', location: 'moved' })
    const refused = await call('apply_plan', { plan_id: plan.plan_id })
    expect([refused.isError, JSON.stringify(refused.value)]).toEqual([true, expect.stringContaining('mcp-1')])
  })

  if (dialect === 'postgres')
    test(
      'two instances that apply one document at once make each object once',
      async () => {
        const other = await instanceBeside(app)
        try {
          const rows = Array.from({ length: 200 }, (_, i) => ({ name: `both-${i}` }))
          const body = { managed_by: 'both', devices: rows, datacenters: [{ name: 'both' }] }
          const headers = { Authorization: `Bearer ${admin.key}` }
          const answers = await Promise.all(
            // An instance runs one apply of a user at a time.
            Array.from({ length: 2 }, async (_, i) => {
              const response =
                i % 2 === 0
                  ? await admin.request('POST', '/api/estate/apply', body)
                  : await other.fetch('POST', '/api/estate/apply', headers, body)
              return { status: response.status, body: (await response.json()) as { changed: boolean } }
            }),
          )
          expect(answers.map(({ status }) => status)).toEqual(Array(2).fill(200))
          expect(answers.filter(({ body: { changed } }) => changed)).toHaveLength(1)
          const devices = await admin.api.devices.list({ managed_by: 'both' })
          expect(new Set(devices.map(({ name }) => name)).size).toBe(200)
          expect(devices).toHaveLength(200)
        } finally {
          await other.close()
        }
      },
      TIMEOUT_MS,
    )
})
