/** An AI agent that may read and propose: it proposes deletes and bulk changes, and people decide about them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Client } from '@modelcontextprotocol/client'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { callOn, connect } from '../../../testing/mcp.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const READS = ['devices:list', 'devices:read', 'search:read', 'proposals:list', 'proposals:read', 'proposals:create']

describe.each(onSqlite())('an agent on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let agent: TestCaller
  let client: Client
  beforeAll(async () => {
    app = await testApp({ dialect })
    admin = await app.as('admin')
    agent = await app.as(READS)
    client = await connect({ fetch: app.fetch, key: agent.key })
  })
  afterAll(() => app.close())

  const run = (operation: string, input: object) => callOn(client, 'call_operation', { operation, input })
  const device = (name: string) => admin.api.devices.create({ name })
  const rename = (id: string, description: string) => ({ op: 'update', id, device: { description } })

  test('proposes a delete in place of a plan, and a person merges it', async () => {
    const { id } = await device('to be deleted')
    const { isError, value } = await run('devices.delete', { id, proposal: 'open' })
    expect([isError, value]).toEqual([
      false,
      {
        proposal: expect.any(Number),
        summary: 'deletes 1 device',
        changes: { delete: { device: 1 } },
        objects: [{ change: 'delete', kind: 'device', id, name: 'to be deleted' }],
      },
    ])
    expect((await admin.api.devices.get({ id })).name).toBe('to be deleted')
    const future = await callOn(client, 'device_get', { id, as_of: `proposal:${value.proposal}` })
    expect(future.value).toMatchObject({ code: 'NOT_FOUND' })
    await admin.api.proposals.merge({ id: String(value.proposal) })
    expect((await admin.request('GET', `/api/devices/${id}`)).status).toBe(404)
  })

  test('adds a bulk change and an update to its draft, and sees each', async () => {
    const [one, other] = [await device('one'), await device('other')]
    const bulk = { operations: [rename(one.id, 'cold'), rename(other.id, 'hot')] }
    const first = await run('devices.bulk', { ...bulk, proposal: 'draft' })
    expect([first.isError, first.value.changes]).toEqual([false, { update: { device: 2 } }])
    const { proposal } = first.value
    const input = { id: one.id, name: 'one more', proposal: String(proposal) }
    const second = await callOn(client, 'device_update', input)
    expect([second.isError, second.value]).toMatchObject([false, { name: 'one more', description: 'cold', proposal }])
    expect((await admin.api.devices.get({ id: one.id })).name).toBe('one')
    const found = await run('proposals.get', { id: String(proposal) })
    expect(found.value).toMatchObject({ state: 'draft', counts: { update: { device: 2 } } })
  })

  test('changes nothing without a proposal, and learns that it may propose', async () => {
    const { id } = await device('kept')
    const answers = [
      await run('devices.delete', { id }),
      await run('devices.bulk', { operations: [rename(id, 'changed')] }),
      await callOn(client, 'device_update', { id, name: 'changed' }),
    ]
    const details = [{ field: 'proposal', message: 'it can be proposed with proposal=open' }]
    for (const { isError, value } of answers)
      expect([isError, value]).toMatchObject([true, { code: 'FORBIDDEN', details }])
    expect((await admin.api.devices.get({ id })).name).toBe('kept')
  })

  test.each(['approve', 'reject', 'merge', 'check', 'remove-operation'])(
    'has no tool to %s a proposal, and not the permission',
    async (verb) => {
      const { id } = await device(`for ${verb}`)
      const { value } = await run('devices.delete', { id, proposal: 'open' })
      const asked = await run(`proposals.${verb}`, { id: String(value.proposal) })
      expect([asked.isError, asked.value.code]).toEqual([true, 'NOT_FOUND'])
      const { value: found } = await callOn(client, 'search_operations', { query: `${verb} a proposal` })
      expect(JSON.stringify(found)).not.toContain(`"proposals.${verb}"`)
    },
  )

  test.each(['approve', 'merge'])('is refused to %s over REST', async (verb) => {
    const { id } = await device(`rest ${verb}`)
    const { value } = await run('devices.delete', { id, proposal: 'open' })
    const response = await agent.request('POST', `/api/proposals/${value.proposal}/${verb}`, {})
    expect(response.status).toBe(403)
    expect((await admin.api.devices.get({ id })).name).toBe(`rest ${verb}`)
  })

  test.each([
    ['', 'proposal'],
    ['999999', 'proposal'],
  ])('is refused the proposal "%s" by its field', async (proposal, field) => {
    const { id } = await device('not proposed')
    const { isError, value } = await run('devices.delete', { id, proposal })
    expect([isError, value]).toMatchObject([true, { code: 'VALIDATION_ERROR', details: [{ field }] }])
  })
})
