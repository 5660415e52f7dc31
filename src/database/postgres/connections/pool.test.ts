import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { engines, freePort, postgresDatabase } from '../../../../testing/servers/servers.ts'
import { until } from '../../../../testing/until.ts'
import { createPostgresPool, type PostgresPool } from './pool.ts'

const MOST = 3

// Left out rather than skipped: a run on SQLite only needs no PostgreSQL on the machine.
if (engines().includes('postgres')) {
  let server: Awaited<ReturnType<typeof postgresDatabase>>
  let losses = 0
  let pool: PostgresPool
  const poolOf = (url: string): PostgresPool =>
    createPostgresPool(
      MOST,
      (lost) =>
        new SQL({
          url,
          max: 1,
          onclose: () => {
            losses++
            lost()
          },
        }),
    )
  beforeAll(async () => {
    server = await postgresDatabase()
    pool = poolOf(server.url)
  })
  afterAll(async () => {
    await pool.close()
    await server.drop()
  })

  /** Returns the process of the server that answers a query on a separate connection. */
  const answering = async (sleepS = 0): Promise<number> => {
    const { connection, release } = await pool.reserve()
    try {
      const [row] = await connection`SELECT pg_backend_pid() AS pid, pg_sleep(${sleepS})`
      return row.pid
    } finally {
      release()
    }
  }

  const distinct = (pids: readonly number[]): number => new Set(pids).size

  test('a connection is opened when all others are in use', async () => {
    const connections = async () => {
      const { connection, release } = await pool.reserve()
      const [row] = await connection`SELECT count(*)::int AS n FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend'`
      release()
      return row.n
    }
    expect([await connections(), await connections()]).toEqual([1, 1])
    const lent = await Promise.all([pool.reserve(), pool.reserve()])
    for (const { release } of lent) release()
    expect(await connections()).toBe(2)
  })

  test('sequential queries use the connection that was returned last', async () => {
    await Promise.all(Array.from({ length: MOST }, () => answering(0.05)))
    const pids: number[] = []
    for (let i = 0; i < 2 * MOST; i++) pids.push(await answering())
    expect(distinct(pids)).toBe(1)
  })

  test('concurrent queries share all connections, and each is answered', async () => {
    const pids = await Promise.all(Array.from({ length: 10 * MOST }, () => answering(0.005)))
    expect(pids).toHaveLength(10 * MOST)
    expect(distinct(pids)).toBe(MOST)
  })

  test('an idle connection that the server closed is not lent again', async () => {
    const before = losses
    const own = await pool.reserve()
    await Promise.all(Array.from({ length: MOST - 1 }, () => answering(0.05)))
    await own.connection`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`
    await until('the others are lost', () => losses >= before + MOST - 1 || undefined)
    const pids = await Promise.all(Array.from({ length: 2 * MOST }, () => answering(0.005)))
    expect(pids).toHaveLength(2 * MOST)
    own.release()
    expect(await answering()).toBeGreaterThan(0)
  })

  test('a lent connection that the server closed is not lent again', async () => {
    const { connection, release } = await pool.reserve()
    const ended = connection`SELECT pg_terminate_backend(pg_backend_pid())`
    expect(ended).rejects.toThrow()
    await Promise.allSettled([ended])
    release()
    for (let i = 0; i < 2 * MOST; i++) expect(await answering()).toBeGreaterThan(0)
  })

  test('a caller that waits is refused when the pool is closed, and so is a later one', async () => {
    const closing = poolOf(server.url)
    const lent = await Promise.all(Array.from({ length: MOST }, () => closing.reserve()))
    const waiting = Promise.allSettled([closing.reserve()])
    const closed = closing.close()
    expect((await waiting)[0]).toMatchObject({ reason: { code: 'UNAVAILABLE' } })
    await expect(closing.reserve()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    for (const { release } of lent) release()
    await closed
  })

  test('an unreachable server is an error for every caller, also for waiting ones', async () => {
    const away = poolOf(`postgres://postgres@127.0.0.1:${await freePort()}/postgres`)
    const asked = await Promise.allSettled(Array.from({ length: 3 * MOST }, () => away.reserve()))
    expect(asked).toHaveLength(3 * MOST)
    for (const one of asked) expect(one).toMatchObject({ reason: { code: 'UNAVAILABLE' } })
    await away.close()
  })
}
