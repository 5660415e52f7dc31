import { describe, expect, test } from 'bun:test'
import { createSessionCookie, readCredentials } from './credentials.ts'

const shown = (headers: Record<string, string>) => readCredentials(new Headers(headers), 'session')

describe('credentialsOf', () => {
  test.each([
    [{}, undefined],
    [{ Cookie: 'other=1' }, undefined],
    [{ Cookie: 'session=' }, undefined],
    [{ Cookie: 'session=abc' }, { kind: 'cookie', token: 'abc' }],
    [{ Cookie: 'a=1;  session=abc ; b=2' }, { kind: 'cookie', token: 'abc' }],
    [{ Cookie: 'mysession=1; session=abc' }, { kind: 'cookie', token: 'abc' }],
    [{ Authorization: 'Bearer abc' }, { kind: 'bearer', token: 'abc' }],
    [{ Authorization: 'bearer   abc==' }, { kind: 'bearer', token: 'abc==' }],
    [
      { Authorization: 'Bearer abc', Cookie: 'session=x' },
      { kind: 'bearer', token: 'abc' },
    ],
  ] as const)('%j', (headers, credentials) => {
    expect(shown(headers)).toEqual(credentials)
  })

  test.each(['', 'Bearer', 'Basic abc', 'Bearer a b', 'Bearer "a"'])('refuses Authorization: %s', (authorization) => {
    expect(() => shown({ Authorization: authorization, Cookie: 'session=x' })).toThrow('Authorization')
  })
})

describe('sessionCookie', () => {
  test('a session cookie carries the token only over https', () => {
    const cookie = createSessionCookie({ isSecure: true, ttlMs: 90_000 })
    expect(cookie.name).toBe('__Host-session')
    expect(cookie.set('t')).toBe('__Host-session=t; Max-Age=90; Path=/; HttpOnly; SameSite=Strict; Secure')
  })

  test('lives at least as long as its session', () => {
    expect(createSessionCookie({ isSecure: false, ttlMs: 1500 }).set('t')).toContain('Max-Age=2;')
  })

  test('is cleared under the same attributes', () => {
    expect(createSessionCookie({ isSecure: false, ttlMs: 1000 }).clear).toBe(
      'session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict',
    )
  })
})
