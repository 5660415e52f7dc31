// The beginning of an address means exactly the addresses with a text that begins so.

import { describe, expect, test } from 'bun:test'
import { formatIp, getMaxValue, parseIp } from '../ip.ts'
import { parsePartialAddress } from './partial-address.ts'

const isMeant = (text: string, ip: string): boolean => {
  const meant = parsePartialAddress(text)
  const address = parseIp(ip)
  if (!meant || !address) return false
  return (
    meant.family === address.family &&
    meant.spans.some(({ first, last }) => first <= address.value && address.value <= last)
  )
}

describe('the beginning of an address', () => {
  test.each([
    ['10.', '10.255.255.255', true],
    ['10.', '100.0.0.1', false],
    ['10.2', '10.2.0.0', true],
    ['10.2', '10.29.255.255', true],
    ['10.2', '10.255.0.1', true],
    ['10.2', '10.3.0.0', false],
    ['10.2', '10.26.0.0', true],
    ['10.25', '10.250.0.0', true],
    ['10.25', '10.26.0.0', false],
    ['10.0', '10.0.255.255', true],
    ['10.0', '10.1.0.0', false],
    ['10.0.0.2', '10.0.0.2', true],
    ['10.0.0.2', '10.0.0.20', false],
    ['10.0.0.0/24', '10.0.0.200', true],
    ['2001:db8:', '2001:db8:ffff::1', true],
    ['2001:db8:1', '2001:db8:1::', true],
    ['2001:db8:1', '2001:db8:1fff::', true],
    ['2001:db8:1', '2001:db8:2::', false],
    ['2001:DB8:A', '2001:db8:ab::1', true],
    ['2001:db8::', '2001:db8::', true],
  ])('%s means %s: %p', (text, ip, is) => {
    expect(isMeant(text, ip)).toBe(is)
  })

  test.each([
    '',
    'web',
    '10',
    'fd00',
    '10.256',
    '10.01',
    '300.',
    '10..1',
    ':',
    '10.0.0.0.',
    '1:2:3:4:5:6:7:8:9',
    '00:1',
  ])('%p means no address', (text) => {
    expect(parsePartialAddress(text)).toBeUndefined()
  })

  test('means the addresses with a text that begins so, for every octet', () => {
    for (let digits = 0; digits < 256; digits++)
      for (let octet = 0; octet < 256; octet++)
        expect(isMeant(`10.${digits}`, `10.${octet}.0.0`)).toBe(`${octet}`.startsWith(`${digits}`))
  })

  test('means spans within its family', () => {
    for (const text of ['255.', '255.2', '255.255.255.2', 'ffff:', 'ffff:f']) {
      const { family, spans } = parsePartialAddress(text) ?? { family: 4, spans: [] }
      expect(spans.length).toBeGreaterThan(0)
      for (const { first, last } of spans) {
        expect(first <= last && last <= getMaxValue(family)).toBe(true)
        expect(formatIp({ family, value: first })).toStartWith(text.replace(/:$/, ''))
      }
    }
  })
})
