// Reservations: an address that the caller chooses, held until it expires or is released.
import { describe, expect, test } from 'bun:test'
import { fieldsOf, inventory, missing, noneFree, refusal } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import type { Reservation } from './api.ts'

describe.each(onSqlite())('reservations on %s', (dialect) => {
  const inv = inventory(dialect)
  const pool = async (subnet: string, start_ip: string, end_ip: string) => {
    const { id: network_id } = await inv.api.networks.create({ name: 'n', subnet })
    return (await inv.api.pools.create({ network_id, name: 'p', start_ip, end_ip })).id
  }
  const post = (id: string, body: unknown) => inv.ask(`POST /api/pools/${id}/reservations`, body)
  const hold = (pool_id: string, ip_address: string, expires_at: string | null = null) =>
    inv.api.reservations.create({ pool_id, ip_address, expires_at })
  const get = ({ id }: Reservation) => inv.ask(`GET /api/reservations/${id}`)

  test('record who made them', async () => {
    const id = await pool('10.1.0.0/24', '10.1.0.1', '10.1.0.9')
    const someone = await inv.app.as(['reservations:create'])
    const users = inv.app.db.read.selectFrom('users').select('username').where('id', '=', someone.userId)
    const { username } = await users.executeTakeFirstOrThrow()
    const made = await someone.api.reservations.create({
      pool_id: id,
      ip_address: '10.1.0.1',
      hostname: 'db-1.example.com',
    })
    expect(made).toMatchObject({
      pool_id: id,
      ip_address: '10.1.0.1',
      created_by: username,
      hostname: 'db-1.example.com',
    })
    const { reservations } = await someone.api.reservations.allocate({ id })
    expect(reservations[0]?.created_by).toBe(username)
  })

  test('hold an address in its canonical form', async () => {
    const id = await pool('2001:db8::/64', '2001:db8::', '2001:db8::ff')
    expect(await post(id, { ip_address: '2001:0DB8:0::00A' })).toMatchObject({
      status: 201,
      body: { ip_address: '2001:db8::a' },
    })
    expect(await post(id, { ip_address: '2001:db8::a' })).toMatchObject(noneFree)
  })

  test.each(['', 'x', '10.2.0.0/24', '10.2.0.10', '10.1.255.255', '10.2.0.05', '::1', 7, null])(
    'never hold %j, which is no address of the pool',
    async (ip_address) => {
      expect(await post(await pool('10.2.0.0/24', '10.2.0.1', '10.2.0.9'), { ip_address })).toMatchObject(
        refusal('ip_address'),
      )
    },
  )

  test('hold available addresses only', async () => {
    const id = await pool('10.3.0.0/29', '10.3.0.0', '10.3.0.7')
    await inv.api.devices.create({ name: 'h', addresses: [{ ip: '10.3.0.1' }] })
    await hold(id, '10.3.0.2')
    for (const taken of ['10.3.0.0', '10.3.0.1', '10.3.0.2', '10.3.0.7'])
      expect(await post(id, { ip_address: taken })).toMatchObject(noneFree)
    expect((await inv.api.reservations.list({ pool_id: id })).map(({ ip_address }) => ip_address)).toEqual(['10.3.0.2'])
  })

  test('hold an address in every pool that it is in', async () => {
    const [one, other] = [
      await pool('10.4.0.0/24', '10.4.0.1', '10.4.0.9'),
      await pool('10.4.0.0/24', '10.4.0.5', '10.4.0.20'),
    ]
    await hold(one, '10.4.0.5')
    expect(await post(other, { ip_address: '10.4.0.5' })).toMatchObject(noneFree)
    expect((await inv.api.pools.heatmap({ id: other }))[0]).toEqual({ ip: '10.4.0.5', status: 'reserved' })
    expect(await inv.api.reservations.list({ pool_id: other })).toEqual([])
  })

  test('bound their hostname by the rules of DNS', async () => {
    const id = await pool('10.5.0.0/24', '10.5.0.1', '10.5.0.99')
    const longest = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`
    const made = await hold(id, '10.5.0.1')
    const put = (hostname: string) => inv.ask(`PUT /api/reservations/${made.id}`, { hostname })
    expect(await put(longest)).toMatchObject({ status: 200 })
    for (const bad of [`${longest}d`, 'a_b', '-a', 'a..b', 'a b'])
      expect(fieldsOf(await put(bad))).toEqual(['hostname'])
  })

  test('are listed newest first, by pool and over all pools', async () => {
    const [one, other] = [
      await pool('10.6.0.0/24', '10.6.0.1', '10.6.0.9'),
      await pool('10.6.1.0/24', '10.6.1.1', '10.6.1.9'),
    ]
    const made: Reservation[] = []
    for (const [pool_id, ip] of [
      [one, '10.6.0.3'],
      [other, '10.6.1.2'],
      [one, '10.6.0.1'],
    ] as const) {
      inv.advance(1000)
      made.push(await hold(pool_id, ip))
    }
    const [first, second, third] = made
    expect(await inv.api.reservations.list({ pool_id: one })).toEqual([third, first] as Reservation[])
    expect((await inv.api.reservations.all()).slice(0, 3)).toEqual([third, second, first] as Reservation[])
  })

  describe('an expiry', () => {
    test('lies in the future, and is stored in UTC', async () => {
      const id = await pool('10.7.0.0/24', '10.7.0.1', '10.7.0.9')
      const until = (expires_at: unknown) => post(id, { ip_address: '10.7.0.1', expires_at })
      for (const bad of [inv.now(), inv.inMs(-1), 'tomorrow', '2030-01-01', '2030-02-30T00:00:00Z', 7])
        expect(await until(bad)).toMatchObject(refusal('expires_at'))
      expect(await until('2030-01-01T02:00:00+02:00')).toMatchObject({
        status: 201,
        body: { expires_at: '2030-01-01T00:00:00.000Z' },
      })
    })

    test('ends the reservation at once, without a job', async () => {
      const id = await pool('10.8.0.0/24', '10.8.0.1', '10.8.0.9')
      const made = await hold(id, '10.8.0.1', inv.inMs(1000))
      inv.advance(999)
      expect(await get(made)).toMatchObject({ status: 200, body: made })
      inv.advance(1)
      expect(await get(made)).toMatchObject(missing)
      expect(await inv.ask(`PUT /api/reservations/${made.id}`, { purpose: 'x' })).toMatchObject(missing)
      expect(await inv.ask(`DELETE /api/reservations/${made.id}`)).toMatchObject(missing)
      expect(await inv.api.reservations.list({ pool_id: id })).toEqual([])
      expect((await inv.api.pools.heatmap({ id }))[0]?.status).toBe('available')
      const again = await hold(id, '10.8.0.1')
      expect(again.id).not.toBe(made.id)
    })

    test('is moved and taken away by an update', async () => {
      const id = await pool('10.9.0.0/24', '10.9.0.1', '10.9.0.9')
      const made = await hold(id, '10.9.0.1', inv.inMs(1000))
      const put = (expires_at: string | null) => inv.ask(`PUT /api/reservations/${made.id}`, { expires_at })
      expect(await put(inv.inMs(0))).toMatchObject(refusal('expires_at'))
      expect(await put(inv.inMs(5000))).toMatchObject({ status: 200 })
      inv.advance(2000)
      expect(await get(made)).toMatchObject({ status: 200 })
      expect(await put(null)).toMatchObject({ status: 200, body: { expires_at: null } })
      inv.advance(10 * 365 * 24 * 3600 * 1000)
      expect(await get(made)).toMatchObject({ status: 200 })
    })

    test('leaves the address to a device that has it', async () => {
      const id = await pool('10.10.0.0/24', '10.10.0.1', '10.10.0.9')
      await hold(id, '10.10.0.1', inv.inMs(1000))
      const device = await inv.api.devices.create({ name: 'h', addresses: [{ ip: '10.10.0.1', pool_id: id }] })
      inv.advance(1000)
      expect(await inv.api.pools.nextIp({ id })).toEqual({ ip: '10.10.0.2' })
      expect(await inv.api.reservations.allocate({ id })).toMatchObject({ ips: ['10.10.0.2'] })
      expect((await inv.api.pools.heatmap({ id }))[0]).toEqual({
        ip: '10.10.0.1',
        status: 'used',
        device_id: device.id,
      })
    })
  })

  test('free their address when they are deleted', async () => {
    const id = await pool('10.11.0.0/24', '10.11.0.1', '10.11.0.9')
    const made = await hold(id, '10.11.0.1')
    expect(await inv.api.pools.nextIp({ id })).toEqual({ ip: '10.11.0.2' })
    await inv.api.reservations.delete({ id: made.id })
    expect(await inv.api.pools.nextIp({ id })).toEqual({ ip: '10.11.0.1' })
  })

  test('are taken by one caller of many that want the same address', async () => {
    const id = await pool('10.12.0.0/24', '10.12.0.1', '10.12.0.9')
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(id, { ip_address: '10.12.0.5' })))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(19)
  })
})
