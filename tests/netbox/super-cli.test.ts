/** netbox-super-cli makes its commands from the schema that Plat answers. It takes no path in the address of the API. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type PlatTarget, startPlat } from '../../testing/netbox/clients/plat.ts'

let plat: PlatTarget
beforeAll(async () => {
  plat = await startPlat()
}, 120_000)
afterAll(() => plat.stop())

const run = async (...args: string[]): Promise<unknown> => {
  const env = { NSC_HOME: join(plat.dir, 'nsc'), NSC_URL: plat.hostUrl, NSC_TOKEN: plat.token }
  const { out } = await plat.run(['nsc', ...args, '--output', 'json'], env)
  return JSON.parse(out)
}

test('netbox-super-cli lists by filters, creates, reads, updates and deletes', async () => {
  expect(await run('ls', 'devices', '--filter', 'site=fra1', '--filter', 'role=server', '--limit', '2')).toMatchObject([
    { name: 'srv-fra-1' },
    { name: 'srv-fra-2' },
  ])
  const sent = ['--field', 'prefix=10.55.0.0/24', '--field', 'description=By nsc']
  const created = await run('ipam', 'prefixes', 'create', ...sent, '--apply')
  expect(created).toMatchObject({ prefix: '10.55.0.0/24', description: 'By nsc' })
  const { id } = created as { id: number }
  await run('ipam', 'prefixes', 'update', `${id}`, '--field', 'description=Changed', '--apply')
  expect(await run('get', 'prefixes', `${id}`)).toMatchObject({ description: 'Changed' })
  await run('rm', 'prefixes', `${id}`, '--apply')
  expect(await run('ls', 'prefixes', '--filter', 'prefix=10.55.0.0/24')).toEqual([])
}, 120_000)
