// MAC addresses: all spellings, invalid ones, and the flag bits.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isLocallyAdministered, isMulticastMac, parseMac } from './mac.ts'

const octets = fc.uint8Array({ minLength: 6, maxLength: 6 })
const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))

describe('parseMac', () => {
  test('a MAC is read in every spelling, in both cases', () => {
    fc.assert(
      fc.property(octets, (bytes) => {
        const pairs = hex(bytes)
        const canonical = pairs.join(':')
        const bare = pairs.join('')
        const fours = [bare.slice(0, 4), bare.slice(4, 8), bare.slice(8)]
        const halves = [bare.slice(0, 6), bare.slice(6)]
        const short = Array.from(bytes, (byte) => byte.toString(16)).join(':')
        const octets = [':', '-', '.', ' '].map((separator) => pairs.join(separator))
        const groups = [fours.join('.'), fours.join('-'), halves.join('-'), halves.join(':')]
        for (const text of [...octets, ...groups, short, bare, `0x${bare}`]) {
          expect(parseMac(text)).toBe(canonical)
          expect(parseMac(text.toUpperCase())).toBe(canonical)
        }
      }),
    )
  })

  test.each([
    ['001b-21ab-cdef', '00:1b:21:ab:cd:ef'],
    ['001b21-abcdef', '00:1b:21:ab:cd:ef'],
    ['0:1b:21:a:c:e', '00:1b:21:0a:0c:0e'],
    ['00 1b 21 0a 0c 0e', '00:1b:21:0a:0c:0e'],
    ['00.1B.21.0A.0C.0E', '00:1b:21:0a:0c:0e'],
    ['0x001b210a0c0e', '00:1b:21:0a:0c:0e'],
    ['0X001B210A0C0E', '00:1b:21:0a:0c:0e'],
  ])('the spelling %s is read', (text, mac) => {
    expect(parseMac(text)).toBe(mac)
  })

  test.each(
    [
      '',
      ':',
      'aa:bb:cc:dd:ee',
      'aa:bb:cc:dd:ee:ff:00',
      'aa:bb-cc:dd:ee:ff',
      'gg:bb:cc:dd:ee:ff',
      ' aa:bb:cc:dd:ee:ff',
      'aa:bb:cc:dd:ee:ff ',
      'aa:bb:cc:dd:ee:ff\n',
      'aabb.ccdd.eef',
      'aabb.ccddeeff',
      'aabb:ccdd:eeff',
      'aabb ccdd eeff',
      'aabb-ccdd.eeff',
      'aabbcc.ddeeff',
      'a-b-c-d-e-f',
      'a.b.c.d.e.f',
      'a b c d e f',
      'aa  bb cc dd ee ff',
      'aaa:b:c:d:e:f',
      'aa::cc:dd:ee:ff',
      '1:2:3:4:5',
      '1:2:3:4:5:6:7',
      '0xaa:bb:cc:dd:ee:ff',
      '0x0xaabbccddeeff',
      '0xaabbccddee',
      'aabbccddeef',
      'aabbccddeeff0',
      '::1',
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
