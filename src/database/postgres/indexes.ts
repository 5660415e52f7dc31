/** Creates indexes without locking out writers: outside of a transaction, one after the other. */
import type { SQL } from 'bun'
import type { Index } from '../database.ts'

/** Plat's advisory locks, and a number that no name has. */
const LOCK = `${0x504c4154}, -1`

type Row = Readonly<Record<string, unknown>>

/** @returns if the index is usable; undefined if there is none. An index is not usable if its creation was interrupted. */
const findValidity = async (client: SQL, name: string): Promise<boolean | undefined> => {
  const rows: Row[] = await client.unsafe('SELECT indisvalid AS v FROM pg_index WHERE indexrelid = to_regclass($1)', [
    name,
  ])
  return rows[0] && rows[0].v === true
}

/**
 * Creates missing indexes, and creates unusable ones again. Waits for all transactions that are open. Does nothing while another program
 * does it, which needs no help.
 * @param client of one connection without time limits. It has the lock until it is closed.
 */
export const createIndexes = async (client: SQL, indexes: readonly Index[]): Promise<void> => {
  // Not the lock of migrations: a transaction that has one is waited for.
  const [lock]: Row[] = await client.unsafe(`SELECT pg_try_advisory_lock(${LOCK}) AS is_taken`)
  if (lock?.is_taken !== true) return
  for (const { name, on } of indexes) {
    const isValid = await findValidity(client, name)
    if (isValid) continue
    if (isValid === false) await client.unsafe(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
    await client.unsafe(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${on}`)
  }
}
