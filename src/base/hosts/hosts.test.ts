// The hosts of a real cluster: its primary is killed, a standby promoted, and a primary frozen.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { testAll } from '../../../testing/cases.ts'
import { type Replicas, replicasProblem, startReplicas } from '../../../testing/servers/replicas.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import { parseDatabaseUrl } from './database-url.ts'
import { createHosts, type Hosts } from './hosts.ts'

const TIMEOUT_MS = 60_000
const connect = (url: string, lost: () => void) => new SQL({ url, max: 1, connectionTimeout: 5, onclose: lost })

const title = replicasProblem ? `hosts of a cluster (${replicasProblem})` : 'hosts of a cluster'
describe.skipIf(!engines().includes('postgres') || replicasProblem !== undefined)(title, () => {
  let cluster: Replicas
  let hosts: Hosts
  const heard: (string | undefined)[] = []
  beforeAll(async () => {
    cluster = await startReplicas(1)
    hosts = createHosts({ ...parseDatabaseUrl(cluster.url()), connect: ({ url }, lost) => connect(url, lost) })
    hosts.onPrimary((primary) => heard.push(primary?.name))
    await hosts.ready
  }, TIMEOUT_MS)
  afterAll(async () => {
    await hosts.close()
    await cluster.close()
  }, TIMEOUT_MS)
  const roles = () => hosts.states().map(({ role }) => role)

  test('after the first look, the primary and its standbys are known', async () => {
    const [db1, db2] = cluster.servers
    expect([hosts.primary()?.name, hosts.timeline(), heard]).toEqual([db1.address, 1, []])
    expect(hosts.standbys().map(({ name }) => name)).toEqual([db2?.address ?? ''])
    const [first, second] = hosts.states()
    expect([first?.role, second?.role, second?.systemId]).toEqual(['primary', 'standby', first?.systemId])
    await until('a standby that has replayed all', () => hosts.states()[1]?.lagBytes === 0 || undefined)
  })

  testAll(
    'a frozen primary is left, and used again when it answers',
    async () => {
      const [db1] = cluster.servers
      db1.freeze()
      await until('no primary', () => hosts.primary() === undefined || undefined)
      const during = hosts.states()[0]
      db1.thaw()
      await until('the primary again', () => hosts.primary()?.name === db1.address || undefined)
      expect([during?.role, during?.message]).toEqual(['away', expect.stringContaining('no answer within 2 seconds')])
      expect([heard.splice(0), hosts.failovers()]).toEqual([[undefined], 0])
    },
    TIMEOUT_MS,
  )

  test(
    'a promoted standby is the primary, and the old one is not used when it comes back',
    async () => {
      const [db1, db2] = cluster.servers
      await db1.kill()
      await until('no primary', () => hosts.primary() === undefined || undefined)
      await expect(hosts.requirePrimary()).rejects.toThrow(
        `none of ${db1.address}, ${db2?.address} is a primary: ${db1.address} does not answer: `,
      )
      await db2?.promote()
      await until('the new primary', () => hosts.primary()?.name === db2?.address || undefined)
      expect([hosts.timeline(), hosts.failovers(), heard.splice(0)]).toEqual([2, 1, [undefined, db2?.address]])
      await db1.start()
      await until('the old primary', () => roles()[0] === 'foreign' || undefined)
      expect([hosts.primary()?.name, hosts.states()[0]?.message]).toEqual([
        db2?.address,
        `accepts writes on timeline 1, but ${db2?.address} is the primary on timeline 2: it is not used`,
      ])
      expect(hosts.standbys()).toEqual([])
    },
    TIMEOUT_MS,
  )
})
