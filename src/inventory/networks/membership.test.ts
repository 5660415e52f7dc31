// The rule for the network of an address, compared with a naive model, through any history of writes.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../../testing/cases.ts'
import { type Inventory, inventory } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { cidrHolds, countUsableAddresses, formatCidr, getNetworkAndBroadcast, parseCidr } from '../../net/cidr.ts'
import { formatIp, parseIp } from '../../net/ip.ts'

const holds = (subnet: string, ip: string): boolean => {
  const [cidr, address] = [parseCidr(subnet), parseIp(ip)]
  return cidr !== undefined && address !== undefined && cidrHolds(cidr, address)
}
const prefixOf = (subnet: string): number => Number(subnet.split('/')[1])

describe.each(engines())('an address on %s', (dialect) => {
  const inv = inventory(dialect)
  const network = (name: string, subnet: string) => inv.api.networks.create({ name, subnet })
  const host = (name: string, ...addresses: { ip: string; network_id?: string }[]) =>
    inv.api.devices.create({ name, addresses })
  const residents = async ({ id }: { id: string }) => {
    const listed = (await inv.api.networks.devices({ id })).map(({ name }) => name)
    expect((await inv.api.devices.list({ network_id: id })).map(({ name }) => name)).toEqual(listed)
    return listed
  }

  test('belongs to the most specific network that holds it', async () => {
    const [wide, middle, narrow] = [
      await network('w', '10.1.0.0/16'),
      await network('m', '10.1.1.0/24'),
      await network('n', '10.1.1.0/28'),
    ]
    await host('in-n', { ip: '10.1.1.15' })
    await host('in-m', { ip: '10.1.1.16' })
    await host('in-w', { ip: '10.1.2.0' })
    await host('nowhere', { ip: '10.2.0.0' })
    expect([await residents(wide), await residents(middle), await residents(narrow)]).toEqual([
      ['in-w'],
      ['in-m'],
      ['in-n'],
    ])
  })

  test('belongs to every network of the same most specific subnet', async () => {
    const [one, other] = [await network('1', '10.3.0.0/24'), await network('2', '10.3.0.7/24')]
    await network('outer', '10.3.0.0/16')
    await host('both', { ip: '10.3.0.1' })
    expect([await residents(one), await residents(other)]).toEqual([['both'], ['both']])
  })

  test('belongs to the network it names, and to no other', async () => {
    const [wide, narrow] = [await network('w', '10.4.0.0/16'), await network('n', '10.4.0.0/24')]
    await host('named', { ip: '10.4.0.1', network_id: wide.id })
    expect([await residents(wide), await residents(narrow)]).toEqual([['named'], []])
  })

  test('of IPv6 follows the same rule, and never belongs to a network of IPv4', async () => {
    const [all4, all6] = [await network('4', '0.0.0.0/0'), await network('6', '::/0')]
    const narrow = await network('n', '2001:db8:0:1::/64')
    await host('narrow', { ip: '2001:DB8:0:1:0:0:0:1' })
    await host('wide', { ip: '2001:db8:0:2::1' })
    await host('mapped', { ip: '::ffff:10.0.0.1' })
    expect(await residents(narrow)).toEqual(['narrow'])
    expect(await residents(all6)).toEqual(['mapped', 'wide'])
    expect(await residents(all4)).toContain('nowhere')
    for (const { id } of [all4, all6, narrow]) await inv.api.networks.delete({ id })
  })

  test('moves when a more specific network comes and goes', async () => {
    const wide = await network('w', '10.5.0.0/16')
    await host('h', { ip: '10.5.0.1' })
    const narrow = await network('n', '10.5.0.0/24')
    expect([await residents(wide), await residents(narrow)]).toEqual([[], ['h']])
    await inv.api.networks.delete({ id: narrow.id })
    expect(await residents(wide)).toEqual(['h'])
  })

  test('moves when a network is resized', async () => {
    const [wide, narrow] = [await network('w', '10.6.0.0/16'), await network('n', '10.6.0.0/24')]
    await host('low', { ip: '10.6.0.1' })
    await host('high', { ip: '10.6.0.200' })
    await host('far', { ip: '10.6.1.1' })
    await inv.api.networks.update({ id: narrow.id, subnet: '10.6.0.0/25' })
    expect([await residents(wide), await residents(narrow)]).toEqual([['far', 'high'], ['low']])
    await inv.api.networks.update({ id: narrow.id, subnet: '10.6.0.0/23' })
    expect([await residents(wide), await residents(narrow)]).toEqual([[], ['far', 'high', 'low']])
    await inv.api.networks.update({ id: narrow.id, subnet: '10.6.1.0/24' })
    expect([await residents(wide), await residents(narrow)]).toEqual([['high', 'low'], ['far']])
  })

  test('belongs to networks that are made while it is', async () => {
    // Half of the hosts are created before their network and half after it, all concurrently.
    const hosts = Array.from({ length: 40 }, (_, i) => i)
    const makeHost = (i: number) => host(`race ${i}`, { ip: `10.7.${i}.1` })
    const makeNetwork = (i: number) => network(`race ${i}`, `10.7.${i}.0/24`)
    const made = await Promise.all(
      hosts.map(async (i) => {
        const [first, second] = i % 2 === 0 ? [makeHost, makeNetwork] : [makeNetwork, makeHost]
        const both = await Promise.all([first(i), second(i)])
        return i % 2 === 0 ? both[1] : both[0]
      }),
    )
    const names: (readonly string[])[] = []
    for (const one of made) names.push(await residents(one))
    expect(names).toEqual(hosts.map((i) => [`race ${i}`]))
  })
})

