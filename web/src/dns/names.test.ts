import { describe, expect, test } from 'bun:test'
import { listZoneNames } from './names.ts'

const zone = (name: string, given: { subnet?: string; is_default?: boolean } = {}) => ({
  ...{ id: name, name, subnet: null, is_default: false },
  ...given,
})
const device = (hostname: string, addresses: readonly (readonly [string, string])[] = [], domains: string[] = []) => ({
  ...{ hostname, domains },
  addresses: addresses.map(([ip, dns_name]) => ({ ip, dns_name })),
})
const named = (...args: Parameters<typeof listZoneNames>) =>
  listZoneNames(...args).map(({ zone: at, name }) => `${name} in ${at}`)

describe('the names of a device', () => {
  test('are in the zone with the longest name that ends them', () => {
    const zones = [zone('example.org'), zone('lab.example.org'), zone('ple.org')]
    expect(named(device('web.lab.example.org', [], ['example.org', 'web.other.net']), zones)).toEqual([
      'web in lab.example.org',
      '@ in example.org',
    ])
  })

  test('get the name of the default zone if they have no dot', () => {
    expect(named(device('Web'), [zone('example.org', { is_default: true })])).toEqual(['web in example.org'])
    expect(named(device('web'), [zone('example.org')])).toEqual([])
  })

  test('are in both views of a zone', () => {
    const views = [
      { ...zone('example.org'), id: 'inside' },
      { ...zone('example.org'), id: 'outside' },
    ]
    expect(listZoneNames(device('a.example.org'), views).map(({ zoneId }) => zoneId)).toEqual(['inside', 'outside'])
  })

  test('the names of a device include the names of its addresses, each once', () => {
    const zones = [zone('example.org')]
    const given = device('a.example.org', [
      ['192.0.2.1', 'a.example.org'],
      ['192.0.2.2', 'b.example.org.'],
    ])
    expect(named(given, zones)).toEqual(['a in example.org', 'b in example.org'])
  })
})

describe('the reverse names of a device', () => {
  test.each([
    ['10.1.2.3', '10.0.0.0/8', '3.2.1'],
    ['10.1.2.3', '10.1.0.0/16', '3.2'],
    ['10.1.2.3', '10.1.2.0/24', '3'],
    ['10.1.2.3', '10.1.2.0/26', '3'],
    ['2001:db8::1f', '2001:db8::/112', 'f.1.0.0'],
  ])('of %s in the zone of %s is %s', (ip, subnet, name) => {
    expect(listZoneNames(device('', [[ip, '']]), [zone('reverse', { subnet })])).toMatchObject([{ name }])
  })

  test('are in the zone of the longest subnet', () => {
    const zones = [zone('wide', { subnet: '10.0.0.0/8' }), zone('narrow', { subnet: '10.1.2.0/24' })]
    expect(named(device('', [['10.1.2.3', '']]), zones)).toEqual(['3 in narrow'])
    expect(named(device('', [['10.9.9.9', '']]), zones)).toEqual(['9.9.9 in wide'])
    expect(named(device('', [['192.0.2.1', '']]), zones)).toEqual([])
  })
})
