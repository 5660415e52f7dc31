// Plans of bulk decisions on discovered devices.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { callTool, Plan } from '../../../testing/mcp.ts'
import { host } from '../../../testing/servers/scripted-scanner.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

describe.each(onSqlite())('plans of discovery on %s', (dialect) => {
  const d = discoveryApp(dialect)
  const call = (name: string, args: Record<string, unknown>) =>
    callTool({ fetch: d.app.fetch, key: d.admin.key }, name, args)
  const found = async (n: number) => {
    const { id, at } = await d.network()
    await d.scan(
      id,
      Array.from({ length: n }, (_, i) => host(at(i + 1))),
    )
    return { id, ids: (await d.api.discovery.list({ network_id: id })).map((one) => one.id) }
  }
  const planOf = async (operation: string, input: object) => {
    const plan = Plan.parse((await call('call_operation', { operation, input })).value)
    d.advance(5000)
    return plan
  }
  const applied = async ({ plan_id }: Plan) => (await call('apply_plan', { plan_id })).value

  test('promote many', async () => {
    const { ids } = await found(3)
    const plan = await planOf('discovery.promote-many', { ids, name: 'found-{n}' })
    expect(plan.changes).toMatchObject({ create: { device: 3 }, update: { 'discovered device': 3 } })
    expect(await applied(plan)).toMatchObject({ applied: true, created: [{}, {}, {}] })
  })

  test('accept what is in the inbox', async () => {
    const { ids } = await found(2)
    const plan = await planOf('inbox.accept', { items: ids.map((id) => ({ id })) })
    expect(await applied(plan)).toMatchObject({ applied: true, changes: { create: { device: 2 } } })
  })

  test('put items aside', async () => {
    const { ids } = await found(2)
    const plan = await planOf('inbox.ignore', { ids })
    expect(await applied(plan)).toMatchObject({ changes: { update: { 'discovered device': 2 } } })
  })

  test('merge', async () => {
    const { ids } = await found(2)
    const plan = await planOf('discovery.merge', { id: ids[0], other_ids: ids.slice(1) })
    expect(await applied(plan)).toMatchObject({
      changes: { delete: { 'discovered device': 1 }, update: { 'discovered device': 1 } },
    })
  })

  test('clear a network', async () => {
    const { id } = await found(4)
    const plan = await planOf('discovery.clear', { network_id: id })
    expect(await applied(plan)).toMatchObject({ summary: 'deletes 4 discovered devices' })
  })
})
