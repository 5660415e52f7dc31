// DNS names: host names, domain names and invalid names, with the limits on both sides.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../testing/cases.ts'
import { isDomainName, isHostname } from './dns-name.ts'

const label63 = 'a'.repeat(63)
const name253 = `${label63}.${label63}.${label63}.${'b'.repeat(61)}`

describe('names', () => {
  test.each([
    ['a', true, true],
    ['A-1.Example.COM', true, true],
    ['3com.com', true, true],
    ['1.2.3.4', true, true],
    ['a--b', true, true],
    ['xn--bcher-kva.example', true, true],
    [label63, true, true],
    [name253, true, true],
    ['_dmarc.example.com', false, true],
    ['_sip._tcp.example.com', false, true],
    ['host._tcp.example.com', false, true],
    ['*.example.com', false, true],
    ['*._tcp.example.com', false, true],
    [`_${'a'.repeat(62)}`, false, true],
    ['', false, false],
    ['.', false, false],
    ['*', false, false],
    ['*.', false, false],
    ['_', false, false],
    ['_-a', false, false],
    ['__a', false, false],
    ['a_b', false, false],
    ['a_', false, false],
    ['**.example.com', false, false],
    ['*.*.example.com', false, false],
    ['www.*.com', false, false],
    ['*a.example.com', false, false],
    ['example.com.', false, false],
    ['example.com..', false, false],
    ['.example.com', false, false],
    ['a..b', false, false],
    ['-a', false, false],
    ['a-', false, false],
    ['a-.b', false, false],
    ['a.-b', false, false],
    [`${label63}a`, false, false],
    [`_${label63}`, false, false],
    [`${name253}b`, false, false],
    [`*.${name253}`, false, false],
    ['a b', false, false],
    [' a', false, false],
    ['a\n', false, false],
    ['bücher.example', false, false],
    ['\u212Aelvin', false, false],
    ['a.\u0661', false, false],
    ['a/b', false, false],
    ['a:80', false, false],
    ['::1', false, false],
  ])('%j: host name %p, domain name %p', (text, host, domain) => {
    expect(isHostname(text)).toBe(host)
    expect(isDomainName(text)).toBe(domain)
  })

  test('every host name is a domain name', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '.', '_', '*'), maxLength: 12 })
    fc.assert(
      fc.property(text, (name) => {
        if (isHostname(name)) expect(isDomainName(name)).toBe(true)
      }),
      { numRuns: countCases(2000) },
    )
  })

  test.each(['a', 'a.', '-', '.', '*.', 'a-'])('a million times %j is refused at once', (piece) => {
    const text = piece.repeat(1_000_000)
    const startedMs = performance.now()
    expect(isHostname(text)).toBe(false)
    expect(isDomainName(text)).toBe(false)
    expect(performance.now() - startedMs).toBeLessThan(500)
  })
})
