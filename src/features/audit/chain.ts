/** What ties entries together: each has the hash of the one before in its own, and a chain says where it begins and ends. */
import { keyIdOf } from '../../platform/security/crypto.ts'
import type { AuditChainRow, AuditRow } from './table.ts'

/** How many chains there are: the migration made them. */
export const CHAINS = 32
/** How many places a chain has, the first of which stays empty. */
const PLACES = 2 ** 40

/** What every hash speaks for, in this order. Never changed: old hashes would no longer hold. */
const hashed = [
  'id',
  'timestamp',
  'action',
  'resource',
  'resource_id',
  'user_id',
  'username',
  'key_id',
  'ip_address',
  'changes',
  'status',
  'error',
  'request_id',
] as const satisfies readonly (keyof AuditRow)[]

/** Fields of later versions, oldest version first. Never changed, but for a version more at the end. */
const hashedLater = [
  ['oauth_client', 'tool'],
  ['key_owner_id', 'key_owner'],
] as const satisfies readonly (readonly (keyof AuditRow)[])[]

/** The columns of an entry. */
export const columns = [...hashed, ...hashedLater[0], ...hashedLater[1]] as const

export type Entry = Pick<AuditRow, (typeof columns)[number]>
/** An entry in its place. */
export type Link = Entry & {
  readonly chain: number
  /** Without gaps. */
  readonly seq: number
}

/**
 * Chain and seq as one number, by which entries are stored.
 * @example placeOf(1, 7) // 2 ** 40 + 7
 */
export const placeOf = (chain: number, seq: number): number => chain * PLACES + seq

/** The seq of a place in that chain. */
export const seqOf = (chain: number, place: number | string): number => Number(place) - placeOf(chain, 0)

/**
 * The values of all versions up to the last one with a value, and none after it. An entry therefore has the hash that an earlier
 * version gave it, and the number of values says which field each of them is of.
 */
const laterValues = (link: Link): readonly string[] => {
  const last = hashedLater.findLastIndex((fields) => fields.some((column) => link[column] !== ''))
  return hashedLater.slice(0, last + 1).flatMap((fields) => fields.map((column) => link[column]))
}

/** The hash of an entry behind one that has the hash `previous`. */
export const hashOf = (previous: string, link: Link): string => {
  const values = hashed.map((column) => link[column])
  const later = laterValues(link)
  return Bun.SHA256.hash(JSON.stringify([previous, link.chain, link.seq, ...values, ...later]), 'hex')
}

/** Where the kept part of a chain begins (behind that entry) and ends. */
export type Chain = {
  readonly chain: number
  readonly start_seq: number
  readonly start_hash: string
  readonly end_seq: number
  readonly end_hash: string
}
export type SignedChain = Chain & { readonly signature: string }

export const chainOf = (row: AuditChainRow): SignedChain => ({
  ...row,
  chain: Number(row.chain),
  start_seq: Number(row.start_seq),
  end_seq: Number(row.end_seq),
})

/** What a signature is worth. `unknown-key`: whoever made it had a key that is not at hand. */
export type Verdict = 'signed' | 'unsigned' | 'unknown-key' | 'forged'

/**
 * Signs where chains begin and end, so that nobody without the key can leave out entries at either end, or work all hashes
 * out anew. Without a key there are no signatures, and whoever can write to the database can do both.
 */
export type Signer = {
  readonly hasKey: boolean
  /** '' without a key. */
  readonly sign: (chain: Chain) => string
  readonly judge: (chain: SignedChain) => Verdict
  /** Whether it is signed as it would be now; without a key everything is. */
  readonly isCurrent: (chain: SignedChain) => boolean
}

export type SigningKeys = {
  readonly encryptionKey?: string | undefined
  readonly encryptionKeyPrevious: readonly string[]
}

const FORM = /^v1\.([0-9a-f]{8})\.[0-9a-f]{64}$/

type Key = { readonly id: string; readonly signature: (chain: Chain) => string }

const hmac = (key: Uint8Array, text: string) => new Bun.CryptoHasher('sha256', key).update(text)

const signingKey = (encryptionKey: string): Key => {
  const id = keyIdOf(encryptionKey)
  // A key of its own, so that what is signed here tells nothing about what is encrypted.
  const key = hmac(Buffer.from(encryptionKey, 'hex'), 'plat audit chain').digest()
  return {
    id,
    signature: ({ chain, start_seq, start_hash, end_seq, end_hash }) => {
      const text = JSON.stringify([chain, start_seq, start_hash, end_seq, end_hash])
      return `v1.${id}.${hmac(key, text).digest('hex')}`
    },
  }
}

export const createSigner = ({ encryptionKey, encryptionKeyPrevious }: SigningKeys): Signer => {
  const current = encryptionKey === undefined ? undefined : signingKey(encryptionKey)
  const keys = new Map(encryptionKeyPrevious.map((key) => signingKey(key)).map((key) => [key.id, key]))
  if (current) keys.set(current.id, current)
  return {
    hasKey: current !== undefined,
    sign: (chain) => current?.signature(chain) ?? '',
    judge: (chain) => {
      const { signature } = chain
      if (signature === '') return 'unsigned'
      const [, id] = FORM.exec(signature) ?? []
      if (id === undefined) return 'forged'
      const key = keys.get(id)
      if (!key) return 'unknown-key'
      // Not in constant time: whoever can put signatures here to be compared can read the right one as well.
      return key.signature(chain) === signature ? 'signed' : 'forged'
    },
    isCurrent: (chain) => !current || chain.signature === current.signature(chain),
  }
}
