// After random changes in several spaces, memberships, bitmaps and conflicts are what follows from addresses and networks.
import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../../testing/cases.ts'
import { type Inventory, inventory } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { AppError } from '../../contract/errors.ts'
import { listEnclosingCidrs } from '../../net/cidr.ts'
import { getSpaceKey, parseIp, parseIpKeyOrThrow, type SpaceKey } from '../../net/ip.ts'
import { buildIpKey, getBlock, isTaken } from '../../net/occupancy.ts'

const SUBNETS = ['10.0.0.0/24', '10.0.0.0/28', '10.0.0.0/16', '2001:db8::/64']
const IPS = ['10.0.0.1', '10.0.0.2', '10.0.0.17', '10.0.1.1', '2001:db8::1']

const space = fc.nat(2)
const pick = fc.nat(7)
const operation = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('network' as const), subnet: fc.constantFrom(...SUBNETS), space }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('device' as const),
      ips: fc.array(fc.record({ ip: fc.constantFrom(...IPS), space, named: fc.option(pick) }), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('move' as const), at: pick, space }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('resize' as const), at: pick, subnet: fc.constantFrom(...SUBNETS) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reserve' as const), at: pick }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('remove' as const),
      what: fc.constantFrom('network' as const, 'device' as const),
      at: pick,
    }),
  },
)
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

const RUNS = { sqlite: 25, postgres: 4 }

/** Applies an operation; one that is refused changes nothing. */
const attempt = async (work: () => Promise<unknown>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    const code = error instanceof AppError ? error.code : (error as { code?: string }).code
    if (code !== 'VALIDATION_ERROR' && code !== 'IP_NOT_AVAILABLE') throw error
  }
}

class Walk {
  constructor(
    readonly inv: Inventory,
    readonly spaces: readonly (string | null)[],
  ) {}

  networks = async () => (await this.inv.api.networks.list({})).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  devices = async () => (await this.inv.api.devices.list({})).toSorted((a, b) => (a.id < b.id ? -1 : 1))

  async apply(one: Operation): Promise<void> {
    const { api } = this.inv
    const networks = await this.networks()
    const network = 'at' in one && networks.length > 0 ? networks[one.at % networks.length] : undefined
    const spaceAt = (index: number) => this.spaces[index] ?? null
    if (one.kind === 'network')
      await api.networks.create({ name: 'n', subnet: one.subnet, space_id: spaceAt(one.space) })
    else if (one.kind === 'device') {
      const addresses = one.ips.map(({ ip, space: index, named }) => {
        const holder = named === null ? undefined : networks[named % Math.max(1, networks.length)]
        return holder ? { ip, network_id: holder.id } : { ip, space_id: spaceAt(index) }
      })
      await attempt(() => api.devices.create({ name: 'd', addresses }))
    } else if (one.kind === 'remove' && one.what === 'device') {
      const devices = await this.devices()
      const device = devices[one.at % Math.max(1, devices.length)]
      if (device) await api.devices.delete({ id: device.id })
    } else if (network === undefined) return
    else if (one.kind === 'move')
      await attempt(() => api.networks.update({ id: network.id, space_id: spaceAt(one.space) }))
    else if (one.kind === 'resize') await attempt(() => api.networks.update({ id: network.id, subnet: one.subnet }))
    else if (one.kind === 'reserve')
      await attempt(async () => {
        const base = network.subnet.replace(/\/.*/, '')
        const pool = await api.pools.create({ network_id: network.id, name: 'p', start_ip: base, end_ip: base })
        await api.reservations.create({ pool_id: pool.id, ip_address: base })
      })
    else await api.networks.delete({ id: network.id })
  }

