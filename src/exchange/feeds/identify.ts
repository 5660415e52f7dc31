/** The credentials of the content of a feed: an API key of it also as a Basic password, or in the query string. */
import { AppError } from '../../contract/errors.ts'
import type { Identify, Identity, RequestOrigin } from '../../kernel/request.ts'
import { parseFeedId } from './content.ts'

/** A client that sends no header by itself asks for a password (RFC 7617). */
const CHALLENGE = 'Bearer, Basic realm="feed"'

const BASIC = /^Basic +([A-Za-z0-9+/]+=*) *$/i

/** @returns the password; undefined for a header of another scheme */
const parseBasicPassword = (authorization: string): string | undefined => {
  const [, credentials] = BASIC.exec(authorization) ?? []
  if (credentials === undefined) return undefined
  const text = Buffer.from(credentials, 'base64').toString()
  return text.slice(text.indexOf(':') + 1)
}

const withChallenge = (thrown: unknown): unknown =>
  thrown instanceof AppError && thrown.status === 401
    ? new AppError(thrown.code, thrown.message, { cause: thrown, challenge: CHALLENGE })
    : thrown

/** @throws AppError UNAUTHORIZED with the challenge; FORBIDDEN for a key of another feed */
export const createFeedIdentify = (identify: Identify): Identify => {
  /** Logs and histories may copy a key out of a URL, so it must open only this feed. */
  const byFeedKey = async (key: string, origin: RequestOrigin): Promise<Identity> => {
    // No header could hold a key of another form.
    const isKey = /^[A-Za-z0-9._~+/-]{1,512}$/.test(key)
    const identity = isKey ? await identify(new Headers({ authorization: `Bearer ${key}` }), origin) : undefined
    if (identity?.caller.feedId === undefined)
      throw new AppError('UNAUTHORIZED', 'A password or a token in the URL must be an API key of this feed')
    return identity
  }
  const findIdentity = async (headers: Headers, origin: RequestOrigin): Promise<Identity | undefined> => {
    const authorization = headers.get('authorization')
    const password = authorization === null ? undefined : parseBasicPassword(authorization)
    if (password !== undefined) return byFeedKey(password, origin)
    const token = authorization === null ? new URL(origin.url).searchParams.get('token') : null
    return token === null ? identify(headers, origin) : byFeedKey(token, origin)
  }
  return async (headers, origin = { client: '', url: '' }) => {
    try {
      const identity = await findIdentity(headers, origin)
      if (!identity) throw new AppError('UNAUTHORIZED', 'Send an API key as a Bearer token')
      const { feedId } = identity.caller
      if (feedId !== undefined && feedId !== parseFeedId(origin.url))
        throw new AppError('FORBIDDEN', 'The API key is of another feed')
      return identity
    } catch (thrown) {
      throw withChallenge(thrown)
    }
  }
}
