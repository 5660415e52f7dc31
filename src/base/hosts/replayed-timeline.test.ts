// Which timeline a standby tells after a promotion depends on the rights of the user who asks.
import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { type ReplicaServer, replicasProblem, startReplicas } from '../../../testing/servers/replicas.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import { REPLAYED_TIMELINE } from './watch-host.ts'

const TIMEOUT_MS = 60_000

const title = replicasProblem ? `a standby after a promotion (${replicasProblem})` : 'a standby after a promotion'
describe.skipIf(!engines().includes('postgres') || replicasProblem !== undefined)(title, () => {
  test(
    'tells a user with pg_monitor at once what it follows, and others after its next restart point',
    async () => {
      const cluster = await startReplicas(2)
      const [db1, db2, db3] = cluster.servers
      if (!db2 || !db3) throw new Error('there are two standbys')
      await db1.execute('CREATE ROLE plain LOGIN')
      await db1.execute('CREATE ROLE monitor LOGIN IN ROLE pg_monitor')
      await cluster.caughtUp()
      await db1.kill()
      await db2.promote()
      await db3.streamFrom(db2)
      await until('a standby on the new timeline', async () => (await timelineOf(db3, 'monitor')) === 2 || undefined)
      expect(await timelineOf(db3, 'plain')).toBe(1)
      await db2.execute('CHECKPOINT')
      await cluster.caughtUp(db2, [db3])
      await db3.execute('CHECKPOINT')
      expect(await timelineOf(db3, 'plain')).toBe(2)
      await cluster.close()
    },
    TIMEOUT_MS,
  )
})

const timelineOf = async ({ address }: ReplicaServer, user: string): Promise<number | undefined> => {
  const client = new SQL({ url: `postgres://${user}@${address}/postgres`, max: 1 })
  try {
    const [row] = await client.unsafe<{ timeline: number }[]>(`SELECT ${REPLAYED_TIMELINE} AS timeline`)
    return row?.timeline
  } finally {
    await client.close()
  }
}