  async check(): Promise<void> {
    const { read } = this.inv.app.db
    const keys = new Map<string | null, SpaceKey>([[null, '']])
    for (const { space_id, space_key } of await read.selectFrom('space_keys').selectAll().execute())
      keys.set(space_id, space_key as SpaceKey)
    const keyOf = (space_id: string | null | undefined) => keys.get(space_id ?? null) ?? ''
    const networks = await this.networks()
    const networkKeys = new Map(networks.map(({ id, subnet, space_id }) => [id, `${keyOf(space_id)}${subnet}`]))
    const members: string[] = []
    const holders = new Map<string, Set<string>>()
    for (const { id, addresses } of await this.devices())
      for (const { ip, network_id, space_id } of addresses) {
        const key = parseIpKeyOrThrow(ip, keyOf(space_id))
        holders.set(key, (holders.get(key) ?? new Set()).add(id))
        // An address is in the space of the network that it names.
        if (network_id) expect(getSpaceKey(networkKeys.get(network_id) ?? '')).toBe(keyOf(space_id))
        const address = parseIp(ip)
        const around = address ? listEnclosingCidrs(address).map((subnet) => `${keyOf(space_id)}${subnet}`) : []
        const nearest = around.find((subnet) => [...networkKeys.values()].includes(subnet))
        const holding = network_id
          ? [network_id]
          : [...networkKeys].filter(([, own]) => own === nearest).map(([own]) => own)
        members.push(...holding.map((own) => `${own} ${key} ${id}`))
      }
    const stored = await read.selectFrom('network_addresses').selectAll().execute()
    expect(stored.map((row) => `${row.network_id} ${row.ip_key} ${row.device_id}`).sort()).toEqual(
      [...new Set(members)].sort(),
    )
    const rows = await read.selectFrom('addresses').select('ip_key').execute()
    expect([...new Set(rows.map(({ ip_key }) => ip_key as string))].sort()).toEqual([...holders.keys()].sort())
    const reserved = (await read.selectFrom('reservations').select('ip_key').execute()).map(
      ({ ip_key }) => ip_key as string,
    )
    const taken = new Set([...holders.keys(), ...reserved])
    const blocks = await read.selectFrom('address_blocks').selectAll().execute()
    const marked = blocks.flatMap(({ block, taken: bits }) =>
      Array.from({ length: 256 }, (_, offset) => offset)
        .filter((offset) => isTaken(bits, offset))
        .map((offset) => buildIpKey(block, offset) as string),
    )
    expect(marked.sort()).toEqual([...taken].sort())
    expect(new Set(blocks.map(({ block }) => block))).toEqual(new Set([...taken].map((key) => getBlock(key))))
    const open = await this.inv.api.conflicts.list({ status: 'active' })
    const places = Map.groupBy(networks, ({ id }) => networkKeys.get(id) ?? '')
    const expected = [
      ...[...holders].filter(([, ids]) => ids.size > 1).map(([, ids]) => [...ids].sort().join()),
      ...[...places.values()]
        .filter((all) => all.length > 1)
        .map((all) =>
          all
            .map(({ id }) => id)
            .sort()
            .join(),
        ),
    ]
    expect(open.map(({ device_ids, network_ids }) => [...device_ids, ...network_ids].sort().join()).sort()).toEqual(
      expected.sort(),
    )
    for (const conflict of open) {
      const space_id = 'space_id' in conflict ? conflict.space_id : null
      for (const id of conflict.network_ids)
        expect(networks.find((one) => one.id === id)?.space_id ?? null).toBe(space_id ?? null)
    }
  }

  async close(): Promise<void> {
    for (const { id } of await this.devices()) await this.inv.api.devices.delete({ id })
    for (const { id } of await this.networks()) await this.inv.api.networks.delete({ id })
    for (const table of ['network_addresses', 'address_blocks', 'reservations', 'pools'] as const)
      expect(await this.inv.app.db.read.selectFrom(table).selectAll().execute()).toEqual([])
  }
}

describe.each(engines())('random changes in several spaces on %s', (dialect) => {
  const inv = inventory(dialect)
  const spaces: (string | null)[] = [null]
  beforeAll(async () => {
    for (const name of ['a', 'b']) spaces.push((await inv.api.spaces.create({ name })).id)
  })

  test('leave memberships, bitmaps and conflicts as they follow from addresses and networks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 4, maxLength: 14 }), async (history) => {
        const walk = new Walk(inv, spaces)
        for (const one of history) await walk.apply(one)
        await walk.check()
        await walk.close()
      }),
      { numRuns: countCases(RUNS[dialect]) },
    )
  }, 120_000)
})
