// The serial number, the asset tag and the role of devices: absent without a value, found in any case, and asset tags of one device only.
import { describe, expect, test } from 'bun:test'
import { inventory } from '../../../../testing/estates/inventory.ts'
import { engines } from '../../../../testing/servers/servers.ts'

type Made = { readonly id: string; readonly [field: string]: unknown }

const taken = { status: 409, body: { code: 'ALREADY_EXISTS', details: [{ field: 'asset_tag' }] } }

describe.each(engines())('the identity of devices on %s', (dialect) => {
  const inv = inventory(dialect)
  const make = async (body: object) => {
    const answer = await inv.ask('POST /api/devices', body)
    expect([answer.status, answer.body]).toEqual([201, expect.anything()])
    return answer.body as Made
  }
  const put = (id: string, body: object) => inv.ask(`PUT /api/devices/${id}`, body)
  const names = async (query: string) =>
    ((await inv.ask(`GET /api/devices?${query}`)).body as { readonly name: string }[]).map(({ name }) => name)

  test('a device without them has the fields of before', async () => {
    const plain = await make({ name: 'plain' })
    expect(Object.keys(plain)).not.toContainAnyValues(['serial', 'asset_tag', 'role'])
    inv.advance(1000)
    for (const empty of [null, '', ' '])
      expect((await put(plain.id, { serial: empty, asset_tag: empty, role: empty })).body).toEqual(plain)
    const { doc } = await inv.app.db.read
      .selectFrom('devices')
      .select('doc')
      .where('id', '=', plain.id)
      .executeTakeFirstOrThrow()
    expect(JSON.parse(doc)).toEqual(plain)
  })

  test('they stand in the order of the contract, however they are set', async () => {
    await inv.api.customFields.create({ resource: 'devices', name: 'owner', type: 'text' })
    const rack = await inv.api.racks.create({ name: 'r' })
    const later = { serial: ' S-1 ', asset_tag: 'T-1', role: 'core', custom: { owner: 'x' } }
    const made = await make({ name: 'at once', ...later, mount: { rack_id: rack.id, position: 1 } })
    const order = ['mount', 'serial', 'asset_tag', 'role', 'custom', 'created_at', 'updated_at']
    expect(Object.keys(made).slice(-order.length)).toEqual(order)
    expect(made).toMatchObject({ serial: 'S-1', asset_tag: 'T-1' })
    const { id } = await make({ name: 'step by step', custom: { owner: 'x' } })
    for (const field of [
      { role: 'core' },
      { asset_tag: 'T-2' },
      { mount: { rack_id: rack.id, position: 2 } },
      { serial: 'S' },
    ])
      expect((await put(id, field)).status).toBe(200)
    const stored = (await inv.ask(`GET /api/devices/${id}`)).body as object
    expect(Object.keys(stored).slice(-order.length)).toEqual(order)
    const cleared = (await put(id, { serial: null, role: '' })).body as object
    expect(Object.keys(cleared)).not.toContain('serial')
    expect(cleared).toMatchObject({ asset_tag: 'T-2' })
  })

  test('filters take the whole value in any case, also as of a moment', async () => {
    const { id } = await make({ name: 'filtered', serial: 'ÄB-12', asset_tag: 'Filter-1', role: 'Distribution' })
    await make({ name: 'filtered too', serial: 'äb-12' })
    expect(await names('serial=%C3%A4B-12')).toEqual(['filtered', 'filtered too'])
    expect(await names('serial=ab')).toEqual([])
    expect(await names('asset_tag=FILTER-1')).toEqual(['filtered'])
    expect(await names('role=distribution')).toEqual(['filtered'])
    expect(await names('role=distribution&serial=%C3%84b-12&limit=1')).toEqual(['filtered'])
    expect(await names('q=distribution')).toEqual(['filtered'])
    expect(await names('q=filter-1')).toEqual(['filtered'])
    const then = (await inv.api.histories.device({ id }))[0]?.change_id
    await put(id, { serial: 'other', role: null })
    expect(await names(`serial=%C3%A4b-12&as_of=${then}`)).toEqual(['filtered'])
    expect(await names(`role=DISTRIBUTION&as_of=${then}`)).toEqual(['filtered'])
    expect(await names(`q=distribution&as_of=${then}`)).toEqual(['filtered'])
    expect(await names('serial=%C3%A4b-12')).toEqual(['filtered too'])
  })

  test('an asset tag is of one device, in any case', async () => {
    const [a, b] = [await make({ name: 'a', asset_tag: 'Ärger' }), await make({ name: 'b', asset_tag: 'b' })]
    expect(await inv.ask('POST /api/devices', { name: 'c', asset_tag: 'äRGER' })).toMatchObject(taken)
    expect(await put(b.id, { asset_tag: 'ärger' })).toMatchObject(taken)
    expect(await put(a.id, { asset_tag: 'ärger' })).toMatchObject({ status: 200 })
    await put(a.id, { asset_tag: null })
    expect(await put(b.id, { asset_tag: 'ÄRGER' })).toMatchObject({ status: 200 })
    for (const n of [1, 2]) await make({ name: `serial ${n}`, serial: 'the same' })
  })

  test('of many callers at once, one gets an asset tag', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => inv.ask('POST /api/devices', { name: `r${i}`, asset_tag: 'race' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 11 }, () => 409)])
  })

  test('devices exchange their asset tags in one call, and by an undo', async () => {
    const row = (name: string, asset_tag: string) => ({ name, asset_tag })
    const apply = (...devices: object[]) => inv.ask('POST /api/estate/apply', { devices })
    expect(await apply(row('x1', 'one'), row('x2', 'two'))).toMatchObject({ status: 200 })
    const changed = await inv.admin.request('POST', '/api/estate/apply', {
      devices: [row('x1', 'TWO'), row('x2', 'ONE')],
    })
    expect([changed.status, await names('asset_tag=two'), await names('asset_tag=one')]).toEqual([200, ['x1'], ['x2']])
    await inv.api.history.undo({ id: changed.headers.get('x-change-id') ?? '' })
    expect([await names('asset_tag=two'), await names('asset_tag=one')]).toEqual([['x2'], ['x1']])
    expect(await apply(row('x3', 'three'), row('x4', 'Three'))).toMatchObject({ status: 400 })
  })
})
