/** Refs on the command line, against a real server, in process. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../testing/app/app.ts'
import { runCommand } from '../../testing/run-command.ts'

let app: TestApp
let key: string
beforeAll(async () => {
  app = await testApp()
  key = (await app.as('admin')).key
})
afterAll(() => app.close())

const run = async (...argv: string[]) => {
  const { code, out, err } = await runCommand({ app, key }, { argv: [...argv, '-o', 'json'] })
  return { code, err, value: out === '' ? undefined : (JSON.parse(out) as Record<string, unknown>) }
}

test('an object is created, shown, changed and deleted by its ref', async () => {
  const created = await run('device', 'create', 'web-1', '--refs', 'netbox=dcim/7', '--refs', 'servicenow=CI7')
  expect(created).toMatchObject({ code: 0, value: { refs: { netbox: 'dcim/7', servicenow: 'CI7' } } })
  expect(await run('device', 'get', 'netbox:dcim/7')).toMatchObject({ value: { name: 'web-1' } })
  expect(await run('device', 'update', 'netbox:dcim/7', '--refs', 'servicenow=CI8')).toMatchObject({
    value: { refs: { netbox: 'dcim/7', servicenow: 'CI8' } },
  })
  expect(await run('device', 'delete', 'servicenow:CI8')).toMatchObject({ code: 0 })
  expect(await run('device', 'get', 'netbox:dcim/7')).toMatchObject({ code: 4 })
})

test('an update by a new ref creates, and a name with a colon still means its object', async () => {
  const made = await run('device', 'update', 'servicenow:CI9', '--name', 'db-1')
  expect(made).toMatchObject({ code: 0, value: { name: 'db-1', refs: { servicenow: 'CI9' } } })
  const named = await run('device', 'create', 'rack:7')
  expect(await run('device', 'update', 'rack:7', '--os', 'Debian')).toMatchObject({
    value: { id: named.value?.id, refs: {}, os: 'Debian' },
  })
  expect(await run('network', 'update', 'netbox:prefix.1', '--name', 'lan')).toMatchObject({ code: 2 })
  expect(await run('device', 'get', 'servicenow:none')).toMatchObject({ code: 4 })
  const list = await run('device', 'list', '--managed-by', 'git')
  expect(list).toMatchObject({ code: 0, value: [] })
})

test('a reservation is made by a ref', async () => {
  await run('network', 'create', 'lan', '10.5.0.0/24', '--refs', 'ipam=n')
  await run('pool', 'create', 'ipam:n', 'hosts', '10.5.0.10', '10.5.0.20', '--refs', 'ipam=p')
  const made = await run('reservation', 'update', 'ipam:r', '--pool', 'ipam:p', '--ip-address', '10.5.0.11')
  expect(made).toMatchObject({ code: 0, value: { ip_address: '10.5.0.11', refs: { ipam: 'r' } } })
})
