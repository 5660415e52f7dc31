import { describe, expect, test } from 'bun:test'
import { generateKeyPair, isPublicKey, openLogins, sealLogins } from './seal.ts'
import type { Logins } from './wire.ts'

const LOGINS: Logins = {
  snmp: [{ version: 'v2c', credentialId: 'c1', community: 's3cret é', ip: '' }],
  ssh: [],
  hostKeys: { '10.0.0.1': 'SHA256:k' },
}
const PURPOSE = { scanId: 'scan-1', lease: 'lease-1' }
const toBytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'base64url'))

/** Made with `cryptography` 48 of Python: X25519PrivateKey, HKDF and AESGCM. */
const KNOWN = {
  pair: {
    privateKey: 'AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA',
    publicKey: 'B6N8vBQgk8i3VdwbEOhstCY3StFqqFPtC9_AsrhtHHw',
  },
  sealed: {
    epk: 'VxR2nRFr92Q2rnS8eT0sMK0ZA8WaxSc4BcfiaYtBDDY',
    iv: 'ycrLzM3Oz9DR0tPU',
    body: 'uhRGCROxJAWxxbEbAjvBnGPDXNmyqon_aFdH5Tlw9-6gu3uF05I7H6IWU3v_lJBV5pWXqfW_t6qHQz1dbAi0wcPvzeUcksZ0-KruNG16dhAoLNHIkzOkr0nmE8DWndXbnrOGRWFa9cZsX02B11qse9JnoSBM6JAILJo4q59yVeYbKJBVlxIuyrCNfP0',
  },
}

/** Opens logins by the Web Crypto API, step by step as the design says. */
const openByWebCrypto = async (
  pair: { readonly privateKey: string; readonly publicKey: string },
  { epk, iv, body }: { readonly epk: string; readonly iv: string; readonly body: string },
): Promise<string> => {
  const { subtle } = crypto
  const jwk = { kty: 'OKP', crv: 'X25519', x: pair.publicKey, d: pair.privateKey }
  const own = await subtle.importKey('jwk', jwk, 'X25519', false, ['deriveBits'])
  const other = await subtle.importKey('raw', toBytes(epk), 'X25519', false, [])
  const secret = await subtle.deriveBits({ name: 'X25519', public: other }, own, 256)
  const material = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveKey'])
  const salt = new TextEncoder().encode(epk + pair.publicKey)
  const info = new TextEncoder().encode('plat scanner plan 1')
  const key = await subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt, info },
    material,
    { name: 'AES-GCM', length: 256 },
    false,
    ['decrypt'],
  )
  const additionalData = new TextEncoder().encode(`${PURPOSE.scanId} ${PURPOSE.lease}`)
  const plain = await subtle.decrypt({ name: 'AES-GCM', iv: toBytes(iv), additionalData }, key, toBytes(body))
  return new TextDecoder().decode(plain)
}

test('logins that another library has sealed are opened', () => {
  expect(openLogins(KNOWN.pair, PURPOSE, KNOWN.sealed)).toEqual(LOGINS)
})

test('sealed logins are opened by another library', async () => {
  const pair = generateKeyPair()
  const sealed = sealLogins(pair.publicKey, PURPOSE, LOGINS)
  expect(JSON.parse(await openByWebCrypto(pair, sealed))).toEqual(LOGINS)
})

test('sealed logins show nothing of what they hold, and differ each time', () => {
  const { publicKey } = generateKeyPair()
  const [one, other] = [sealLogins(publicKey, PURPOSE, LOGINS), sealLogins(publicKey, PURPOSE, LOGINS)]
  expect(Buffer.from(one.body, 'base64url').toString('latin1')).not.toContain('s3cret')
  expect([one.epk === other.epk, one.iv === other.iv, one.body === other.body]).toEqual([false, false, false])
})

describe('sealed logins do not open', () => {
  const pair = generateKeyPair()
  const sealed = sealLogins(pair.publicKey, PURPOSE, LOGINS)
  const flip = (text: string): string => {
    const bytes = Buffer.from(text, 'base64url')
    bytes[0] = (bytes[0] ?? 0) ^ 1
    return bytes.toString('base64url')
  }

  test.each([
    ['with the key of another scanner', () => openLogins(generateKeyPair(), PURPOSE, sealed)],
    ['for another lease', () => openLogins(pair, { ...PURPOSE, lease: 'lease-2' }, sealed)],
    ['for another scan', () => openLogins(pair, { ...PURPOSE, scanId: 'scan-2' }, sealed)],
    ['after a change of a byte', () => openLogins(pair, PURPOSE, { ...sealed, body: flip(sealed.body) })],
    ['with another nonce', () => openLogins(pair, PURPOSE, { ...sealed, iv: flip(sealed.iv) })],
    ['cut off', () => openLogins(pair, PURPOSE, { ...sealed, body: sealed.body.slice(0, 12) })],
  ])('%s', (_, open) => {
    expect(open).toThrow()
  })
})

describe('a public key is refused', () => {
  const { publicKey } = generateKeyPair()
  test.each([
    ['that is empty', ''],
    ['that is too short', publicKey.slice(2)],
    ['in another alphabet', `${publicKey.slice(0, -2)}+/`],
    ['of small order', Buffer.alloc(32).toString('base64url')],
  ])('%s', (_, text) => {
    expect(isPublicKey(text)).toBe(false)
  })

  test('unless it is one', () => expect(isPublicKey(publicKey)).toBe(true))
})
