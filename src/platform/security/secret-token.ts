/** Secrets that are shown once and looked up by hash: session tokens, API keys, OAuth tokens. Knows none of their tables. */
import { randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 random bits as 43 base64url characters, behind a prefix that tells people and secret scanners what it is. */
export const newSecret = (prefix = ''): string => prefix + randomBytes(32).toString('base64url')

/**
 * What is stored of a secret: its SHA-256 in hex. Fast on purpose: 256 random bits can't be guessed, whatever the hash.
 * @example secretHash('abc').slice(0, 8) // 'ba7816bf'
 */
export const secretHash = (secret: string): string => Bun.SHA256.hash(secret, 'hex')

/** Whether two hashes are the same, in a time that doesn't tell where they differ. */
export const isSameHash = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
