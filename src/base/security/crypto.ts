/**
 * Encrypts secrets at rest: AES-256-GCM (NIST SP 800-38D), each value bound to the row that stores it. A sealed value
 * is `v1.<key id>.<base64url(nonce | ciphertext | tag)>`. Independent of the source of keys and of the stored data.
 */
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

const VERSION = 'v1'
const ALGORITHM = 'aes-256-gcm'
/** The standard nonce size of GCM. Random nonces of it are safe for 2^32 values under one key. */
const NONCE_BYTES = 12
/** Fixed, because otherwise a shorter tag, which is easier to forge, would be accepted too. */
const TAG_BYTES = 16
const FORM = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/
const PREFIX = /^v1\.([0-9a-f]{8})\./

/** The location of a value. It can be opened only there. */
export type Place = { readonly table: string; readonly column: string; readonly id: string }

/** A sealed value that can't be opened. The message contains only the id of its key. */
export class SealedValueError extends Error {
  override readonly name = 'SealedValueError'
}

export type Secrets = {
  /** True if there is a key to seal with. */
  readonly isEnabled: boolean
  readonly currentKeyId: string | undefined
  /** The ids of all keys that open values. */
  readonly keyIds: ReadonlySet<string>
  /** @throws Error without a key. Callers check `isEnabled` first. */
  readonly seal: (place: Place, plaintext: string) => string
  /** @throws SealedValueError for an unknown key, another location, or a modified value. */
  readonly open: (place: Place, sealed: string) => string
  /** Returns true if the value is sealed with the current key. */
  readonly isCurrent: (sealed: string) => boolean
}

/** Returns the id of a key, which reveals nothing else of it: the first 8 hex digits of its SHA-256. */
export const computeKeyId = (key: string): string =>
  new Bun.CryptoHasher('sha256').update(Buffer.from(key, 'hex')).digest('hex').slice(0, 8)

/** Returns the prefix of values that are sealed with the key of this id. */
export const buildSealedPrefix = (keyId: string): string => `${VERSION}.${keyId}.`

/** Returns the id of the key of a sealed value, or of its prefix. */
export const getSealedKeyId = (sealed: string): string | undefined => PREFIX.exec(sealed)?.[1]

const buildAssociatedData = ({ table, column, id }: Place): Buffer => Buffer.from(`${table}|${column}|${id}`)

const encrypt = (key: KeyObject, place: Place, plaintext: string): Buffer => {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(buildAssociatedData(place))
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, ciphertext, cipher.getAuthTag()])
}

/** @throws Error if the tag does not match. */
const decrypt = (key: KeyObject, place: Place, bytes: Buffer): string => {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(buildAssociatedData(place))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  const plaintext = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
  return Buffer.concat([plaintext, decipher.final()]).toString('utf8')
}

/** The decoder ignores invalid characters and unused bits, but every character of a sealed value must be authentic. */
const decode = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.length >= NONCE_BYTES + TAG_BYTES && bytes.toString('base64url') === text ? bytes : undefined
}

export type SecretKeys = {
  /** 64 hexadecimal digits; without it nothing can be sealed. */
  readonly key?: string | undefined
  /** Earlier keys, which still open values. */
  readonly previous: readonly string[]
}

/**
 * @example
 * const secrets = createSecrets({ key: 'ab'.repeat(32), previous: [] })
 * const place = { table: 'credentials', column: 'secret', id: '1' }
 * secrets.open(place, secrets.seal(place, 'hunter2')) // 'hunter2'
 */
export const createSecrets = ({ key: current, previous }: SecretKeys): Secrets => {
  // The current key is last, so that it wins over an earlier key of the same id.
  const given = current === undefined ? previous : [...previous, current]
  const keys = new Map(given.map((key) => [computeKeyId(key), createSecretKey(key, 'hex')]))
  const currentKeyId = current === undefined ? undefined : computeKeyId(current)
  const currentKey = currentKeyId === undefined ? undefined : keys.get(currentKeyId)

  return {
    isEnabled: currentKey !== undefined,
    currentKeyId,
    keyIds: new Set(keys.keys()),
    seal: (place, plaintext) => {
      if (!currentKey || currentKeyId === undefined) throw new Error('there is no key to seal a secret with')
      return buildSealedPrefix(currentKeyId) + encrypt(currentKey, place, plaintext).toString('base64url')
    },
    open: (place, sealed) => {
      const at = `${place.table}.${place.column} of ${place.id}`
      const [, keyId = '', text = ''] = FORM.exec(sealed) ?? []
      const bytes = decode(text)
      if (!bytes) throw new SealedValueError(`${at} holds no sealed value`)
      const key = keys.get(keyId)
      if (!key) throw new SealedValueError(`${at} is encrypted with the key ${keyId}, which is not there`)
      try {
        return decrypt(key, place, bytes)
      } catch (cause) {
        throw new SealedValueError(`${at} was altered, or comes from another place`, { cause })
      }
    },
    isCurrent: (sealed) => currentKeyId !== undefined && sealed.startsWith(buildSealedPrefix(currentKeyId)),
  }
}
