// The RRsets that a zone wants: names, reverse names, shared names, own records and conflicts.
import { describe, expect, test } from 'bun:test'
import type { Address } from '../../../inventory/devices/schema.ts'
import type { DnsRecord } from '../../records/api.ts'
import { buildClaims, type Named } from '../device-names.ts'
import type { ZoneSettings } from '../schema.ts'
import { ZoneIndex } from '../zone-index.ts'
import { resolveZoneNames } from '../zone-rules.ts'
import { Delegations, toDelegations } from './delegations.ts'
import { ZoneContent } from './desired-rrsets.ts'

const zone = (given: Partial<ZoneSettings> & { name?: string; subnet?: string }): ZoneSettings => ({
  ...{ id: given.id ?? given.name ?? given.subnet ?? '', provider_id: null, mode: 'managed', ttl: 3600, tags: [] },
  ...{ datacenter_id: null, network_id: null, statuses: ['active'], is_default: false, nameservers: [] },
  ...{ admin_email: '', negative_ttl: 300, max_delete_percent: 30, check_interval_seconds: 300, repair: false },
  ...{ description: '', created_at: '', updated_at: '' },
  ...given,
  ...resolveZoneNames({ name: given.name ?? '', subnet: given.subnet ?? '' }),
})

const address = (ip: string, dns_name = '', label = ''): Address => ({
  ...{ ip, port: null, type: '', label, network_id: null, switch_port: '', mac_address: '', dns_name, pool_id: null },
})

const device = (id: string, given: Partial<Named>): Named => ({
  id,
  hostname: '',
  domains: [],
  addresses: [],
  ...given,
})

const record = (name: string, type: DnsRecord['type'], value: string, ttl: number | null = null): DnsRecord => ({
  ...{ id: `${name} ${type} ${value}`, zone_id: '', name, fqdn: '', type, ttl, value, description: '' },
  ...{ created_at: '', updated_at: '' },
})

const ORG = zone({ name: 'example.org', is_default: true })
const V4 = zone({ subnet: '192.0.2.0/24' })
const V6 = zone({ subnet: '2001:db8::/32' })

type Case = {
  readonly zones?: readonly ZoneSettings[]
  readonly of?: ZoneSettings
  readonly devices?: readonly Named[]
  readonly records?: readonly DnsRecord[]
  readonly only?: readonly string[]
}

const wanted = ({ zones = [ORG, V4, V6], of = ORG, devices = [], records = [], only }: Case) => {
  const index = new ZoneIndex(zones)
  const own = index.get(of.id)
  if (!own) throw new Error('no zone')
  const delegations = new Delegations(own, index, toDelegations(records))
  const content = new ZoneContent(own, index, delegations, only && new Set(only))
  for (const one of devices) {
    const claims = buildClaims(one, one.addresses, (name) => index.completed(name))
    content.add(claims)
    for (const child of index.zones) if (child.id !== own.id) content.addChild(child, claims)
  }
  return [...content.wanted(records)]
}

/** Returns `name type values`, and `!` for a conflict. */
const short = (given: Case): string[] =>
  wanted(given)
    .map(({ name, type, values, conflict }) => `${name} ${type} ${conflict === '' ? values.join(',') : '!'}`)
    .sort()

const WEB = device('web', { hostname: 'Web-1', addresses: [address('192.0.2.1'), address('2001:db8::1')] })

