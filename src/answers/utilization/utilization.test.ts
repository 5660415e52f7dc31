// The stored samples of networks and pools, and the reports of nearly full pools.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'

const TIMEOUT_MS = 60_000
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

describe.each(onSqlite())('utilization on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  /** Added to the current time, which decides when jobs are due. */
  let aheadMs = 0
  beforeAll(async () => {
    const now = () => new Date(Date.now() + aheadMs)
    app = await testApp({ dialect, now, env: { POOL_UTILIZATION_THRESHOLD: '80' } })
    admin = await app.as('admin')
  }, TIMEOUT_MS)
  afterAll(() => app.close(), TIMEOUT_MS)

  const poolOf = async (third: number) => {
    const network = await admin.api.networks.create({ name: `net ${third}`, subnet: `10.30.${third}.0/24` })
    const [start_ip, end_ip] = [`10.30.${third}.1`, `10.30.${third}.10`]
    return admin.api.pools.create({ network_id: network.id, name: `pool ${third}`, start_ip, end_ip })
  }
  const fill = async (third: number, from: number, to: number) =>
    admin.api.devices.create({
      name: `device ${third}.${from}`,
      addresses: Array.from({ length: to - from + 1 }, (_, i) => ({ ip: `10.30.${third}.${from + i}` })),
    })
  const reports = async (poolId: string) =>
    (
      await app.db.read
        .selectFrom('events')
        .select(['event', 'data'])
        .where('event', '=', 'pool.utilization_high')
        .where('resource_id', '=', poolId)
        .orderBy('seq')
        .execute()
    ).map(({ event, data }) => ({ event, data: JSON.parse(data) }))
  const alarm = async (poolId: string) =>
    app.db.read.selectFrom('pool_alarms').select('pool_id').where('pool_id', '=', poolId).executeTakeFirst()

  test(
    'a pool that crosses the threshold is reported once, and again only after it had room',
    async () => {
      const pool = await poolOf(1)
      await fill(1, 1, 7)
      const last = await fill(1, 8, 8)
      aheadMs += MINUTE_MS
      const [report] = await until('a report', async () => {
        const found = await reports(pool.id)
        return found.length > 0 ? found : undefined
      })
      expect(report).toEqual({
        event: 'pool.utilization_high',
        data: {
          ...{ pool_id: pool.id, pool_name: 'pool 1', network_id: pool.network_id },
          ...{ utilization: 80, threshold: 80 },
        },
      })
      const more = await fill(1, 9, 9)
      aheadMs += MINUTE_MS
      // Not below threshold minus 5 yet.
      await admin.api.devices.delete({ id: more.id })
      aheadMs += MINUTE_MS
      await admin.api.devices.delete({ id: last.id })
      aheadMs += MINUTE_MS
      await until('an alarm that is armed again', async () => ((await alarm(pool.id)) === undefined ? true : undefined))
      expect(await reports(pool.id)).toHaveLength(1)
      await fill(1, 8, 9)
      aheadMs += MINUTE_MS
      await until('a second report', async () => ((await reports(pool.id)).length === 2 ? true : undefined))
    },
    TIMEOUT_MS,
  )

  /** Returns the stored samples of an object, oldest first. */
  const put = async (id: string): Promise<number[]> => {
    const rows = await app.db.read
      .selectFrom('utilization_samples')
      .select('used')
      .where('object_id', '=', id)
      .orderBy('day')
      .execute()
    return rows.map(({ used }) => Number(used))
  }

  test(
    'today is as it is now',
    async () => {
      const pool = await poolOf(5)
      const now = async () => (await admin.api.utilization.ofPool({ id: pool.id })).samples.at(-1)?.used_ips
      const before = await now()
      await fill(5, 1, 4)
      expect([before, await now()]).toEqual([0, 4])
    },
    TIMEOUT_MS,
  )

  test(
    'there is a sample a day of networks and pools, and a forecast',
    async () => {
      const pool = await poolOf(2)
      const history = () => admin.api.utilization.ofPool({ id: pool.id })
      for (const day of [1, 2, 3]) {
        await fill(2, day, day)
        aheadMs += DAY_MS
        await app.plat.runJob('utilization.sample')
        await until(`the sample of day ${day}`, async () => ((await put(pool.id)).at(-1) === day ? true : undefined))
      }
      const { samples, forecast } = await history()
      expect(
        samples.slice(-3).map(({ used_ips, total_ips, utilization }) => [used_ips, total_ips, utilization]),
      ).toEqual([
        [1, 10, 10],
        [2, 10, 20],
        [3, 10, 30],
      ])
      expect(forecast).toMatchObject({ per_day: 1, days_to_full: 7 })
      const ofNetwork = await admin.api.utilization.ofNetwork({ id: pool.network_id, days: 1 })
      expect(ofNetwork.samples).toEqual([expect.objectContaining({ used_ips: 3, total_ips: 254, utilization: 1.18 })])
      expect(ofNetwork.forecast).toBeNull()
    },
    TIMEOUT_MS,
  )

  test(
    'samples of deleted objects are deleted',
    async () => {
      const pool = await poolOf(3)
      aheadMs += DAY_MS
      await app.plat.runJob('utilization.sample')
      await until('a sample', async () => ((await put(pool.id)).length > 0 ? true : undefined))
      await admin.api.networks.delete({ id: pool.network_id })
      const left = await app.db.read
        .selectFrom('utilization_samples')
        .select('object_id')
        .where('object_id', 'in', [pool.id, pool.network_id])
        .execute()
      expect(left).toEqual([])
      expect((await admin.request('GET', `/api/pools/${pool.id}/utilization/history`)).status).toBe(404)
    },
    TIMEOUT_MS,
  )
})
