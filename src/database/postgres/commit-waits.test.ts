// A commit that waits for a standby is not acknowledged before, also not when the time limit of statements has passed.
import { describe, expect, test } from 'bun:test'
import { replicasProblem, startReplicas } from '../../../testing/servers/replicas.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import { openPostgres } from './postgres.ts'

const STATEMENT_MS = 200
const title = replicasProblem ? `commits that wait (${replicasProblem})` : 'commits that wait'

describe.skipIf(!engines().includes('postgres') || replicasProblem !== undefined)(title, () => {
  test('a write is acknowledged when a standby has it, however long that takes', async () => {
    const cluster = await startReplicas(0)
    const [primary] = cluster.servers
    const name = await cluster.createDatabase()
    await primary.execute('create table notes (n int)', name)
    await primary.execute('create table revisions (name text, shard int, n bigint, primary key (name, shard))', name)
    const limits = { connections: 4, statementMs: STATEMENT_MS, lockMs: STATEMENT_MS }
    const db = openPostgres<{ notes: { n: number } }>(primary.url(name), limits)
    try {
      await primary.set('synchronous_standby_names', 'absent')
      let isAcknowledged = false
      const writing = db
        .write(({ db: tx }) => tx.insertInto('notes').values({ n: 1 }).execute())
        .then(() => {
          isAcknowledged = true
        })
      await until('commit that waits for longer than a statement may take', async () => {
        const [row] = await primary.execute<{ n: number }>(
          `select count(*)::int as n from pg_stat_activity
           where wait_event = 'SyncRep' and query_start < now() - interval '${2 * STATEMENT_MS} ms'`,
        )
        return row?.n === 1 || undefined
      })
      const before = isAcknowledged
      await primary.set('synchronous_standby_names', '')
      await writing
      expect([before, isAcknowledged]).toEqual([false, true])
    } finally {
      await db.close()
      await cluster.close()
    }
  }, 60_000)
})
