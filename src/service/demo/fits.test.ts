// `plat demo` on a server with other data, and with demo data of other numbers.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { runCommand } from '../../../testing/run-command.ts'
import { engines } from '../../../testing/servers/servers.ts'

describe.each(engines())('the demo data on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect })
    admin = await app.as('admin')
  }, 60_000)
  afterAll(() => app.close())

  const demo = (...flags: readonly string[]) =>
    runCommand(
      { app, key: admin.key },
      { argv: ['demo', ...(flags.includes('--devices') ? [] : ['--devices', '60']), ...flags] },
    )
  const countChanges = async () => (await admin.api.history.list({ limit: 1000 })).length

  test('are made beside data that are not in the way, and once more without a change', async () => {
    await admin.api.networks.create({ name: 'ours', subnet: '192.0.2.0/24' })
    await admin.api.devices.create({ name: 'ours', addresses: [{ ip: '192.0.2.1' }] })
    expect((await demo()).code).toBe(0)
    const before = await countChanges()
    const again = await demo()
    expect([again.code, again.err]).toEqual([0, expect.stringContaining('were there already')])
    expect(await countChanges()).toBe(before)
  })

  test.each([
    ['--seed', '2'],
    ['--devices', '1000'],
  ])('of another %s are refused beside the first ones, and nothing is changed', async (flag, number) => {
    const before = await countChanges()
    const { code, out, err } = await demo(flag, number)
    expect([code === 0, out]).toEqual([false, ''])
    expect(err).toMatch(
      /nothing was changed: demo data of another --seed or --devices are there, and \d+ of these devices do not fit beside them: /,
    )
    expect(err).toContain('Give the numbers of the data that are there, or take an empty server')
    expect(err.split('\n').filter((line) => line !== '')).toHaveLength(1)
    expect(await countChanges()).toBe(before)
  })
})
