/** The only errors a client ever sees, with their HTTP status and CLI exit code. Browser-safe. Whatever else is thrown is a bug. */

export const ERRORS = {
  VALIDATION_ERROR: { status: 400, exit: 2 },
  INVALID_INPUT: { status: 400, exit: 2 },
  INVALID_JSON: { status: 400, exit: 2 },
  CANNOT_DELETE_SELF: { status: 400, exit: 2 },
  SYSTEM_ROLE: { status: 400, exit: 2 },
  UNAUTHORIZED: { status: 401, exit: 3 },
  INVALID_CREDENTIALS: { status: 401, exit: 3 },
  EXPIRED_KEY: { status: 401, exit: 3 },
  LEGACY_API_KEY_UNSUPPORTED: { status: 401, exit: 3 },
  FORBIDDEN: { status: 403, exit: 3 },
  CSRF_FAILED: { status: 403, exit: 3 },
  NOT_FOUND: { status: 404, exit: 4 },
  METHOD_NOT_ALLOWED: { status: 405, exit: 2 },
  ALREADY_EXISTS: { status: 409, exit: 5 },
  IP_NOT_AVAILABLE: { status: 409, exit: 5 },
  LAST_ADMIN: { status: 409, exit: 5 },
  LIMIT_REACHED: { status: 409, exit: 5 },
  PRECONDITION_FAILED: { status: 412, exit: 5 },
  MISDIRECTED_REQUEST: { status: 421, exit: 2 },
  RATE_LIMIT_EXCEEDED: { status: 429, exit: 6 },
  LOGIN_RATE_LIMIT_EXCEEDED: { status: 429, exit: 6 },
  INTERNAL_ERROR: { status: 500, exit: 1 },
  PROVIDER_UNREACHABLE: { status: 502, exit: 6 },
  UNAVAILABLE: { status: 503, exit: 6 },
} as const

export type ErrorCode = keyof typeof ERRORS
// The keys of a constant are its codes.
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[]

/** One bad field: `addresses[0].ip`, `name`, ... */
export type FieldIssue = { readonly field: string; readonly message: string }

/** The error body of every surface: `{code, error, details}`. */
export type ErrorBody = { readonly code: ErrorCode; readonly error: string; readonly details: readonly FieldIssue[] }

type Options = ErrorOptions & {
  readonly details?: readonly FieldIssue[]
  readonly status?: number
  readonly retryAt?: Date
  readonly challenge?: string
}

export class AppError extends Error {
  override readonly name = 'AppError'
  readonly details: readonly FieldIssue[]
  /** HTTP status; the code's own unless one code answers with several (a body that is too large: 413 INVALID_INPUT). */
  readonly status: number
  /** When it is worth trying again: the header Retry-After. */
  readonly retryAt: Date | undefined
  /** The header WWW-Authenticate; a 401 without one of its own says `Bearer`. */
  readonly challenge: string | undefined

  constructor(
    readonly code: ErrorCode,
    message: string,
    { details = [], status = ERRORS[code].status, retryAt, challenge, ...options }: Options = {},
  ) {
    super(message, options)
    this.details = details
    this.status = status
    this.retryAt = retryAt
    this.challenge = challenge
  }

  toBody(): ErrorBody {
    return { code: this.code, error: this.message, details: this.details }
  }
}

/**
 * The 400 that names every bad field at once.
 * @example invalid([{ field: 'name', message: 'is required' }]).message // 'name: is required'
 */
export const invalid = (issues: readonly FieldIssue[]): AppError => {
  // One entry a field: the first thing that is wrong with it.
  const seen = new Set<string>()
  const details = issues.filter(({ field }) => !seen.has(field) && seen.add(field))
  return new AppError('VALIDATION_ERROR', details.map((d) => `${d.field}: ${d.message}`).join('; '), { details })
}

/** The 400 for one bad field. */
export const invalidField = (field: string, message: string): AppError => invalid([{ field, message }])

/** The 404 for one object: `No device with id "x"`. */
export const notFound = (noun: string, id: string): AppError => new AppError('NOT_FOUND', `No ${noun} with id "${id}"`)

/** Anything that is not an AppError is a bug: its cause is kept for the log and never shown. */
export const toAppError = (err: unknown): AppError =>
  err instanceof AppError ? err : new AppError('INTERNAL_ERROR', 'Something went wrong on the server', { cause: err })
