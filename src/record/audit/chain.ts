/** The hash chains of the audit trail: each entry contains the hash of the one before it. */
import { computeKeyId } from '../../base/security/crypto.ts'
import type { AuditChainRow, AuditRow } from './table.ts'

/** The number of chains, which the migration created. */
export const CHAINS = 32
/** The number of places of a chain; the first place stays empty. */
const PLACES = 2 ** 40

/** The fields that every hash covers, in this order. Never changed: old hashes would become invalid. */
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

/** The fields of later versions, oldest version first. A new version is appended; the rest never changes. */
const hashedLater = [
  ['oauth_client', 'tool'],
  ['key_owner_id', 'key_owner'],
  ['change_id'],
] as const satisfies readonly (readonly (keyof AuditRow)[])[]

/** The columns of an entry. */
export const columns = [...hashed, ...hashedLater[0], ...hashedLater[1], ...hashedLater[2]] as const

export type Entry = Pick<AuditRow, (typeof columns)[number]>
/** An entry with its position. */
export type Link = Entry & {
  readonly chain: number
  /** The number has no gaps within a chain. */
  readonly seq: number
}

/** Returns the sort key of entries: chain and seq as one number. @example toSortKey(1, 7) // 2 ** 40 + 7 */
export const toSortKey = (chain: number, seq: number): number => chain * PLACES + seq

/** Returns the seq of a place in the given chain. */
export const toSeq = (chain: number, place: number | string): number => Number(place) - toSortKey(chain, 0)

/** Returns the values of all versions up to the last one with a value, so that an older entry keeps its hash. */
const listLaterValues = (link: Link): readonly string[] => {
  const last = hashedLater.findLastIndex((fields) => fields.some((column) => link[column] !== ''))
  return hashedLater.slice(0, last + 1).flatMap((fields) => fields.map((column) => link[column]))
}

/** Returns the hash of an entry; `previous` is the hash of the one before it. */
export const hashEntry = (previous: string, link: Link): string => {
  const values = hashed.map((column) => link[column])
  const later = listLaterValues(link)
  return Bun.SHA256.hash(JSON.stringify([previous, link.chain, link.seq, ...values, ...later]), 'hex')
}

/** The stored part of a chain: it begins after the start entry and ends with the end entry. */
export type Chain = {
  readonly chain: number
  readonly start_seq: number
  readonly start_hash: string
  readonly end_seq: number
  readonly end_hash: string
}
export type SignedChain = Chain & { readonly signature: string }

export const toSignedChain = (row: AuditChainRow): SignedChain => ({
  ...row,
  chain: Number(row.chain),
  start_seq: Number(row.start_seq),
  end_seq: Number(row.end_seq),
})

/** The result of checking a signature. `unknown-key`: it was made with a key that is not configured. */
export type Verdict = 'signed' | 'unsigned' | 'unknown-key' | 'forged'

/**
 * Signs the ends of chains. Without the key, an attacker can't remove entries at either end, or compute all hashes
 * again. Without any key there are no signatures, and anyone who can write to the database can do both.
 */
export type Signer = {
  readonly hasKey: boolean
  /** Returns '' without a key. */
  readonly sign: (chain: Chain) => string
  readonly verify: (chain: SignedChain) => Verdict
  /** Checks that the chain has the signature of the current key; without a key always true. */
  readonly isCurrent: (chain: SignedChain) => boolean
}

export type SigningKeys = {
  readonly encryptionKey?: string | undefined
  readonly encryptionKeyPrevious: readonly string[]
}

const FORM = /^v1\.([0-9a-f]{8})\.[0-9a-f]{64}$/

type Key = { readonly id: string; readonly signature: (chain: Chain) => string }

const hmac = (key: Uint8Array, text: string) => new Bun.CryptoHasher('sha256', key).update(text)

const createSigningKey = (encryptionKey: string): Key => {
  const id = computeKeyId(encryptionKey)
  // A separate key, so that signatures reveal nothing about encrypted values.
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
  const current = encryptionKey === undefined ? undefined : createSigningKey(encryptionKey)
  const keys = new Map(encryptionKeyPrevious.map((key) => createSigningKey(key)).map((key) => [key.id, key]))
  if (current) keys.set(current.id, current)
  return {
    hasKey: current !== undefined,
    sign: (chain) => current?.signature(chain) ?? '',
    verify: (chain) => {
      const { signature } = chain
      if (signature === '') return 'unsigned'
      const [, id] = FORM.exec(signature) ?? []
      if (id === undefined) return 'forged'
      const key = keys.get(id)
      if (!key) return 'unknown-key'
      // Need not be constant-time: an attacker who can store signatures for comparison can also read the correct one.
      return key.signature(chain) === signature ? 'signed' : 'forged'
    },
    isCurrent: (chain) => !current || chain.signature === current.signature(chain),
  }
}
