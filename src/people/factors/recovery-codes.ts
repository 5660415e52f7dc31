/** Recovery codes: ten of 49 random bits each, stored as slow hashes with one salt per user. */
import { randomBytes, randomInt, scrypt } from 'node:crypto'
import type { Passwords } from '../../base/security/passwords.ts'

const COUNT = 10
const GROUP = 5
/** Letters and digits that look alike are left out. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
const SALT_BYTES = 16
const HASH_BYTES = 32
/**
 * Returns the binary logarithm of the cost of scrypt (RFC 7914) for that of bcrypt: 15 for 14, which is 32 MiB of memory and about
 * 60 ms of a core. The first of ten codes takes 7.5e13 guesses on average: 140,000 years of a core.
 */
const computeCost = ({ cost }: Pick<Passwords, 'cost'>): number => cost + 1
/** The cost of salts that do not begin with their cost. */
const FIRST_COST = 12
const BLOCK_SIZE = 8
const MAX_MEMORY = 64 * 1024 * 1024

/** The cost is stored in front of the salt, so that it can be raised again. */
const parseStoredSalt = (stored: string): { readonly cost: number; readonly salt: Buffer } => {
  const [, cost, salt = stored] = /^(\d+)\.(.+)$/.exec(stored) ?? []
  return { cost: cost === undefined ? FIRST_COST : Number(cost), salt: Buffer.from(salt, 'base64url') }
}

const hashCode = (code: string, stored: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { cost, salt } = parseStoredSalt(stored)
    const options = { N: 2 ** cost, r: BLOCK_SIZE, p: 1, maxmem: MAX_MEMORY }
    scrypt(code, salt, HASH_BYTES, options, (error, hash) =>
      error ? reject(error) : resolve(hash.toString('base64url')),
    )
  })

/** Returns the code as it was made, for a code as a person types it. */
const normalizeCode = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '')

export const hashRecoveryCode = (text: string, salt: string): Promise<string> => hashCode(normalizeCode(text), salt)

export type NewCodes = {
  readonly codes: readonly string[]
  readonly salt: string
  readonly hashes: readonly string[]
}

const generateCode = (): string => {
  const letter = () => ALPHABET[randomInt(ALPHABET.length)] ?? ''
  const group = () => Array.from({ length: GROUP }, letter).join('')
  return `${group()}-${group()}`
}

/** Takes about a second. The codes are hashed one after the other, because each takes 32 MiB. */
export const generateRecoveryCodes = async (passwords: Pick<Passwords, 'cost'>): Promise<NewCodes> => {
  const codes = new Set<string>()
  while (codes.size < COUNT) codes.add(generateCode())
  const salt = `${computeCost(passwords)}.${randomBytes(SALT_BYTES).toString('base64url')}`
  const hashes: string[] = []
  for (const code of codes) hashes.push(await hashRecoveryCode(code, salt))
  return { codes: [...codes], salt, hashes }
}
