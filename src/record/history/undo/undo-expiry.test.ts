/** Undo of changes of reservations that expire, by the clock or by the job that deletes them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../../testing/app/app.ts'
import { onSqlite } from '../../../../testing/servers/servers.ts'

const HOUR_MS = 3_600_000

type Answer = {
  readonly code: string
  readonly error: string
  readonly summary: string
  readonly details: readonly object[]
}

describe.each(onSqlite())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let networks = 0
  // Changes have the time of the database, unless the clock of the server is later.
  let nowMs = Date.now() + HOUR_MS
  beforeAll(async () => {
    app = await testApp({ dialect, now: () => new Date(nowMs), withJobs: false })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const advance = (ms: number) => {
    nowMs += ms
  }
  const newest = async () => {
    const [change] = await admin.api.history.list({ limit: 1 })
    if (!change) throw new Error('there is no change')
    return change
  }
  const undo = async (id: string) => {
    const response = await admin.request('POST', `/api/history/${id}/undo`)
    return { status: response.status, body: (await response.json()) as Answer }
  }

  const site = async () => {
    const base = `10.${++networks}.0`
    const at = (last: number) => `${base}.${last}`
    const { id: network_id } = await admin.api.networks.create({ name: 'n', subnet: `${base}.0/24` })
    const pool = await admin.api.pools.create({ network_id, name: 'p', start_ip: at(10), end_ip: at(20) })
    const expires_at = new Date(nowMs + HOUR_MS).toISOString()
    const reserved = await admin.api.reservations.create({ pool_id: pool.id, ip_address: at(10), expires_at })
    return { network_id, pool, reserved, made: (await newest()).id }
  }
  const expire = async () => {
    advance(2 * HOUR_MS)
    await app.plat.runJob('reservations.expire')
  }

  test('the change of the job leaves nothing to undo', async () => {
    await site()
    await expire()
    const change = await newest()
    expect(change).toMatchObject({ via: 'job', operation: 'reservations.expire', summary: 'deletes 1 reservation' })
    expect(await undo(change.id)).toMatchObject({
      status: 409,
      body: { code: 'UNDO_CONFLICT', error: 'there is nothing left to undo' },
    })
  })

  test.each([true, false])('one that is gone is not deleted again; purged: %p', async (isPurged) => {
    const { made } = await site()
    if (isPurged) await expire()
    else advance(2 * HOUR_MS)
    expect(await undo(made)).toMatchObject({ status: 409, body: { error: 'there is nothing left to undo' } })
  })

  test('an update of one that is gone names the job', async () => {
    const { reserved } = await site()
    await admin.api.reservations.update({ id: reserved.id, notes: 'late' })
    const updated = (await newest()).id
    await expire()
    const { status, body } = await undo(updated)
    expect([status, body.details]).toEqual([
      409,
      [
        {
          field: `reservation ${reserved.id}`,
          message: expect.stringMatching(/^is gone: .* by reservations\.expire$/),
        },
      ],
    ])
  })

  test('one that has expired since its delete is in the way, by the rule', async () => {
    const { network_id, reserved } = await site()
    await admin.api.networks.delete({ id: network_id })
    const deleted = (await newest()).id
    advance(2 * HOUR_MS)
    const { status, body } = await undo(deleted)
    expect([status, body.details]).toEqual([
      409,
      [{ field: `reservation ${reserved.id}`, message: expect.stringContaining('must be in the future') }],
    ])
  })

  test('one that had expired when its pool was deleted does not come back with it', async () => {
    const { network_id, pool, reserved } = await site()
    advance(2 * HOUR_MS)
    await admin.api.networks.delete({ id: network_id })
    const { status, body } = await undo((await newest()).id)
    expect([status, body.summary]).toEqual([200, 'creates 1 network and 1 pool'])
    expect(await admin.api.reservations.list({ pool_id: pool.id })).toEqual([])
    await expect(admin.api.reservations.get({ id: reserved.id })).rejects.toThrow('No reservation')
  })

  test('the address of an expired one is free for an undo', async () => {
    const { network_id, pool, reserved } = await site()
    await admin.api.reservations.delete({ id: reserved.id })
    const deleted = (await newest()).id
    const minute = new Date(nowMs + HOUR_MS / 60).toISOString()
    const address = { pool_id: pool.id, ip_address: reserved.ip_address }
    await admin.api.reservations.create({ ...address, expires_at: minute })
    expect((await undo(deleted)).status).toBe(409)
    advance(HOUR_MS / 30)
    expect((await undo(deleted)).status).toBe(200)
    expect(await admin.api.reservations.list({ pool_id: pool.id })).toMatchObject([{ id: reserved.id }])
    await admin.api.networks.delete({ id: network_id })
  })
})
