/** A real NetBox, filled and imported: Ansible makes the same inventory of it and of Plat. `npm run test:netbox` runs it. */
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compareInventories } from '../../testing/netbox/clients/compare.ts'
import { listInventory } from '../../testing/netbox/clients/inventory.ts'
import { startPlat } from '../../testing/netbox/clients/plat.ts'
import { createTarget } from '../../testing/netbox/clients/run.ts'
import { recordInventory, recordSource } from '../../testing/netbox/recorded/recorded.ts'
import { startNetbox } from '../../testing/netbox/server/netbox.ts'

const mode = process.env.PLAT_NETBOX

describe.skipIf(mode === undefined)('a real NetBox', () => {
  test('has the same groups, hosts and variables as Plat', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'plat-clients-'))
    const netbox = await startNetbox()
    const target = createTarget({ ...netbox, dir })
    await target.run([
      'python3',
      join(import.meta.dir, '../../testing/netbox/server/fill.py'),
      netbox.url,
      netbox.token,
    ])
    const theirs = await listInventory(target)
    if (mode === 'record') {
      await recordSource(netbox.url, netbox.token)
      recordInventory(theirs, netbox.url)
    }
    const plat = await startPlat(netbox)
    const differences = compareInventories(theirs, await listInventory(plat))
    await plat.stop()
    await netbox.stop()
    rmSync(dir, { recursive: true })
    expect(differences).toEqual({ groups: [], hosts: [], variables: [], unused: [] })
  }, 1_800_000)
})
