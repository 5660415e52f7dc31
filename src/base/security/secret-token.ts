/** Secrets that are shown once and looked up by hash: session tokens, API keys, OAuth tokens. */
import { randomBytes, timingSafeEqual } from 'node:crypto'

/** Returns 256 random bits as 43 base64url characters, after a prefix for people and secret scanners. */
export const createSecret = (prefix = ''): string => prefix + randomBytes(32).toString('base64url')

/** SHA-256 in hex; it suffices for 256 random bits. @example hashSecret('abc').slice(0, 8) // 'ba7816bf' */
export const hashSecret = (secret: string): string => Bun.SHA256.hash(secret, 'hex')

/** Compares two hashes in constant time. */
export const isSameHash = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
