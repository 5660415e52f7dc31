import { expect, test } from 'bun:test'
import { getOrigin, isSameOrigin } from './origin.ts'

test.each([
  ['https://example.org/a?b#c', 'https://example.org'],
  ['HTTP://Example.ORG:80/', 'http://example.org'],
  ['https://example.org.:443', 'https://example.org'],
  ['https://example.org:8443/', 'https://example.org:8443'],
  ['http://[2001:DB8:0::1]:80/', 'http://[2001:db8::1]'],
  ['http://0x7f.1/', 'http://127.0.0.1'],
  ['http://bücher.example/', 'http://xn--bcher-kva.example'],
])('the origin of %s is %s', (url, origin) => {
  expect(getOrigin(url)).toBe(origin)
})

test.each([
  ['http://example.org', 'https://example.org'],
  ['http://example.org', 'http://example.org:8080'],
  ['http://example.org', 'http://www.example.org'],
  ['http://192.0.2.1', 'http://[::ffff:192.0.2.1]'],
  ['nothing', 'nothing'],
  ['', ''],
])('%s and %s differ', (a, b) => {
  expect(isSameOrigin(a, b)).toBe(false)
})
