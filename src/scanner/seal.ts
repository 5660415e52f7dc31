/**
 * Seals the logins of a deep scan for one scanner, and opens them there: X25519, HKDF-SHA256 (RFC 5869) and AES-256-GCM. A proxy between
 * them that inspects TLS learns nothing.
 */
import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import type { Logins, SealedLogins } from './wire.ts'

const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const INFO = 'plat scanner plan 1'

/** The taking of a scan for which logins are sealed. They open for no other. */
export type Purpose = { readonly scanId: string; readonly lease: string }

/** Both halves are base64url of 32 bytes. */
export type KeyPair = { readonly privateKey: string; readonly publicKey: string }

const toPublicKey = (x: string): KeyObject => createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'X25519', x } })

/** @returns the two numbers of a key; a JSON Web Key of this kind always has them (RFC 8037) */
const toKeyPair = (key: KeyObject): KeyPair => {
  const { d = '', x = '' } = key.export({ format: 'jwk' })
  return { privateKey: d, publicKey: x }
}

export const generateKeyPair = (): KeyPair => toKeyPair(generateKeyPairSync('x25519').privateKey)

type Agreement = { readonly own: KeyObject; readonly other: string; readonly epk: string; readonly publicKey: string }

/** @throws Error for a public key with which all agreements are zero */
const deriveKey = ({ own, other, epk, publicKey }: Agreement): Buffer => {
  const secret = diffieHellman({ privateKey: own, publicKey: toPublicKey(other) })
  return Buffer.from(hkdfSync('sha256', secret, epk + publicKey, INFO, KEY_BYTES))
}

/** True for base64url of 32 bytes in its one spelling, with which a key can be agreed on. */
export const isPublicKey = (text: string): boolean => {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length !== KEY_BYTES || bytes.toString('base64url') !== text) return false
  try {
    diffieHellman({ privateKey: generateKeyPairSync('x25519').privateKey, publicKey: toPublicKey(text) })
    return true
  } catch {
    // RFC 7748 section 6.1: a point of small order makes the secret zero.
    return false
  }
}

const formatPurpose = ({ scanId, lease }: Purpose): Buffer => Buffer.from(`${scanId} ${lease}`)

/** @throws Error for a public key that is none */
export const sealLogins = (publicKey: string, purpose: Purpose, logins: Logins): SealedLogins => {
  const { privateKey: own } = generateKeyPairSync('x25519')
  const { publicKey: epk } = toKeyPair(own)
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', deriveKey({ own, other: publicKey, epk, publicKey }), iv)
  cipher.setAAD(formatPurpose(purpose))
  const { snmp, ssh, hostKeys } = logins
  const sealed = [cipher.update(JSON.stringify({ snmp, ssh, hostKeys })), cipher.final(), cipher.getAuthTag()]
  return { epk, iv: iv.toString('base64url'), body: Buffer.concat(sealed).toString('base64url') }
}

/** @throws Error for logins that were sealed for another key, scan or lease, or changed since */
export const openLogins = (
  { privateKey, publicKey }: KeyPair,
  purpose: Purpose,
  { epk, iv, body }: SealedLogins,
): Logins => {
  const own = createPrivateKey({
    format: 'jwk',
    key: { kty: 'OKP', crv: 'X25519', d: privateKey, x: publicKey },
  })
  const bytes = Buffer.from(body, 'base64url')
  const tagAt = Math.max(0, bytes.length - TAG_BYTES)
  const key = deriveKey({ own, other: epk, epk, publicKey })
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'), { authTagLength: TAG_BYTES })
  decipher.setAAD(formatPurpose(purpose))
  decipher.setAuthTag(bytes.subarray(tagAt))
  const text = Buffer.concat([decipher.update(bytes.subarray(0, tagAt)), decipher.final()])
  // Authenticated: the server has written it.
  return JSON.parse(text.toString()) as Logins
}
