/** PostgreSQL through Bun's own client: many writers, so rows and names are locked where SQLite has one writer. */
import { SQL } from 'bun'
import { type Compilable, Kysely, sql } from 'kysely'
import { PostgresJSDialect, type PostgresJSSql } from 'kysely-postgres-js'
import { AtCommit } from './at-commit.ts'
import { type Db, escapeLike, type Sql, type Tx } from './database.ts'
import { createQueryWatch } from './query-watch.ts'
import { touching } from './touched.ts'

const STREAM_CHUNK = 500
/** A counter per table is spread over this many rows, so that concurrent commits seldom wait for one another. */
const REVISION_SHARDS = 16
const MAX_CONNECTIONS = 20
/** Streams have connections of their own: as many readers as there are may be slow without anyone else having to wait. */
const STREAM_CONNECTIONS = 10
/** Names share this many locks: a transaction that names 100,000 things must not fill the server's lock table. */
const LOCK_BUCKETS = 1024n
/** The first key of our advisory locks, to keep apart from other programs on the same server. */
const LOCK_SPACE = 0x504c4154
/**
 * Serialization failure and deadlock; and a broken constraint, which only happens when another writer was faster than our
 * own check. The transaction is run again: it then sees what the other one did, and gives the right answer to it.
 */
const RETRYABLE = new Set(['40001', '40P01', '23503', '23505'])
const MAX_TRIES = 5

type Lockable<Q> = { forNoKeyUpdate(): { skipLocked(): Q } }

const postgresSql: Sql = {
  hasOneWriter: false,
  matchesWords: (table, words) => {
    const text = sql.ref(`${table}.search_text`)
    return sql`(${sql.join(
      words.map((word) => sql`${text} LIKE ${`%${escapeLike(word)}%`} ESCAPE '\\'`),
      sql` AND `,
    )})`
  },
  // The planner knows how many there are.
  matchesWordsInOrder: async (_db, table, words) => ({
    condition: postgresSql.matchesWords(table, words),
    count: undefined,
  }),
  countWords: async (db, table, words) => {
    const matching = postgresSql.matchesWords(table, words)
    const { rows } = await sql<{ n: string }>`SELECT count(*) AS n FROM ${sql.table(table)} WHERE ${matching}`.execute(
      db,
    )
    return Number(rows[0]?.n)
  },
  underWay: async (db) => {
    const { rows } = await sql<{
      oldest: string
      next: string
    }>`SELECT pg_snapshot_xmin(s)::text AS oldest, pg_snapshot_xmax(s)::text AS next FROM pg_current_snapshot() AS s`.execute(
      db,
    )
    return rows[0] && { oldest: BigInt(rows[0].oldest), next: BigInt(rows[0].next) }
  },
  // Not the stronger lock, which would also keep those off who only refer to the row (a foreign key being checked).
  // Every select builder has forNoKeyUpdate; the capability is generic over all of them.
  lockRows: (query) => (query as { forNoKeyUpdate(): typeof query }).forNoKeyUpdate(),
  lockFreeRows: (query) => (query as Lockable<typeof query>).forNoKeyUpdate().skipLocked(),
  lockNames: async (db, names) => {
    if (names.length === 0) return
    const buckets = new Set(names.map((name) => Number(Bun.hash(name) % LOCK_BUCKETS)))
    // In one order for everybody, so that two transactions never wait for each other crosswise.
    const ordered = sql.join([...buckets].sort((a, b) => a - b).map((bucket) => sql`(${sql.lit(bucket)})`))
    await sql`SELECT pg_advisory_xact_lock(${sql.lit(LOCK_SPACE)}, bucket) FROM (VALUES ${ordered}) AS locks (bucket)`.execute(
      db,
    )
  },
}

type Revisions = { revisions: { name: string; shard: number; n: number } }

const countRevisions = async (db: Kysely<Revisions>, touched: ReadonlySet<string>): Promise<void> => {
  if (touched.size === 0) return
  const shard = Math.floor(Math.random() * REVISION_SHARDS)
  // Sorted, so that two commits never wait for each other crosswise.
  await db
    .insertInto('revisions')
    .values([...touched].sort().map((name) => ({ name, shard, n: 1 })))
    .onConflict((conflict) => conflict.columns(['name', 'shard']).doUpdateSet({ n: sql`revisions.n + 1` }))
    .execute()
}

