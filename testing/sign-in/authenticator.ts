/** An authenticator in software, for tests of passkeys: ES256, no attestation (WebAuthn level 3, sections 6.1 and 8.7). */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest()
const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url')

/** Flags of the authenticator data. */
const UP = 0x01
const UV = 0x04
const BE = 0x08
const BS = 0x10
const AT = 0x40

export type AuthenticatorOptions = {
  readonly origin: string
  readonly rpId: string
  /** True for a passkey that its devices share. */
  readonly isSynced?: boolean
}

type Options = { readonly challenge: string }

/** Errors that an answer may have. */
export type Wrong = {
  readonly origin?: string
  readonly rpId?: string
  /** False for an authenticator that has not asked for a PIN or a finger. */
  readonly isVerified?: boolean
  readonly userHandle?: string
  readonly signature?: Buffer
}

/** CBOR (RFC 8949) of the few forms that an attestation needs. */
const head = (major: number, n: number): Buffer => {
  const type = major << 5
  if (n < 24) return Buffer.from([type | n])
  return n < 256 ? Buffer.from([type | 24, n]) : Buffer.from([type | 25, n >> 8, n & 255])
}
const cborText = (text: string): Buffer => Buffer.concat([head(3, text.length), Buffer.from(text)])
const cborBytes = (bytes: Uint8Array): Buffer => Buffer.concat([head(2, bytes.length), bytes])
const cborInt = (n: number): Buffer => (n < 0 ? head(1, -1 - n) : head(0, n))

const coseOf = (key: KeyObject): Buffer => {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const [px, py] = [x, y].map((part) => Buffer.from(part, 'base64url'))
  // EC2, ES256, P-256, x, y (RFC 9053, section 7.1.1).
  return Buffer.concat([
    ...[head(5, 5), cborInt(1), cborInt(2), cborInt(3), cborInt(-7), cborInt(-1), cborInt(1)],
    ...[cborInt(-2), cborBytes(px ?? Buffer.of()), cborInt(-3), cborBytes(py ?? Buffer.of())],
  ])
}

export const createAuthenticator = ({ origin, rpId, isSynced = false }: AuthenticatorOptions) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  const credential = { id: base64url(id), rawId: base64url(id), type: 'public-key' as const }
  let userId = ''
  let counter = 0

  const authenticatorData = (wrong: Wrong, more: Buffer = Buffer.of()): Buffer => {
    const backup = isSynced ? BE | BS : 0
    const flags = UP | (wrong.isVerified === false ? 0 : UV) | backup | (more.length > 0 ? AT : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(isSynced ? 0 : ++counter)
    return Buffer.concat([sha256(wrong.rpId ?? rpId), Buffer.from([flags]), count, more])
  }
  const clientData = (type: string, { challenge }: Options, wrong: Wrong): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin: wrong.origin ?? origin, crossOrigin: false }))

  return {
    id: credential.id,
    /** Sets the signature counter back, as a copy of the authenticator has it. */
    rewind: (to: number): void => {
      counter = to
    },
    register: (options: Options & { readonly user: { readonly id: string } }, wrong: Wrong = {}) => {
      userId = options.user.id
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const attested = Buffer.concat([Buffer.alloc(16), length, id, coseOf(publicKey)])
      const attestationObject = Buffer.concat([
        ...[head(5, 3), cborText('fmt'), cborText('none'), cborText('attStmt'), head(5, 0)],
        ...[cborText('authData'), cborBytes(authenticatorData(wrong, attested))],
      ])
      const clientDataJSON = clientData('webauthn.create', options, wrong)
      return {
        ...credential,
        response: {
          clientDataJSON: base64url(clientDataJSON),
          attestationObject: base64url(attestationObject),
          transports: ['internal'],
        },
        clientExtensionResults: {},
      }
    },
    signIn: (options: Options, wrong: Wrong = {}) => {
      const data = authenticatorData(wrong)
      const clientDataJSON = clientData('webauthn.get', options, wrong)
      const signature = sign('sha256', Buffer.concat([data, sha256(clientDataJSON)]), privateKey)
      return {
        ...credential,
        response: {
          clientDataJSON: base64url(clientDataJSON),
          authenticatorData: base64url(data),
          signature: base64url(wrong.signature ?? signature),
          userHandle: wrong.userHandle ?? userId,
        },
        clientExtensionResults: {},
      }
    },
  }
}

export type Authenticator = ReturnType<typeof createAuthenticator>
