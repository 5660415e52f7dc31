/** Relationships are named by their devices wherever the history shows them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { callTool } from '../../../testing/mcp.ts'
import { runCommand } from '../../../testing/run-command.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

describe.each(onSqlite())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const newest = async (): Promise<string> => (await admin.api.history.list({ limit: 1 }))[0]?.id ?? ''
  const cli = async (...argv: string[]): Promise<string> => {
    const { code, out, err } = await runCommand({ app, key: admin.key }, { argv })
    if (code !== 0) throw new Error(err)
    return out
  }
  const pair = async (name: string) => {
    const { id: device_id } = await admin.api.devices.create({ name: `${name}-parent` })
    const { id: child_id } = await admin.api.devices.create({ name: `${name}-child` })
    await admin.api.relationships.create({ device_id, child_id, type: 'contains' })
    return { device_id, child_id, change: await newest(), id: `${device_id} ${child_id} contains` }
  }

  test('in changes, their items, comparisons and histories, on each surface', async () => {
    const { device_id, child_id, change, id } = await pair('a')
    const name = 'a-parent contains a-child'
    const shown = expect.arrayContaining([expect.objectContaining({ kind: 'relationship', id, name })])
    const before = (await admin.api.history.list({ limit: 2 }))[1]?.id ?? ''
    expect((await admin.api.history.get({ id: change })).items).toEqual(shown)
    expect(await admin.api.history.items({ id: change })).toEqual(shown)
    expect(await admin.api.history.diff({ from: before })).toEqual(shown)
    for (const end of [device_id, child_id]) expect(await admin.api.histories.device({ id: end })).toEqual(shown)
    expect(await cli('history', 'items', change)).toContain(name)
    const input = { operation: 'history.items', input: { id: change } }
    const { value } = await callTool({ fetch: app.fetch, key: admin.key }, 'call_operation', input)
    expect(JSON.stringify(value)).toContain(name)
    const trial = await admin.request('POST', `/api/history/${change}/undo?dry_run=true`)
    expect(await trial.json()).toMatchObject({ items: [{ name }] })
  })

  test('by the names of the devices as of the change', async () => {
    const { device_id, child_id, change, id } = await pair('b')
    const name = async () => (await admin.api.history.items({ id: change }))[0]?.name
    await admin.api.devices.update({ id: device_id, name: 'renamed' })
    expect(await name()).toBe('b-parent contains b-child')
    await admin.api.devices.update({ id: child_id, name: 'last' })
    await admin.api.devices.delete({ id: child_id })
    expect(await name()).toBe('b-parent contains b-child')
    const deleted = await admin.api.history.items({ id: await newest(), kind: 'relationship' })
    expect(deleted).toMatchObject([{ id, name: 'renamed contains last', change: 'delete' }])
    await admin.api.devices.create({ id: child_id, name: 'again' })
    expect(await name()).toBe('b-parent contains b-child')
  })

  test('but not for callers who may not list devices', async () => {
    const { change, id } = await pair('c')
    const { api } = await app.as(['relationships:read'])
    expect(await api.history.items({ id: change })).toMatchObject([{ id, name: id }])
  })

  test('the relationship of a device with a dropped history is named by its id', async () => {
    const { device_id, child_id, change } = await pair('d')
    await admin.api.devices.delete({ id: child_id })
    await app.db.write(async ({ db }) => {
      await db.deleteFrom('history').where('kind', '=', 'device').where('id', '=', child_id).execute()
    })
    expect((await admin.api.history.items({ id: change }))[0]?.name).toBe(`d-parent contains ${child_id}`)
    expect((await admin.api.histories.device({ id: device_id }))[0]?.name).toBe(`d-parent contains ${child_id}`)
  })
})
