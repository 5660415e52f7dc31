/** The owner of objects, on every surface. */
import { describe, expect, test } from 'bun:test'
import { inventory } from '../../testing/estates/inventory.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

describe.each(onSqlite())('on %s', (dialect) => {
  const inv = inventory(dialect)
  const newest = async (): Promise<string> => (await inv.api.history.list({ limit: 1 }))[0]?.id ?? ''

  test('a relationship has an owner, which an import without one keeps', async () => {
    const [a, b] = await Promise.all(['a', 'b'].map((name) => inv.api.devices.create({ name })))
    const pair = { parent_id: a?.id ?? '', child_id: b?.id ?? '', type: 'contains' as const }
    await inv.api.relationships.create({ device_id: pair.parent_id, ...pair, managed_by: 'git' })
    const load = async (row: object) => {
      const answer = await inv.admin.request('POST', '/api/estate/import?resource=relationships', [row])
      const lines = (await answer.text()).trim().split('\n')
      return (JSON.parse(lines.at(-1) ?? '') as { result: object }).result
    }
    expect(await load(pair)).toMatchObject({ unchanged: 1 })
    expect(await load({ ...pair, notes: 'rack 1' })).toMatchObject({ updated: 1 })
    expect(await inv.api.relationships.all({ managed_by: 'git' })).toMatchObject([{ ...pair, notes: 'rack 1' }])
    const before = await newest()
    expect(await load({ ...pair, notes: 'rack 1', managed_by: '' })).toMatchObject({ updated: 1 })
    expect(await inv.api.relationships.all({ managed_by: 'git' })).toEqual([])
    expect(await inv.ask(`GET /api/relationships?managed_by=git&as_of=${before}`)).toMatchObject({ total: '1' })
    const change = await newest()
    await inv.ask(`POST /api/history/${change}/undo`)
    expect(await inv.api.relationships.all({ managed_by: 'git' })).toMatchObject([{ ...pair, notes: 'rack 1' }])
  })
})
