// Free addresses: next-ip, heatmaps, utilization and the bitmaps behind them, compared with a naive model, through any
// history.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { countCases } from '../../../testing/cases.ts'
import { type Answer, type Inventory, inventory, noneFree } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { DEFAULT_SPACE, type IpKey, parseIpKeyOrThrow } from '../../net/ip.ts'
import { getBlock, isTaken } from '../../net/occupancy.ts'
import type { Allocation } from '../reservations/api.ts'

type Space = {
  readonly name: string
  readonly subnet: string
  readonly ipOf: (n: number) => string
  /** Two overlapping pools, by the offsets of their ends; the second one ends beyond a block of 256. */
  readonly pools: readonly (readonly [number, number])[]
  /** Offsets that are never free. */
  readonly never: readonly number[]
}

const SPACES: readonly Space[] = [
  {
    name: 'an IPv4 network',
    subnet: '10.0.0.240/27',
    ipOf: (n) => `10.0.0.${224 + n}`,
    pools: [
      [0, 12],
      [8, 31],
    ],
    never: [0, 31],
  },
  {
    name: 'an IPv6 network',
    subnet: '2001:db8::/64',
    ipOf: (n) => `2001:db8::${(248 + n).toString(16)}`,
    pools: [
      [0, 9],
      [5, 20],
    ],
    never: [],
  },
]

type Model = {
  readonly devices: { id: string; numbers: number[] }[]
  readonly reservations: { id: string; number: number; pool: number; expiresAt: number }[]
}

const number = fc.nat(31)
const which = fc.nat(99)
const pool = fc.nat(1)
const ttl = fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined })

const operations = fc.array(
  fc.oneof(
    fc.record({ op: fc.constant('create' as const), numbers: fc.array(number, { maxLength: 5 }) }),
    fc.record({ op: fc.constant('update' as const), which, numbers: fc.array(number, { maxLength: 5 }) }),
    fc.record({ op: fc.constant('delete' as const), which }),
    fc.record({ op: fc.constant('reserve' as const), pool, number, ttl }),
    fc.record({ op: fc.constant('let go' as const), which }),
    fc.record({ op: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 3 }) }),
    fc.record({
      op: fc.constant('allocate' as const),
      pool,
      count: fc.integer({ min: 1, max: 6 }),
      contiguous: fc.boolean(),
      ttl,
    }),
    fc.record({ op: fc.constant('allocate to' as const), pool, which, count: fc.integer({ min: 1, max: 3 }) }),
  ),
  { minLength: 8, maxLength: 16 },
)
type Operation = typeof operations extends fc.Arbitrary<(infer O)[]> ? O : never

/** One history in one address space, on the server and in the model. */
class Walk {
  readonly #model: Model = { devices: [], reservations: [] }
  readonly #poolIds: string[] = []
  constructor(
    readonly inv: Inventory,
    readonly space: Space,
  ) {}

