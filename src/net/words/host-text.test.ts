// The host of a URL, of a host with a port, and of an address in brackets or with a zone.
import { expect, test } from 'bun:test'
import { extractHost, extractIp } from './host-text.ts'

test.each([
  ['https://10.0.0.1/', '10.0.0.1'],
  ['http://user:pw@10.0.0.1:8080/a?b#c', '10.0.0.1'],
  ['https://[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[fe80::1%25eth0]:22', 'fe80::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['10.0.0.1:443', '10.0.0.1'],
  ['web.example.com:443', 'web.example.com'],
  ['ssh://host', 'host'],
  ['web.example.com', undefined],
  ['10.0.0.1', undefined],
  ['web:443', undefined],
  ['[web]', undefined],
  ['https://', undefined],
  ['2001:db8::1', undefined],
])('the host of %s is %p', (text, host) => {
  expect(extractHost(text)).toBe(host)
})

test('an address is extracted in its canonical form, and nothing from a name', () => {
  expect(['https://[2001:DB8:0::1]/', '10.0.0.1:80', '2001:db8:0:0::1', 'https://web/'].map(extractIp)).toEqual([
    ...['2001:db8::1', '10.0.0.1', '2001:db8::1'],
    undefined,
  ])
})
