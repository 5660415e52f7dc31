/** DNS rebinding: a page with a host name that has been rebound to this server. */
import { describe, expect, test } from 'bun:test'
import { isAllowedOrigin, type OriginRule } from './origin.ts'

const isAllowed = (origin: string | undefined, rule: OriginRule, host = 'rebound.example:8080'): boolean => {
  const headers = { Host: host, ...(origin === undefined ? {} : { Origin: origin }) }
  return isAllowedOrigin(new Request('http://rebound.example:8080/mcp', { method: 'POST', headers }), rule)
}

const everywhere = { issuer: undefined, listensOn: undefined }
const withIssuer = { issuer: 'https://plat.example.com', listensOn: '127.0.0.1' }

describe('without an issuer, on all addresses, a page may not speak to /mcp', () => {
  test.each(['http://rebound.example:8080', 'http://localhost:8080', 'http://127.0.0.1:8080', 'null', ''])(
    'from %p',
    (origin) => expect(isAllowed(origin, everywhere)).toBe(false),
  )
})

describe.each(['127.0.0.1', '127.0.0.53', '::1', 'localhost'])('without an issuer, on %s', (listensOn) => {
  const rule = { issuer: undefined, listensOn }

  test.each(['http://localhost:8080', 'http://127.0.0.1:5173', 'http://[::1]:8080', 'https://localhost'])(
    'a page of %s may',
    (origin) => expect(isAllowed(origin, rule)).toBe(true),
  )

  test.each([
    'http://rebound.example:8080',
    'http://localhost.evil.example',
    'http://127.0.0.1.nip.io',
    'http://10.0.0.1',
    'null',
    'nonsense',
  ])('a page of %s may not', (origin) => expect(isAllowed(origin, rule)).toBe(false))
})

describe.each(['10.0.0.5', '0.0.0.0', '::', 'plat.internal'])('without an issuer, on %s', (listensOn) => {
  test.each(['http://rebound.example:8080', 'http://localhost:8080', `http://${listensOn}:8080`])(
    'a page of %s may not',
    (origin) => expect(isAllowed(origin, { issuer: undefined, listensOn })).toBe(false),
  )
})

describe('with an issuer', () => {
  test('its origin may', () => expect(isAllowed('https://plat.example.com', withIssuer)).toBe(true))
  test.each(['http://plat.example.com', 'https://plat.example.com:8443', 'http://localhost:8080', 'http://127.0.0.1'])(
    'a page of %s may not',
    (origin) => expect(isAllowed(origin, withIssuer, new URL(origin).host)).toBe(false),
  )
})

test.each([everywhere, withIssuer])('a client without an Origin is permitted', (rule) => {
  expect(isAllowed(undefined, rule)).toBe(true)
})
