/**
 * A pool of connections. One caller at a time reserves a connection. Connections are reused last in, first out, so that few of them do
 * most of the work. A connection is opened when all others are in use. Bun's own client opens all its connections at the first query and
 * rotates through them: the server then starts, and later wakes, a process for each. So each connection here has a client that has no
 * other.
 */
import type { ReservedSQL, SQL } from 'bun'
import { createAwayError, translatePostgresError } from '../errors.ts'
import { createAllInUseError } from './refusals.ts'

/** The longest wait for a connection that others use: an answer comes within 15 s. */
const LONGEST_WAIT_MS = 12_000
const LOOK_MS = 500

export type Lent = { readonly connection: ReservedSQL; readonly release: () => void }

export type PostgresPool = {
  /** @throws AppError UNAVAILABLE while the server is unreachable, and after a long wait for the connections of others */
  readonly reserve: () => Promise<Lent>
  /** Returns true while callers wait for the connections of others. */
  readonly isExhausted: () => boolean
  /** Closes all present connections, also connections in use: their queries fail. */
  readonly drop: () => void
  readonly close: () => Promise<void>
}

/** A client of one connection. */
export type Client = Pick<SQL, 'reserve' | 'close'>

type Member = {
  client: Client
  /** Absent while it is opened. */
  connection?: ReservedSQL
  isLost: boolean
}

type Waiting = {
  readonly take: (member: Member | Promise<Member>) => void
  readonly fail: (error: unknown) => void
  readonly sinceMs: number
}

/** @param connect creates a client that opens one connection, and calls `lost` when it has been closed */
export const createPostgresPool = (
  most: number,
  connect: (lost: () => void) => Client,
  longestWaitMs = LONGEST_WAIT_MS,
): PostgresPool => {
  const members = new Set<Member>()
  const idle: Member[] = []
  const waiting: Waiting[] = []
  let isClosed = false
  /** Why the last connection could not be opened. */
  let refusal: unknown
  let timer: Timer | undefined

  /** Ends one that no caller has. */
  const end = async ({ client, connection }: Member): Promise<void> => {
    // It is not used again in any case.
    await Promise.resolve(connection?.release()).catch(() => {})
    await client.close()
  }

  const remove = (member: Member): void => {
    if (members.delete(member)) void end(member).catch(() => {})
  }

  /** Refuses callers who have waited too long; the first one has waited longest. */
  const refuseLate = (): void => {
    const dueMs = performance.now() - longestWaitMs
    while (waiting[0] && waiting[0].sinceMs < dueMs) waiting.shift()?.fail(refusal ?? createAllInUseError())
    if (waiting.length > 0) return
    clearInterval(timer)
    timer = undefined
  }

  const inLine = (): Promise<Member> =>
    new Promise((take, fail) => {
      waiting.push({ take, fail, sinceMs: performance.now() })
      timer ??= setInterval(refuseLate, LOOK_MS).unref()
    })

  /** @throws the error of the connection, if no other one can be waited for */
  const open = async (): Promise<Member> => {
    const member: Member = {
      client: connect(() => {
        member.isLost = true
        const at = idle.indexOf(member)
        if (at < 0) return
        idle.splice(at, 1)
        discard(member)
      }),
      isLost: false,
    }
    members.add(member)
    try {
      member.connection = await member.client.reserve()
      refusal = undefined
      return member
    } catch (error) {
      remove(member)
      const translated = translatePostgresError(error)
      refusal = translated
      // The server may have no connection left; the others are returned.
      if ([...members].some(({ connection }) => connection)) return inLine()
      for (const { fail } of waiting.splice(0)) fail(translated)
      throw translated
    }
  }

  /** Removes a lost one, and opens another if a caller waits. */
  const discard = (member: Member): void => {
    remove(member)
    if (!isClosed) waiting.shift()?.take(open())
  }

  const release = (member: Member): void => {
    const next = member.isLost || isClosed ? undefined : waiting.shift()
    if (member.isLost || isClosed) discard(member)
    else if (next) next.take(member)
    else idle.push(member)
  }

  return {
    reserve: async () => {
      if (isClosed) throw createAwayError()
      const member = idle.pop() ?? (await (members.size < most ? open() : inLine()))
      const { connection } = member
      // A connection may be lost, or the pool closed, while it is opened.
      if (!connection || isClosed) {
        remove(member)
        throw createAwayError()
      }
      return { connection, release: () => release(member) }
    },
    isExhausted: () => waiting.length > 0,
    drop: () => {
      // Others are opened as these close.
      for (const { client } of [...members]) void client.close({ timeout: 0 }).catch(() => {})
    },
    close: async () => {
      isClosed = true
      for (const { fail } of waiting.splice(0)) fail(createAwayError())
      const free = idle.splice(0)
      for (const member of free) members.delete(member)
      // Clients of connections that callers have close when these are released.
      await Promise.all([...free.map(end), ...[...members].map(({ client }) => client.close())])
    },
  }
}
