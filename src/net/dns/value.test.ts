// Record values: valid and invalid ones, in presentation format and as rdata.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../../testing/cases.ts'
import { formatRcode, formatTypeCode, parseTypeCode } from './codes.ts'
import { DnsFormatError } from './format-error.ts'
import { checkValue, encodeValue, formatValue, isExactValue, normalizeValue } from './value.ts'

const TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SRV', 'NS', 'CAA', 'PTR', 'SSHFP', 'SOA', 'TYPE65280'] as const
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const fingerprint = 'ab'.repeat(32)

describe('a value', () => {
  test.each([
    ['A', '192.0.2.1', 'c0000201'],
    ['AAAA', '2001:db8::1', '20010db8000000000000000000000001'],
    ['AAAA', '::ffff:192.0.2.1', '00000000000000000000ffffc0000201'],
    ['CNAME', 'a.b', '0161016200'],
    ['CNAME', '5.0/26.2.0.192.in-addr.arpa', '013504302f32360132013003313932' + '07696e2d61646472046172706100'],
    ['MX', '10 a', '000a016100'],
    ['MX', '0 .', '000000'],
    ['TXT', 'v=spf1 -all', '0b763d73706631202d616c6c'],
    ['TXT', '', '00'],
    ['TXT', '"a\\b" ', '0622615c622220'],
    ['TXT', 'é', '02c3a9'],
    ['SRV', '0 5 5060 a', '0000000513c4016100'],
    ['NS', 'ns', '026e7300'],
    // RFC 8659 section 4.2.
    ['CAA', '0 issue "ca1.example.net"', `00056973737565${hex(Buffer.from('ca1.example.net'))}`],
    ['CAA', '128 tbs "a \\"b\\" \\\\ \\255"', '8003746273612022622220' + '5c20ff'],
    ['CAA', '0 issue ""', '00056973737565'],
    ['PTR', 'host.example', '04686f7374076578616d706c6500'],
    // RFC 4255 section 3.2.
    ['SSHFP', '2 1 123456789abcdef67890123456789abcdef67890', '0201123456789abcdef67890123456789abcdef67890'],
    ['SSHFP', `4 2 ${fingerprint}`, `0402${fingerprint}`],
    ['SOA', 'a b 1 2 3 4 4294967295', '016100016200' + '00000001000000020000000300000004ffffffff'],
    // RFC 3597 section 5.
    ['TYPE731', '\\# 6 abcdef012345', 'abcdef012345'],
    ['TYPE731', '\\# 0', ''],
    ['DS', '\\# 1 0a', '0a'],
  ])('of %s: %s', (type, text, rdata) => {
    expect(checkValue(type, text)).toBeUndefined()
    expect(hex(encodeValue(type, text))).toBe(rdata)
    expect(formatValue(type, Buffer.from(rdata, 'hex'))).toBe(text)
  })

  test.each([
    ['AAAA', '2001:DB8:0:0::0', '2001:db8::'],
    ['CNAME', 'WWW.Example.org.', 'www.example.org'],
    ['MX', ' 010\t Mail.example.org. ', '10 mail.example.org'],
    ['SRV', '0  0 80 A', '0 0 80 a'],
    ['CAA', '0 ISSUE letsencrypt.org', '0 issue "letsencrypt.org"'],
    ['CAA', '0 issue "\\065"', '0 issue "A"'],
    ['SSHFP', `4 2 ${'AB '.repeat(32)}`, `4 2 ${fingerprint}`],
    ['TYPE731', '\\# 6 abcdef 01 2345', '\\# 6 abcdef012345'],
  ])('of %s has one spelling: %s', (type, text, canonical) => {
    expect(normalizeValue(type, text)).toBe(canonical)
  })

  test.each([
    ['A', '192.0.2.256', 'must be an IPv4 address'],
    ['A', '2001:db8::1', 'must be an IPv4 address'],
    ['A', ' 192.0.2.1', 'must be an IPv4 address'],
    ['AAAA', '192.0.2.1', 'must be an IPv6 address'],
    ['CNAME', '', 'the target must be a domain name'],
    ['CNAME', '.', 'the target must be a domain name'],
    ['CNAME', 'a b', 'the target must be a domain name'],
    ['CNAME', 'bücher.example', 'the target must be a domain name in ASCII: write xn--bcher-kva.example'],
    ['MX', 'mail.example.net', 'must have the form 10 mail.example.net'],
    ['MX', '65536 mail', 'the preference must be a whole number from 0 to 65535'],
    ['MX', '-1 mail', 'the preference must be a whole number from 0 to 65535'],
    ['MX', '10 mail extra', 'the mail server must be a host name'],
    ['MX', '10 under_score', 'the mail server must be a host name'],
    ['MX', '10\nmail', 'must have the form 10 mail.example.net'],
    ['NS', '.', 'the name server must be a host name'],
    ['TXT', '\ud800', 'must be Unicode text'],
    ['SRV', '0 5 sip', 'must have the form 0 5 5060 sip.example.net'],
    ['SRV', '0 5 99999 sip', 'the port must be a whole number from 0 to 65535'],
    ['CAA', '0 issue a b', 'the value must be one word, or ASCII text in "double quotes"'],
    ['CAA', '0 issue "a', 'the value must be one word, or ASCII text in "double quotes"'],
    ['CAA', '0 issue "a\\256"', 'the value must be one word, or ASCII text in "double quotes"'],
    ['CAA', '256 issue "a"', 'the flags must be a whole number from 0 to 255'],
    ['CAA', '0 is-sue "a"', 'the tag must be 1 to 15 letters and digits'],
    ['SSHFP', '4 2 abc', 'the fingerprint must be hexadecimal digits'],
    ['SSHFP', '4 1 abcd', 'a fingerprint of type 1 must have 40 hexadecimal digits'],
    ['SOA', 'a b 1 2 3 4', 'must have the form ns1.example.net admin.example.net 1 7200 3600 1209600 300'],
    ['SOA', 'a b 1 2 3 4 4294967296', 'the minimum must be a whole number from 0 to 4294967295'],
    ['TYPE731', 'abc', 'must have the form \\# 3 a1b2c3: the number of bytes, then their hexadecimal digits'],
    ['TYPE731', '\\# 2 ab', 'must have the form \\# 3 a1b2c3: the number of bytes, then their hexadecimal digits'],
  ])('of %s is refused: %p', (type, text, problem) => {
    expect(checkValue(type, text)).toBe(problem)
    expect(normalizeValue(type, text)).toBeUndefined()
    expect(() => encodeValue(type, text)).toThrow(RangeError)
  })

  test('of too many bytes is refused', () => {
    expect([
      checkValue('TXT', 'x'.repeat(4097)),
      checkValue('TXT', 'é'.repeat(2049)),
      checkValue('TYPE731', `\\# 64512 ${'ab'.repeat(64_512)}`),
      checkValue('SSHFP', `4 2 ${'ab'.repeat(130_000)}`),
    ]).toEqual([
      'must be at most 4096 bytes',
      'must be at most 4096 bytes',
      'must have at most 64511 bytes',
      'is too long',
    ])
  })

  test('of hostile length is judged in linear time', () => {
    for (const text of [`\\# 1${' '.repeat(200_000)}x`, `0 issue "${'\\\\'.repeat(100_000)}`, ' '.repeat(200_000)])
      for (const type of TYPES) expect(checkValue(type, text)).toBeString()
  })

  test('of any type and rdata is formatted, or refused with DnsFormatError', () => {
    fc.assert(
      fc.property(fc.constantFrom(...TYPES), fc.uint8Array({ maxLength: 300 }), (type, rdata) => {
        try {
          const text = formatValue(type, rdata)
          const canonical = normalizeValue(type, text)
          if (canonical !== undefined && isExactValue(type, rdata)) expect(canonical).toBe(text)
        } catch (error) {
          expect(error).toBeInstanceOf(DnsFormatError)
        }
      }),
      { numRuns: countCases(2000) },
    )
  })

  test('of any text is refused with a message, or read back', () => {
    fc.assert(
      fc.property(fc.constantFrom(...TYPES), fc.string({ unit: 'binary', maxLength: 60 }), (type, text) => {
        const problem = checkValue(type, text)
        if (problem !== undefined) return expect(problem).not.toBe('')
        const canonical = normalizeValue(type, text) ?? ''
        expect(normalizeValue(type, canonical)).toBe(canonical)
        expect(encodeValue(type, canonical)).toEqual(encodeValue(type, text))
      }),
      { numRuns: countCases(2000) },
    )
  })
})

