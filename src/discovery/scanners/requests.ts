/** Identifies the scanner of a request by its token, and reads the body within its bounds. */
import { createFairLane } from '../../base/jobs/fair-lane.ts'
import { hashSecret } from '../../base/security/secret-token.ts'
import { AppError, invalidField } from '../../contract/errors.ts'
import type { EnrolledScanner, EnrollingScanner } from '../../inventory/scanners/state-row-store.ts'
import { findByEnrolment, findByToken } from '../../inventory/scanners/state-store.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { WIRE_LIMITS, WIRE_PROTOCOL } from '../../scanner/wire.ts'
import { parseJson, readBytes, requireJsonType } from '../../surfaces/http/body/body.ts'

export const TOKEN_PREFIX = 'plat_sc_'
export const ENROLMENT_PREFIX = 'plat_en_'

/** @throws AppError UNAUTHORIZED without a Bearer token of this kind */
const hashToken = ({ headers }: Request, prefix: string): string => {
  const [, token = ''] = /^Bearer +([\w-]{51}) *$/i.exec(headers.get('authorization') ?? '') ?? []
  if (!token.startsWith(prefix))
    throw new AppError('UNAUTHORIZED', `Send the token of a scanner, ${prefix}..., as a Bearer token`)
  return hashSecret(token)
}

export type Authenticated = { readonly scanner: EnrolledScanner; readonly tokenHash: string }

/** @throws AppError UNAUTHORIZED */
export const findScannerOrThrow = async (ctx: Ctx, tokenHash: string): Promise<EnrolledScanner> => {
  const scanner = await findByToken(ctx, tokenHash)
  if (scanner) return scanner
  throw new AppError(
    'UNAUTHORIZED',
    'The token of the scanner is not valid: the scanner was revoked, deleted or enrolled again',
  )
}

/** @throws AppError UNAUTHORIZED */
export const authenticate = async (ctx: Ctx, request: Request): Promise<Authenticated> => {
  const tokenHash = hashToken(request, TOKEN_PREFIX)
  return { scanner: await findScannerOrThrow(ctx, tokenHash), tokenHash }
}

export type Enrolling = { readonly scanner: EnrollingScanner; readonly enrolmentHash: string }

export const createVoidTokenError = (): AppError =>
  new AppError('INVALID_CREDENTIALS', 'The enrolment token is unknown, used or void; make another one')

/** @throws AppError UNAUTHORIZED, INVALID_CREDENTIALS, EXPIRED_KEY */
export const authenticateEnrolment = async (ctx: Ctx, request: Request): Promise<Enrolling> => {
  const enrolmentHash = hashToken(request, ENROLMENT_PREFIX)
  const scanner = await findByEnrolment(ctx, enrolmentHash)
  if (!scanner) throw createVoidTokenError()
  if (scanner.expires_at <= ctx.now)
    throw new AppError('EXPIRED_KEY', 'The enrolment token has expired; make another one')
  return { scanner, enrolmentHash }
}

/** @throws AppError VALIDATION_ERROR on `protocol` for a number that the server does not know */
export const checkProtocol = (protocol: number): void => {
  if (protocol === WIRE_PROTOCOL || (protocol === WIRE_PROTOCOL - 1 && protocol > 0)) return
  const what = protocol > WIRE_PROTOCOL ? 'this server' : 'the scanner'
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