  #now(): number {
    return Date.parse(this.inv.now())
  }

  #status(n: number): 'used' | 'reserved' | 'available' {
    const { devices, reservations } = this.#model
    if (devices.some(({ numbers }) => numbers.includes(n))) return 'used'
    const isHeld = reservations.some((one) => one.number === n && one.expiresAt > this.#now())
    return isHeld || this.space.never.includes(n) ? 'reserved' : 'available'
  }

  #available(poolIndex: number): number[] {
    const [first, last] = this.space.pools[poolIndex] ?? [0, -1]
    return Array.from({ length: last - first + 1 }, (_, i) => first + i).filter((n) => this.#status(n) === 'available')
  }

  /** Returns the expected allocation, computed naively; undefined if it is impossible. */
  #pick(poolIndex: number, count: number, contiguous: boolean): number[] | undefined {
    const free = this.#available(poolIndex)
    const starts = contiguous ? free : free.slice(0, 1)
    for (const start of starts) {
      const run = contiguous ? Array.from({ length: count }, (_, i) => start + i) : free.slice(0, count)
      if (run.length === count && run.every((n) => free.includes(n))) return run
    }
    return undefined
  }

  async open(): Promise<void> {
    const { api } = this.inv
    const { id: network_id } = await api.networks.create({ name: 'n', subnet: this.space.subnet })
    for (const [first, last] of this.space.pools) {
      const range = { start_ip: this.space.ipOf(first), end_ip: this.space.ipOf(last) }
      this.#poolIds.push((await api.pools.create({ network_id, name: 'p', ...range })).id)
    }
  }

  #expiry(seconds: number | undefined): { expires_at: string | null; expiresAt: number } {
    if (seconds === undefined) return { expires_at: null, expiresAt: Number.POSITIVE_INFINITY }
    return { expires_at: this.inv.inMs(seconds * 1000), expiresAt: this.#now() + seconds * 1000 }
  }

  async apply(operation: Operation): Promise<void> {
    const { api, ask, advance } = this.inv
    const { devices, reservations } = this.#model
    const poolIndex = 'pool' in operation ? operation.pool : 0
    const poolId = this.#poolIds[poolIndex] ?? ''
    const nth = 'which' in operation ? operation.which : 0
    const device = devices[nth % devices.length]
    const numbers = 'numbers' in operation ? operation.numbers : []
    const addresses = numbers.map((n) => ({ ip: this.space.ipOf(n) }))
    switch (operation.op) {
      case 'create':
        devices.push({ id: (await api.devices.create({ name: 'd', addresses })).id, numbers })
        return
      case 'update':
        if (!device) return
        await api.devices.update({ id: device.id, addresses })
        device.numbers = numbers
        return
      case 'delete':
        if (!device) return
        await api.devices.delete({ id: device.id })
        devices.splice(devices.indexOf(device), 1)
        return
      case 'wait':
        advance(operation.seconds * 1000)
        return
      case 'let go': {
        const live = reservations.filter((one) => one.expiresAt > this.#now())
        const one = live[nth % live.length]
        if (!one) return
        await api.reservations.delete({ id: one.id })
        reservations.splice(reservations.indexOf(one), 1)
        return
      }
      case 'reserve': {
        const { expires_at, expiresAt } = this.#expiry(operation.ttl)
        const ip_address = this.space.ipOf(operation.number)
        const answer = await ask(`POST /api/pools/${poolId}/reservations`, { ip_address, expires_at })
        const [first, last] = this.space.pools[poolIndex] ?? [0, -1]
        if (operation.number < first || operation.number > last) return expect(answer.status).toBe(400)
        if (this.#status(operation.number) !== 'available') return expect(answer).toMatchObject(noneFree)
        expect(answer.status).toBe(201)
        this.#hold([operation.number], [answer.body as { id: string }], { pool: poolIndex, expiresAt })
        return
      }
      case 'allocate': {
        const { pool: _, op: __, ttl: ttl_seconds, ...wanted } = operation
        const { expiresAt } = this.#expiry(ttl_seconds)
        const expected = this.#pick(poolIndex, wanted.count, wanted.contiguous)
        const answer = await ask(`POST /api/pools/${poolId}/allocate`, {
          ...wanted,
          ...(ttl_seconds ? { ttl_seconds } : {}),
        })
        const made = this.#allocated(answer, expected)
        if (made && expected) this.#hold(expected, made.reservations, { pool: poolIndex, expiresAt })
        return
      }
      case 'allocate to': {
        if (!device) return
        const expected = this.#pick(poolIndex, operation.count, false)
        const body = { count: operation.count, device_id: device.id }
        const answer = await ask(`POST /api/pools/${poolId}/allocate`, body)
        if (this.#allocated(answer, expected) && expected) device.numbers = [...device.numbers, ...expected]
      }
    }
  }

  #allocated(answer: Answer, expected: number[] | undefined): Allocation | undefined {
    if (!expected) {
      expect(answer).toMatchObject(noneFree)
      return undefined
    }
    expect(answer).toMatchObject({ status: 201, body: { ips: expected.map(this.space.ipOf) } })
    return answer.body as Allocation
  }

  #hold(numbers: readonly number[], made: readonly { id: string }[], rest: { pool: number; expiresAt: number }): void {
    for (const [i, n] of numbers.entries()) this.#model.reservations.push({ id: made[i]?.id ?? '', number: n, ...rest })
  }

  async check(): Promise<void> {
    const { api, ask } = this.inv
    const listed = await api.pools.all({ include: 'utilization' })
    for (const [index, [first, last]] of this.space.pools.entries()) {
      const id = this.#poolIds[index] ?? ''
      const all = Array.from({ length: last - first + 1 }, (_, i) => first + i)
      const statuses = all.map((n) => ({ ip: this.space.ipOf(n), status: this.#status(n) }))
      const heatmap = await api.pools.heatmap({ id })
      expect(heatmap.map(({ ip, status }) => ({ ip, status }))).toEqual(statuses)
      for (const { ip, device_id } of heatmap) {
        const owners = this.#model.devices.filter(({ numbers }) => numbers.map(this.space.ipOf).includes(ip))
        expect(owners.map((owner) => owner.id).sort()[0]).toBe(device_id as string)
      }
      const [lowest] = this.#available(index)
      const next = await ask(`GET /api/pools/${id}/next-ip`)
      expect(next).toMatchObject(lowest === undefined ? noneFree : { body: { ip: this.space.ipOf(lowest) } })
      const count = (status: string) => statuses.filter((one) => one.status === status).length
      expect(listed.find((one) => one.id === id)?.utilization).toEqual({
        pool_id: id,
        total_ips: all.length,
        used_ips: count('used'),
        reserved_ips: count('reserved'),
        available_ips: count('available'),
        utilization: Math.round(((all.length - count('available')) / all.length) * 10_000) / 100,
      })
    }
    await checkBlocks(this.inv)
  }

  /** Removes everything, and checks that nothing remains. */
  async close(): Promise<void> {
    const { api } = this.inv
    for (const { id } of this.#model.devices) await api.devices.delete({ id })
    for (const { id } of await api.networks.list()) await api.networks.delete({ id })
    expect(await this.inv.app.db.read.selectFrom('address_blocks').selectAll().execute()).toEqual([])
  }
}

/** Checks that the bitmaps contain the addresses of devices and reservations, and nothing else. */
const checkBlocks = async ({ app }: Inventory): Promise<void> => {
  const { read } = app.db
  const none = sql<string>`''`.as('taken')
  // In one statement: a job may delete expired reservations at any time.
  const rows = await read
    .selectFrom('addresses')
    .select(['ip_key as key', none])
    .unionAll(read.selectFrom('reservations').select(['ip_key as key', none]))
    .unionAll(read.selectFrom('address_blocks').select((eb) => [eb.ref('block').$castTo<IpKey>().as('key'), 'taken']))
    .execute()
  const held = new Set(rows.filter(({ taken }) => taken === '').map(({ key }) => key))
  const marked = rows.flatMap(({ key, taken }) =>
    taken === ''
      ? []
      : OFFSETS.filter((offset) => isTaken(taken, offset)).map((n) => key + n.toString(16).padStart(2, '0')),
  )
  expect(marked.sort()).toEqual([...held].sort())
}
const OFFSETS = Array.from({ length: 256 }, (_, offset) => offset)

const RUNS = { sqlite: 15, postgres: 4 }

describe.each(engines())('free addresses on %s', (dialect) => {
  const inv = inventory(dialect)

  test.each([...SPACES])(
    'agree with the naive model in $name',
    async (space) => {
      await fc.assert(
        fc.asyncProperty(operations, async (history) => {
          const walk = new Walk(inv, space)
          await walk.open()
          for (const operation of history) {
            await walk.apply(operation)
            await walk.check()
          }
          await walk.close()
        }),
        { numRuns: countCases(RUNS[dialect]) },
      )
    },
    60_000,
  )

  test('are stored as one bitmap per 256 addresses, and none where nothing is taken', async () => {
    const { api } = inv
    const ips = ['10.9.0.0', '10.9.0.255', '10.9.1.0', '2001:db8:9::ff', '2001:db8:9::100']
    const { id } = await api.devices.create({ name: 'd', addresses: ips.map((ip) => ({ ip })) })
    const blocks = async () =>
      (await inv.app.db.read.selectFrom('address_blocks').select('block').orderBy('block').execute()).map(
        (row) => row.block,
      )
    expect(await blocks()).toEqual([...new Set(ips.map((ip) => getBlock(parseIpKeyOrThrow(ip, DEFAULT_SPACE))))].sort())
    await api.devices.update({ id, addresses: [{ ip: '10.9.1.0' }] })
    expect(await blocks()).toEqual([getBlock(parseIpKeyOrThrow('10.9.1.0', DEFAULT_SPACE))])
    await api.devices.delete({ id })
    expect(await blocks()).toEqual([])
  })

  test('stay correct with many writers on the same addresses', async () => {
    const { api } = inv
    const addresses = Array.from({ length: 8 }, (_, i) => ({ ip: `10.8.0.${i}` }))
    const made = await Promise.all(Array.from({ length: 12 }, () => api.devices.create({ name: 'd', addresses })))
    await Promise.all(
      made.map(({ id }, i) =>
        i % 3 === 0
          ? api.devices.delete({ id })
          : api.devices.update({ id, addresses: addresses.slice(i % 3 === 1 ? 4 : 6) }),
      ),
    )
    await checkBlocks(inv)
    const query = inv.app.db.read
      .selectFrom('address_blocks')
      .selectAll()
      .where('block', '=', getBlock(parseIpKeyOrThrow('10.8.0.0', DEFAULT_SPACE)))
    const row = await query.executeTakeFirst()
    expect(Array.from({ length: 8 }, (_, i) => isTaken(row?.taken ?? '', i))).toEqual([
      ...[false, false, false, false],
      ...[true, true, true, true],
    ])
  })
})
