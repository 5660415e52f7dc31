/** Sends commands to a Valkey (or Redis) server. Connects on first use, and reconnects after an outage. */
import type { RedisClient } from 'bun'
import { AppError } from '../../contract/errors.ts'
import { getTextErrorCode } from '../../contract/unknown.ts'
import type { Logger } from './log.ts'

export type Valkey = {
  /** @throws AppError UNAVAILABLE within two seconds while the server is down or rejects the command. */
  readonly send: (command: string, ...args: readonly string[]) => Promise<unknown>
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

/** Returns true for an error that the server sent in time. */
const isRefusal = (error: unknown): boolean => getTextErrorCode(error) === 'ERR_REDIS_SERVER_ERROR'
const isClosed = (error: unknown): boolean => getTextErrorCode(error) === 'ERR_REDIS_CONNECTION_CLOSED'

const withTimeout = async <T>(work: Promise<T>, patienceMs: number): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs} ms`)), patienceMs)
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
  let isAway = false

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
      if (!isRefusal(error)) drop(used)
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

  return {
    send: async (command, ...args) => {
      try {
        const answer = await sendTwice(command, args)
        if (isAway) log.info(`the ${what} is back`, { host })
        isAway = false
        return answer
      } catch (cause) {
        // Once per outage.
        if (!isAway) log.warn(`the ${what} is away`, { host, error: cause })
        isAway = true
        throw new AppError('UNAVAILABLE', `The ${what} does not answer; try again in a moment, or use an API key`, {
          cause,
        })
      }
    },
    close: () => client?.close(),
  }
}
