/** The owner of objects, on every surface. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { failure, fieldsOf, inventory } from '../../testing/estates/inventory.ts'
import { KINDS, makeSite, type Site } from '../../testing/estates/inventory-kinds.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

type Row = { readonly id: string; readonly managed_by: string }

describe.each(onSqlite())('on %s', (dialect) => {
  const inv = inventory(dialect)
  let site: Site
  beforeAll(async () => {
    site = await makeSite(inv)
  })
  const newest = async (): Promise<string> => (await inv.api.history.list({ limit: 1 }))[0]?.id ?? ''
  const made = async ({ collection, least }: (typeof KINDS)[number], managed_by: string): Promise<Row> => {
    const { status, body } = await inv.ask(`POST ${collection(site)}`, { ...least(site), managed_by })
    expect(status).toBe(201)
    return body as Row
  }
  const owned = async (path: string, owner: string, more = ''): Promise<string[]> => {
    const { body, total } = await inv.ask(`GET ${path}?managed_by=${encodeURIComponent(owner)}${more}`)
    const rows = body as Row[]
    expect(rows.every(({ managed_by }) => managed_by === owner)).toBe(true)
    if (more === '') expect(total).toBe(String(rows.length))
    return rows.map(({ id }) => id)
  }

  test.each(KINDS)('a list of $kind objects is filtered by owner, now and as of a moment', async (kind) => {
    const { path } = kind
    const owner = `git:${kind.kind.replaceAll(' ', '-')}/ams@1`
    const mine = await made(kind, owner)
    const other = await made(kind, '')
    expect([mine.managed_by, other.managed_by]).toEqual([owner, ''])
    expect(await owned(path, owner)).toEqual([mine.id])
    const before = await newest()
    expect(await inv.ask(`PUT ${path}/${mine.id}`, { managed_by: '' })).toMatchObject({ body: { managed_by: '' } })
    await inv.ask(`PUT ${path}/${other.id}`, { managed_by: owner })
    expect(await owned(path, owner)).toEqual([other.id])
    expect(await owned(path, owner, `&as_of=${before}`)).toEqual([mine.id])
    expect(await owned(path, 'git:nobody')).toEqual([])
    const change = await newest()
    const item = (await inv.api.history.get({ id: change })).items?.[0]
    expect(item?.fields).toEqual({ managed_by: { from: '', to: owner } })
    const undo = await inv.ask(`POST /api/history/${change}/undo`)
    expect(undo.status).toBe(200)
    expect(await owned(path, owner)).toEqual([])
  })

  test.each(KINDS)('a bad owner of a $kind is refused', async ({ collection, least }) => {
    for (const managed_by of [' git', '-git', 'a b', 'x'.repeat(65), 'gít', 7])
      expect(fieldsOf(await inv.ask(`POST ${collection(site)}`, { ...least(site), managed_by }))).toEqual([
        'managed_by',
      ])
  })

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

  test('anyone with the right may change a managed object', async () => {
    const { id } = await inv.api.devices.create({ name: 'web', managed_by: 'git' })
    expect(await inv.api.devices.update({ id, os: 'Debian' })).toMatchObject({ os: 'Debian', managed_by: 'git' })
    const viewer = await inv.app.as('viewer')
    const answer = await viewer.request('PUT', `/api/devices/${id}`, { managed_by: '' })
    expect(answer.status).toBe(failure(403, 'FORBIDDEN').status)
  })
})
