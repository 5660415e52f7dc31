/** How a client says who it is at the token and revocation endpoints (RFC 6749 2.3.1), and whether that is true. */
import { isSameHash, secretHash } from '../../platform/security/secret-token.ts'
import type { Parameters } from './authorization.ts'
import { OauthRefusal } from './oauth-error.ts'

/** What a client shows; without a secret it shows no more than its name. */
export type ShownClient = { readonly id: string; readonly secret: string | undefined }

const nobody = (description: string) => new OauthRefusal('invalid_client', description)

/** RFC 6749 2.3.1 has both parts encoded as in forms; ids and secrets of ours look the same either way. */
const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    throw nobody('The Authorization header can not be read')
  }
}

const basicOf = (header: string): ShownClient => {
  const [, encoded = ''] = /^Basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(header) ?? []
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon === -1) throw nobody('The Authorization header must be Basic with client_id and client_secret')
  return { id: decoded(text.slice(0, colon)), secret: decoded(text.slice(colon + 1)) }
}

/** @throws OauthRefusal invalid_client for none, invalid_request for two ways at once. */
export const shownClient = (headers: Headers, { client_id, client_secret }: Parameters): ShownClient => {
  const header = headers.get('authorization')
  if (header === null) {
    if (client_id === undefined) throw nobody('client_id is missing')
    return { id: client_id, secret: client_secret }
  }
  if (client_secret !== undefined)
    throw new OauthRefusal('invalid_request', 'client_secret is in the body and in the Authorization header')
  const basic = basicOf(header)
  if (client_id !== undefined && client_id !== basic.id)
    throw new OauthRefusal('invalid_request', 'client_id is not the one of the Authorization header')
  return basic
}

/**
 * Whether what was shown proves it. A client that has a secret must show it, in whichever of the two ways; one that has
 * none must show none, so that nobody takes a made-up one for a proof.
 */
export const isProven = ({ secret }: ShownClient, secretHashed: string | null): boolean => {
  if (secretHashed === null) return secret === undefined
  return secret !== undefined && isSameHash(secretHash(secret), secretHashed)
}
