/** Recognizes errors of PostgreSQL itself: it is unreachable, busy, or took too long. */
import { SQL } from 'bun'
import { type Fault, FaultError } from '../../base/disk/fault.ts'
import { AppError } from '../../contract/errors.ts'
import { getTextErrorCode } from '../../contract/unknown.ts'
import { describeRefusal } from './connections/refusals.ts'

/** SQLSTATEs of a server that stops or starts, was promoted or demoted. */
const AWAY = /^(57P0[1-5]|08...|25006|25P03)$/
/** `read_only_sql_transaction`: a write on a standby. */
const READ_ONLY = '25006'
/** `query_canceled`, by the limit on statements, and `lock_not_available`, by that on waiting for a lock. */
const TOO_LONG = /^(57014|55P03)$/
/** A standby has cancelled a query because it conflicts with replay, or would block it for ever. */
const CANCELLED_BY_REPLAY = /^40(001|P01)$/
/** Errors of the client without an answer of the server: refused, closed, timed out. */
const CONNECTION =
  /^(ERR_POSTGRES_(CONNECTION_.*|IDLE_TIMEOUT|LIFETIME_TIMEOUT)|ECONN.*|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/

const MESSAGES = {
  away: 'The database does not answer; try again in a moment',
  slow: 'The database took too long; try again in a moment',
} as const

/** PostgreSQL, appendix A. */
const FAULTS: readonly (readonly [RegExp, Fault])[] = [
  [
    /^53100$/,
    {
      kind: 'full',
      reason: 'the disk of PostgreSQL is full: changes are refused until there is space, reading goes on',
      remedy: 'free space on it, or add some',
    },
  ],
  [
    /^53200$/,
    {
      kind: 'memory',
      reason: 'PostgreSQL is out of memory',
      remedy: 'its log says of which: give the machine more, or raise max_locks_per_transaction if it is that of locks',
    },
  ],
  [
    /^53(000|4..)$/,
    {
      kind: 'limit',
      reason: 'PostgreSQL has reached a limit of its configuration',
      remedy: 'its log names the setting, such as temp_file_limit',
    },
  ],
  [
    /^25006$/,
    {
      kind: 'read-only',
      reason: 'PostgreSQL takes no changes: it is a standby, or default_transaction_read_only is on',
      remedy: 'set that to off, or name the primary in DATABASE_URL',
    },
  ],
  [
    /^58/,
    {
      kind: 'failing',
      reason: 'the disk of PostgreSQL fails (I/O error): changes are refused until one succeeds',
      remedy: 'its log names the file: look at the log of the kernel there (dmesg), and make a backup',
    },
  ],
  [
    /^XX00[12]$/,
    {
      kind: 'damaged',
      reason: 'the data of PostgreSQL are damaged: changes are refused until one succeeds',
      remedy: 'its log names the table: restore a backup, or REINDEX if it is an index',
    },
  ],
]

/** The SQLSTATEs of a missing privilege and of a wrong kind of object. */
const REFUSED_FILE = /^(42501|42809)$/
/** The parts of PostgreSQL that open its files: they use these too, such as for a file system that can only be read. */
const STORAGE = /^(md|fd|slru|buffile|relmapper|copydir)\.c$/
/** `io_error`. */
const IO_ERROR = '58030'

const getSqlState = (error: unknown): string =>
  error instanceof SQL.PostgresError && error.errno !== undefined ? String(error.errno) : ''

const getProblem = (error: unknown): keyof typeof MESSAGES | undefined => {
  const state = getSqlState(error)
  if (AWAY.test(state)) return 'away'
  if (TOO_LONG.test(state)) return 'slow'
  const code = getTextErrorCode(error)
  return CONNECTION.test(code) ? 'away' : undefined
}

/** True if the server is unreachable, or is not what it was. Also of an error that was translated. */
export const isAway = (error: unknown): boolean =>
  error instanceof AppError
    ? error.code === 'UNAVAILABLE' && (error.cause === undefined || isAway(error.cause))
    : getProblem(error) === 'away' || describeRefusal(error) !== undefined

/** True if the server refused a write because it is a standby. Also of an error that was translated. */
export const isRefusedWrite = (error: unknown): boolean =>
  getSqlState(error instanceof AppError ? error.cause : error) === READ_ONLY

export const isCancelledByReplay = (error: unknown): boolean => CANCELLED_BY_REPLAY.test(getSqlState(error))

/** `lock_not_available` and `deadlock_detected`. */
const LOCK_CONFLICT = /^(55P03|40P01)$/

/** Returns true for an error, translated or not, of a transaction that did not get a lock. */
export const isLockConflict = (error: unknown): boolean => {
  const own = error instanceof AppError ? error.cause : error
  return own instanceof SQL.PostgresError && LOCK_CONFLICT.test(String(own.errno))
}

/** Returns the fault that an error, translated or not, reports; undefined for any other error. */
export const getPostgresFault = (error: unknown): Fault | undefined => {
  if (error instanceof FaultError) return error.fault
  if (!(error instanceof SQL.PostgresError)) return undefined
  const isRefusedFile = REFUSED_FILE.test(getSqlState(error)) && STORAGE.test(error.file ?? '')
  const state = isRefusedFile ? IO_ERROR : getSqlState(error)
  return FAULTS.find(([pattern]) => pattern.test(state))?.[1]
}

/** Returns a 503 for an error of the server's state; any other error unchanged. */
export const translatePostgresError = (error: unknown): unknown => {
  const fault = getPostgresFault(error)
  if (fault) return error instanceof FaultError ? error : new FaultError(fault, { cause: error })
  const refusal = describeRefusal(error)
  if (refusal !== undefined) return new AppError('UNAVAILABLE', refusal, { cause: error })
  const problem = getProblem(error)
  return problem ? new AppError('UNAVAILABLE', MESSAGES[problem], { cause: error }) : error
}

/** Returns the error for callers of a closed client. */
export const createAwayError = (): AppError => new AppError('UNAVAILABLE', MESSAGES.away)

/** For `catch`: throws the error, translated. */
export const rethrowTranslated = (error: unknown): never => {
  throw translatePostgresError(error)
}
