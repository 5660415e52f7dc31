// The estate as a document, for a scoped caller: an export and an apply contain one half, and no byte of the other half is in an answer.
import { describe, expect, test } from 'bun:test'
import type { ApplyResult } from '../../src/exchange/estate/api.ts'
import { FACTS, INVENTORY, type Resource } from '../../src/inventory/resources.ts'
import { isInScopes } from '../../src/resource/facts.ts'
import { type Answer, type Person, people } from '../../testing/estates/people.ts'
import { expectNothingHidden, halves } from '../../testing/hostile/halves.ts'
import { callTool } from '../../testing/mcp.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

/** The objects of a half by resource, if it has more than one. A cable makes the ports of its ends. */
const COUNTS: Readonly<Partial<Record<Resource, number>>> = {
  datacenters: 2,
  networks: 2,
  devices: 2,
  ports: 3,
  objects: 2,
}
/** Objects that every caller sees. */
const COMMON: Readonly<Partial<Record<Resource, number>>> = { 'custom-fields': 3, kinds: 3 }

type Document = Record<string, Record<string, unknown>[]>

describe.each(onSqlite())('the estate as a document of a scoped caller on %s', (dialect) => {
  const all = people(dialect)
  const estate = halves(all)

  /** An admin only in the scope. */
  let boss: Promise<Person> | undefined
  const makeBoss = async () => {
    const { scope } = await estate()
    const person = await all.person()
    await all.admin.ask('POST /api/grants', { role_id: 'admin', user_id: person.id, scope_id: scope })
    return person
  }
  const ask = async (http: string, body?: object): Promise<Answer> => {
    boss ??= makeBoss()
    const answer = await (await boss).ask(http, body)
    expectNothingHidden(await estate(), http, answer)
    return answer
  }
  const exported = async (): Promise<Document> => (await ask('GET /api/estate/export')).body as Document
  const whole = async (): Promise<string> =>
    JSON.stringify((await all.admin.ask('GET /api/estate/export')).body).replaceAll(/,?"updated_at":"[^"]*"/g, '')
  const apply = async (body: object, query = '') => {
    const answer = await ask(`POST /api/estate/apply${query}`, body)
    return { status: answer.status, result: answer.body as ApplyResult & { error: string; details: object[] } }
  }

  test('an export is that of the own half', async () => {
    const document = await exported()
    const counts = Object.fromEntries(Object.entries(document).map(([resource, rows]) => [resource, rows.length]))
    expect(counts).toEqual(
      Object.fromEntries(INVENTORY.map((resource) => [resource, COUNTS[resource] ?? COMMON[resource] ?? 1])),
    )
    const { narrow } = await estate()
    expect((await narrow.ask('GET /api/estate/export')).body).toEqual(document)
    const one = await ask('GET /api/estate/export?resource=devices&format=json')
    expect(one.body).toEqual({ devices: document.devices })
    const tag = { 'If-None-Match': (await all.admin.ask('GET /api/estate/export')).headers.get('etag') ?? '' }
    expect((await narrow.ask('GET /api/estate/export', undefined, tag)).status).toBe(200)
  })

  test('an apply of the export changes nothing, also of rows that name objects elsewhere by their ids', async () => {
    const { own, other, ada } = await estate()
    const before = await whole()
    for (const query of ['?dry_run=true', '']) {
      const { status, result } = await apply(await exported(), query)
      expect([status, result.changes]).toEqual([200, []])
    }
    expect((await ada.ask('POST /api/estate/apply?dry_run=true', await exported())).body).toMatchObject({ changes: [] })
    expect(await whole()).toBe(before)
    // A device of the part has an address in a network elsewhere.
    await all.admin.ask(`PUT /api/devices/${own.child}`, {
      addresses: [{ ip: '10.2.0.200', network_id: other.networks }],
    })
    const { devices = [] } = JSON.parse(
      JSON.stringify((await (await boss)?.ask('GET /api/estate/export'))?.body),
    ) as Document
    const row = devices.find(({ name }) => name === 'alpha machine 2')
    expect(row?.addresses).toEqual([expect.objectContaining({ network: { id: other.networks } })])
    const answer = await (await boss)?.ask('POST /api/estate/apply', { devices: [{ ...row, os: 'changed' }] })
    expect(answer?.body).toMatchObject({ changes: [{ fields: { os: { from: '', to: 'changed' } } }] })
    const moved = { name: 'alpha machine 1', addresses: [{ ip: '10.2.0.201', network: { id: other.networks } }] }
    const refused = await (await boss)?.ask('POST /api/estate/apply', { devices: [moved] })
    const nowhere = { name: 'alpha machine 1', addresses: [{ ip: '10.2.0.201', network: { id: 'none' } }] }
    const unknown = await (await boss)?.ask('POST /api/estate/apply', { devices: [nowhere] })
    const text = (one: Answer | undefined) =>
      JSON.stringify([one?.status, one?.body]).replaceAll(other.networks ?? '', 'none')
    expect(text(refused)).toBe(text(unknown))
    await all.admin.ask(`PUT /api/devices/${own.child}`, { addresses: [] })
  })

  test('names mean the objects of the own half', async () => {
    const { other } = await estate()
    const before = JSON.stringify((await all.admin.ask(`GET /api/devices/${other.devices}`)).body)
    for (const datacenter of ['omega site', { id: other.datacenters }, { ref: 'nb:omega-1' }]) {
      const answer = await (await makeBoss()).ask('POST /api/estate/apply', { devices: [{ name: 'new', datacenter }] })
      expect([datacenter, answer.status, (answer.body as { error: string }).error]).toEqual([
        ...[datacenter, 400],
        expect.stringContaining('there is no datacenter'),
      ])
    }
    // A row of the name of a device elsewhere makes another device.
    const { result } = await apply({
      datacenters: [],
      devices: [{ name: 'omega machine 1'.replace('omega', 'alpha'), os: 'x' }],
    })
    expect(result.changes).toMatchObject([{ action: 'update', name: 'alpha machine 1' }])
    const twin = await (await makeBoss()).ask('POST /api/estate/apply?dry_run=true', {
      devices: [{ name: 'omega machine 1', datacenter: 'alpha site' }],
    })
    expect(twin.body).toMatchObject({ changes: [{ action: 'create' }], also: null })
    expect(JSON.stringify((await all.admin.ask(`GET /api/devices/${other.devices}`)).body)).toBe(before)
  })

  test('what would be outside of the part is refused, and a dry run tells what is lacking', async () => {
    const before = await whole()
    const outside = { devices: [{ name: 'beta', addresses: [{ ip: '10.9.0.1' }] }] }
    const refused = await apply(outside)
    expect([refused.status, refused.result.details]).toEqual([
      403,
      [{ field: 'devices[0]', message: expect.stringContaining('outside of the part') }],
    ])
    expect((await apply(outside, '?dry_run=true')).result).toMatchObject({ lacking: ['devices:create'] })
    const out = { devices: [{ name: 'alpha machine 1', datacenter: null, addresses: [], tags: [] }] }
    expect((await apply(out)).status).toBe(403)
    expect((await apply({ ...out, atomic: false })).status).toBe(403)
    expect((await apply({ networks: [{ name: 'alpha net', datacenter: null }] })).status).toBe(403)
    expect((await apply({ 'custom-fields': [{ resource: 'devices', name: 'more', type: 'text' }] })).status).toBe(403)
    const { ada } = await estate()
    expect((await ada.ask('POST /api/estate/apply', { devices: [{ name: 'alpha machine 1', os: 'y' }] })).status).toBe(
      200,
    )
    await ada.ask('POST /api/estate/apply', { devices: [{ name: 'alpha machine 1', os: 'x' }] })
    expect(await whole()).toBe(before)
  })

  test('a plan of an AI client has the objects of the part, and is applied', async () => {
    const made = await estate()
    const { own, other } = made
    boss ??= makeBoss()
    const peer = { fetch: (request: Request) => all.app.fetch(request), key: (await boss).key }
    const call = async (operation: string, input: Readonly<Record<string, unknown>>) => {
      const answer = await callTool(peer, 'call_operation', { operation, input })
      // The sent text is removed.
      expectNothingHidden(made, operation, JSON.stringify(answer).replaceAll(String(input.id ?? '<none>'), ''))
      return answer
    }
    const confirm = async (planned: { value: Record<string, unknown> }) => {
      const answer = await callTool(peer, 'apply_plan', { plan_id: planned.value.plan_id })
      expectNothingHidden(made, 'apply_plan', JSON.stringify(answer))
      return answer
    }
    const created = await call('estate.apply', { devices: [{ name: 'alpha planned', datacenter: 'alpha site' }] })
    expect(created.value).toMatchObject({ summary: 'creates 1 device', objects: [{ name: 'alpha planned' }] })
    const applied = await confirm(created)
    expect(applied).toMatchObject({ isError: false, value: { applied: true, created: [{ name: 'alpha planned' }] } })
    const [{ id } = { id: '' }] = applied.value.created as { id: string }[]
    // One relationship in the part, and one that leads out of it.
    for (const parent of [own.devices, other.devices])
      await all.admin.ask(`POST /api/devices/${parent}/relationships`, { child_id: id, type: 'depends_on' })
    const deleted = await call('devices.delete', { id })
    expect(deleted.value).toMatchObject({
      summary: 'deletes 1 relationship and 1 device; 2 devices would stop',
      changes: { delete: { device: 1, relationship: 1 } },
    })
    expect(await confirm(deleted)).toMatchObject({ value: { summary: 'deletes 1 relationship and 1 device' } })
    expect((await call('devices.delete', { id: other.devices ?? '' })).isError).toBe(true)
    expect((await call('estate.apply', { devices: [{ name: 'beta', tags: ['x'] }] })).isError).toBe(true)
    const change = await all.admin.ask(`PUT /api/devices/${own.devices}`, { os: 'planned' })
    const undo = await call('history.undo', { id: change.headers.get('x-change-id') ?? '' })
    expect(undo.value).toMatchObject({ summary: 'changes 1 device' })
    expect((await confirm(undo)).isError).toBe(false)
    expect((await all.admin.ask(`GET /api/devices/${own.devices}`)).body).not.toMatchObject({ os: 'planned' })
  })

  test('an import is that of the own half', async () => {
    const made = await estate()
    const { own, other } = made
    boss ??= makeBoss()
    const { key } = await boss
    const imported = async (resource: string, rows: readonly object[], query = '') => {
      const answer = await all.app.send(`POST /api/estate/import?resource=${resource}${query}`, { key, body: rows })
      const text = await answer.text()
      // The sent texts are removed.
      const ids = new RegExp([...Object.values(other), 'nb:omega-1'].join('|'), 'g')
      expectNothingHidden(made, `import ${resource}`, text.replace(ids, ''))
      const last: unknown = JSON.parse(text.trim().split('\n').at(-1) ?? '')
      return last as { result?: Record<string, unknown> & { errors: { error: string }[] }; error?: object }
    }
    const counts = (created: number, updated: number, unchanged: number) => ({
      result: { created, updated, unchanged, failed: 0 },
    })
    const before = await whole()
    // All that the lists of the caller have.
    for (const path of INVENTORY.filter((resource) => isInScopes(FACTS[resource]))) {
      const size = COUNTS[path] ?? 1
      const rows = (await (await boss).ask(`GET /api/${path}`)).body as object[]
      expect([path, rows.length]).toEqual([path, size])
      expect([path, await imported(path, rows)]).toMatchObject([
        path,
        { result: { created: 0, failed: 0, change_id: '' } },
      ])
    }
    expect(await whole()).toBe(before)
    const twice = [
      { name: 'alpha row', datacenter_id: own.datacenters, os: 'one' },
      { name: 'alpha row', os: 'two' },
      { name: 'alpha machine 1', description: 'imported' },
    ]
    expect(await imported('devices', twice)).toMatchObject(counts(1, 2, 0))
    // The name of an object elsewhere means none.
    const named = { name: 'omega machine 1', datacenter_id: own.datacenters }
    expect(await imported('devices', [named], '&dry_run=true')).toMatchObject(counts(1, 0, 0))
    const failed = async (resource: string, row: object) => (await imported(resource, [row])).result?.errors[0]?.error
    for (const datacenter_id of [other.datacenters, 'nb:omega-1', 'none'])
      expect(await failed('devices', { name: 'alpha new', datacenter_id })).toBe(
        `datacenter_id: there is no datacenter with id "${datacenter_id}"`,
      )
    expect(await failed('relationships', { parent_id: own.devices, child_id: other.devices, type: 'contains' })).toBe(
      `child_id: there is no device with id "${other.devices}"`,
    )
    const refused = { error: { code: 'FORBIDDEN', error: expect.stringContaining('outside of the part') } }
    for (const query of ['', '&dry_run=true']) {
      expect(await imported('devices', [{ name: 'loose' }], query)).toMatchObject(refused)
      const out = { name: 'alpha machine 2', datacenter_id: null, addresses: [], tags: [] }
      expect(await imported('devices', [out], `${query}&lists=replace&empty=clear`)).toMatchObject(refused)
      expect(await imported('networks', [{ name: 'alpha out', subnet: '10.77.0.0/24' }], query)).toMatchObject(refused)
    }
    expect(
      (await imported('devices', [{ id: other.devices, name: 'alpha taken', datacenter_id: own.datacenters }])).result,
    ).toMatchObject({ failed: 1 })
    expect((await all.admin.ask(`GET /api/devices/${other.devices}`)).body).toMatchObject({ name: 'omega machine 1' })
    const rows = (await (await boss).ask('GET /api/devices?limit=1000')).body as { id: string; name: string }[]
    await all.admin.ask(`DELETE /api/devices/${rows.find(({ name }) => name === 'alpha row')?.id}`)
  })

  test('prune deletes what the owner has in the part', async () => {
    const { own, other } = await estate()
    const device = async (name: string, datacenter_id?: string) =>
      (await all.admin.ask('POST /api/devices', { name, datacenter_id, managed_by: 'git' })).body as { id: string }
    const [mine, others] = [
      await device('alpha managed', own.datacenters),
      await device('omega managed', other.datacenters),
    ]
    const extra = await apply({ managed_by: 'git', devices: [] }, '?dry_run=true')
    expect(extra.result.extra).toEqual({ devices: 1 })
    const rows = { managed_by: 'git', prune: true, devices: [{ name: 'alpha kept', datacenter: 'alpha site' }] }
    const preview = await apply(rows, '?dry_run=true')
    expect([preview.result.summary, preview.result.lacking]).toEqual(['deletes 1 device; creates 1 device', []])
    const { status, result } = await apply({ ...rows, expect: preview.result.fingerprint })
    expect([status, result.summary]).toEqual([200, 'deletes 1 device; creates 1 device'])
    expect((await all.admin.ask(`GET /api/devices/${mine.id}`)).status).toBe(404)
    expect((await all.admin.ask(`GET /api/devices/${others.id}`)).status).toBe(200)
  })
})
