/** A pattern of the document and the check of the server are about the same texts. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseCidr } from '../../net/cidr.ts'
import { parseIp } from '../../net/ip.ts'
import { parseSubject } from '../../net/subject.ts'
import { extractHost } from '../../net/words/host-text.ts'
import { Name } from './fields.ts'
import {
  BLOCK_PATTERN,
  CIDR_PATTERN,
  DOMAIN_NAME,
  EMAIL,
  explainText,
  FINGERPRINT,
  HOST_NAME,
  IP_PATTERN,
  MAC,
  MAX_DOMAIN_NAME,
  matchWhole,
  NOT_BLANK,
  SUBJECT_OPTIONS,
  VISIBLE,
} from './text-rules.ts'

const CIDR = { holds: (text: string) => parseCidr(text) !== undefined, pattern: CIDR_PATTERN }
const IP = { holds: (text: string) => parseIp(text) !== undefined, pattern: IP_PATTERN }
const BLOCK = { holds: (text: string) => IP.holds(text) || CIDR.holds(text), pattern: BLOCK_PATTERN }
const rules = { HOST_NAME, DOMAIN_NAME, MAC, EMAIL, FINGERPRINT, CIDR, IP, BLOCK } as const

test.each(Object.entries(rules))('whatever the pattern of %s describes is accepted', (_, { pattern, holds }) => {
  const texts = fc.stringMatching(new RegExp(matchWhole(pattern))).filter((text) => text.length <= MAX_DOMAIN_NAME)
  fc.assert(fc.property(texts, holds))
})

const label = 'x'.repeat(63)
const longName = `${label}.${label}.${label}.${'y'.repeat(61)}`
const TEXTS = [
  ...[
    '',
    ' ',
    '.',
    'a',
    '-',
    'a-',
    'a.b',
    'a.',
    '*.a',
    'www.*.com',
    '_sip._tcp.example.com',
    '__a',
    '_',
    'ä.de',
    'a b',
  ],
  ...[
    label,
    `x${label}`,
    `_${label}`,
    `_${label.slice(1)}`,
    longName,
    `${longName}.`,
    `${longName}z`,
    `  ${longName}  `,
  ],
  ...[
    '10.0.0.1',
    '10.0.0.256',
    '10.0.0.01',
    '10.0.0',
    '1.2.3.',
    'a.1',
    'a.1.',
    '1.a',
    '12',
    '256',
    ' 10.0.0.1\t',
    '10.0.0.1\n',
  ],
  ...[
    '::',
    '::1',
    '1::',
    '1::8',
    '1:2:3:4:5:6:7:8',
    '1:2:3:4:5:6:7::',
    '::2:3:4:5:6:7:8',
    '1:2:3:4:5:6:7:8:9',
    '1::2::3',
  ],
  ...[
    '1:2:3:4::5:6:7:8',
    '1:2:3:4:5:6:7',
    ':1',
    '1:',
    '12345::',
    'fe80::1%eth0',
    '[::1]',
    '::FFFF:10.0.0.1',
    '::1.2.3',
    'g::',
  ],
  ...[
    '1:2:3:4:5:6:1.2.3.4',
    '1:2:3:4:5:6:7:1.2.3.4',
    '1::5:1.2.3.4',
    '1:2:3:4:5::1.2.3.4',
    '1:2:3:4:5:6::1.2.3.4',
    '::1.2.3.4',
  ],
  ...[
    '10.0.0.0/8',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/0',
    '::/0',
    '::/128',
    '::/129',
    '2001:db8::/32',
    '10.0.0.0/',
    '/8',
  ],
  ...[
    'aa:bb:cc:00:11:22',
    'AA-BB-CC-00-11-22',
    'aabb.cc00.1122',
    'aabbcc001122',
    'aa:bb-cc:00:11:22',
    'aabbcc00112',
    'a:b:c:d:e:f',
  ],
  ...['a@b', '@b', 'a@', 'a@b@c', 'a b@c', 'a\u0085@b', 'a\ufeff@b', 'a\u001d@b', 'ä@ö', 'a\u2028@b'],
  ...[`SHA256:${'A'.repeat(43)}`, `SHA256:${'A'.repeat(43)}=`, `SHA256:${'A'.repeat(42)}`, `sha256:${'A'.repeat(43)}`],
]

const SHORT = TEXTS.filter((text) => text.length <= MAX_DOMAIN_NAME)

describe.each(Object.entries(rules))('the pattern of %s', (_, { pattern, holds }) => {
  const expression = new RegExp(matchWhole(pattern), 'u')
  // The length of a name is for maxLength.
  test.each(SHORT)('judges %j as the check does', (text) => {
    expect(expression.test(text)).toBe(holds(text))
  })
})

test('the pattern of a text that is not blank judges each character as trim does', () => {
  const expression = new RegExp(NOT_BLANK, 'u')
  const characters = Array.from({ length: 0xd800 }, (_, code) => String.fromCharCode(code))
  const differing = [...characters, '\ufeff', '\ufffd', '😀'].filter(
    (one) => expression.test(one) !== (one.trim() !== ''),
  )
  expect(differing).toEqual([])
})

test('the pattern of a name judges each character as the check does', () => {
  const expression = new RegExp(VISIBLE, 'u')
  const characters = Array.from({ length: 0xd800 }, (_, code) => String.fromCharCode(code))
  const differing = [...characters, '\ufeff', '\ufffd', '\uffa0', '😀']
    .filter((one) => one !== '\u0000')
    .filter((one) => expression.test(one) !== Name.safeParse(one).success)
  expect(differing).toEqual([])
})

/** The spellings that the server reads and the document does not name. */
const isLenient = (text: string): boolean =>
  text !== text.trim() || text.endsWith('.') || extractHost(text) !== undefined

test.each(SHORT.filter((text) => !isLenient(text)))('the document says of %j whether it can be looked up', (text) => {
  const holds = SUBJECT_OPTIONS.some((option) =>
    option.pattern === undefined ? parseIp(text) !== undefined : new RegExp(option.pattern, 'u').test(text),
  )
  expect(holds).toBe(parseSubject(text) !== undefined)
})

describe('the message about a name', () => {
  test.each([
    [
      HOST_NAME,
      'web_1',
      'must be a host name: it has no underscores, only letters, digits and hyphens (RFC 1123 section 2.1)',
    ],
    [HOST_NAME, 'bücher.example', 'must be a host name in ASCII: write xn--bcher-kva.example'],
    [HOST_NAME, 'a b', 'must be a host name of RFC 1123 labels'],
    [HOST_NAME, 'ä b', 'must be a host name of RFC 1123 labels'],
    [DOMAIN_NAME, '例え.jp', 'must be a domain name in ASCII: write xn--r8jz45g.jp'],
    [
      DOMAIN_NAME,
      'a_b',
      'must be a domain name: an underscore is only the first character of a label (RFC 8552 section 1.2)',
    ],
  ])('%# says what is wrong and how it is written', (rule, text, message) => {
    expect(rule.holds(text)).toBe(false)
    expect(explainText(rule, text)).toBe(message)
  })
})
