/** Undo of changes in which devices exchanged addresses: the state after the undo counts, not the order of its steps. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../../testing/app/app.ts'
import { onSqlite } from '../../../../testing/servers/servers.ts'

type Answer = {
  readonly id: string
  readonly code: string
  readonly summary: string
  readonly items: readonly { readonly fields: { readonly addresses: { readonly to: readonly { ip: string }[] } } }[]
  readonly details: readonly { readonly field: string; readonly message: string }[]
}

describe.each(onSqlite())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let subnets = 0
  beforeAll(async () => {
    app = await testApp({ dialect })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const newest = async (): Promise<string> => (await admin.api.history.list({ limit: 1 }))[0]?.id ?? ''

  /** A pool, and devices with its first addresses. */
  const site = async (n: number, { isPooled = true } = {}) => {
    const base = `10.${++subnets}.0`
    const network = await admin.api.networks.create({ name: `n${subnets}`, subnet: `${base}.0/24` })
    const range = { start_ip: `${base}.10`, end_ip: `${base}.99` }
    const pool = await admin.api.pools.create({ network_id: network.id, name: `p${subnets}`, ...range })
    const at = (i: number) => ({ ip: `${base}.${10 + i}`, pool_id: isPooled ? pool.id : null, network_id: null })
    const ids: string[] = []
    for (let i = 0; i < n; i++)
      ids.push((await admin.api.devices.create({ name: `d${subnets}-${i}`, addresses: [at(i)] })).id)
    return { pool, at, ids, ip: (i: number) => `${base}.${10 + i}` }
  }
  type Site = Awaited<ReturnType<typeof site>>

  /** Gives each device the address with the number, in one change. */
  const move = async ({ at, ids }: Site, to: readonly number[]): Promise<string> => {
    const update = (id: string, addresses: ReturnType<typeof at>[]) => ({
      op: 'update' as const,
      id,
      device: { addresses },
    })
    const operations = [...ids.map((id) => update(id, [])), ...ids.map((id, i) => update(id, [at(to[i] ?? 0)]))]
    await admin.api.devices.bulk({ operations, atomic: true })
    return newest()
  }
  const addresses = async ({ ids }: Site): Promise<string[][]> =>
    Promise.all(ids.map(async (id) => (await admin.api.devices.get({ id })).addresses.map(({ ip }) => ip)))

  const undo = async (id: string) => {
    const last = await app.db.read
      .selectFrom('events')
      .select(({ fn }) => fn.max('seq').as('seq'))
      .executeTakeFirst()
    const response = await admin.request('POST', `/api/history/${id}/undo`)
    const events = await app.db.read
      .selectFrom('events')
      .select('event')
      .where('seq', '>', last?.seq ?? 0)
      .orderBy('seq')
      .execute()
    return {
      status: response.status,
      body: (await response.json()) as Answer,
      events: events.map(({ event }) => event),
    }
  }

  test.each([
    [2, [1, 0]],
    [3, [1, 2, 0]],
    [5, [3, 0, 4, 1, 2]],
  ])('%d devices of a pool get their addresses back', async (n, to) => {
    const place = await site(n)
    const before = await addresses(place)
    const change = await move(place, to)
    const moved = await addresses(place)
    expect(moved).toEqual(to.map((i) => [place.ip(i)]))
    const { status, body, events } = await undo(change)
    expect([status, body]).toEqual([200, expect.objectContaining({ summary: `changes ${n} devices` })])
    expect(await addresses(place)).toEqual(before)
    expect(new Set(events)).toEqual(new Set(['device.updated']))
    // One item for each device, from its address to the former one.
    const ips = body.items.map(({ fields }) => fields.addresses.to.map(({ ip }) => ip))
    expect(ips.flat().sort()).toEqual(before.flat().sort())
    expect((await undo(body.id)).status).toBe(200)
    expect(await addresses(place)).toEqual(moved)
    expect(await admin.api.pools.nextIp({ id: place.pool.id })).toEqual({ ip: place.ip(n) })
  })

  test('with reservations, which are freed and made again', async () => {
    const place = await site(2)
    const { api } = admin
    const held = await api.reservations.create({ pool_id: place.pool.id, ip_address: place.ip(2), purpose: 'kept' })
    const before = await addresses(place)
    await admin.api.devices.update({ id: place.ids[0] ?? '', addresses: [] })
    // The device takes the address of the reservation, the other device that of the first one.
    const removed = await admin.request('DELETE', `/api/reservations/${held.id}`)
    const taken = await move(place, [2, 0])
    const made = await api.reservations.create({ pool_id: place.pool.id, ip_address: place.ip(1) })
    const reserved = await newest()
    for (const id of [reserved, taken]) expect((await undo(id)).status).toBe(200)
    await expect(api.reservations.get({ id: made.id })).rejects.toThrow('No reservation')
    expect((await undo(removed.headers.get('x-change-id') ?? '')).status).toBe(200)
    expect(await api.reservations.get({ id: held.id })).toMatchObject({ purpose: 'kept', ip_address: place.ip(2) })
    expect(await addresses(place)).toEqual([[], before[1] ?? []])
    expect(await api.pools.nextIp({ id: place.pool.id })).toEqual({ ip: place.ip(0) })
  })

  test('no conflict is found between the steps', async () => {
    const place = await site(2, { isPooled: false })
    const before = await addresses(place)
    const change = await move(place, [1, 0])
    const { status, events } = await undo(change)
    expect([status, ...new Set(events)]).toEqual([200, 'device.updated'])
    expect(await addresses(place)).toEqual(before)
  })

  test('a conflict that is there before and after stays open', async () => {
    const place = await site(2, { isPooled: false })
    const third = await admin.api.devices.create({ name: 'third', addresses: [place.at(0)] })
    const change = await move(place, [1, 0])
    const open = await admin.api.conflicts.ofDevice({ id: third.id, status: 'active' })
    expect(open).toHaveLength(1)
    const { events } = await undo(change)
    expect(new Set(events)).toEqual(new Set(['device.updated']))
    expect(await admin.api.conflicts.ofDevice({ id: third.id, status: 'active' })).toEqual([
      { ...open[0], device_ids: [place.ids[0] ?? '', third.id].sort() } as never,
    ])
  })

  test('an address that another device has by now is in the way, and named once for each device that it stops', async () => {
    const place = await site(2)
    const change = await move(place, [1, 5])
    const other = await admin.api.devices.create({ name: 'other', addresses: [place.at(0)] })
    const { status, body } = await undo(change)
    expect([status, body.code]).toEqual([409, 'UNDO_CONFLICT'])
    // The first one cannot return to its address, so that the second one cannot either.
    expect(body.details.map(({ field }) => field).sort()).toEqual(place.ids.map((id) => `device ${id}`).sort())
    expect(body.details[0]?.message).toContain('is taken by another device')
    await admin.api.devices.delete({ id: other.id })
    expect((await undo(change)).status).toBe(200)
  })

  test('a device that was deleted gets its address back from one that took it', async () => {
    const place = await site(2)
    const [gone = '', stays = ''] = place.ids
    const before = await addresses(place)
    await admin.api.devices.bulk({
      operations: [
        { op: 'delete', id: gone },
        { op: 'update', id: stays, device: { addresses: [place.at(0)] } },
        { op: 'create', device: { name: 'new', addresses: [place.at(1)] } },
      ],
      atomic: true,
    })
    const { status, body, events } = await undo(await newest())
    expect([status, body.summary]).toEqual([200, 'deletes 1 device; changes 1 device; creates 1 device'])
    expect(events).toEqual(['device.deleted', 'device.updated', 'device.created'])
    expect(await addresses(place)).toEqual(before)
  })

  /** Devices with a ref each. */
  const referred = async (...refs: readonly string[]): Promise<string[]> => {
    const ids: string[] = []
    for (const ref of refs)
      ids.push((await admin.api.devices.create({ name: `referred-${ref}`, refs: { erp: ref } })).id)
    return ids
  }
  /** Gives each device the ref, in one change. */
  const refer = async (ids: readonly string[], to: readonly string[]): Promise<string> => {
    const update = (id: string, erp: string | null) => ({ op: 'update' as const, id, device: { refs: { erp } } })
    const operations = [...ids.map((id) => update(id, null)), ...ids.map((id, i) => update(id, to[i] ?? null))]
    await admin.api.devices.bulk({ operations, atomic: true })
    return newest()
  }
  const refsOf = (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await admin.api.devices.get({ id })).refs.erp))

  test('devices that exchanged refs get them back', async () => {
    const ids = await referred('1', '2', '3')
    const change = await refer(ids, ['2', '3', '1'])
    expect(await refsOf(ids)).toEqual(['2', '3', '1'])
    const { status, body, events } = await undo(change)
    expect([status, body.summary]).toEqual([200, 'changes 3 devices'])
    expect(await refsOf(ids)).toEqual(['1', '2', '3'])
    for (const [i, ref] of ['1', '2', '3'].entries())
      expect((await admin.api.devices.get({ id: `erp:${ref}` })).id).toBe(ids[i] ?? '')
    expect(new Set(events)).toEqual(new Set(['device.updated']))
    expect((await undo(body.id)).status).toBe(200)
    expect(await refsOf(ids)).toEqual(['2', '3', '1'])
  })

  test('a ref that another device has by now is in the way', async () => {
    const ids = await referred('4', '5')
    const change = await refer(ids, ['6', '4'])
    const other = await admin.api.devices.create({ name: 'other-ref', refs: { erp: '5' } })
    const { status, body } = await undo(change)
    expect([status, body.code]).toEqual([409, 'UNDO_CONFLICT'])
    // The second one cannot return to its ref, so that the first one cannot either.
    expect(body.details.map(({ field }) => field).sort()).toEqual(ids.map((id) => `device ${id}`).sort())
    expect(body.details.find(({ field }) => field.endsWith(ids[1] ?? ''))?.message).toContain('erp:5 is a ref of')
    expect(await refsOf([...ids, other.id])).toEqual(['6', '4', '5'])
    await admin.api.devices.delete({ id: other.id })
    expect((await undo(change)).status).toBe(200)
    expect(await refsOf(ids)).toEqual(['4', '5'])
  })
})
