// MAC addresses: the four spellings, invalid ones, and the flag bits.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isLocallyAdministered, isMulticastMac, parseMac } from './mac.ts'

const octets = fc.uint8Array({ minLength: 6, maxLength: 6 })
const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))

describe('parseMac', () => {
  test('reads all four spellings in both cases', () => {
    fc.assert(
      fc.property(octets, (bytes) => {
        const pairs = hex(bytes)
        const canonical = pairs.join(':')
        const bare = pairs.join('')
        const dotted = `${bare.slice(0, 4)}.${bare.slice(4, 8)}.${bare.slice(8)}`
        for (const text of [canonical, pairs.join('-'), dotted, bare]) {
          expect(parseMac(text)).toBe(canonical)
          expect(parseMac(text.toUpperCase())).toBe(canonical)
        }
      }),
    )
  })

  test.each(
    [
      '',
      ':',
      'aa:bb:cc:dd:ee',
      'aa:bb:cc:dd:ee:ff:00',
      'aa:bb-cc:dd:ee:ff',
      'a:b:c:d:e:f',
      'gg:bb:cc:dd:ee:ff',
      ' aa:bb:cc:dd:ee:ff',
      'aa:bb:cc:dd:ee:ff ',
      'aa:bb:cc:dd:ee:ff\n',
      'aabb.ccdd.eef',
      'aabb.ccddeeff',
      'aabb:ccdd:eeff',
      'aabbccddeef',
      'aabbccddeeff0',
      'aa bb cc dd ee ff',
      'aa.bb.cc.dd.ee.ff',
      '::1',
      '0xaabbccddeeff',
      'ａａ:bb:cc:dd:ee:ff',
      'aa:bb:cc:dd:ee:ff\u0000',
      'a'.repeat(1_000_000),
      'aa:'.repeat(1_000_000),
    ].map((text) => [text.slice(0, 40), text] as const),
  )('refuses %j', (_shown, text) => {
    const startedMs = performance.now()
    expect(parseMac(text)).toBeUndefined()
    expect(performance.now() - startedMs).toBeLessThan(500)
  })
})

describe('flag bits', () => {
  test('are bits 1 and 0 of the first octet', () => {
    fc.assert(
      fc.property(octets, (bytes) => {
        const first = bytes[0] ?? 0
        const mac = hex(bytes).join(':')
        expect(isLocallyAdministered(mac)).toBe(first % 4 >= 2)
        expect(isMulticastMac(mac)).toBe(first % 2 === 1)
      }),
    )
  })

  test('text that is no MAC has neither', () => {
    expect(isLocallyAdministered('ff')).toBe(false)
    expect(isMulticastMac('ff')).toBe(false)
  })
})