describe('a forward zone', () => {
  test('has the completed host name with all main addresses', () => {
    expect(short({ devices: [WEB] })).toEqual(['web-1 A 192.0.2.1', 'web-1 AAAA 2001:db8::1'])
  })

  test('has nothing of a host name without a dot, without a default zone', () => {
    expect(short({ zones: [zone({ name: 'example.org' })], devices: [WEB] })).toEqual([])
  })

  test('has the name of each address, and not the host name of one that is not main', () => {
    const named = device('a', {
      hostname: 'a.example.org',
      addresses: [
        address('192.0.2.1', '', 'primary'),
        address('192.0.2.2', 'bmc.example.org', 'bmc'),
        address('192.0.2.3', '', 'x'),
      ],
    })
    expect(short({ devices: [named] })).toEqual(['a A 192.0.2.1', 'bmc A 192.0.2.2'])
  })

  test('has the name of a main address in place of the host name', () => {
    const named = device('a', {
      hostname: 'a',
      addresses: [address('192.0.2.1', 'b.example.org'), address('192.0.2.2')],
    })
    expect(short({ devices: [named] })).toEqual(['a A 192.0.2.2', 'b A 192.0.2.1'])
  })

  test('leaves names to a zone with a longer name, and names of other zones', () => {
    const inner = zone({ name: 'lab.example.org' })
    const named = device('a', {
      hostname: 'a.lab.example.org',
      domains: ['example.net', 'notexample.org', 'lab.example.org', 'b.example.org'],
      addresses: [address('192.0.2.1')],
    })
    expect(short({ zones: [ORG, inner], devices: [named] })).toEqual(['b A 192.0.2.1'])
    expect(short({ zones: [ORG, inner], of: inner, devices: [named] })).toEqual(['@ A 192.0.2.1', 'a A 192.0.2.1'])
  })

  test('unites the addresses of a domain that devices share, also with a wildcard', () => {
    const shared = ['1', '2'].map((n) =>
      device(n, { domains: ['shop.example.org', '*.shop.example.org'], addresses: [address(`192.0.2.${n}`)] }),
    )
    expect(short({ devices: shared })).toEqual(['*.shop A 192.0.2.1,192.0.2.2', 'shop A 192.0.2.1,192.0.2.2'])
    expect(wanted({ devices: shared })[0]?.device_ids).toEqual(['1', '2'])
  })

  test('gives a name that is the own one of a device to that device, not to a domain', () => {
    const shared = device('s', { domains: ['web-1.example.org'], addresses: [address('192.0.2.9')] })
    expect(short({ devices: [shared, WEB] })).toEqual(['web-1 A 192.0.2.1', 'web-1 AAAA 2001:db8::1'])
  })

  test('has the same value of two devices once', () => {
    const vip = ['1', '2'].map((id) => device(id, { addresses: [address('192.0.2.9', 'vip.example.org')] }))
    expect(short({ devices: vip })).toEqual(['vip A 192.0.2.9'])
    expect(wanted({ devices: vip })[0]?.device_ids).toEqual(['1', '2'])
  })

  test('has a conflict where two devices give a name different values', () => {
    const twice = ['1', '2'].map((id) => device(id, { hostname: 'twice', addresses: [address(`192.0.2.${id}`)] }))
    const [one] = wanted({ devices: twice })
    expect(short({ devices: twice })).toEqual(['twice A !'])
    expect([one?.device_ids, one?.conflict]).toEqual([
      ['1', '2'],
      'is claimed with different values: A 192.0.2.1; A 192.0.2.2',
    ])
  })

  test('unites a bare and a full host name', () => {
    const twice = [
      device('1', { hostname: 'twice', addresses: [address('192.0.2.1')] }),
      device('2', { hostname: 'twice.example.org', addresses: [address('192.0.2.2')] }),
    ]
    expect(short({ devices: twice })).toEqual(['twice A !'])
  })

  test('the zone computes only the given names', () => {
    const other = device('o', { hostname: 'other', addresses: [address('192.0.2.5')] })
    expect(short({ devices: [WEB, other], only: ['other'], records: [record('other', 'TXT', 'x')] })).toEqual([
      'other A 192.0.2.5',
      'other TXT x',
    ])
  })
})