type Network = { id: string; subnet: string }
type Address = { ip: string; network_id: string | null }
type Model = { readonly networks: Network[]; readonly devices: { id: string; addresses: Address[] }[] }

/** Returns the devices with an address in the network: applies the rule to every address and every network. */
const expectedOf = ({ networks, devices }: Model, { id, subnet }: Network) => {
  const belongs = ({ ip, network_id }: Address): boolean => {
    if (network_id !== null) return network_id === id
    if (!holds(subnet, ip)) return false
    return !networks.some((other) => holds(other.subnet, ip) && prefixOf(other.subnet) > prefixOf(subnet))
  }
  const cidr = parseCidr(subnet)
  const ends = Object.values((cidr && getNetworkAndBroadcast(cidr)) ?? {}).map(formatIp)
  const all = new Set(devices.flatMap(({ addresses }) => addresses.filter(belongs).map(({ ip }) => ip)))
  const ips = all.difference(new Set(ends))
  const total = cidr ? countUsableAddresses(cidr) : 0
  return {
    devices: devices.filter(({ addresses }) => addresses.some(belongs)).map((device) => device.id),
    total_ips: total,
    used_ips: ips.size,
    reserved_ips: 0,
    available_ips: total - ips.size,
    utilization: Math.round((ips.size / total) * 10_000) / 100,
  }
}

const anIp = fc.oneof(
  fc.integer({ min: 0, max: 20 }).map((n) => `192.168.0.${n}`),
  fc.integer({ min: 0, max: 20 }).map((n) => `2001:db8::${n.toString(16)}`),
)
const aSubnet = fc.oneof(
  fc
    .tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 26, max: 32 }))
    .map(([n, prefix]) => `192.168.0.${n}/${prefix}`),
  fc
    .tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 121, max: 128 }))
    .map(([n, prefix]) => `2001:db8::${n.toString(16)}/${prefix}`),
)
/** `named` is true if the address names a network that contains it. */
const someAddresses = fc.array(fc.record({ ip: anIp, named: fc.boolean() }), { maxLength: 4 })
const which = fc.nat(99)

