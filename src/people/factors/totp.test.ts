import { describe, expect, test } from 'bun:test'
import { codeAt } from '../../../testing/factors.ts'
import { generateTotp, loadMatchStep } from './totp.ts'

/** The secret of RFC 6238 appendix B, '12345678901234567890', in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

describe('codes', () => {
  // The 8 digits of the appendix end with the 6 digits of a shorter code (RFC 4226 section 5.3).
  test.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('of RFC 6238 at %i are right', async (seconds, digits) => {
    const stepOf = await loadMatchStep()
    expect(stepOf(digits.slice(2), SECRET, seconds * 1000)).toBe(Math.floor(seconds / 30))
    expect(codeAt(SECRET, seconds * 1000)).toBe(digits.slice(2))
  })

  test('of the steps beside the present one are right, and others are not', async () => {
    const stepOf = await loadMatchStep()
    const nowMs = 1_234_567_890_000
    const shown = [-2, -1, 0, 1, 2].map((steps) => stepOf(codeAt(SECRET, nowMs + steps * 30_000), SECRET, nowMs))
    const now = Math.floor(nowMs / 30_000)
    expect(shown).toEqual([undefined, now - 1, now, now + 1, undefined])
  })

  test.each(['', '28708', '2870822', 'abcdef', '٢٨٧٠٨٢', '-87082', '28708.', '1e5000'])(
    'such as %p are wrong',
    async (code) => {
      expect((await loadMatchStep())(code, SECRET, 59_000)).toBeUndefined()
    },
  )

  test('may have a space in the middle', async () => {
    expect((await loadMatchStep())('287 082', SECRET, 59_000)).toBe(1)
  })
})

test('a new secret has 160 bits, and an address for apps', async () => {
  const { secret, uri } = await generateTotp('Ada: Lovelace', 'plat.example.org')
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  const url = new URL(uri)
  expect([url.protocol, url.host, decodeURIComponent(url.pathname)]).toEqual([
    'otpauth:',
    'totp',
    '/Plat (plat.example.org):Ada  Lovelace',
  ])
  expect(Object.fromEntries(url.searchParams)).toEqual({
    issuer: 'Plat (plat.example.org)',
    secret,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  })
  expect((await generateTotp('Ada', undefined)).secret).not.toBe(secret)
})
