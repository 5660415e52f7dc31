/** `plat device impact` and the others against a real server, in process. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { runCommand } from '../../testing/run-command.ts'

describe('plat device impact', () => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp()
    admin = await app.as('admin')
    const { devices, relationships } = admin.api
    const [chassis, blade, database] = await Promise.all(
      ['chassis', 'blade', 'database'].map((name) => devices.create({ name })),
    )
    if (!chassis || !blade || !database) throw new Error('each of the devices was created')
    await relationships.create({ device_id: chassis.id, child_id: blade.id, type: 'contains' })
    await relationships.create({ device_id: database.id, child_id: blade.id, type: 'depends_on' })
  })
  afterAll(() => app.close())

  const run = async (...argv: string[]) => {
    const { code, out } = await runCommand({ app, key: admin.key }, { argv })
    return [code, out]
  }

  test('lists the devices that stop, by the name of a device', async () => {
    expect(await run('device', 'impact', 'chassis')).toEqual([
      0,
      `failed:       1
stops:        2
cut_off:      0
degraded:     0
is_truncated: false

devices:
NAME      EFFECT  DEPTH  BECAUSE
chassis   failed  0      -
blade     stops   1      chassis contains
database  stops   2      blade depends_on
`,
    ])
  })

  test('takes several devices at once in a preview', async () => {
    const [code, out] = await run('impact', 'preview', '--device', 'chassis', '--device', 'database')
    expect([code, String(out).includes('failed:       2')]).toEqual([0, true])
  })

  test('lists single points of failure by name', async () => {
    const [code, out] = await run('impact', 'single-points')
    expect([code, String(out).split('\n')[1]?.startsWith('chassis  2')]).toEqual([0, true])
  })
})