describe('an own record', () => {
  test('replaces the records of devices with its name and type', () => {
    const [one, two] = wanted({ devices: [WEB], records: [record('web-1', 'A', '198.51.100.1', 60)] })
    expect(one).toMatchObject({ type: 'A', values: ['198.51.100.1'], ttl: 60, source: 'record', device_ids: ['web'] })
    expect(two).toMatchObject({ type: 'AAAA', values: ['2001:db8::1'], ttl: 3600, source: 'device' })
  })

  test('of the type CNAME replaces all of its name', () => {
    expect(short({ devices: [WEB], records: [record('web-1', 'CNAME', 'other.example.net')] })).toEqual([
      'web-1 CNAME other.example.net',
    ])
  })

  test('ends a conflict', () => {
    const twice = ['1', '2'].map((id) => device(id, { hostname: 'twice', addresses: [address(`192.0.2.${id}`)] }))
    expect(short({ devices: twice, records: [record('twice', 'A', '192.0.2.7')] })).toEqual(['twice A 192.0.2.7'])
  })

  test('has the lowest TTL of its RRset', () => {
    const records = [record('@', 'MX', '10 a.example.net', 600), record('@', 'MX', '5 b.example.net')]
    expect(wanted({ records })).toMatchObject([
      { name: '@', type: 'MX', ttl: 600, values: ['10 a.example.net', '5 b.example.net'] },
    ])
  })
})

describe('a reverse zone', () => {
  test('has the completed host name of main addresses, by family', () => {
    expect(short({ of: V4, devices: [WEB] })).toEqual(['1 PTR web-1.example.org'])
    expect(short({ of: V6, devices: [WEB] })).toEqual([
      `${'1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0'} PTR web-1.example.org`,
    ])
  })

  test('has no name without a dot, and no domain', () => {
    const bare = device('b', { hostname: 'b', domains: ['x.example.org'], addresses: [address('192.0.2.1')] })
    expect(short({ zones: [V4], of: V4, devices: [bare] })).toEqual([])
  })

  test('has names of zones that are not here', () => {
    const named = device('n', { addresses: [address('192.0.2.1', 'n.example.net')] })
    expect(short({ of: V4, devices: [named] })).toEqual(['1 PTR n.example.net'])
  })

  test('has a conflict where an address has two names', () => {
    const twice = ['a', 'b'].map((id) => device(id, { addresses: [address('192.0.2.1', `${id}.example.org`)] }))
    expect(short({ of: V4, devices: twice })).toEqual(['1 PTR !'])
  })

  test('leaves addresses to a zone with a longer subnet', () => {
    const wide = zone({ subnet: '192.0.0.0/16' })
    expect(short({ zones: [ORG, V4, wide], of: wide, devices: [WEB] })).toEqual([])
    const other = device('o', { hostname: 'o', addresses: [address('192.0.3.7')] })
    expect(short({ zones: [ORG, V4, wide], of: wide, devices: [other] })).toEqual(['7.3 PTR o.example.org'])
  })

  test('of RFC 2317 has the PTR, and the zone above it the CNAME', () => {
    const quarter = zone({ subnet: '192.0.2.0/26' })
    const zones = [ORG, V4, quarter]
    const out = device('o', { hostname: 'o', addresses: [address('192.0.2.70')] })
    expect(short({ zones, of: quarter, devices: [WEB, out] })).toEqual(['1 PTR web-1.example.org'])
    expect(short({ zones, of: V4, devices: [WEB, out] })).toEqual([
      '1 CNAME 1.0/26.2.0.192.in-addr.arpa',
      '70 PTR o.example.org',
    ])
    expect(short({ zones, of: V4, devices: [WEB], records: [record('1', 'PTR', 'own.example.org')] })).toEqual([
      '1 PTR own.example.org',
    ])
  })

  test('of RFC 2317 is delegated by the zone above it to its name servers, unless an own record says otherwise', () => {
    const quarter = zone({ subnet: '192.0.2.0/26', nameservers: ['ns2.example.net', 'ns1.example.net'] })
    const elsewhere = zone({ subnet: '192.0.2.64/26', name: 'x.example.org', nameservers: ['ns3.example.net'] })
    const zones = [ORG, V4, quarter, elsewhere]
    const delegated = '0/26 NS ns1.example.net,ns2.example.net'
    expect(short({ zones, of: V4, devices: [WEB] })).toEqual([delegated, '1 CNAME 1.0/26.2.0.192.in-addr.arpa'])
    expect(short({ zones, of: V4, only: ['0/26'] })).toEqual([delegated])
    expect(short({ zones, of: V4, only: ['1'] })).toEqual([])
    expect(short({ zones, of: V4, records: [record('0/26', 'NS', 'own.example.net')] })).toEqual([
      '0/26 NS own.example.net',
    ])
    expect(short({ zones, of: quarter })).toEqual([])
  })

  test('leaves the names below an own NS record to its servers, but for their own addresses', () => {
    const named = ['dev', 'host.dev', 'ns.dev', 'devel'].map((name, i) =>
      device(name, { hostname: `${name}.example.org`, addresses: [address(`10.0.0.${i}`)] }),
    )
    const records = [record('dev', 'NS', 'ns.dev.example.org'), record('kept.dev', 'TXT', 'own')]
    expect(short({ devices: named, records })).toEqual([
      ...['dev A !', 'dev NS ns.dev.example.org', 'devel A 10.0.0.3', 'host.dev A !', 'kept.dev TXT own'],
      'ns.dev A 10.0.0.2',
    ])
    const [one] = wanted({ devices: named, records, only: ['host.dev'] })
    expect(one?.conflict).toBe('dev.example.org is delegated to ns.dev.example.org: only they serve the name')
  })

  test('of RFC 2317 may have any name', () => {
    const named = zone({ subnet: '192.0.2.0/26', name: 'sub.2.0.192.in-addr.arpa' })
    expect(short({ zones: [ORG, V4, named], of: V4, devices: [WEB] })).toEqual(['1 CNAME 1.sub.2.0.192.in-addr.arpa'])
  })
})

