// Tests how the kind of a search text is recognized by its form.
import { describe, expect, test } from 'bun:test'
import { parseSubject } from './subject.ts'

test.each([
  ['10.0.0.5', 'ip', '10.0.0.5'],
  [' 10.0.0.5 ', 'ip', '10.0.0.5'],
  ['2001:DB8:0:0:0:0:0:5', 'ip', '2001:db8::5'],
  ['::ffff:10.0.0.5', 'ip', '::ffff:10.0.0.5'],
  ['10.0.0.5/24', 'cidr', '10.0.0.0/24'],
  ['2001:db8::5/64', 'cidr', '2001:db8::/64'],
  ['0.0.0.0/0', 'cidr', '0.0.0.0/0'],
  ['00:1B:21:00:00:0A', 'mac', '00:1b:21:00:00:0a'],
  ['00-1b-21-00-00-0a', 'mac', '00:1b:21:00:00:0a'],
  ['001b.2100.000a', 'mac', '00:1b:21:00:00:0a'],
  ['001B2100000A', 'mac', '00:1b:21:00:00:0a'],
  ['Web-01', 'hostname', 'web-01'],
  ['WEB-01.Example.com.', 'hostname', 'web-01.example.com'],
  ['_sip._tcp.example.com', 'hostname', '_sip._tcp.example.com'],
  ['4711', 'hostname', '4711'],
  ['10.0.0.1:443', 'ip', '10.0.0.1'],
  ['https://10.0.0.1/', 'ip', '10.0.0.1'],
  ['http://user:pw@10.0.0.1:8080/a?b#c', 'ip', '10.0.0.1'],
  ['[2001:DB8:0::1]:443', 'ip', '2001:db8::1'],
  ['[::1]', 'ip', '::1'],
  ['fe80::1%eth0', 'ip', 'fe80::1'],
  ['https://Web-1.example.com/x', 'hostname', 'web-1.example.com'],
  ['ssh://web-1', 'hostname', 'web-1'],
  ['web.example.com:443', 'hostname', 'web.example.com'],
])('%p is a(n) %s', (typed, kind, text) => {
  expect(parseSubject(typed)).toMatchObject({ kind, text })
})

describe('nothing of the four is', () => {
  test.each([
    '',
    ' ',
    '.',
    '10.0.0.256',
    '10.0.0',
    '10.0.0.0/33',
    '10.0.0/24',
    '10.0.0.1-10.0.0.9',
    '10.0.0.256:443',
    'https://10.0.0.256/',
    '10.0.0.1:443:1',
    'https://',
    'https://two words/',
    'web:443',
    '[web]',
    '00:1b:21:00:00',
    '00:1b-21:00:00:0a',
    'two words',
    '*.example.com',
    'a..b',
    `${'a'.repeat(64)}.example.com`,
    'a\u0000b',
    '../x',
  ])('%p', (typed) => expect(parseSubject(typed)).toBeUndefined())
})