const operations = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ op: fc.constant('network'), subnet: aSubnet }) },
    { weight: 2, arbitrary: fc.record({ op: fc.constant('resize'), which, subnet: aSubnet }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant('drop network'), which }) },
    { weight: 3, arbitrary: fc.record({ op: fc.constant('device'), addresses: someAddresses }) },
    { weight: 2, arbitrary: fc.record({ op: fc.constant('move'), which, addresses: someAddresses }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant('drop device'), which }) },
  ),
  { minLength: 6, maxLength: 14 },
)
type Operation = {
  readonly op: string
  readonly which?: number
  readonly subnet?: string
  readonly addresses?: { ip: string; named: boolean }[]
}

const canonical = (subnet: string): string => {
  const cidr = parseCidr(subnet)
  return cidr ? formatCidr(cidr) : subnet
}

/** Applies the operation to the server and to the model. */
const apply = async ({ api, ask }: Inventory, model: Model, operation: Operation): Promise<void> => {
  const { networks, devices } = model
  const { subnet = '', which: nth = 0, addresses = [] } = operation
  const network = networks[nth % networks.length]
  const device = devices[nth % devices.length]
  const wanted = addresses.map(({ ip, named }): Address => {
    const holding = named ? networks.find((one) => holds(one.subnet, ip)) : undefined
    return { ip, network_id: holding?.id ?? null }
  })
  switch (operation.op) {
    case 'network': {
      const { id } = await api.networks.create({ name: 'n', subnet })
      networks.push({ id, subnet: canonical(subnet) })
      return
    }
    case 'resize': {
      if (!network) return
      const { status } = await ask(`PUT /api/networks/${network.id}`, { subnet })
      const naming = devices.flatMap((one) => one.addresses).filter(({ network_id }) => network_id === network.id)
      const isPossible = naming.every(({ ip }) => holds(subnet, ip))
      expect(status).toBe(isPossible ? 200 : 400)
      if (isPossible) network.subnet = canonical(subnet)
      return
    }
    case 'drop network': {
      if (!network) return
      await api.networks.delete({ id: network.id })
      networks.splice(networks.indexOf(network), 1)
      for (const address of devices.flatMap((one) => one.addresses))
        if (address.network_id === network.id) address.network_id = null
      return
    }
    case 'device': {
      const { id } = await api.devices.create({ name: 'd', addresses: wanted })
      devices.push({ id, addresses: wanted })
      return
    }
    case 'move': {
      if (!device) return
      await api.devices.update({ id: device.id, addresses: wanted })
      device.addresses = wanted
      return
    }
    default: {
      if (!device) return
      await api.devices.delete({ id: device.id })
      devices.splice(devices.indexOf(device), 1)
    }
  }
}

const check = async ({ api }: Inventory, model: Model): Promise<void> => {
  const listed = await api.networks.list({ include: ['utilization'] })
  expect(listed.map(({ id }) => id).sort()).toEqual(model.networks.map(({ id }) => id).sort())
  for (const network of model.networks) {
    const { devices, ...counts } = expectedOf(model, network)
    const { id, subnet } = network
    expect(listed.find((one) => one.id === id)).toMatchObject({ subnet, utilization: { network_id: id, ...counts } })
    const residents = (await api.networks.devices({ id })).map((device) => device.id)
    expect({ subnet, residents: residents.sort() }).toEqual({ subnet, residents: devices.sort() })
  }
  const one = model.networks.at(-1)
  if (!one) return
  const { devices: _, ...counts } = expectedOf(model, one)
  expect(await api.networks.utilization({ id: one.id })).toMatchObject({ network_id: one.id, ...counts })
}

const RUNS = { sqlite: 50, postgres: 8 }

describe.each(engines())('networks and addresses on %s', (dialect) => {
  const inv = inventory(dialect)

  test('agree with the naive model through any history', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (history) => {
        const model: Model = { networks: [], devices: [] }
        for (const operation of history) {
          await apply(inv, model, operation)
          await check(inv, model)
        }
        for (const { id } of model.networks) await inv.api.networks.delete({ id })
        for (const { id } of model.devices) await inv.api.devices.delete({ id })
        expect(await inv.app.db.read.selectFrom('network_addresses').selectAll().execute()).toEqual([])
      }),
      { numRuns: countCases(RUNS[dialect]) },
    )
  }, 60_000)
})
