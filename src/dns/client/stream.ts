/** DNS messages over one TCP connection (RFC 1035 section 4.2.2), with a time limit for each. */

import { getErrorCode, getErrorMessage } from '../../contract/unknown.ts'
import { DnsFormatError } from '../../net/dns/format-error.ts'
import { MESSAGE_MAX } from '../../net/dns/wire.ts'
import { DnsError } from './dns-error.ts'

/** A TCP connection, as of node:net. */
export type DnsConnection = AsyncIterable<Uint8Array> & {
  readonly write: (bytes: Uint8Array) => unknown
  readonly destroy: (error?: Error) => unknown
}

export type DnsAddress = { readonly host: string; readonly port: number }
/** Opens a connection. Rejects when the signal is aborted. */
export type DnsConnect = (address: DnsAddress, signal: AbortSignal) => Promise<DnsConnection>

export type DnsStream = {
  readonly send: (message: Uint8Array) => void
  /** Returns the next message, undefined at the end of the connection. @throws DnsError, DnsFormatError */
  readonly next: () => Promise<Uint8Array | undefined>
  readonly close: () => void
}

export type DnsStreamOptions = DnsAddress & {
  readonly connect: DnsConnect
  /** Time limit of the connection, and then of each message. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

const PREFIX = 2

/** Cuts the bytes of a connection into messages. @throws DnsFormatError */
async function* splitMessages(connection: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  const buffer = new Uint8Array(PREFIX + MESSAGE_MAX)
  const view = new DataView(buffer.buffer)
  let filled = 0
  /** Returns the size of the prefix, and once that is read, of the message too. */
  const wanted = (): number => (filled < PREFIX ? PREFIX : PREFIX + view.getUint16(0))
  for await (const chunk of connection) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + wanted() - filled)
      buffer.set(part, filled)
      filled += part.length
      at += part.length
      if (filled < PREFIX || filled < wanted()) continue
      if (filled === PREFIX) throw new DnsFormatError('a message is empty')
      yield buffer.slice(PREFIX, filled)
      filled = 0
    }
  }
  if (filled > 0) throw new DnsFormatError('the connection ended within a message')
  return undefined
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'timed out',
}

/** Returns the reason for which a connection failed, without the name of a system call. */
const getReason = (error: unknown): string => {
  const code = getErrorCode(error)
  return REASONS[code] ?? getErrorMessage(error)
}

/** Connects, within the time limit. @throws DnsError, and the reason of an aborted signal */
const openConnection = async ({ connect, host, port, timeoutMs, signal }: DnsStreamOptions): Promise<DnsConnection> => {
  signal?.throwIfAborted()
  const deadline = AbortSignal.timeout(timeoutMs)
  try {
    return await connect({ host, port }, signal ? AbortSignal.any([deadline, signal]) : deadline)
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof DnsError) throw error
    const problem = deadline.aborted
      ? `no connection within ${timeoutMs / 1000} s`
      : `no connection to ${host} port ${port}: ${getReason(error)}`
    throw new DnsError('no_connection', problem, { cause: error })
  }
}

/** @throws DnsError, and the reason of an aborted signal */
export const openDnsStream = async (options: DnsStreamOptions): Promise<DnsStream> => {
  const { timeoutMs, signal } = options
  const connection = await openConnection(options)
  const messages = splitMessages(connection)
  const abort = () => connection.destroy(new Error('aborted'))
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()

  const next = async (): Promise<Uint8Array | undefined> => {
    signal?.throwIfAborted()
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      connection.destroy(new Error('timeout'))
    }, timeoutMs)
    try {
      return (await messages.next()).value
    } catch (error) {
      signal?.throwIfAborted()
      if (isLate) throw new DnsError('no_answer', `no answer within ${timeoutMs / 1000} s`, { cause: error })
      if (error instanceof DnsFormatError) throw error
      throw new DnsError('no_answer', `no answer: ${getErrorMessage(error)}`, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    send: (message) => {
      const bytes = new Uint8Array(PREFIX + message.length)
      new DataView(bytes.buffer).setUint16(0, message.length)
      bytes.set(message, PREFIX)
      connection.write(bytes)
    },
    next,
    close: () => {
      signal?.removeEventListener('abort', abort)
      connection.destroy()
    },
  }
}
