/** Tries if the server takes changes, and leaves none. */
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Rows of more than a page of a table and of its index, so that both must grow: a smaller one may fit into what a full disk has. */
export const PROBE = `INSERT INTO migrations (name, checksum, applied_at)
  SELECT 'probe ' || n || (SELECT string_agg(md5(random()::text || n || m), '') FROM generate_series(1, 40) AS m), '', ''
  FROM generate_series(1, 16) AS n`

class Undone extends Error {}

/** @throws the error of the server, translated */
export const probeWrite = async <Tables>(write: Db<Tables>['write']): Promise<void> => {
  try {
    await write(async ({ db }) => {
      await sql.raw(PROBE).execute(db)
      throw new Undone()
    })
  } catch (error) {
    if (!(error instanceof Undone)) throw error
  }
}
