/** Identifies the scanner of a request by its token, and reads the body within its bounds. */
import { createFairLane } from '../../base/jobs/fair-lane.ts'
import { hashSecret } from '../../base/security/secret-token.ts'
import { AppError, invalidField } from '../../contract/errors.ts'
import type { Db } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import type { EnrolledScanner, EnrollingScanner } from '../../inventory/scanners/state-row-store.ts'
import { findByEnrolment, findByToken } from '../../inventory/scanners/state-store.ts'
import type { Ctx, StoreScope } from '../../kernel/ctx.ts'
import type { Identify, Identity } from '../../kernel/request.ts'
import { findOlderSide, WIRE_LIMITS, WIRE_PROTOCOL } from '../../scanner/wire.ts'
import { parseJson, readBytes, requireJsonType } from '../../surfaces/http/body/body.ts'

export const TOKEN_PREFIX = 'plat_sc_'
export const ENROLMENT_PREFIX = 'plat_en_'

/** @throws AppError UNAUTHORIZED without a Bearer token of this kind */
const hashToken = (headers: Headers, prefix: string): string => {
  const [, token = ''] = /^Bearer +([\w-]{51}) *$/i.exec(headers.get('authorization') ?? '') ?? []
  if (!token.startsWith(prefix))
    throw new AppError('UNAUTHORIZED', `Send the token of a scanner, ${prefix}..., as a Bearer token`)
  return hashSecret(token)
}

/** @throws AppError UNAUTHORIZED */
export const findScannerOrThrow = async (scope: StoreScope, tokenHash: string): Promise<EnrolledScanner> => {
  const scanner = await findByToken(scope, tokenHash)
  if (scanner) return scanner
  throw new AppError('UNAUTHORIZED', 'The token is not valid: the scanner was revoked, deleted or enrolled again')
}

export const hashScannerToken = ({ headers }: Pick<Request, 'headers'>): string => hashToken(headers, TOKEN_PREFIX)

export const createVoidTokenError = (): AppError =>
  new AppError('INVALID_CREDENTIALS', 'The enrolment token is unknown, used or void; make another one')

export type Enrolling = { readonly scanner: EnrollingScanner; readonly enrolmentHash: string }

/** @throws AppError UNAUTHORIZED, INVALID_CREDENTIALS, EXPIRED_KEY */
export const authenticateEnrolment = async (
  scope: StoreScope & Pick<Ctx, 'now'>,
  { headers }: Pick<Request, 'headers'>,
): Promise<Enrolling> => {
  const enrolmentHash = hashToken(headers, ENROLMENT_PREFIX)
  const scanner = await findByEnrolment(scope, enrolmentHash)
  if (!scanner) throw createVoidTokenError()
  if (scanner.expires_at <= scope.now)
    throw new AppError('EXPIRED_KEY', 'The enrolment token has expired; make another one')
  return { scanner, enrolmentHash }
}

/** A scanner has no permissions, and is the user of no account. */
const buildIdentity = ({ id, name }: Pick<EnrolledScanner, 'id' | 'name'>): Identity => ({
  caller: {
    ...{ userId: undefined, username: name, via: 'key', credentialId: id, keyName: name },
    permissions: new Set(),
  },
  isAmbient: false,
})

type IdentifyOptions = { readonly db: Db<Tables>; readonly now: () => Date }

/** Returns the ways to identify the callers of an enrolment, and of all other requests. */
export const createScannerIdentify = ({ db, now }: IdentifyOptions): Record<'enrolling' | 'enrolled', Identify> => {
  const getScope = () => ({ db: db.quick, store: db, now: now().toISOString() })
  return {
    enrolling: async (headers) => buildIdentity((await authenticateEnrolment(getScope(), { headers })).scanner),
    enrolled: async (headers) => buildIdentity(await findScannerOrThrow(getScope(), hashScannerToken({ headers }))),
  }
}

/** @throws AppError VALIDATION_ERROR on `protocol` for a number that the server does not know */
export const checkProtocol = (protocol: number): void => {
  const side = findOlderSide(protocol)
  if (side === undefined) return
  const what = side === 'server' ? 'this server' : 'the scanner'
  throw invalidField('protocol', `is ${protocol}, and this server speaks ${WIRE_PROTOCOL}: upgrade ${what}`)
}

const createBusyError = (): AppError =>
  new AppError('RATE_LIMIT_EXCEEDED', 'Too many requests of scanners are in progress; try again', { retryAfterS: 5 })

/** Bodies that are in memory at a time, in bytes at most 4 MiB each, and requests that wait for them. */
const BODIES = { atOnce: 32, waiting: 512, refusal: createBusyError }
/** Bodies that are parsed and stored at a time: each takes up to 20 times its size. */
const PARSED = { atOnce: 2, waiting: 512, refusal: createBusyError }

export type Bodies = {
  /** Reads the body of a request, and works with it. A scanner has one request at a time; they take turns. */
  readonly use: <T>(call: Call, work: (body: object) => Promise<T>) => Promise<T>
}

type Call = { readonly request: Request; readonly scannerId: string; readonly signal: AbortSignal }

export const createBodies = (): Bodies => {
  const bodies = createFairLane(BODIES)
  const parsed = createFairLane(PARSED)
  return {
    use: ({ request, scannerId, signal }, work) => {
      requireJsonType(request)
      const owner = { group: scannerId, key: scannerId }
      const read = async () => {
        const bytes = await readBytes(request, WIRE_LIMITS.bodyBytes)
        return parsed.run(owner, async () => work(parseObject(bytes)), signal)
      }
      return bodies.run(owner, read, signal)
    },
  }
}

/** @throws AppError INVALID_JSON */
const parseObject = (bytes: Uint8Array): object => {
  const body = parseJson(bytes)
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new AppError('INVALID_JSON', 'The body must be a JSON object')
  return body
}