describe('the names of a zone', () => {
  test.each([
    ['', '192.0.2.0/24', '2.0.192.in-addr.arpa', 'reverse'],
    ['', '10.0.0.0/8', '10.in-addr.arpa', 'reverse'],
    ['', '192.0.2.128/26', '128/26.2.0.192.in-addr.arpa', 'reverse'],
    ['', '2001:db8::/32', '8.b.d.0.1.0.0.2.ip6.arpa', 'reverse'],
    ['x.example.org', '192.0.2.128/26', 'x.example.org', 'reverse'],
  ])('%p of %p are %p', (name, subnet, expected, kind) => {
    expect(resolveZoneNames({ name, subnet })).toMatchObject({ name: expected, kind, subnet })
  })

  test.each([
    ['2.0.192.in-addr.arpa', '192.0.2.0/24'],
    ['0/26.2.0.192.in-addr.arpa', '192.0.2.0/26'],
    ['8.b.d.0.1.0.0.2.ip6.arpa', '2001:db8::/32'],
    ['8.b.d.0.1.0.0.2.ip6.arpa', '2001:db8::/32'],
    ['example.org', null],
  ])('%p give the subnet %p', (name, subnet) => {
    expect(resolveZoneNames({ name, subnet: '' }).subnet).toBe(subnet)
  })

  test.each([
    ['192.0.0.0/22', '/24: 192.0.0.0/24, 192.0.1.0/24, 192.0.2.0/24, 192.0.3.0/24'],
    ['10.0.0.0/12', '/16: 10.0.0.0/16, 10.1.0.0/16 to 10.15.0.0/16'],
    ['2001:db8::/35', '/36: 2001:db8::/36, 2001:db8:1000::/36'],
    ['0.0.0.0/0', '/8: 0.0.0.0/8, 1.0.0.0/8 to 255.0.0.0/8'],
  ])('of %s are refused with the zones that serve it', (subnet, parts) => {
    expect(() => resolveZoneNames({ name: '', subnet })).toThrow(parts)
  })

  test.each([
    ['', '', 'name'],
    ['', '192.0.2.0/22', 'subnet'],
    ['', '2001:db8::/33', 'subnet'],
    ['', 'x', 'subnet'],
    ['', '0.0.0.0/0', 'subnet'],
    ['other.example.org', '192.0.2.0/24', 'name'],
  ])('%p with the subnet %p are refused on %p', (name, subnet, field) => {
    expect(() => resolveZoneNames({ name, subnet })).toThrow(
      expect.objectContaining({ details: [expect.objectContaining({ field })] }),
    )
  })
})