describe('the text of a TXT record', () => {
  test('is cut into strings of 255 bytes, within a letter too', () => {
    const text = `${'x'.repeat(254)}é${'y'.repeat(300)}`
    const rdata = encodeValue('TXT', text)
    expect([rdata[0], rdata[256], rdata[512]]).toEqual([255, 255, 46])
    expect(rdata.length).toBe(256 + 256 + 47)
    expect(formatValue('TXT', rdata)).toBe(text)
  })

  test('of 4,096 bytes and of any Unicode is read back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 1000 }), (text) => {
        if (checkValue('TXT', text) === undefined) expect(formatValue('TXT', encodeValue('TXT', text))).toBe(text)
      }),
    )
    expect(formatValue('TXT', encodeValue('TXT', 'x'.repeat(4096)))).toBe('x'.repeat(4096))
    expect(formatValue('TXT', encodeValue('TXT', '\ufeffa'))).toBe('\ufeffa')
  })

  test.each([
    ['cut into other strings', '01610162'],
    ['with an empty string at its end', `ff${'61'.repeat(255)}00`],
    ['of bytes that are not UTF-8', '02ff61'],
  ])('%s is not exact', (_, rdata) => {
    expect(isExactValue('TXT', Buffer.from(rdata, 'hex'))).toBe(false)
  })
})

describe('codes', () => {
  test('of types are read back', () => {
    for (let code = 0; code <= 0xffff; code++) expect(parseTypeCode(formatTypeCode(code))).toBe(code)
    expect([parseTypeCode('TYPE65536'), parseTypeCode('TYPE01'), parseTypeCode('a'), parseTypeCode('')]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  test('of responses have the names of RFC 2136', () => {
    expect([6, 7, 8, 9, 10, 11].map(formatRcode)).toEqual([
      'YXDOMAIN',
      'YXRRSET',
      'NXRRSET',
      'NOTAUTH',
      'NOTZONE',
      'RCODE11',
    ])
  })
})
