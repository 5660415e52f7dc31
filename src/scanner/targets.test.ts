import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../testing/cases.ts'
import { formatIp } from '../net/ip.ts'
import { countTargets, openTargets } from './targets.ts'

test.each([
  ['10.0.0.0/24', 254],
  ['10.0.0.0/30', 2],
  ['10.0.0.0/31', 2],
  ['10.0.0.7/32', 1],
  ['10.0.0.0/16', 65_534],
  ['2001:db8::/112', 65_536],
  ['2001:db8::1/128', 1],
  ['224.0.0.0/24', 0],
  ['ff02::/120', 0],
  ['240.0.0.0/24', 0],
])('%s has %i targets', (subnet, count) => expect(countTargets(subnet, [])).toBe(count))

test('excludes overlap, reach outside and name the ends without being counted twice', () => {
  const excludes = ['10.0.0.0/28', '10.0.0.8-10.0.0.20', '10.0.0.20', '10.0.1.0/24', '10.0.0.255', '2001:db8::1']
  expect(countTargets('10.0.0.0/24', excludes)).toBe(234)
})

test.each([
  ['10.0.0.0/15', [], 'subnet: 10.0.0.0/15 is wider than /16'],
  ['2001:db8::/64', [], 'subnet: 2001:db8::/64 is wider than /112'],
  ['10.0.0.0', [], 'subnet: "10.0.0.0" is no CIDR'],
  ['10.0.0.0/24', ['10.0.0.1', 'gateway'], 'excludes: "gateway" is no address, range or CIDR'],
])('%s without %j is refused', (subnet, excludes, message) =>
  expect(() => countTargets(subnet, excludes)).toThrow(message),
)

describe('of a subnet with any excludes', () => {
  const octet = fc.integer({ min: 0, max: 255 })
  const item = fc.oneof(
    octet.map((at) => `10.9.0.${at}`),
    fc.tuple(octet, octet).map(([a, b]) => `10.9.0.${Math.min(a, b)}-10.9.0.${Math.max(a, b)}`),
    fc.tuple(octet, fc.integer({ min: 24, max: 32 })).map(([at, prefix]) => `10.9.0.${at}/${prefix}`),
  )
  const plan = fc.tuple(fc.integer({ min: 24, max: 32 }), octet, fc.array(item, { maxLength: 6 }))

  test('the count is the number of members', () => {
    fc.assert(
      fc.property(plan, ([prefix, at, excludes]) => {
        const subnet = `10.9.0.${at}/${prefix}`
        const targets = openTargets(subnet, excludes)
        const members = Array.from({ length: targets.size }, (_, i) => i).filter(targets.has)
        expect([targets.total, countTargets(subnet, excludes)]).toEqual([members.length, members.length])
      }),
    )
  })

  test('no member is excluded, and every address leads back to its index', () => {
    fc.assert(
      fc.property(plan, ([prefix, at, excludes]) => {
        const targets = openTargets(`10.9.0.${at}/${prefix}`, excludes)
        for (let index = 0; index < targets.size; index++) {
          const text = targets.formatAddress(index)
          expect(targets.indexOf(text)).toBe(targets.has(index) ? index : undefined)
          if (targets.has(index)) expect(targets.isExcluded(text)).toBe(false)
        }
      }),
      { numRuns: countCases(30) },
    )
  })
})

test('an address outside of the subnet can be excluded', () => {
  const { isExcluded } = openTargets('10.0.0.0/24', ['192.168.0.0/16', '2001:db8::/120'])
  expect(['192.168.7.7', '192.169.0.0', '2001:db8::ff', '2001:db8::1:0', 'nonsense'].map(isExcluded)).toEqual([
    true,
    false,
    true,
    false,
    false,
  ])
})

test('IPv6 addresses are reported in their canonical form', () => {
  const { formatAddress, indexOf, block } = openTargets('2001:db8::/112', [])
  expect([formatAddress(10), indexOf('2001:DB8:0::a'), formatIp({ family: 6, value: block.first })]).toEqual([
    '2001:db8::a',
    10,
    '2001:db8::',
  ])
})
