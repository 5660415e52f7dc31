/** Says why PostgreSQL, or the TLS to it, refuses a connection. The texts are for callers: they have no names of users and hosts. */
import { SQL } from 'bun'
import { AppError } from '../../../contract/errors.ts'
import { getTextErrorCode } from '../../../contract/unknown.ts'

const IN_USE = 'No connection to the database is free'

type Refusal = { readonly pattern: RegExp; readonly message: string }

/** By SQLSTATE (PostgreSQL documentation, appendix A). */
const BY_STATE: readonly Refusal[] = [
  {
    pattern: /^53300$/,
    message: `${IN_USE}: PostgreSQL accepts no more. Raise its max_connections or the limit of its user, or lower DATABASE_CONNECTIONS`,
  },
  { pattern: /^28...$/, message: 'The database refuses the user of DATABASE_URL, or the way it signs in' },
  { pattern: /^3D000$/, message: 'The database of DATABASE_URL does not exist' },
]

/** By code of the client. The last one has the reasons for which OpenSSL trusts no certificate. */
const BY_CODE: readonly Refusal[] = [
  {
    pattern: /^ERR_POSTGRES_TLS_NOT_AVAILABLE$/,
    message: 'The database offers no TLS, and sslmode of DATABASE_URL demands it',
  },
  {
    pattern: /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    message: 'The certificate of the database is for another host than DATABASE_URL names',
  },
  {
    pattern: /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|INVALID_PURPOSE|ERR_TLS_|ERR_SSL_|ERR_BORINGSSL)/,
    message: 'The certificate of the database is not trusted: check its dates, and sslrootcert of DATABASE_URL',
  },
]

const match = (refusals: readonly Refusal[], text: string): string | undefined =>
  refusals.find(({ pattern }) => pattern.test(text))?.message

/** Returns the reason why a connection was refused; undefined for any other error. */
export const describeRefusal = (error: unknown): string | undefined =>
  error instanceof SQL.PostgresError && error.errno !== undefined && String(error.errno) !== '0'
    ? match(BY_STATE, String(error.errno))
    : match(BY_CODE, getTextErrorCode(error))

/** Returns the error for a caller who has waited too long for a connection that others use. */
export const createAllInUseError = (): AppError =>
  new AppError('UNAVAILABLE', `${IN_USE}: all of DATABASE_CONNECTIONS are in use; try again in a moment`)
