/** The errors that clients see, with HTTP status and CLI exit code. Browser-safe. Any other thrown value is a bug. */

export const ERRORS = {
  VALIDATION_ERROR: { status: 400, exit: 2 },
  INVALID_INPUT: { status: 400, exit: 2 },
  INVALID_JSON: { status: 400, exit: 2 },
  CANNOT_DELETE_SELF: { status: 400, exit: 2 },
  SYSTEM_ROLE: { status: 400, exit: 2 },
  AUTHORIZATION_PENDING: { status: 400, exit: 6 },
  SLOW_DOWN: { status: 400, exit: 6 },
  ACCESS_DENIED: { status: 400, exit: 3 },
  EXPIRED_TOKEN: { status: 400, exit: 3 },
  UNAUTHORIZED: { status: 401, exit: 3 },
  INVALID_CREDENTIALS: { status: 401, exit: 3 },
  SECOND_FACTOR_REQUIRED: { status: 401, exit: 3 },
  EXPIRED_KEY: { status: 401, exit: 3 },
  LEGACY_API_KEY_UNSUPPORTED: { status: 401, exit: 3 },
  FORBIDDEN: { status: 403, exit: 3 },
  REAUTHENTICATION_REQUIRED: { status: 403, exit: 3 },
  SECOND_FACTOR_SETUP_REQUIRED: { status: 403, exit: 3 },
  CSRF_FAILED: { status: 403, exit: 3 },
  NOT_FOUND: { status: 404, exit: 4 },
  METHOD_NOT_ALLOWED: { status: 405, exit: 2 },
  ALREADY_EXISTS: { status: 409, exit: 5 },
  IP_NOT_AVAILABLE: { status: 409, exit: 5 },
  LAST_FACTOR: { status: 409, exit: 5 },
  LAST_ADMIN: { status: 409, exit: 5 },
  LIMIT_REACHED: { status: 409, exit: 5 },
  IN_USE: { status: 409, exit: 5 },
  UNDO_CONFLICT: { status: 409, exit: 5 },
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

/** One invalid field: `addresses[0].ip`, `name`, ... */
export type FieldIssue = { readonly field: string; readonly message: string }

/** The error body of every surface: `{code, error, details}`. */
export type ErrorBody = { readonly code: ErrorCode; readonly error: string; readonly details: readonly FieldIssue[] }

type Options = ErrorOptions & {
  readonly details?: readonly FieldIssue[]
  readonly status?: number
  readonly retryAt?: Date
  readonly retryAfterS?: number
  readonly challenge?: string
}

export class AppError extends Error {
  override readonly name = 'AppError'
  readonly details: readonly FieldIssue[]
  /** HTTP status; usually the code's own, unless a code has several (a body that is too large: 413 INVALID_INPUT). */
  readonly status: number
  /** The time after which a retry is useful: the header Retry-After. */
  readonly retryAt: Date | undefined
  /** The same as a pause in seconds, for an error that many clients get at once. */
  readonly retryAfterS: number | undefined
  /** The header WWW-Authenticate; for a 401 the default is `Bearer`. */
  readonly challenge: string | undefined

  constructor(
    readonly code: ErrorCode,
    message: string,
    { details = [], status = ERRORS[code].status, retryAt, retryAfterS, challenge, ...options }: Options = {},
  ) {
    super(message, options)
    this.details = details
    this.status = status
    this.retryAt = retryAt
    this.retryAfterS = retryAfterS
    this.challenge = challenge
  }

  toBody(): ErrorBody {
    return { code: this.code, error: this.message, details: this.details }
  }
}

/** The 400 for all invalid fields. @example invalid([{ field: 'name', message: 'is required' }]) */
export const invalid = (issues: readonly FieldIssue[]): AppError => {
  // One entry per field: its first error.
  const seen = new Set<string>()
  const details = issues.filter(({ field }) => !seen.has(field) && seen.add(field))
  return new AppError('VALIDATION_ERROR', details.map((d) => `${d.field}: ${d.message}`).join('; '), { details })
}

/** Returns the 400 for one invalid field. */
export const invalidField = (field: string, message: string): AppError => invalid([{ field, message }])

/** @throws AppError VALIDATION_ERROR with all issues, if there are any */
export const rejectIssues = (issues: readonly FieldIssue[]): void => {
  if (issues.length > 0) throw invalid(issues)
}

/** Returns the 404 for one object: `No device with id "x"`. */
export const notFound = (noun: string, id: string): AppError => new AppError('NOT_FOUND', `No ${noun} with id "${id}"`)

/** @example nameTaken('group', 'netops').message // 'There is a group called "netops" already' */
export const nameTaken = (noun: string, name: string): AppError =>
  new AppError('ALREADY_EXISTS', `There is ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun} called "${name}" already`, {
    details: [{ field: 'name', message: `is the name of another ${noun}` }],
  })

/** Returns what a query found. @throws AppError NOT_FOUND without it */
export const orNotFound = <T>(row: T | undefined, noun: string, id: string): T => {
  if (row === undefined) throw notFound(noun, id)
  return row
}

/** Converts any thrown value to an AppError. Anything else is a bug: its cause is logged and never shown. */
export const toAppError = (err: unknown): AppError =>
  err instanceof AppError ? err : new AppError('INTERNAL_ERROR', 'Something went wrong on the server', { cause: err })
