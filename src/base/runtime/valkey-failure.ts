/** Explains why a Valkey (or Redis) server does not serve: for the log, errors, readiness checks and the doctor. */
import { getErrorMessage, getTextErrorCode } from '../../contract/unknown.ts'

export type ValkeyFailure = {
  /** The cause: `the session store is full and refuses writes (OOM)`. */
  readonly message: string
  /** The remedy: `raise its maxmemory`. */
  readonly advice: string
}

export class ValkeyTimeoutError extends Error {
  override readonly name = 'ValkeyTimeoutError'
}

const NOT_PRIMARY = 'let VALKEY_URL name the primary'
const SINGLE_SERVER = 'let VALKEY_URL name a single server that is no cluster'
const CREDENTIALS: ValkeyFailure = {
  message: 'refuses the user name or password',
  advice: 'correct the user name and password in VALKEY_URL',
}

/** The kinds of replies with which a server refuses writes, and still answers reads. */
const WRITE_REFUSALS: ReadonlySet<string> = new Set(['OOM', 'READONLY', 'MISCONF', 'NOREPLICAS'])

/** Error replies by their first word, which names their kind (Valkey's documentation of RESP, "Simple errors"). */
const REPLIES: Readonly<Record<string, ValkeyFailure>> = {
  OOM: { message: 'is full and refuses writes', advice: 'raise its maxmemory' },
  READONLY: { message: 'is a read-only replica', advice: NOT_PRIMARY },
  MASTERDOWN: { message: 'is a replica that has lost its primary', advice: NOT_PRIMARY },
  LOADING: { message: 'is loading its data', advice: 'wait until it has loaded them' },
  MISCONF: {
    message: 'cannot save its data and refuses writes',
    advice: 'free space on its disk; its log has the reason',
  },
  NOREPLICAS: { message: 'has too few replicas and refuses writes', advice: 'start its replicas' },
  NOAUTH: CREDENTIALS,
  WRONGPASS: CREDENTIALS,
  NOPERM: {
    message: 'does not permit a command or key',
    advice: 'give the user in VALKEY_URL the commands that docs/access.md lists, and keys that begin with plat:',
  },
  CLUSTERDOWN: { message: 'is part of a cluster', advice: SINGLE_SERVER },
  MOVED: { message: 'is part of a cluster', advice: SINGLE_SERVER },
  BUSY: { message: 'is busy with a script', advice: 'end that script with SCRIPT KILL' },
}

const UNREACHABLE = 'check that the server of VALKEY_URL runs, and the network'

/** Returns true for an error reply of the server. */
export const isValkeyReply = (error: unknown): boolean => getTextErrorCode(error) === 'ERR_REDIS_SERVER_ERROR'

const getReplyKind = (error: unknown): string | undefined => /^[A-Z]+(?= )/.exec(getErrorMessage(error))?.[0]

/** Returns the command that must succeed before the failure of `command` is over; undefined for any command. */
export const getDecidingCommand = (error: unknown, command: string): string | undefined => {
  const kind = getReplyKind(error) ?? ''
  if (kind === 'NOPERM') return command
  return WRITE_REFUSALS.has(kind) ? 'SET' : undefined
}

/** Returns the message without its subject. @example explainValkeyFailure(error) // { message: 'is full and refuses writes (OOM)', advice: 'raise its maxmemory' } */
export const explainValkeyFailure = (error: unknown): ValkeyFailure => {
  const code = getTextErrorCode(error)
  if (error instanceof ValkeyTimeoutError || code === 'ERR_REDIS_CONNECTION_TIMEOUT')
    return { message: 'does not answer in time', advice: UNREACHABLE }
  if (code === 'ERR_REDIS_CONNECTION_CLOSED') return { message: 'cannot be reached', advice: UNREACHABLE }
  const text = getErrorMessage(error)
  if (/max number of clients/i.test(text)) return { message: 'has no free connection', advice: 'raise its maxclients' }
  const kind = getReplyKind(error)
  const known = kind === undefined ? undefined : REPLIES[kind]
  if (known) return { ...known, message: `${known.message} (${kind})` }
  return { message: 'refuses a command', advice: 'read its answer in the log' }
}
