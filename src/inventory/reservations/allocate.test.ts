// Allocation: free addresses are chosen and recorded exactly once, with any number of concurrent callers.
import { describe, expect, test } from 'bun:test'
import { ask, fieldsOf, forbidden, inventory, missing, noneFree, refusal } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Allocation } from './api.ts'

const DAY_MS = 24 * 3600 * 1000

describe.each(engines())('an allocation on %s', (dialect) => {
  const inv = inventory(dialect)
  const pool = async (subnet: string, start_ip: string, end_ip: string) => {
    const { id: network_id } = await inv.api.networks.create({ name: 'n', subnet })
    return (await inv.api.pools.create({ network_id, name: 'p', start_ip, end_ip })).id
  }
  const allocate = (id: string, body: unknown = {}, headers: Record<string, string> = {}) =>
    inv.ask(`POST /api/pools/${id}/allocate`, body, headers)
  const host = (...ips: string[]) => inv.api.devices.create({ name: 'h', addresses: ips.map((ip) => ({ ip })) })
  const held = async (pool_id: string) =>
    (await inv.api.reservations.list({ pool_id })).map(({ ip_address }) => ip_address)

  test('takes the lowest free address, also without a body', async () => {
    const id = await pool('10.1.0.0/24', '10.1.0.0', '10.1.0.9')
    const answer = await inv.ask(`POST /api/pools/${id}/allocate`)
    expect(answer).toMatchObject({ status: 201, body: { ips: ['10.1.0.1'] } })
    const { reservations } = answer.body as Allocation
    expect(reservations).toMatchObject([
      {
        pool_id: id,
        ip_address: '10.1.0.1',
        hostname: '',
        purpose: '',
        notes: '',
        expires_at: null,
        created_at: inv.now(),
      },
    ])
    expect(await inv.api.reservations.list({ pool_id: id })).toEqual([...reservations])
    expect(await allocate(id)).toMatchObject({ body: { ips: ['10.1.0.2'] } })
  })

  test('takes as many as it is asked for, each with the hostname, the purpose and the time to live', async () => {
    const id = await pool('10.2.0.0/24', '10.2.0.1', '10.2.0.9')
    await host('10.2.0.2')
    const made = await inv.api.reservations.allocate({
      id,
      count: 3,
      hostname: 'db',
      purpose: 'Tests',
      ttl_seconds: 60,
    })
    expect(made.ips).toEqual(['10.2.0.1', '10.2.0.3', '10.2.0.4'])
    const each = { hostname: 'db', purpose: 'Tests', expires_at: inv.inMs(60_000) }
    expect(made.reservations).toMatchObject(made.ips.map((ip_address) => ({ ...each, ip_address })))
    expect(await held(id)).toEqual(made.ips)
  })

  test('frees its addresses when its time is over', async () => {
    const id = await pool('10.3.0.0/24', '10.3.0.1', '10.3.0.2')
    await inv.api.reservations.allocate({ id, count: 2, ttl_seconds: 1 })
    expect(await allocate(id)).toMatchObject(noneFree)
    inv.advance(1000)
    expect(await allocate(id, { count: 2 })).toMatchObject({ status: 201, body: { ips: ['10.3.0.1', '10.3.0.2'] } })
    expect(await held(id)).toEqual(['10.3.0.1', '10.3.0.2'])
  })

  test('takes an unbroken run when it is asked for one', async () => {
    const id = await pool('10.4.0.0/23', '10.4.0.1', '10.4.1.20')
    await host('10.4.0.3', '10.4.0.250')
    expect(await allocate(id, { count: 2, contiguous: true })).toMatchObject({
      body: { ips: ['10.4.0.1', '10.4.0.2'] },
    })
    expect(await allocate(id, { count: 3, contiguous: true })).toMatchObject({
      body: { ips: ['10.4.0.4', '10.4.0.5', '10.4.0.6'] },
    })
    const { ips } = await inv.api.reservations.allocate({ id, count: 250, contiguous: true }).catch(() => ({ ips: [] }))
    expect(ips).toEqual([])
    const run = await inv.api.reservations.allocate({ id, count: 20, contiguous: true })
    expect(run.ips.at(0)).toBe('10.4.0.7')
    const across = await inv.api.reservations.allocate({ id, count: 225, contiguous: true }).catch(() => ({ ips: [] }))
    expect(across.ips).toEqual([])
    expect((await inv.api.reservations.allocate({ id, count: 223, contiguous: true })).ips.at(-1)).toBe('10.4.0.249')
    expect((await inv.api.reservations.allocate({ id, count: 15, contiguous: true })).ips).toContain('10.4.1.0')
  })

  test('takes nothing when there is not enough', async () => {
    const id = await pool('10.5.0.0/29', '10.5.0.0', '10.5.0.7')
    expect(await allocate(id, { count: 7 })).toMatchObject(noneFree)
    expect(await held(id)).toEqual([])
    await host('10.5.0.3')
    expect(await allocate(id, { count: 4, contiguous: true })).toMatchObject(noneFree)
    expect(await allocate(id, { count: 5 })).toMatchObject({ status: 201 })
    expect(await allocate(id)).toMatchObject(noneFree)
    expect(await held(id)).toHaveLength(5)
  })

  test('works in an IPv6 /64', async () => {
    const id = await pool('2001:db8::/64', '2001:db8::10', '2001:db8::ffff:ffff:ffff:ffff')
    await host('2001:db8::11')
    expect(await allocate(id, { count: 3 })).toMatchObject({
      body: { ips: ['2001:db8::10', '2001:db8::12', '2001:db8::13'] },
    })
    expect(await allocate(id, { count: 2, contiguous: true })).toMatchObject({
      body: { ips: ['2001:db8::14', '2001:db8::15'] },
    })
  })

  test('is bounded', async () => {
    const id = await pool('10.6.0.0/16', '10.6.0.1', '10.6.255.254')
    const bad = {
      count: [0, 1001, 1.5, '2', null],
      contiguous: ['yes', null],
      ttl_seconds: [0, -1, 1.5, 315_360_001],
      hostname: ['a b', 'x'.repeat(254)],
      purpose: ['x'.repeat(256)],
      label: ['x'.repeat(129)],
      device_id: ['nope', 7],
    }
    for (const [field, values] of Object.entries(bad))
      for (const value of values) expect(fieldsOf(await allocate(id, { [field]: value }))).toEqual([field])
    expect(await held(id)).toEqual([])
    expect((await inv.api.reservations.allocate({ id, count: 1000, purpose: 'x'.repeat(255) })).ips).toHaveLength(1000)
  })

  describe('to a device', () => {
    test('becomes its addresses, in place of reservations', async () => {
      const id = await pool('10.7.0.0/24', '10.7.0.1', '10.7.0.9')
      const { network_id } = await inv.api.pools.get({ id })
      const device = await host('10.99.0.1')
      inv.advance(1000)
      const made = await inv.api.reservations.allocate({ id, count: 2, device_id: device.id, label: 'eth1' })
      expect(made).toEqual({ ips: ['10.7.0.1', '10.7.0.2'], reservations: [] })
      const added = made.ips.map((ip) => ({
        ip,
        port: null,
        type: 'ipv4',
        label: 'eth1',
        network_id,
        switch_port: '',
        mac_address: '',
        dns_name: '',
        pool_id: id,
      }))
      expect(await inv.api.devices.get({ id: device.id })).toEqual({
        ...device,
        addresses: [...device.addresses, ...added],
        updated_at: inv.now(),
      })
      expect(await held(id)).toEqual([])
      expect((await inv.api.pools.heatmap({ id }))[0]).toEqual({ ip: '10.7.0.1', status: 'used', device_id: device.id })
      expect(await inv.api.networks.utilization({ id: network_id })).toMatchObject({ used_ips: 2 })
    })

    test('needs devices:update too, before anything else is looked at', async () => {
      const id = await pool('10.8.0.0/24', '10.8.0.1', '10.8.0.9')
      const { id: device_id } = await host()
      const without = await inv.app.as(['reservations:create'])
      const having = await inv.app.as(['reservations:create', 'devices:update'])
      expect(await ask(without, `POST /api/pools/${id}/allocate`, { device_id })).toMatchObject(forbidden)
      expect(await ask(without, `POST /api/pools/nope/allocate`, { device_id: 'nope' })).toMatchObject(forbidden)
      expect(await ask(having, `POST /api/pools/${id}/allocate`, { device_id })).toMatchObject({ status: 201 })
      expect(await ask(without, `POST /api/pools/${id}/allocate`, {})).toMatchObject({ status: 201 })
    })

    test('has no time to live', async () => {
      const id = await pool('10.9.0.0/24', '10.9.0.1', '10.9.0.9')
      const { id: device_id } = await host()
      expect(await allocate(id, { device_id, ttl_seconds: 60 })).toMatchObject(refusal('ttl_seconds'))
    })

    test('never gives it more than 1,000 addresses', async () => {
      const id = await pool('10.10.0.0/16', '10.10.0.1', '10.10.255.254')
      const { id: device_id } = await host('10.98.0.1')
      expect(await allocate(id, { device_id, count: 1000 })).toMatchObject(refusal('device_id'))
      expect((await inv.api.devices.get({ id: device_id })).addresses).toHaveLength(1)
      expect(await inv.api.pools.nextIp({ id })).toEqual({ ip: '10.10.0.1' })
      await inv.api.reservations.allocate({ id, device_id, count: 999 })
      const { body } = await inv.ask(`GET /api/devices/${device_id}`)
      expect(await inv.ask(`PUT /api/devices/${device_id}`, body)).toMatchObject({ status: 200 })
    })

    test('loses none of its addresses to another that comes at the same time', async () => {
      const pools: string[] = []
      for (let i = 0; i < 10; i++) pools.push(await pool(`10.11.${i}.0/24`, `10.11.${i}.1`, `10.11.${i}.9`))
      const { id: device_id } = await host()
      const made = await Promise.all(pools.map((id) => inv.api.reservations.allocate({ id, device_id })))
      const ips = (await inv.api.devices.get({ id: device_id })).addresses.map(({ ip }) => ip)
      expect(ips.sort()).toEqual(made.flatMap((one) => one.ips).sort())
    })
  })

  describe('with an Idempotency-Key', () => {
    const key = (value: string) => ({ 'Idempotency-Key': value })

    test('answers a retry as it answered the first time, and takes nothing more', async () => {
      const id = await pool('10.12.0.0/24', '10.12.0.1', '10.12.0.9')
      const first = await allocate(id, { count: 2, purpose: 'x' }, key('a'))
      inv.advance(60_000)
      expect(await allocate(id, { purpose: 'x', count: 2 }, key('a'))).toEqual(first)
      expect(first.status).toBe(201)
      expect(await held(id)).toHaveLength(2)
      expect(await allocate(id, { count: 2, purpose: 'x' }, key('b'))).toMatchObject({
        body: { ips: ['10.12.0.3', '10.12.0.4'] },
      })
      expect(await allocate(id, { count: 2, purpose: 'x' })).toMatchObject({
        body: { ips: ['10.12.0.5', '10.12.0.6'] },
      })
    })

    test('refuses another request under the same key', async () => {
      const [id, other] = [
        await pool('10.13.0.0/24', '10.13.0.1', '10.13.0.9'),
        await pool('10.13.1.0/24', '10.13.1.1', '10.13.1.9'),
      ]
      await allocate(id, { count: 1 }, key('c'))
      expect(await allocate(id, { count: 2 }, key('c'))).toMatchObject(refusal('Idempotency-Key'))
      expect(await allocate(other, { count: 1 }, key('c'))).toMatchObject(refusal('Idempotency-Key'))
      expect([await held(id), await held(other)]).toEqual([['10.13.0.1'], []])
    })

    test('knows one caller from another', async () => {
      const id = await pool('10.14.0.0/24', '10.14.0.1', '10.14.0.9')
      const [ada, bob] = [await inv.app.as(['reservations:create']), await inv.app.as(['reservations:create'])]
      const as = (who: typeof ada) => ask(who, `POST /api/pools/${id}/allocate`, {}, key('d'))
      expect(await as(ada)).toMatchObject({ status: 201, body: { ips: ['10.14.0.1'] } })
      expect(await as(bob)).toMatchObject({ status: 201, body: { ips: ['10.14.0.2'] } })
      expect(await as(ada)).toMatchObject({ status: 201, body: { ips: ['10.14.0.1'] } })
    })

    test('remembers for 24 hours', async () => {
      const id = await pool('10.15.0.0/24', '10.15.0.1', '10.15.0.9')
      await allocate(id, {}, key('e'))
      // The database has its own clock.
      const age = (ms: number) =>
        inv.app.db.write(async ({ db }) => {
          const { created_at } = await db
            .selectFrom('idempotency_keys')
            .select('created_at')
            .where('key', '=', 'e')
            .executeTakeFirstOrThrow()
          const earlier = new Date(Date.parse(created_at) - ms).toISOString()
          await db.updateTable('idempotency_keys').set({ created_at: earlier }).where('key', '=', 'e').execute()
        })
      await age(DAY_MS - 60_000)
      expect(await allocate(id, {}, key('e'))).toMatchObject({ body: { ips: ['10.15.0.1'] } })
      await age(60_001)
      expect(await allocate(id, {}, key('e'))).toMatchObject({ body: { ips: ['10.15.0.2'] } })
    })

    test('does not remember a failure', async () => {
      const id = await pool('10.16.0.0/24', '10.16.0.1', '10.16.0.1')
      const [reservation] = (await inv.api.reservations.allocate({ id })).reservations
      expect(await allocate(id, {}, key('f'))).toMatchObject(noneFree)
      await inv.api.reservations.delete({ id: reservation?.id ?? '' })
      expect(await allocate(id, {}, key('f'))).toMatchObject({ status: 201 })
    })

    test('is taken once by many retries at once', async () => {
      const id = await pool('10.17.0.0/24', '10.17.0.1', '10.17.0.99')
      const answers = await Promise.all(Array.from({ length: 20 }, () => allocate(id, { count: 2 }, key('g'))))
      expect(answers.map(({ status, body }) => [status, (body as Allocation).ips])).toEqual(
        answers.map(() => [201, ['10.17.0.1', '10.17.0.2']]),
      )
      expect(await held(id)).toHaveLength(2)
    })

    test('bounds the key', async () => {
      const id = await pool('10.18.0.0/24', '10.18.0.1', '10.18.0.99')
      expect(await allocate(id, {}, key('k'.repeat(255)))).toMatchObject({ status: 201 })
      expect(await allocate(id, {}, key('k'.repeat(256)))).toMatchObject(refusal('idempotency_key'))
    })
  })

  describe('among many', () => {
    const CALLERS = { sqlite: 1000, postgres: 300 }
    const TEN_YEARS_S = 10 * 365 * 24 * 3600

    test('an allocation among many belongs only to its caller', async () => {
      const id = await pool('10.32.0.0/16', '10.32.0.1', '10.32.255.254')
      const made = await Promise.all(
        Array.from({ length: CALLERS[dialect] }, () => inv.api.reservations.allocate({ id })),
      )
      const ips = made.flatMap((one) => one.ips)
      expect(new Set(ips).size).toBe(CALLERS[dialect])
      expect(new Set(await held(id))).toEqual(new Set(ips))
      const size = 65534
      expect(
        (await inv.api.pools.all({ include: 'utilization' })).find((one) => one.id === id)?.utilization,
      ).toMatchObject({
        total_ips: size,
        reserved_ips: CALLERS[dialect],
      })
    }, 30_000)

    test('an allocation belongs only to its caller in pools that overlap, while others expire', async () => {
      const pools: string[] = []
      for (let i = 0; i < 4; i++) pools.push(await pool('10.33.0.0/24', `10.33.0.${1 + i * 10}`, '10.33.0.250'))
      for (let round = 0; round < 4; round++) {
        const made = await Promise.all(
          Array.from({ length: 40 }, (_, i) =>
            inv.api.reservations.allocate({ id: pools[i % 4] ?? '', ttl_seconds: TEN_YEARS_S }),
          ),
        )
        const wanted = made.flatMap(({ reservations }) => reservations.map(({ id }) => id)).sort()
        const there = (await inv.api.reservations.all()).filter(({ pool_id }) => pools.includes(pool_id))
        expect(there.map(({ id }) => id).sort()).toEqual(wanted)
        expect(new Set(there.map(({ ip_address }) => ip_address)).size).toBe(40)
        // The job that deletes expired ones has the clock of the database, which is months ahead of this one.
        inv.advance(TEN_YEARS_S * 1000)
      }
    }, 30_000)

    test('beside next-ip and create: 50 clients empty a /26, each address once', async () => {
      const id = await pool('10.34.0.0/26', '10.34.0.0', '10.34.0.63')
      const client = async (name: string): Promise<string[]> => {
        const mine: string[] = []
        for (;;) {
          const next = await inv.ask(`GET /api/pools/${id}/next-ip`)
          if (next.status !== 200) {
            expect(next).toMatchObject(noneFree)
            return mine
          }
          const { ip } = next.body as { ip: string }
          const made = await inv.ask('POST /api/devices', { name, addresses: [{ ip, pool_id: id }] })
          if (made.status === 201) mine.push(ip)
          else expect(made).toMatchObject(noneFree)
        }
      }
      const all = (await Promise.all(Array.from({ length: 50 }, (_, i) => client(`c${i}`)))).flat()
      expect(all.sort()).toEqual(Array.from({ length: 62 }, (_, i) => `10.34.0.${i + 1}`).sort())
    }, 60_000)

    test('beside devices that name the same pool', async () => {
      const id = await pool('10.35.0.0/24', '10.35.0.1', '10.35.0.200')
      const work = Array.from({ length: 40 }, async (_, i) => {
        if (i % 2 === 0) return (await inv.api.reservations.allocate({ id })).ips
        const ip = `10.35.0.${100 + i}`
        await inv.api.devices.create({ name: 'd', addresses: [{ ip, pool_id: id }] })
        return [ip]
      })
      const ips = (await Promise.all(work)).flat()
      expect(new Set(ips).size).toBe(40)
    }, 30_000)
  })

  test('of a pool that is not there is not found', async () => {
    expect(await allocate('nope')).toMatchObject(missing)
  })
})
