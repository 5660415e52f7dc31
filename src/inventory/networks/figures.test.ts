// Used, reserved and free addresses of networks and pools, compared with a naive model, for any networks in each other.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../../testing/cases.ts'
import { type Inventory, inventory } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import {
  type Cidr,
  cidrContains,
  cidrHolds,
  countUsableAddresses,
  getNetworkAndBroadcast,
  parseCidrOrThrow,
} from '../../net/cidr.ts'
import { formatIp, parseIp } from '../../net/ip.ts'

type Network = { readonly id: string; readonly subnet: string; readonly cidr: Cidr }
type Pool = { readonly id: string; readonly network: Network; readonly ips: readonly string[] }
type Held = { readonly ip: string; readonly network_id: string | null }
type Model = {
  readonly networks: Network[]
  readonly pools: Pool[]
  readonly held: Held[]
  readonly reserved: Set<string>
  readonly devices: string[]
}

const isIn = ({ cidr }: Network, ip: string): boolean => {
  const address = parseIp(ip)
  return address !== undefined && cidrHolds(cidr, address)
}
const endsOf = ({ cidr }: Network): string[] => Object.values(getNetworkAndBroadcast(cidr) ?? {}).map(formatIp)

/** Returns the most specific networks that hold an address. */
const nearest = ({ networks }: Model, ip: string): Network[] => {
  const around = networks.filter((one) => isIn(one, ip))
  const longest = Math.max(...around.map(({ cidr }) => cidr.prefix))
  return around.filter(({ cidr }) => cidr.prefix === longest)
}

/** Returns the used addresses of a network, and the reserved ones that no device has in it. */
const ownOf = (model: Model, network: Network): { used: Set<string>; reserved: Set<string> } => {
  const ends = new Set(endsOf(network))
  const used = model.held
    .filter(({ ip, network_id }) =>
      network_id === null ? nearest(model, ip).includes(network) : network_id === network.id,
    )
    .map(({ ip }) => ip)
  const reserved = [...model.reserved].filter((ip) => nearest(model, ip).includes(network))
  return { used: new Set(used).difference(ends), reserved: new Set(reserved).difference(ends) }
}

/** Returns the sets of a network and of all networks in it. */
const nestedOf = (model: Model, network: Network) => {
  const inside = model.networks.filter(
    (one) => one === network || (one.cidr.prefix > network.cidr.prefix && cidrContains(network.cidr, one.cidr)),
  )
  const all = inside.map((one) => ownOf(model, one))
  const ends = new Set(endsOf(network))
  const used = new Set(all.flatMap((one) => [...one.used])).difference(ends)
  const reserved = new Set(all.flatMap((one) => [...one.reserved])).difference(ends).difference(used)
  // Of equal subnets, the one with the lowest id has the networks inside.
  const isParent = model.networks.find(({ subnet }) => subnet === network.subnet) === network
  return { hasInner: isParent && inside.length > 1, used: used.size, reserved: reserved.size }
}

const figures = (total: number, used: number, reserved: number) => ({
  total_ips: total,
  used_ips: used,
  reserved_ips: reserved,
  available_ips: total - used - reserved,
  utilization: total === 0 ? 0 : Math.round(((used + reserved) / total) * 10_000) / 100,
})

const networkFigures = (model: Model, network: Network) => {
  const { used, reserved } = ownOf(model, network)
  const { hasInner, ...nested } = nestedOf(model, network)
  return {
    ...figures(countUsableAddresses(network.cidr), used.size, reserved.difference(used).size),
    ...(hasInner && { nested_used_ips: nested.used, nested_reserved_ips: nested.reserved }),
  }
}

const statusOf = (model: Model, { network }: Pool, ip: string): 'used' | 'reserved' | 'available' => {
  if (model.held.some((one) => one.ip === ip)) return 'used'
  if (model.reserved.has(ip) || endsOf(network).includes(ip)) return 'reserved'
  return isForeign(model, network, ip) ? 'reserved' : 'available'
}
const isForeign = (model: Model, network: Network, ip: string): boolean =>
  nearest(model, ip).some(({ cidr }) => cidr.prefix > network.cidr.prefix)

const poolFigures = (model: Model, pool: Pool) => {
  const own = pool.ips.filter((ip) => !isForeign(model, pool.network, ip))
  const count = (status: string) => own.filter((ip) => statusOf(model, pool, ip) === status).length
  return { pool_id: pool.id, ...figures(own.length, count('used'), count('reserved')) }
}