/** Connects lazily; the first query meets the server. */
export const openPostgres = <Tables>(url: string): Db<Tables> => {
  const client = new SQL({ url, max: MAX_CONNECTIONS, bigint: false })
  const streamClient = new SQL({ url, max: STREAM_CONNECTIONS, bigint: false })
  const watch = createQueryWatch()
  const db = new Kysely<Tables>({
    log: watch.log,
    // Bun's client is one of the two that this dialect is made for; only the optionality of its options' types differs.
    dialect: new PostgresJSDialect({ postgres: client as unknown as PostgresJSSql }),
  })
  // The revisions table belongs to this folder, not to the features' tables.
  const revisions = db as unknown as Kysely<Revisions>
  let isReachable = true

  const writeOnce: Db<Tables>['write'] = (work) =>
    db.transaction().execute(async (trx) => {
      const touched = new Set<string>()
      const left = new AtCommit()
      let depth = 0
      const tx: Tx<Tables> = {
        db: trx.withPlugin(touching(touched)),
        atCommit: (batch, item) => left.add(batch, [item]),
        savepoint: async (inner) => {
          const name = sql.id(`s${++depth}`)
          await sql`SAVEPOINT ${name}`.execute(trx)
          try {
            const value = await inner()
            await sql`RELEASE SAVEPOINT ${name}`.execute(trx)
            return value
          } catch (error) {
            await sql`ROLLBACK TO SAVEPOINT ${name}`.execute(trx)
            // Rolled back it is still there; thousands of them would slow the server down.
            await sql`RELEASE SAVEPOINT ${name}`.execute(trx)
            throw error
          } finally {
            depth--
          }
        },
      }
      const value = await work(tx)
      await left.run(trx)
      // The same transaction under the type that knows the revisions table.
      await countRevisions(trx as unknown as Kysely<Revisions>, touched)
      return value
    })

  const write: Db<Tables>['write'] = async (work) => {
    for (let tries = 1; ; tries++) {
      try {
        return await writeOnce(work)
      } catch (error) {
        const isRetryable = error instanceof SQL.PostgresError && RETRYABLE.has(error.errno ?? '')
        if (!isRetryable || tries === MAX_TRIES) throw error
      }
    }
  }

  async function* stream<Row>(...queries: readonly Compilable<Row>[]): AsyncGenerator<Row[]> {
    const connection = await streamClient.reserve()
    let rows: Row[] = []
    try {
      await connection.unsafe('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      for (const query of queries) {
        const compiled = query.compile()
        await connection.unsafe(`DECLARE rows NO SCROLL CURSOR FOR ${compiled.sql}`, [...compiled.parameters])
        for (;;) {
          const more: Row[] = [...(await connection.unsafe(`FETCH ${STREAM_CHUNK} FROM rows`))]
          const isLast = more.length < STREAM_CHUNK
          rows = rows.length === 0 ? more : rows.concat(more)
          if (isLast) break
          yield rows
          rows = []
        }
        await connection.unsafe('CLOSE rows')
      }
    } finally {
      // Without an answer the server is gone, and the transaction with it; what was thrown before says so.
      await connection.unsafe('ROLLBACK').catch(() => {})
      connection.release()
    }
    // Only now: whoever doesn't read the last chunk, or a short list at all, holds nothing.
    yield rows
  }

  return {
    engine: 'postgres',
    read: db,
    sql: postgresSql,
    write,
    stream,
    // Other instances commit as well.
    remember: (_table, _key, read) => read(),
    revision: async (tables) => {
      const { n } = await revisions
        .selectFrom('revisions')
        .select((eb) => sql<string>`coalesce(${eb.fn.sum('n')}, 0)::text`.as('n'))
        .where('name', 'in', [...tables])
        .executeTakeFirstOrThrow()
      return n
    },
    watch: watch.listen,
    connections: () => (isReachable ? 1 : 0),
    ping: async () => {
      try {
        await sql`SELECT 1`.execute(db)
        isReachable = true
      } catch (error) {
        isReachable = false
        throw error
      }
    },
    close: async () => {
      await db.destroy()
      await client.close()
      await streamClient.close()
    },
  }
}
