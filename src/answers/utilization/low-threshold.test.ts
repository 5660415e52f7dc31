// A threshold of at most 5 percent: no utilization is 5 points below it, and the pool is still reported again.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { type PoolEvents, poolEvents } from '../../../testing/pool-events.ts'
import { engines } from '../../../testing/servers/servers.ts'

const TIMEOUT_MS = 60_000

const cases = [...engines()].flatMap((dialect) => [1, 5, 6].map((threshold) => [dialect, threshold] as const))

describe.each(cases)('on %s, a threshold of %d percent', (dialect, threshold) => {
  let app: TestApp
  let admin: TestCaller
  let on: PoolEvents
  beforeAll(async () => {
    app = await testApp({ dialect, env: { POOL_UTILIZATION_THRESHOLD: String(threshold) } })
    admin = await app.as('admin')
    on = poolEvents(app, admin, '10.35')
  }, TIMEOUT_MS)
  afterAll(() => app.close(), TIMEOUT_MS)

  test('reports a pool again after it was empty', async () => {
    const { id, net } = await on.poolOf(1, 100)
    const device = await on.fill(net, 1, threshold)
    await admin.api.devices.delete({ id: device.id })
    await on.fill(net, 1, threshold)
    expect(await on.reported(id)).toEqual([threshold, threshold])
  })

  test('reports a pool again that is never empty, as it holds the network address', async () => {
    const { id, net } = await on.poolOf(0, 249)
    const first = await on.fill(net, 1, 20)
    await admin.api.devices.delete({ id: first.id })
    await on.fill(net, 1, 20)
    expect(await on.reported(id)).toEqual([8.4, 8.4])
  })

  test('reports a pool once that falls just below the threshold and crosses it again', async () => {
    const { id, net } = await on.poolOf(1, 200)
    await on.fill(net, 1, threshold * 2 - 1)
    const top = await on.fill(net, 100, 100)
    await admin.api.devices.delete({ id: top.id })
    await on.fill(net, 100, 100)
    expect(await on.reported(id)).toEqual([threshold])
  })
})
