import { expect, test } from 'bun:test'
import { createSecret, hashSecret, isSameHash } from './secret-token.ts'

test('secrets are 43 base64url characters behind their prefix, and differ', () => {
  expect(createSecret('plat_')).toMatch(/^plat_[A-Za-z0-9_-]{43}$/)
  expect(createSecret()).not.toBe(createSecret())
})

test('the hash is SHA-256 in hex', () => {
  expect(hashSecret('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('hashes are compared whole', () => {
  expect(isSameHash('abc', 'abc')).toBe(true)
  expect(isSameHash('abc', 'abd')).toBe(false)
  expect(isSameHash('abc', 'ab')).toBe(false)
})
