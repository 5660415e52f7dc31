// The leases of a DHCP server make and refresh discovered devices, and set none down.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { refusal } from '../../../testing/estates/inventory.ts'
import { host } from '../../../testing/servers/scripted-scanner.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const VENDOR = '00:1b:21:00:00:0a'
const OTHER = '00:1b:21:00:00:0b'
const HOUR_S = 3600
const NEVER = '9999-12-31T23:59:59.000Z'

describe.each(onSqlite())('leases on %s', (dialect) => {
  const d = discoveryApp(dialect, { AUDIT_ENABLED: 'true' })
  const record = (text: string, format?: 'auto' | 'dnsmasq' | 'isc') =>
    d.api.leases.record({ text, ...(format && { format }) })
  /** Seconds since 1970, some hours from now. */
  const inHours = (hours: number) => Math.floor(Date.parse(d.now()) / 1000) + hours * HOUR_S
  const endOf = (seconds: number) => new Date(seconds * 1000).toISOString()
  const line = (ip: string, { mac = VENDOR, name = 'pc', ends = inHours(1) } = {}) => `${ends} ${mac} ${ip} ${name} *\n`
  const found = (network_id: string) => d.api.discovery.list({ network_id })
  const none = { leases: 0, active: 0, new: 0, updated: 0, expired: 0, unplaced: 0, errors: [] }

  test('a lease in force makes a discovered device', async () => {
    const { id, at } = await d.network()
    const ends = inHours(1)
    expect(await record(line(at(5), { ends }))).toEqual({ ...none, leases: 1, active: 1, new: 1 })
    const [device] = await found(id)
    expect(device).toMatchObject({
      ip: at(5),
      mac_address: VENDOR,
      hostname: 'pc',
      network_id: id,
      status: 'up',
      lease_expires_at: endOf(ends),
      identity: { kind: 'mac', value: VENDOR },
      last_scan_id: '',
    })
    const { evidence, names } = await d.api.discovery.get({ id: device?.id ?? '' })
    expect([evidence.map(({ ip, source }) => [ip, source]), names]).toEqual([
      [[at(5), 'dhcp']],
      [{ name: 'pc', source: 'dhcp' }],
    ])
  })

  test('a lease without end ends in the year 9999', async () => {
    const { id, at } = await d.network()
    await record(line(at(5), { ends: 0 }))
    expect((await d.only(id)).lease_expires_at).toBe(NEVER)
  })

  test('a renewed lease refreshes the device', async () => {
    const { id, at } = await d.network()
    await record(line(at(5)))
    const before = await d.only(id)
    d.advance(60_000)
    const ends = inHours(1)
    const answer = await record(line(at(5), { ends, name: 'laptop' }))
    const after = await d.only(id)
    expect(answer).toEqual({ ...none, leases: 1, active: 1, updated: 1 })
    expect([after.id, after.first_seen]).toEqual([before.id, before.first_seen])
    expect([after.last_seen, after.hostname, after.lease_expires_at]).toEqual([d.now(), 'laptop', endOf(ends)])
  })

  test('the same MAC at another address is the same device, and its last lease counts', async () => {
    const { id, at } = await d.network()
    const ends = inHours(2)
    const answer = await record(line(at(5), { ends }) + line(at(6)))
    const device = await d.only(id)
    expect([answer.new, answer.updated]).toEqual([1, 1])
    expect([device.addresses.map(({ ip }) => ip), device.lease_expires_at]).toEqual([[at(5), at(6)], endOf(ends)])
  })

  test('leases without a MAC are recognized by the address', async () => {
    const { id, at } = await d.network()
    const text = `lease ${at(5)} {\n  ends never;\n}\n`
    await record(text)
    await record(text)
    const device = await d.only(id)
    expect([device.mac_address, device.identity]).toEqual(['', { kind: 'address', value: at(5) }])
  })

  test('the later line of an address wins', async () => {
    const { id, at } = await d.network()
    const answer = await record(line(at(5), { mac: OTHER, name: 'old' }) + line(at(5), { name: 'new' }))
    const device = await d.only(id)
    expect([answer.leases, device.mac_address, device.hostname]).toEqual([1, VENDOR, 'new'])
  })

  test('a later line that has ended wins too', async () => {
    const { id, at } = await d.network()
    const answer = await record(line(at(5)) + line(at(5), { ends: inHours(-1) }))
    expect([answer, await found(id)]).toEqual([{ ...none, leases: 1, expired: 1 }, []])
  })

  test('leases that are over change nothing', async () => {
    const { id, at } = await d.network()
    await record(line(at(5)))
    const before = await d.only(id)
    d.advance(2 * HOUR_S * 1000)
    const answer = await record(line(at(5), { ends: inHours(-1), name: 'other' }) + line(at(6), { ends: inHours(-1) }))
    expect(answer).toEqual({ ...none, leases: 2, expired: 2 })
    expect(await d.only(id)).toEqual(before)
  })

  test('leases of dhcpd that are free or released change nothing', async () => {
    const { id, at } = await d.network()
    const lease = (n: number, state: string) => `lease ${at(n)} {\n  ends never;\n  binding state ${state};\n}\n`
    const answer = await record(lease(5, 'free') + lease(6, 'released') + lease(7, 'active'))
    expect([answer.expired, (await found(id)).map(({ ip }) => ip)]).toEqual([2, [at(7)]])
  })

  test('leases in no network change nothing', async () => {
    const { id, at } = await d.network()
    const answer = await record(line('203.0.113.5') + line(at(5)) + line('2001:db8:ffff::5', { mac: '77' }))
    expect(answer).toEqual({ ...none, leases: 3, active: 3, new: 1, unplaced: 2 })
    expect((await d.api.discovery.list({ network_id: '*' })).filter(({ ip }) => ip === '203.0.113.5')).toEqual([])
    expect((await found(id)).length).toBe(1)
  })

  test('a lease belongs to the most specific network', async () => {
    const outer = await d.api.networks.create({ name: 'outer', subnet: '10.20.0.0/16' })
    const inner = await d.api.networks.create({ name: 'inner', subnet: '10.20.5.0/24' })
    await record(
      line('10.20.4.1', { mac: '02:00:00:00:00:01' }) + line('10.20.5.1') + line('10.20.6.1', { mac: OTHER }),
    )
    const ips = async (id: string) => (await found(id)).map(({ ip }) => ip)
    expect([await ips(outer.id), await ips(inner.id)]).toEqual([['10.20.4.1', '10.20.6.1'], ['10.20.5.1']])
  })

  test('lines that are not valid are errors, and the others are taken', async () => {
    const { id, at } = await d.network()
    const answer = await record(
      `rubbish\n${line(at(5))}${inHours(1)} ${OTHER} 10.0.0.999 pc *\n${line(at(6), { mac: 'zz' })}`,
    )
    expect(answer).toMatchObject({ leases: 1, active: 1, new: 1 })
    expect(answer.errors).toEqual([
      { line: 1, message: 'is no lease of dnsmasq' },
      { line: 3, message: '"10.0.0.999" is no IP address' },
      { line: 4, message: 'has a MAC address that is none' },
    ])
    expect((await d.only(id)).ip).toBe(at(5))
  })

  test('control characters of a host name are left out', async () => {
    const { id, at } = await d.network()
    const text = JSON.stringify([
      { 'ip-address': at(5), hostname: 'a\u001b[2J\u0000b.', cltt: 1, 'valid-lft': 0xffffffff },
    ])
    await record(text)
    expect((await d.only(id)).hostname).toBe('a [2J b')
  })

  test('an answer has the first 20 errors', async () => {
    const { at } = await d.network()
    const { errors } = await record(line(at(5)) + 'rubbish\n'.repeat(30))
    expect([errors.length, errors.at(-1)?.line]).toEqual([20, 21])
  })

  test.each([
    ['a text of another kind', 'hello\nworld\n'],
    ['a blank text', ' \n'],
    [
      'columns without a lease',
      'address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state\n',
    ],
    ['a list without a lease', '[]'],
    ['JSON of another kind', '{"a":1}'],
    ['text that is cut off', '[{"ip-address":"10.0.0.5"'],
    ['lines that are not valid alone', '1893456000 00:1b:21:00:00:0a 10.0.0.999 pc *\n'],
  ])('%s is refused', async (_, text) => {
    expect(await d.ask('POST /api/discovery/leases', { text })).toMatchObject(refusal('text'))
  })

  test('a text is read in the format that is named', async () => {
    const { at } = await d.network()
    const text = line(at(5))
    expect(await d.ask('POST /api/discovery/leases', { text, format: 'isc' })).toMatchObject(refusal('text'))
    expect((await record(text, 'dnsmasq')).new).toBe(1)
  })

  test('an error of Kea is the reason of the refusal', async () => {
    const text = '[{"result":1,"text":"unable to forward command"}]'
    const { body } = await d.ask('POST /api/discovery/leases', { text })
    expect(JSON.stringify(body)).toContain('is an error of Kea: unable to forward command')
  })

  test('leases of more than 100,000 addresses are refused', async () => {
    const text = Array.from({ length: 100_001 }, (_, n) => `0 * 10.${n >> 16}.${(n >> 8) & 255}.${n & 255} * *\n`)
    expect(await d.ask('POST /api/discovery/leases', { text: text.join('') })).toMatchObject(refusal('text'))
  })

  test('the audit trail has the counts, and not the text', async () => {
    const { at } = await d.network()
    await record(line(at(5)), 'dnsmasq')
    const [entry] = await d.api.audit.list({ limit: 1 })
    const { errors: _, ...counts } = none
    expect([entry?.action, entry?.resource, JSON.parse(entry?.changes ?? '')]).toEqual([
      'create',
      'lease',
      { ...counts, format: 'dnsmasq', leases: 1, active: 1, new: 1 },
    ])
  })

  describe('with scans', () => {
    test('leases set no device down', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(1)), host(at(2), { mac: OTHER })])
      await record(line(at(5)))
      expect((await found(id)).map(({ ip, status }) => [ip, status])).toEqual([
        [at(1), 'up'],
        [at(2), 'up'],
        [at(5), 'up'],
      ])
    })

    test('a lease keeps what a scan has found', async () => {
      const { id, at } = await d.network()
      const about = { mac: VENDOR, vendor: 'Intel', openPorts: [22], os: 'Debian 12', osConfidence: 90 }
      await d.scan(id, [host(at(5), about)], 'full')
      const before = await d.only(id)
      await record(line(at(5)))
      const after = await d.only(id)
      expect(after).toMatchObject({
        id: before.id,
        vendor: 'Intel',
        open_ports: [22],
        os_guess: 'Debian 12',
        hostname: 'pc',
      })
      expect([after.last_scan_id, after.confidence > before.confidence]).toEqual([before.last_scan_id, true])
    })

    test('a scan keeps the lease and its name', async () => {
      const { id, at } = await d.network()
      const ends = inHours(1)
      await record(line(at(5), { ends }))
      await d.scan(id, [host(at(5), { mac: VENDOR, names: [{ name: 'dhcp-5.example.com', source: 'ptr' }] })])
      const device = await d.only(id)
      const { evidence } = await d.api.discovery.get({ id: device.id })
      expect([device.hostname, device.lease_expires_at]).toEqual(['pc', endOf(ends)])
      expect(evidence.map(({ source }) => source).toSorted()).toEqual(['arp', 'dhcp', 'icmp'])
      expect(device.reasons.filter((one) => one.includes('disagree'))).toEqual([])
    })

    test('the name of a lease that has ended gives way to that of a scan', async () => {
      const { id, at } = await d.network()
      await record(line(at(5)))
      d.advance(2 * HOUR_S * 1000)
      await d.scan(id, [host(at(5), { mac: VENDOR, names: [{ name: 'x.example.com', source: 'ptr' }] })])
      expect((await d.only(id)).hostname).toBe('x.example.com')
    })

    test('a device of a scan has no lease', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(5), { mac: VENDOR })])
      expect((await d.only(id)).lease_expires_at).toBeNull()
    })

    test('a lease sets a device up again', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(5), { mac: VENDOR })])
      await d.scan(id, [])
      await record(line(at(5)))
      expect((await d.only(id)).status).toBe('up')
    })

    test('a device of leases is new in the first scan that sees it, and gone in none before', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(1))])
      await record(line(at(5)))
      const unseen = await d.api.scans.diff({ id: await d.scan(id, [host(at(1))]) })
      await record(line(at(5)))
      const seen = await d.api.scans.diff({ id: await d.scan(id, [host(at(1)), host(at(5), { mac: VENDOR })]) })
      expect([unseen.counts, seen.counts]).toEqual([
        { new: 0, changed: 0, gone: 0 },
        { new: 1, changed: 0, gone: 0 },
      ])
    })

    test('a device of a lease is gone in only one scan, and new in the scan that sees it again', async () => {
      const { id, at } = await d.network()
      const countsOf = async (...hosts: Parameters<typeof d.scan>[1]) =>
        (await d.api.scans.diff({ id: await d.scan(id, hosts) })).counts
      await d.scan(id, [host(at(5), { mac: VENDOR })])
      const counts = [await countsOf()]
      await record(line(at(5)))
      counts.push(await countsOf())
      await record(line(at(5)))
      counts.push(await countsOf(host(at(5), { mac: VENDOR })))
      expect(counts.map((one) => [one.new, one.gone])).toEqual([
        [0, 1],
        [0, 0],
        [1, 0],
      ])
    })
  })
})
