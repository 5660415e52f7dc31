/**
 * Connections that one asker at a time has, each lent again last returned first, so that few of them do most of the work. Bun's own client
 * takes turns among all it has, and each then meets a process of the server that has been asleep.
 */
import type { ReservedSQL, SQL } from 'bun'
import { rethrowTranslated } from './errors.ts'

export type Lent = { readonly connection: ReservedSQL; readonly release: () => void }

export type PostgresPool = {
  /** @throws AppError UNAVAILABLE while the server is away */
  readonly reserve: () => Promise<Lent>
  /** One of the client's connections was lost: none that was open then is lent again. */
  readonly lost: () => void
  readonly close: () => Promise<void>
}

export const createPostgresPool = (client: Pick<SQL, 'reserve' | 'close'>): PostgresPool => {
  let idle: ReservedSQL[] = []
  /** Those who wait for the client. */
  let asking = 0
  let losses = 0

  /** To the client, who knows what has become of it, and who waits for one. */
  const leave = (connection: ReservedSQL): void => {
    // It is over with in any case; of a connection that is lost the client hears by itself.
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
