/** Connections on which PostgreSQL compiles no statements. */
import { send } from '../dialect.ts'
import type { Client } from './pool.ts'

/**
 * Returns a client whose connection compiles no statements (PostgreSQL documentation, 30.2): to compile a statement that reads the past
 * takes seconds, and to run it milliseconds. PgBouncer refuses a parameter of the start that it has not been told to ignore, so this is a
 * statement.
 */
export const withoutJit = (client: Client): Client => ({
  reserve: async () => {
    const connection = await client.reserve()
    await send(connection, 'SET jit = off')
    return connection
  },
  close: (options) => client.close(options),
})
