/** The modules of Ansible's collection for NetBox write to Plat. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type PlatTarget, startPlat } from '../../testing/netbox/clients/plat.ts'
import { program } from '../../testing/netbox/clients/run.ts'

let plat: PlatTarget
beforeAll(async () => {
  plat = await startPlat()
}, 120_000)
afterAll(() => plat.stop())

/** Returns the output, and the numbers of the recap: `ok`, `changed`, `failed`. */
const play = async (name: string) => {
  const { out } = await plat.run(['ansible-playbook', program(name)])
  const recap = /^localhost +: (.*)$/m.exec(out)?.[1] ?? ''
  const counts = [...recap.matchAll(/(\w+)=(\d+)/g)].map(([, key = '', count]) => [key, Number(count)])
  return { out, recap: Object.fromEntries(counts) }
}

test('ten modules of netbox.netbox make their objects, and change nothing the second time', async () => {
  // The only address of the device is its primary one already.
  expect((await play('playbook.yml')).recap).toMatchObject({ ok: 14, changed: 13, failed: 0 })
  expect((await play('playbook.yml')).recap).toMatchObject({ ok: 14, changed: 0, failed: 0 })
}, 300_000)

test('modules take the next address and the next prefix, and give an address back', async () => {
  const { out, recap } = await play('allocate.yml')
  expect(out).toContain('taken 10.2.0.2/24 10.4.0.0/26')
  expect(recap).toMatchObject({ ok: 4, changed: 3, failed: 0 })
}, 120_000)
