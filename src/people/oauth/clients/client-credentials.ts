/** Client authentication at the token and revocation endpoints (RFC 6749 2.3.1). */
import { hashSecret, isSameHash } from '../../../base/security/secret-token.ts'
import type { Parameters } from '../authorization.ts'
import { OauthProtocolError } from '../oauth-error.ts'

/** The credentials in a request; without a secret they only name the client. */
export type ShownClient = { readonly id: string; readonly secret: string | undefined }

const buildInvalidClientError = (description: string) => new OauthProtocolError('invalid_client', description)

/** RFC 6749 2.3.1 requires form encoding of both parts. It leaves the ids and secrets of this server unchanged. */
const decodePart = (part: string): string => {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    throw buildInvalidClientError('The Authorization header can not be read')
  }
}

const parseBasic = (header: string): ShownClient => {
  const [, encoded = ''] = /^Basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(header) ?? []
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon === -1)
    throw buildInvalidClientError('The Authorization header must be Basic with client_id and client_secret')
  return { id: decodePart(text.slice(0, colon)), secret: decodePart(text.slice(colon + 1)) }
}

/** @throws OauthProtocolError invalid_client without credentials, invalid_request with both methods at once */
export const parseClient = (headers: Headers, { client_id, client_secret }: Parameters): ShownClient => {
  const header = headers.get('authorization')
  if (header === null) {
    if (client_id === undefined) throw buildInvalidClientError('client_id is missing')
    return { id: client_id, secret: client_secret }
  }
  if (client_secret !== undefined)
    throw new OauthProtocolError('invalid_request', 'client_secret is in the body and in the Authorization header')
  const basic = parseBasic(header)
  if (client_id !== undefined && client_id !== basic.id)
    throw new OauthProtocolError('invalid_request', 'client_id is not the one of the Authorization header')
  return basic
}

/** True for a proven client. A client without a secret must send none, so that a made-up secret never counts as proof. */
export const isProven = ({ secret }: ShownClient, secretHashed: string | null): boolean => {
  if (secretHashed === null) return secret === undefined
  return secret !== undefined && isSameHash(hashSecret(secret), secretHashed)
}
