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
  APPROVAL_REQUIRED: { status: 403, exit: 3 },
  NOT_FOUND: { status: 404, exit: 4 },
  METHOD_NOT_ALLOWED: { status: 405, exit: 2 },
  ALREADY_EXISTS: { status: 409, exit: 5 },
  IP_NOT_AVAILABLE: { status: 409, exit: 5 },
  LAST_FACTOR: { status: 409, exit: 5 },
  LAST_ADMIN: { status: 409, exit: 5 },
  LIMIT_REACHED: { status: 409, exit: 5 },
  IN_USE: { status: 409, exit: 5 },
  SOURCE_HELD: { status: 409, exit: 5 },
  UNDO_CONFLICT: { status: 409, exit: 5 },
  MERGE_CONFLICT: { status: 409, exit: 5 },
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

/** The largest number of fields that an error names, and of characters that their names and messages have together. */
export const MAX_ISSUES = 100
export const MAX_ISSUE_CHARACTERS = 16_384
/** The largest number of characters of a message, of one field's message, and of a field's name. */
const MAX_MESSAGE = 2 * MAX_ISSUE_CHARACTERS
const MAX_FIELD_MESSAGE = 4096
const MAX_FIELD = 256
/** The largest number of characters of a name that a message quotes. */
const MAX_QUOTED = 64

/** Returns the beginning of a text that is too long, which ends with `...`. */
export const shorten = (text: string, most = MAX_QUOTED): string => {
  if (text.length <= most) return text
  const kept = text.slice(0, most)
  // Half of a pair of surrogates is no character.
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}...`
}

const shortenIssue = ({ field, message }: FieldIssue): FieldIssue => ({
  field: shorten(field, MAX_FIELD),
  message: shorten(message, MAX_FIELD_MESSAGE),
})

/** Returns the first issues, of different fields, within the bounds of an error. There is always one. */
const limitIssues = (issues: readonly FieldIssue[]): readonly FieldIssue[] => {
  const kept: FieldIssue[] = []
  let characters = 0
  for (const one of issues) {
    const issue = shortenIssue(one)
    characters += issue.field.length + issue.message.length
    if (kept.length === MAX_ISSUES || (kept.length > 0 && characters > MAX_ISSUE_CHARACTERS)) break
    kept.push(issue)
  }
  return kept
}

const formatIssues = (details: readonly FieldIssue[], total: number): string => {
  const named = details.map(({ field, message }) => `${field}: ${message}`).join('; ')
  const others = total - details.length
  return others > 0 ? `${named}; and ${Number.isFinite(others) ? `${others} ` : ''}more` : named
}

type Options = ErrorOptions & {
  readonly details?: readonly FieldIssue[]
  readonly total?: number
  readonly status?: number
  readonly retryAt?: Date
  readonly retryAfterS?: number | undefined
  readonly challenge?: string
}

export class AppError extends Error {
  override readonly name = 'AppError'
  readonly details: readonly FieldIssue[]
  /** The number of invalid fields, of which `details` may name only the first. */
  readonly total: number
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
    { details = [], total, status = ERRORS[code].status, retryAt, retryAfterS, challenge, ...options }: Options = {},
  ) {
    super(message, options)
    this.details = details
    this.total = total ?? details.length
    this.status = status
    this.retryAt = retryAt
    this.retryAfterS = retryAfterS
    this.challenge = challenge
  }
}

/** Returns the body of an answer with the error, within its bounds. */
export const toErrorBody = ({ code, message, details }: AppError): ErrorBody => ({
  code,
  error: shorten(message, MAX_MESSAGE),
  details: limitIssues(details),
})

/**
 * Returns the 400 for invalid fields. It names the first of them, and counts the others. @param total if not all are given; Infinity if
 * not counted
 */
export const invalid = (issues: readonly FieldIssue[], total = 0): AppError => {
  // One entry per field: its first error.
  const seen = new Set<string>()
  const all = issues.filter(({ field }) => !seen.has(field) && seen.add(field))
  const details = limitIssues(all)
  const count = Math.max(total, all.length)
  return new AppError('VALIDATION_ERROR', formatIssues(details, count), { details, total: count })
}

/** Returns the 400 for one invalid field. Without `invalid`, which a browser does not load. */
export const invalidField = (field: string, message: string): AppError => {
  const issue = shortenIssue({ field, message })
  return new AppError('VALIDATION_ERROR', `${issue.field}: ${issue.message}`, { details: [issue] })
}

/** @throws AppError VALIDATION_ERROR with all issues, if there are any */
export const rejectIssues = (issues: readonly FieldIssue[]): void => {
  if (issues.length > 0) throw invalid(issues)
}

/** Returns the 404 for one object: `No device with id "x"`. */
export const notFound = (noun: string, id: string): AppError =>
  new AppError('NOT_FOUND', `No ${noun} with id "${shorten(id, MAX_FIELD)}"`)

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
