import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseIp } from './ip.ts'
import { computeReach, type Reach } from './reach.ts'

const reach = (text: string): Reach | undefined => {
  const ip = parseIp(text)
  return ip && computeReach(ip)
}

describe('reachOf', () => {
  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '0.1.2.3',
    '169.254.169.254',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'febf::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::a9fe:a9fe',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
    '2001:0:5db8:d70e:0:0:80ff:fffe',
    '2001:0:7f00:1:0:0:a247:28f1',
    '2a00::5efe:7f00:1',
    '2a00::200:5efe:169.254.169.254',
  ])('%s is blocked', (text) => {
    expect(reach(text)).toBe('blocked')
  })

  test.each([
    '10.0.0.5',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '100.127.255.255',
    '198.18.0.1',
    '192.0.0.8',
    'fc00::1',
    'fd12:3456::1',
    'fec0::1',
    '64:ff9b:1::7f00:1',
    '::ffff:10.0.0.1',
    '64:ff9b::10.0.0.1',
    '2002:0a00:0001::',
  ])('%s is private', (text) => {
    expect(reach(text)).toBe('private')
  })

  test.each([
    '93.184.215.14',
    '203.0.113.7',
    '172.32.0.1',
    '100.128.0.1',
    '::ffff:93.184.215.14',
    '64:ff9b::5db8:d70e',
    '2606:4700::1111',
  ])('%s is public', (text) => {
    expect(reach(text)).toBe('public')
  })

  test('an IPv6 address that stands for an IPv4 one reaches as far as that', () => {
    const prefixes = [0xffff00000000n, 0xffff000000000000n, 0x0064ff9bn << 96n]
    fc.assert(
      fc.property(fc.bigInt({ min: 1n << 24n, max: 0xffffffffn }), fc.constantFrom(...prefixes), (value, prefix) => {
        expect(computeReach({ family: 6, value: prefix | value })).toBe(computeReach({ family: 4, value }))
      }),
    )
  })
})
