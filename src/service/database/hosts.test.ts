// The status of a database on several hosts, at each place that shows it.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { type Replicas, replicasProblem, startReplicas } from '../../../testing/servers/replicas.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'

const TIMEOUT_MS = 120_000

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  const isSkipped = replicasProblem !== undefined
  const titled = (title: string): string => (isSkipped ? `${title}, skipped: ${replicasProblem}` : title)
  let replicas: Replicas
  let app: TestApp
  let viewer: TestCaller
  beforeAll(async () => {
    if (isSkipped) return
    replicas = await startReplicas(1)
    const database = await replicas.createDatabase()
    app = await testApp({ env: { DATABASE_URL: replicas.url(database) } })
    viewer = await app.as('viewer')
  }, TIMEOUT_MS)
  afterAll(async () => {
    await app?.close()
    await replicas?.close()
  }, TIMEOUT_MS)

  const status = () => viewer.api.database.status()
  const standby = () => replicas.servers.slice(1)[0] ?? replicas.servers[0]
  const readiness = async () => {
    const response = await app.guest('GET', '/readyz')
    const { checks } = (await response.json()) as { checks: { database: { message: string } } }
    return checks.database.message
  }
  const metrics = async () => (await viewer.request('GET', '/metrics')).text()
  /** Waits for a look at the hosts that has seen it. */
  const seen = (what: string, isSo: (found: Awaited<ReturnType<typeof status>>) => boolean) =>
    until(what, async () => {
      const found = await status()
      return isSo(found) ? found : undefined
    })

  test.skipIf(isSkipped)(
    titled('names the primary, and the standby with its lag'),
    async () => {
      const [primary] = replicas.servers
      const found = await seen('a standby that has all', ({ hosts }) => hosts[1]?.lag_bytes === 0)
      expect(found.primary).toBe(primary.address)
      expect(found.timeline).toBe(1)
      expect(found.hosts).toEqual([
        expect.objectContaining({ host: primary.address, role: 'primary', lag_bytes: null, lag_ms: null, message: '' }),
        { host: standby().address, role: 'standby', lag_bytes: 0, lag_ms: 0, answers: 0, message: '' },
      ])
      expect(await readiness()).toBe(`primary ${primary.address}, 1 standby`)
      const text = await metrics()
      expect(text).toContain(`db_host_up{host="${standby().address}",role="standby"} 1`)
      expect(text).toMatch(new RegExp(`^db_replica_lag_bytes\\{host="${standby().address}"\\} \\d+$`, 'm'))
    },
    TIMEOUT_MS,
  )

  test.skipIf(isSkipped)(
    titled('says how far a standby is behind that replays nothing'),
    async () => {
      await standby().pauseReplay()
      await (await app.as('admin')).api.datacenters.create({ name: 'behind' })
      const { hosts } = await seen('a standby that is behind', ({ hosts }) => (hosts[1]?.lag_bytes ?? 0) > 0)
      expect(hosts[1]?.lag_ms).toBeGreaterThan(0)
      await standby().resumeReplay()
      await seen('a standby that has all', ({ hosts }) => hosts[1]?.lag_bytes === 0)
    },
    TIMEOUT_MS,
  )

  test.skipIf(isSkipped)(
    titled('says if commits wait for the standby'),
    async () => {
      const [primary] = replicas.servers
      expect((await status()).commits_wait).toBe(false)
      await primary.set('synchronous_standby_names', '*')
      await seen('commits that wait', ({ commits_wait }) => commits_wait === true)
      await primary.set('synchronous_standby_names', '')
      await seen('commits that do not wait', ({ commits_wait }) => commits_wait === false)
    },
    TIMEOUT_MS,
  )

  test.skipIf(isSkipped)(
    titled('a standby that was killed is away, with the reason'),
    async () => {
      await standby().kill()
      const { hosts } = await seen('a host that is away', ({ hosts }) => hosts[1]?.role === 'away')
      expect(hosts[1]).toMatchObject({ lag_bytes: null, message: expect.stringContaining('does not answer') })
      expect(await readiness()).toBe(`primary ${replicas.servers[0].address}, 0 standbys`)
      expect(await metrics()).toContain(`db_host_up{host="${standby().address}",role="away"} 0`)
      await standby().start()
      await seen('a standby again', ({ hosts }) => hosts[1]?.role === 'standby')
    },
    TIMEOUT_MS,
  )

  test.skipIf(isSkipped)(
    titled('a promotion is counted, and the former primary is away'),
    async () => {
      const [primary] = replicas.servers
      await replicas.caughtUp()
      await primary.kill()
      await standby().promote()
      const found = await until('an answer with the new primary, after the other one was missed', async () => {
        const response = await viewer.request('GET', '/api/database')
        if (response.status !== 200) return undefined
        const answer = (await response.json()) as Awaited<ReturnType<typeof status>>
        return answer.hosts.some(({ role }) => role === 'foreign') ? undefined : answer
      })
      expect(found).toMatchObject({ primary: standby().address, timeline: 2 })
      expect(found.hosts.map(({ role }) => role)).toEqual(['away', 'primary'])
      expect(await metrics()).toMatch(/^db_failovers_total 1$/m)
    },
    TIMEOUT_MS,
  )
}