const check = async ({ api, ask }: Inventory, model: Model): Promise<void> => {
  const networks = await api.networks.list({ include: ['utilization'] })
  for (const network of model.networks) {
    const { id, subnet } = network
    const {
      children: _,
      allocated: __,
      allocated_ips: ___,
      ...listed
    } = networks.find((one) => one.id === id)?.utilization ?? {}
    const expected = { network_id: id, ...networkFigures(model, network) }
    expect({ subnet, ...listed }).toEqual({ subnet, ...expected })
    expect({ subnet, ...(await api.networks.utilization({ id })) }).toMatchObject({ subnet, ...expected })
  }
  const pools = await api.pools.all({ include: 'utilization' })
  for (const pool of model.pools) {
    const { id, ips } = pool
    const heatmap = await api.pools.heatmap({ id })
    expect(heatmap.map(({ ip, status }) => [ip, status])).toEqual(ips.map((ip) => [ip, statusOf(model, pool, ip)]))
    const expected = poolFigures(model, pool)
    expect(pools.find((one) => one.id === id)?.utilization).toEqual(expected)
    expect((await api.utilization.ofPool({ id })).samples.at(-1)).toMatchObject({
      used_ips: expected.used_ips + expected.reserved_ips,
      total_ips: expected.total_ips,
      utilization: expected.utilization,
    })
    const free = heatmap.find(({ status }) => status === 'available')
    expect(await ask(`GET /api/pools/${id}/next-ip`)).toMatchObject(
      free ? { status: 200, body: { ip: free.ip } } : { status: 409, body: { code: 'IP_NOT_AVAILABLE' } },
    )
  }
}

const FIRST = { 4: '192.168.9.', 6: '2001:db8:9::' } as const
const toIp = (family: 4 | 6, n: number): string => `${FIRST[family]}${family === 4 ? n : n === 0 ? '' : n.toString(16)}`
const BITS = { 4: 32, 6: 128 } as const

const aFamily = fc.constantFrom(4, 4, 6) as fc.Arbitrary<4 | 6>
const aHost = fc.integer({ min: 0, max: 15 })
const operations = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        op: fc.constant('network'),
        family: aFamily,
        host: aHost,
        size: fc.integer({ min: 0, max: 5 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ op: fc.constant('device'), family: aFamily, host: aHost, named: fc.boolean() }),
    },
    { weight: 3, arbitrary: fc.record({ op: fc.constant('pool'), nth: fc.nat(99), from: aHost, to: aHost }) },
    { weight: 4, arbitrary: fc.record({ op: fc.constant('reservation'), nth: fc.nat(99), host: aHost }) },
    { weight: 2, arbitrary: fc.record({ op: fc.constant('allocation'), nth: fc.nat(99) }) },
  ),
  { minLength: 8, maxLength: 24 },
)
type Operation = {
  readonly op: string
  readonly family?: 4 | 6
  readonly host?: number
  readonly size?: number
  readonly named?: boolean
  readonly nth?: number
  readonly from?: number
  readonly to?: number
}

/** Applies the operation to the server and to the model. */
const apply = async ({ api, ask }: Inventory, model: Model, operation: Operation): Promise<void> => {
  const { op, family = 4, host = 0, size = 0, named = false, nth = 0, from = 0, to = 0 } = operation
  const pool = model.pools[nth % model.pools.length]
  if (op === 'network') {
    const made = await api.networks.create({ name: 'n', subnet: `${toIp(family, host)}/${BITS[family] - size}` })
    model.networks.push({ id: made.id, subnet: made.subnet, cidr: parseCidrOrThrow(made.subnet) })
  } else if (op === 'device') {
    const ip = toIp(family, host)
    const network_id = (named && model.networks.find((one) => isIn(one, ip))?.id) || null
    model.devices.push((await api.devices.create({ name: 'd', addresses: [{ ip, network_id }] })).id)
    model.held.push({ ip, network_id })
  } else if (op === 'pool') {
    const network = model.networks[nth % model.networks.length]
    if (!network) return
    const all = Array.from({ length: 32 }, (_, n) => toIp(network.cidr.family, n)).filter((ip) => isIn(network, ip))
    const ips = all.slice(from % all.length, (from % all.length) + to + 1)
    const range = { start_ip: ips[0] ?? '', end_ip: ips.at(-1) ?? '' }
    const made = await api.pools.create({ network_id: network.id, name: 'p', ...range })
    model.pools.push({ id: made.id, network, ips })
  } else if (op === 'reservation' && pool) {
    const ip = pool.ips[host % pool.ips.length] ?? ''
    const { status } = await ask(`POST /api/pools/${pool.id}/reservations`, { ip_address: ip })
    expect([ip, status]).toEqual([ip, statusOf(model, pool, ip) === 'available' ? 201 : 409])
    if (status === 201) model.reserved.add(ip)
  } else if (op === 'allocation' && pool) {
    const free = pool.ips.find((ip) => statusOf(model, pool, ip) === 'available')
    const { status, body } = await ask(`POST /api/pools/${pool.id}/allocate`, {})
    expect([status, (body as { ips?: string[] }).ips]).toEqual(free ? [201, [free]] : [409, undefined])
    if (free) model.reserved.add(free)
  }
}

const RUNS = { sqlite: 40, postgres: 5 }

describe.each(engines())('figures on %s', (dialect) => {
  const inv = inventory(dialect)

  test('the figures of networks and pools agree with a naive model', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (history) => {
        const model: Model = { networks: [], pools: [], held: [], reserved: new Set(), devices: [] }
        try {
          for (const operation of history) await apply(inv, model, operation)
          await check(inv, model)
        } finally {
          for (const { id } of model.networks) await inv.api.networks.delete({ id })
          for (const id of model.devices) await inv.api.devices.delete({ id })
        }
      }),
      { numRuns: countCases(RUNS[dialect]) },
    )
  }, 60_000)
})
