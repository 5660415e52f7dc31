// Domain names: text and wire format in both directions, compression, and hostile bytes.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../../testing/cases.ts'
import { DnsFormatError } from './format-error.ts'
import { decodeName, encodeName, encodeNameOrThrow, isNameWithin, normalizeName, splitLabels } from './name.ts'

const bytesOf = (...parts: readonly (string | number)[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'number' ? [part] : [...Buffer.from(part, 'latin1')])))
const label63 = 'a'.repeat(63)
/** 255 bytes on the wire. */
const longest = `${label63}.${label63}.${label63}.${'b'.repeat(61)}`

const label = fc.uint8Array({ minLength: 1, maxLength: 20 })
const wireName = fc
  .array(label, { maxLength: 12 })
  .map((labels) => Uint8Array.from([...labels.flatMap((one) => [one.length, ...one]), 0]))

describe('the wire format of a name', () => {
  test.each([
    ['a', bytesOf(1, 'a', 0)],
    ['A.', bytesOf(1, 'a', 0)],
    ['Www.Example.ORG', bytesOf(3, 'www', 7, 'example', 3, 'org', 0)],
    ['*.example.org', bytesOf(1, '*', 7, 'example', 3, 'org', 0)],
    ['_sip._tcp', bytesOf(4, '_sip', 4, '_tcp', 0)],
    ['0/26.2.0.192.in-addr.arpa', bytesOf(4, '0/26', 1, '2', 1, '0', 3, '192', 7, 'in-addr', 4, 'arpa', 0)],
    ['a\\.b.c', bytesOf(3, 'a.b', 1, 'c', 0)],
    ['\\065\\032\\255', bytesOf(3, 'a ', 255, 0)],
    ['.', bytesOf(0)],
  ])('of %s', (text, wire) => {
    expect(encodeName(text)).toEqual(wire)
  })

  test.each([
    '',
    '..',
    '.a',
    'a..b',
    'a..',
    'a b',
    'a\tb',
    'bücher.example',
    'a\\',
    'a\\25',
    'a\\256',
    `a${label63}`,
    '\\065'.repeat(64),
  ])('does not exist of %p', (text) => {
    expect(encodeName(text)).toBeUndefined()
    expect(() => encodeNameOrThrow(text)).toThrow(RangeError)
  })

  test('has at most 255 bytes', () => {
    expect(encodeName(longest)?.length).toBe(255)
    expect(encodeName(`${longest}.`)?.length).toBe(255)
    expect(encodeName('a.'.repeat(127))?.length).toBe(255)
    expect([encodeName(`${longest}c`), encodeName('a.'.repeat(128))]).toEqual([undefined, undefined])
  })

  test('is read back as the canonical name, whatever bytes the labels have', () => {
    fc.assert(
      fc.property(wireName, (wire) => {
        const { name, end } = decodeName(wire, 0)
        const again = encodeNameOrThrow(name)
        expect(end).toBe(wire.length)
        expect(decodeName(again, 0).name).toBe(name)
        expect(normalizeName(name)).toBe(name)
        expect(again).toEqual(wire.map((byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte)))
      }),
    )
  })
})

describe('compressed names', () => {
  // RFC 1035 section 4.1.4.
  const rfc = new Uint8Array(93)
  rfc.set(bytesOf(1, 'F', 3, 'ISI', 4, 'ARPA', 0), 20)
  rfc.set(bytesOf(3, 'FOO', 0xc0, 20), 40)
  rfc.set(bytesOf(0xc0, 26), 64)

  test.each([
    [20, 'f.isi.arpa', 32],
    [40, 'foo.f.isi.arpa', 46],
    [64, 'arpa', 66],
    [92, '.', 93],
  ])('as in the example of RFC 1035 at %p', (at, name, end) => {
    expect(decodeName(rfc, at)).toEqual({ name, end })
  })

  test.each([
    ['a pointer to itself', [0xc0, 0], 0],
    ['a pointer forwards', [0xc0, 2, 1, 97, 0], 0],
    ['two pointers in a circle', [0xc0, 2, 0xc0, 0], 2],
    ['a label that leads into its pointer', [1, 97, 0xc0, 0], 0],
    ['half a pointer', [0, 0xc0], 1],
    ['a label type of the past', [0x41, 0], 0],
    ['a reserved label type', [0x80, 0], 0],
    ['a label that is cut off', [5, 97], 0],
    ['a name without its end', [1, 97], 0],
    ['no bytes', [], 0],
  ])('are refused with %s', (_, bytes, at) => {
    expect(() => decodeName(Uint8Array.from(bytes), at)).toThrow(DnsFormatError)
  })

  test('are refused beyond 255 bytes', () => {
    const wire = encodeNameOrThrow(longest)
    const bytes = Uint8Array.from([...wire, 1, 97, 0xc0, 0])
    expect(() => decodeName(bytes, 255)).toThrow(DnsFormatError)
    expect(decodeName(bytes, 257).name).toBe(longest)
  })

  test('of any bytes end in a name or in DnsFormatError', () => {
    const bytes = fc.array(fc.oneof(fc.nat(4), fc.constant(0xc0), fc.nat(255)), { maxLength: 300 })
    fc.assert(
      fc.property(bytes, fc.nat(299), (wire, at) => {
        try {
          const { name } = decodeName(Uint8Array.from(wire), at)
          expect(encodeName(name)?.length).toBeLessThanOrEqual(255)
        } catch (error) {
          expect(error).toBeInstanceOf(DnsFormatError)
        }
      }),
      { numRuns: countCases(1000) },
    )
  })
})

describe('labels', () => {
  test('end at dots that are not escaped', () => {
    expect(splitLabels('a\\.b.c\\\\.d')).toEqual(['a\\.b', 'c\\\\', 'd'])
  })

  test.each([
    ['www.example.org', 'example.org', true],
    ['example.org', 'example.org', true],
    ['example.org', '.', true],
    ['.', '.', true],
    ['.', 'org', false],
    ['wwwexample.org', 'example.org', false],
    ['a\\.example.org', 'example.org', false],
    ['a\\\\.example.org', 'example.org', true],
    ['a\\\\\\.example.org', 'example.org', false],
    ['org', 'example.org', false],
  ])('of %s are within %s: %p', (name, zone, expected) => {
    expect(isNameWithin(name, zone)).toBe(expected)
  })
})
