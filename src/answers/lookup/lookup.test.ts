// A lookup answers with the records about an address, a block, a MAC or a name that the caller may read. It suggests commands to
// allocate a free address.
import { beforeAll, describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { inventory, refusal } from '../../../testing/estates/inventory.ts'
import { host } from '../../../testing/servers/scripted-scanner.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { type Lookup, MAX_IN_BLOCK, MAX_OF_EACH } from './api.ts'

const names = (all: readonly { readonly name: string }[] | undefined) => all?.map(({ name }) => name)

describe.each(engines())('a lookup on %s', (dialect) => {
  const inv = inventory(dialect)
  const look = (query: string): Promise<Lookup> => inv.api.lookup.show({ query })
  let poolId = ''
  let webId = ''

  beforeAll(async () => {
    const { api } = inv
    const { id: datacenter_id } = await api.datacenters.create({ name: 'Dublin', location: 'IE' })
    await api.networks.create({ name: 'Campus', subnet: '10.0.0.0/16', datacenter_id })
    const { id: network_id } = await api.networks.create({ name: 'Servers', subnet: '10.0.1.0/24', datacenter_id })
    await api.networks.create({ name: 'Six', subnet: '2001:db8:1::/64' })
    const pool = await api.pools.create({ network_id, name: 'Static', start_ip: '10.0.1.0', end_ip: '10.0.1.99' })
    poolId = pool.id
    const web = await api.devices.create({
      name: 'web-01',
      hostname: 'Web-01.example.com',
      domains: ['Shop.example.com'],
      datacenter_id,
      addresses: [{ ip: '10.0.1.10' }, { ip: '2001:db8:1::10' }, { ip: '10.0.1.10', port: 443 }],
    })
    webId = web.id
    const { id: child_id } = await api.devices.create({ name: 'db-01', addresses: [{ ip: '10.0.1.11' }] })
    await api.relationships.create({ device_id: web.id, child_id, type: 'depends_on' })
    await api.devices.create({ name: 'twin-a', addresses: [{ ip: '10.0.9.9' }] })
    await api.devices.create({ name: 'twin-b', addresses: [{ ip: '10.0.9.9' }] })
    await api.devices.create({ name: 'stray', addresses: [{ ip: '192.0.2.1' }] })
    await api.reservations.create({ pool_id: poolId, ip_address: '10.0.1.20', hostname: 'New-01.example.com' })
  })

  describe('of an address', () => {
    test.each([
      ['10.0.1.10', 'assigned', '10.0.1.10 belongs to web-01, active, in Servers (10.0.1.0/24)'],
      ['10.0.1.10:443', 'assigned', '10.0.1.10 belongs to web-01, active, in Servers (10.0.1.0/24)'],
      [
        'https://admin@10.0.1.10:8443/login?x#y',
        'assigned',
        '10.0.1.10 belongs to web-01, active, in Servers (10.0.1.0/24)',
      ],
      ['[2001:DB8:1::10]:443', 'assigned', '2001:db8:1::10 belongs to web-01, active, in Six (2001:db8:1::/64)'],
      ['10.0.9.9', 'assigned', '2 devices have 10.0.9.9: twin-a, twin-b'],
      ['10.0.1.20', 'reserved', '10.0.1.20 is reserved for New-01.example.com, in Servers (10.0.1.0/24)'],
      ['10.0.1.0', 'network_address', '10.0.1.0 is the network address of Servers (10.0.1.0/24)'],
      ['10.0.1.255', 'broadcast_address', '10.0.1.255 is the broadcast address of Servers (10.0.1.0/24)'],
      ['10.0.1.30', 'free', '10.0.1.30 is free, in the pool Static of Servers (10.0.1.0/24)'],
      ['10.0.200.1', 'free', '10.0.200.1 is free, in Campus (10.0.0.0/16)'],
      ['2001:DB8:1:0:0:0:0:10', 'assigned', '2001:db8:1::10 belongs to web-01, active, in Six (2001:db8:1::/64)'],
      ['2001:db8:1::', 'free', '2001:db8:1:: is free, in Six (2001:db8:1::/64)'],
      ['192.0.2.1', 'assigned', '192.0.2.1 belongs to stray, active'],
      ['203.0.113.7', 'outside', '203.0.113.7 is in no network'],
    ])('%s says that it is %s', async (query, state, summary) => {
      const found = await look(query)
      // The order of the two depends on their ids.
      expect([found.state, found.summary.replace('twin-b, twin-a', 'twin-a, twin-b')]).toEqual([state, summary])
    })

    test('has its networks, the most specific first, its pool, its datacenter and its device', async () => {
      const found = await look('10.0.1.10')
      expect({
        networks: names(found.networks),
        pools: names(found.pools),
        datacenters: names(found.datacenters),
        devices: found.devices,
        known: found.known,
      }).toEqual({
        networks: ['Servers', 'Campus'],
        pools: ['Static'],
        datacenters: ['Dublin'],
        devices: [await inv.api.devices.get({ id: webId })],
        known: true,
      })
    })

    test('has the relationships of the device', async () => {
      const { relationships } = await look('10.0.1.10')
      expect(relationships).toMatchObject([{ parent_name: 'web-01', child_name: 'db-01', type: 'depends_on' }])
    })

    test('has every device that has it, and the conflict', async () => {
      const found = await look('10.0.9.9')
      expect([names(found.devices)?.toSorted(), found.conflicts?.map(({ ip_address }) => ip_address)]).toEqual([
        ['twin-a', 'twin-b'],
        ['10.0.9.9'],
      ])
    })

    test('is free again the moment its reservation has expired', async () => {
      const { id } = await inv.api.reservations.create({
        pool_id: poolId,
        ip_address: '10.0.1.40',
        expires_at: inv.inMs(1000),
      })
      const before = await look('10.0.1.40')
      inv.advance(2000)
      const after = await look('10.0.1.40')
      await inv.app.plat.runJob('reservations.expire')
      expect([before.state, before.reservations?.map((one) => one.id), after.state, after.reservations]).toEqual([
        'reserved',
        [id],
        'free',
        undefined,
      ])
    })

    test('that is free comes with commands that take it', async () => {
      const { ways } = await look('10.0.1.30')
      expect(ways.map(({ operation, command }) => [operation, command])).toEqual([
        ['reservations.create', `plat reservation create ${poolId} 10.0.1.30`],
        ['devices.create', `plat device create NAME --addresses '{"ip":"10.0.1.30","pool_id":"${poolId}"}'`],
      ])
    })

    test('that is free in a more specific network is not offered in the pool of the network around it', async () => {
      const outer = await inv.api.networks.create({ name: 'Outer', subnet: '192.0.2.0/24' })
      const range = { start_ip: '192.0.2.1', end_ip: '192.0.2.99' }
      await inv.api.pools.create({ network_id: outer.id, name: 'wide', ...range })
      const inner = await inv.api.networks.create({ name: 'Inner', subnet: '192.0.2.8/30' })
      const { summary, ways } = await look('192.0.2.9')
      expect(summary).toBe('192.0.2.9 is free, in Inner (192.0.2.8/30)')
      expect(ways.map(({ command }) => command)).toEqual([
        `plat device create NAME --addresses '{"ip":"192.0.2.9","network_id":"${inner.id}"}'`,
      ])
      expect((await look('192.0.2.8')).state).toBe('network_address')
      await inv.api.devices.create({ name: 'ends', addresses: [{ ip: '192.0.2.8' }, { ip: '192.0.2.9' }] })
      expect((await look('192.0.2.8/30')).summary).toContain('1 of 2 addresses is taken')
      for (const { id } of [inner, outer]) await inv.api.networks.delete({ id })
    })

    test('that is free comes with the request for curl', async () => {
      const [way] = (await look('10.0.1.30')).ways
      expect(way?.curl).toBe(
        `curl -X POST -H "Authorization: Bearer $PLAT_TOKEN" -H 'content-type: application/json' -d '{"ip_address":"10.0.1.30"}' "$PLAT_URL/api/pools/${poolId}/reservations"`,
      )
    })

    test('that is taken comes without next actions', async () => {
      expect((await look('10.0.1.10')).ways).toEqual([])
    })

    test('with many devices shows the first of them, and says that more exist', async () => {
      const operations = Array.from({ length: MAX_OF_EACH + 5 }, (_, i) => ({
        op: 'create' as const,
        device: { name: `bridge-${i}`, addresses: [{ ip: '172.17.0.1' }] },
      }))
      await inv.api.devices.bulk({ operations })
      const { devices, more, summary } = await look('172.17.0.1')
      expect([devices?.length, more, summary.split(':')[0]]).toEqual([
        MAX_OF_EACH,
        ['devices'],
        `more than ${MAX_OF_EACH} devices have 172.17.0.1`,
      ])
    })
  })

  describe('of a block', () => {
    test.each([
      ['10.0.1.0/24', 'network', '10.0.1.0/24 is the network Servers; 3 of 254 addresses are taken'],
      ['10.0.0.0/8', 'divided', '2 networks lie in 10.0.0.0/8: Campus, Servers; 4 of 16,777,214 addresses are taken'],
      [
        '10.0.1.8/29',
        'assigned',
        '10.0.1.8/29 is not a network, and in use, in Servers (10.0.1.0/24); 2 of 6 addresses are taken',
      ],
      ['10.0.1.128/25', 'free', '10.0.1.128/25 is free, in Servers (10.0.1.0/24)'],
      ['198.51.100.0/24', 'outside', 'No network overlaps 198.51.100.0/24'],
      ['2001:db8::/32', 'divided', /^1 network lies in 2001:db8::\/32: Six; 1 address is taken$/],
      ['2001:db8:1::ffff/64', 'network', /^2001:db8:1::\/64 is the network Six; 1 address is taken$/],
    ])('%s says that it is %s', async (query, state, summary) => {
      const found = await look(query)
      expect(found.state).toBe(state as never)
      expect(found.summary).toMatch(summary)
    })

    test('has its parent networks, its subnets, and its devices', async () => {
      const found = await look('10.0.1.0/24')
      expect([names(found.networks), found.inside, names(found.pools), names(found.devices)]).toEqual([
        ['Servers', 'Campus'],
        undefined,
        ['Static'],
        ['web-01', 'db-01'],
      ])
    })

    test('is named by any address in it', async () => {
      expect((await look('10.0.1.77/24')).query).toBe('10.0.1.0/24')
    })

    test('that is free comes with the command that creates a network', async () => {
      expect((await look('10.0.2.0/24')).ways.map(({ command }) => command)).toEqual([
        'plat network create NAME 10.0.2.0/24',
      ])
    })

    test('that is a network with a pool comes with the command that allocates an address', async () => {
      expect((await look('10.0.1.0/24')).ways.map(({ command }) => command)).toEqual([
        `plat pool allocate ${poolId} --count 1`,
      ])
    })
  })

  test('with many objects inside shows the first of them, in order, and says that more exist', async () => {
    const operations = Array.from({ length: MAX_IN_BLOCK + 5 }, (_, i) => ({
      op: 'create' as const,
      device: { name: `row-${i}`, addresses: [{ ip: `10.0.77.${i + 1}` }] },
    }))
    await inv.api.devices.bulk({ operations })
    const { devices, more, taken } = await look('10.0.77.0/24')
    expect([names(devices), more, taken]).toEqual([
      Array.from({ length: MAX_IN_BLOCK }, (_, i) => `row-${i}`),
      ['devices'],
      MAX_IN_BLOCK + 5,
    ])
  })

  describe('of a name', () => {
    test.each([
      ['web-01', 'web-01 is a device, active, at 10.0.1.10, 2001:db8:1::10'],
      ['WEB-01.EXAMPLE.COM', 'web-01.example.com is the device web-01, active, at 10.0.1.10, 2001:db8:1::10'],
      ['shop.example.com', 'shop.example.com is the device web-01, active, at 10.0.1.10, 2001:db8:1::10'],
      ['new-01.example.com', 'new-01.example.com has the address 10.0.1.20 reserved'],
      ['https://Shop.example.com/cart', 'shop.example.com is the device web-01, active, at 10.0.1.10, 2001:db8:1::10'],
      ['nobody.example.com', 'Nothing is known of nobody.example.com'],
    ])('%s', async (query, summary) => {
      expect((await look(query)).summary).toBe(summary)
    })

    test('finds by the first label where nothing has it for a name', async () => {
      await inv.api.devices.create({ name: 'a mail server', hostname: 'mx-7.example.com' })
      expect(names((await look('mx-7')).devices)).toEqual(['a mail server'])
    })

    test('the name has the networks of its addresses, and no others', async () => {
      expect(names((await look('web-01')).networks)?.toSorted()).toEqual(['Servers', 'Six'])
    })

    test('without an object is unknown', async () => {
      expect(await look('nobody')).toMatchObject({ known: false, ways: [] })
    })
  })

  describe('in a URL', () => {
    test('takes a block with its slash encoded', async () => {
      expect(await inv.ask('GET /api/lookup/10.0.1.0%2F24')).toMatchObject({
        status: 200,
        body: { query: '10.0.1.0/24', kind: 'cidr' },
      })
    })

    test.each(['10.0.0.256', 'two%20words', '%00', 'x'.repeat(400), '10.0.0.0%2F33'])('refuses %s', async (text) => {
      expect(await inv.ask(`GET /api/lookup/${text}`)).toMatchObject(refusal('query'))
    })
  })

  describe('by a caller with few permissions', () => {
    const lookAs = async (permissions: readonly string[], query: string): Promise<Lookup> =>
      (await inv.app.as(['search:read', ...permissions])).api.lookup.show({ query })

    test('does not reveal objects that may not be listed, not even in taken', async () => {
      const { withheld: _, ...found } = await lookAs([], '10.0.1.10')
      expect(found).toEqual({
        query: '10.0.1.10',
        kind: 'ip',
        state: 'outside',
        known: false,
        summary: '10.0.1.10 is in no network',
        more: [],
        ways: [],
      })
    })

    test('names the withheld parts', async () => {
      expect((await lookAs(['devices:list', 'networks:list'], '10.0.1.10')).withheld).toEqual([
        'pools',
        'datacenters',
        'discovered',
        'reservations',
        'relationships',
        'conflicts',
        'changes',
      ])
    })

    test('has only permitted parts', async () => {
      const { devices, conflicts, networks } = await lookAs(['conflicts:list'], '10.0.9.9')
      expect([devices, conflicts?.length, networks]).toEqual([undefined, 1, undefined])
    })

    test('has no next action without its permission', async () => {
      const viewer = await inv.app.as('viewer')
      expect((await viewer.api.lookup.show({ query: '10.0.1.30' })).ways).toEqual([])
    })
  })
})

describe.each(engines())('a lookup of what scans have found, on %s', (dialect) => {
  const d = discoveryApp(dialect, { AUDIT_ENABLED: 'true' })
  const look = (query: string) => d.api.lookup.show({ query })
  const MAC = '00:1b:21:00:00:0a'

  test('shows that an undocumented address is in use', async () => {
    const { id, at } = await d.network()
    await d.scan(id, [host(at(3), { mac: MAC, names: [{ name: 'printer-7.example.com', source: 'mdns' }] })])
    const found = await look(at(3))
    expect([found.state, found.discovered?.map(({ ip }) => ip), found.ways]).toEqual(['discovered', [at(3)], []])
  })

  test.each(['00-1B-21-00-01-0A', '001b.2100.010a', '001b2100010a'])('finds the MAC %s', async (query) => {
    const { id, at } = await d.network()
    await d.scan(id, [host(at(4), { mac: '00:1b:21:00:01:0a' })])
    const found = await look(query)
    expect(found.discovered?.map(({ ip }) => ip)).toContain(at(4))
  })

  test('finds a MAC that identifies no device', async () => {
    const { id, at } = await d.network()
    await d.scan(id, [host(at(5), { mac: '02:00:00:00:00:05' })])
    expect((await look('02:00:00:00:00:05')).summary).toStartWith(
      `02:00:00:00:00:05 is not documented, but was seen at ${at(5)}, in net`,
    )
  })

  test('finds the device that is documented, by the MAC and by the name that was seen', async () => {
    const { id, at } = await d.network()
    const seen = [{ name: 'scanner-9.example.com', source: 'mdns' as const }]
    await d.scan(id, [host(at(6), { mac: '00:1b:21:00:02:0a', names: seen })])
    const [found] = await d.api.discovery.list({ network_id: id })
    await d.api.discovery.promote({ id: found?.id ?? '', name: 'copier' })
    const all = [await look('00:1b:21:00:02:0a'), await look('scanner-9.example.com'), await look(at(6))]
    expect(all.map(({ devices, discovered }) => [names(devices), discovered?.length])).toEqual([
      [['copier'], 1],
      [['copier'], 1],
      [['copier'], 1],
    ])
  })

  test('follows a name that has changed', async () => {
    const { id, at } = await d.network()
    const named = (name: string) => [
      host(at(7), { mac: '00:1b:21:00:03:0a', names: [{ name, source: 'ptr' as const }] }),
    ]
    await d.scan(id, named('before.example.com'))
    await d.scan(id, named('after.example.com'))
    expect([(await look('before.example.com')).known, (await look('after.example.com')).known]).toEqual([false, true])
  })

  describe('says until when an address is leased', () => {
    const LEASED = '00:1b:21:00:04:0a'
    const lease = (ip: string, ends: number) => d.api.leases.record({ text: `${ends} ${LEASED} ${ip} phone *\n` })
    const inAnHour = () => Math.floor(Date.parse(d.now()) / 1000) + 3600
    const minute = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')

    test('of no device', async () => {
      const { at, subnet } = await d.network()
      const ends = inAnHour()
      await lease(at(8), ends)
      const [byIp, byMac] = [await look(at(8)), await look(LEASED)]
      const until = `leased until ${minute(ends)} UTC`
      expect(byIp.summary).toMatch(`${at(8)} is not documented, but phone was seen there, in net`)
      expect([byIp.summary.endsWith(`(${subnet}), ${until}`), byMac.summary.endsWith(until)]).toEqual([true, true])
      expect(byIp.discovered?.map((one) => one.lease_expires_at)).toEqual([new Date(ends * 1000).toISOString()])
    })

    test('of a device', async () => {
      const { at } = await d.network()
      await d.api.devices.create({ name: 'till-1', addresses: [{ ip: at(9) }] })
      await lease(at(9), 0)
      expect((await look(at(9))).summary).toEndWith(', leased without end')
    })

    test('and no longer after that', async () => {
      const { at } = await d.network()
      await lease(at(10), inAnHour())
      d.advance(2 * 3_600_000)
      expect((await look(at(10))).summary).not.toContain('leased')
    })
  })

  test('has the last changes of a device', async () => {
    const { id } = await d.api.devices.create({ name: 'audited', addresses: [{ ip: '192.0.2.44' }] })
    await d.api.devices.update({ id, description: 'changed' })
    const { changes } = await look('192.0.2.44')
    expect(changes?.map(({ action, resource }) => [action, resource])).toEqual([
      ['update', 'device'],
      ['create', 'device'],
    ])
  })

  test('has no changes without the permission for the audit log', async () => {
    const viewer = await d.app.as('viewer')
    const { changes, withheld } = await viewer.api.lookup.show({ query: 'audited' })
    expect([changes, withheld]).toEqual([undefined, ['changes']])
  })
})
