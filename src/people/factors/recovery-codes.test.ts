// Recovery codes are compared as slow hashes, of which the salt names the cost.
import { expect, test } from 'bun:test'
import { scryptSync } from 'node:crypto'
import { createPasswords } from '../../base/security/passwords.ts'
import { generateRecoveryCodes, hashRecoveryCode } from './recovery-codes.ts'

const SALT = 'c2FsdCBvZiBhIHVzZXI'
const hash = (code: string, salt: string, N: number): string =>
  scryptSync(code, Buffer.from(salt, 'base64url'), 32, { N, r: 8, p: 1, maxmem: 2 ** 26 }).toString('base64url')

test('the cost is 2^15 beside the cost of passwords, and is stored with the salt', async () => {
  expect(createPasswords().cost).toBe(14)
  const { codes, salt, hashes } = await generateRecoveryCodes({ cost: 4 })
  expect([codes.length, new Set(codes).size, salt.slice(0, 2)]).toEqual([10, 10, '5.'])
  const [code = ''] = codes
  expect(hashes[0]).toBe(hash(code.replace('-', ''), salt.slice(2), 2 ** 5))
  expect(await hashRecoveryCode('ABCDE-fghjk', `15.${SALT}`)).toBe(hash('abcdefghjk', SALT, 2 ** 15))
})

test('codes of before the cost was stored still sign in', async () => {
  expect(await hashRecoveryCode('abcde fghjk', SALT)).toBe(hash('abcdefghjk', SALT, 4096))
})
