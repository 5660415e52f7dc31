/**
 * A pool of connections, each reserved by one caller at a time and reused last in, first out, so that few of them do
 * most of the work. Bun's own client rotates through all its connections, and each then wakes a sleeping process of the
 * server.
 */
import type { ReservedSQL, SQL } from 'bun'
import { rethrowTranslated } from './errors.ts'

export type Lent = { readonly connection: ReservedSQL; readonly release: () => void }

export type PostgresPool = {
  /** @throws AppError UNAVAILABLE while the server is unreachable */
  readonly reserve: () => Promise<Lent>
  /** Reports that a connection of the client was lost: no connection that was open then is reused. */
  readonly lost: () => void
  readonly close: () => Promise<void>
}

export const createPostgresPool = (client: Pick<SQL, 'reserve' | 'close'>): PostgresPool => {
  let idle: ReservedSQL[] = []
  /** The number of callers that wait for the client. */
  let asking = 0
  let losses = 0

  /** Returns the connection to the client, which knows its state and the waiting callers. */
  const leave = (connection: ReservedSQL): void => {
    // The connection is not used again in any case. The client notices a lost one itself.
    Promise.resolve(connection.release()).catch(() => {})
  }

  const leaveIdle = (): void => {
    const left = idle
    idle = []
    for (const connection of left) leave(connection)
  }

  const open = async (): Promise<ReservedSQL> => {
    asking++
    try {
      return await client.reserve().catch(rethrowTranslated)
    } finally {
      asking--
    }
  }

  return {
    reserve: async () => {
      const lossesThen = losses
      const connection = idle.pop() ?? (await open())
      return {
        connection,
        release: () => {
          if (asking > 0 || losses !== lossesThen) leave(connection)
          else idle.push(connection)
        },
      }
    },
    lost: () => {
      losses++
      leaveIdle()
    },
    close: () => {
      losses++
      leaveIdle()
      return client.close()
    },
  }
}
