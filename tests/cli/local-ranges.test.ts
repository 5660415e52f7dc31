/** The command line on local ranges: a scan is rejected with the reason, and a rule shows why it starts none. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { runCommand } from '../../testing/run-command.ts'

let app: TestApp
let admin: TestCaller
beforeAll(async () => {
  app = await testApp({ env: { DISCOVERY_ALLOW_LOCAL: 'false', DISCOVERY_ALLOWED_SUBNETS: '' } })
  admin = await app.as('admin')
})
afterAll(() => app.close())

const run = (...argv: string[]) => runCommand({ app, key: admin.key }, { argv })

test('a scan of a local range is refused, naming it', async () => {
  await admin.api.networks.create({ name: 'loop', subnet: '127.3.0.0/24' })
  const { code, err } = await run('discovery', 'scan', 'loop')
  expect([code, err]).toEqual([2, expect.stringContaining('the local range 127.0.0.0/8')])
})

test('a rule shows why it starts no scan', async () => {
  const { id: network_id } = await admin.api.networks.create({ name: 'was elsewhere', subnet: '10.3.0.0/24' })
  const { id } = await admin.api.discoveryRules.create({ network_id, enabled: false })
  await admin.api.networks.update({ id: network_id, subnet: '127.4.0.0/24' })
  const enabled = { enabled: 1 }
  await app.db.write(({ db }) => db.updateTable('discovery_rules').set(enabled).where('id', '=', id).execute())
  const { code, out } = await run('discovery', 'rule', 'get', id)
  expect([code, out]).toEqual([0, expect.stringContaining('the local range 127.0.0.0/8')])
})
