/** The credentials of the NetBox API: an API key as `Token KEY` or `Bearer KEY`. */
import type { Identify } from '../../kernel/request.ts'
import { createDetail } from './errors.ts'

const SCHEME = /^(?:Token|Bearer)(?: |$)/i
const KEY = /^\w+ +([A-Za-z0-9._~+/-]{1,512}=*) *$/

/** @throws AppError with the status 403, as NetBox answers, for a request without an API key */
export const createKeyIdentify =
  (identify: Identify): Identify =>
  async (headers, origin) => {
    const authorization = headers.get('authorization') ?? ''
    if (!SCHEME.test(authorization))
      throw createDetail('UNAUTHORIZED', 'Authentication credentials were not provided.', 403)
    const [, key] = KEY.exec(authorization) ?? []
    if (key === undefined) throw createDetail('UNAUTHORIZED', 'Invalid token', 403)
    return identify(new Headers({ authorization: `Bearer ${key}` }), origin)
  }
