/** Sends commands to a Valkey (or Redis) server. Connects on first use, and reconnects after an outage. */
import type { RedisClient } from 'bun'
import { AppError } from '../../contract/errors.ts'
import { getTextErrorCode } from '../../contract/unknown.ts'
import type { Logger } from './log.ts'
import {
  explainValkeyFailure,
  getDecidingCommand,
  isValkeyReply,
  type ValkeyFailure,
  ValkeyTimeoutError,
} from './valkey-failure.ts'

export type Valkey = {
  /** @throws AppError UNAVAILABLE within two seconds while the server is down or rejects the command. */
  readonly send: (command: string, ...args: readonly string[]) => Promise<unknown>
  /** Asks the server for a write that stores nothing. @returns within two seconds why it does not serve; undefined if it does */
  readonly check: () => Promise<ValkeyFailure | undefined>
  /** Returns false from a failed command until the server accepts commands again. */
  readonly isUp: () => boolean
  readonly close: () => void
}

type ValkeyOptions = {
  readonly url: string
  /** The name of the stored data in messages: `session store`. */
  readonly what: string
  readonly log: Logger
  /** Time limit of a connection, and of an answer. */
  readonly patienceMs?: number
}

/** Both together stay below two seconds, because a new connection answers at once or not at all. */
const PATIENCE_MS = 1500

/** `SET` with `XX` never creates a key. The server checks its memory, its role and the user's rights as for any write. */
const CHECK = ['SET', 'plat:check', '', 'XX'] as const

const isClosed = (error: unknown): boolean => getTextErrorCode(error) === 'ERR_REDIS_CONNECTION_CLOSED'

const createTimeoutError = (patienceMs: number) => new ValkeyTimeoutError(`no answer within ${patienceMs} ms`)

const withTimeout = async <T>(work: Promise<T>, patienceMs: number): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(createTimeoutError(patienceMs)), patienceMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Does not connect yet. */
export const openValkey = ({ url, what, log, patienceMs = PATIENCE_MS }: ValkeyOptions): Valkey => {
  const { host } = new URL(url)
  let client: RedisClient | undefined
  /** The last failure. It ends with the success of `decidedBy`, because a full server goes on to answer reads. */
  let failed: (ValkeyFailure & { readonly decidedBy: string | undefined }) | undefined

  /** Clients that were dropped because an answer came too late. */
  const late = new WeakSet<RedisClient>()

  /** Drops a client that lost its connection. It is not reused; the next command creates another. */
  const drop = (used: RedisClient): void => {
    if (client === used) client = undefined
    used.close()
  }

  const connect = (): RedisClient => {
    // Bun's own reconnection stops after some attempts, and holds commands back until then.
    const made = new Bun.RedisClient(url, { autoReconnect: false, connectionTimeout: patienceMs })
    made.onclose = () => {
      if (client === made) client = undefined
    }
    return made
  }

  const attempt = async (command: string, args: readonly string[]): Promise<unknown> => {
    client ??= connect()
    const used = client
    try {
      return await withTimeout(used.send(command, [...args]), patienceMs)
    } catch (error) {
      // The other commands of a dropped client end with it, for the same reason.
      if (isClosed(error) && late.has(used)) throw createTimeoutError(patienceMs)
      if (error instanceof ValkeyTimeoutError) late.add(used)
      if (!isValkeyReply(error)) drop(used)
      throw error
    }
  }

  const sendTwice = async (command: string, args: readonly string[]): Promise<unknown> => {
    const wasConnected = client?.connected === true
    try {
      return await attempt(command, args)
    } catch (error) {
      // The server may have been restarted since the last command.
      if (!wasConnected || !isClosed(error)) throw error
      return attempt(command, args)
    }
  }

  const noteSuccess = (command: string): void => {
    if (!failed || (failed.decidedBy !== undefined && failed.decidedBy !== command)) return
    failed = undefined
    log.info(`the ${what} is back`, { host })
  }

  const explain = (error: unknown): ValkeyFailure => {
    const { message, advice } = explainValkeyFailure(error)
    return { message: `the ${what} ${message}`, advice }
  }

  /** Logs the failure, once per outage and reason. */
  const noteFailure = (command: string, error: unknown): ValkeyFailure => {
    const failure = explain(error)
    if (failed?.message !== failure.message)
      log.warn(`the ${what} is away`, { host, reason: failure.message, advice: failure.advice, error })
    failed = { ...failure, decidedBy: getDecidingCommand(error, command) }
    return failure
  }

  const send: Valkey['send'] = async (command, ...args) => {
    try {
      const answer = await sendTwice(command, args)
      noteSuccess(command)
      return answer
    } catch (cause) {
      const { message, advice } = noteFailure(command, cause)
      const text = `${message.replace(/^the /, 'The ')}: ${advice}. Requests with an API key work`
      throw new AppError('UNAVAILABLE', text, { cause })
    }
  }

  return {
    send,
    check: async () => {
      try {
        await send(...CHECK)
        return undefined
      } catch (error) {
        return explain(error instanceof AppError ? error.cause : error)
      }
    },
    isUp: () => failed === undefined,
    close: () => client?.close(),
  }
}
