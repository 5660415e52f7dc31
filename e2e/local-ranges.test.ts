/** Local ranges in the browser: a scan of them is refused with its reason, and a rule that starts no scan shows why. */
import { expect, test } from 'bun:test'
import { axeFindings, world } from './harness.ts'

const it = world({ devices: 0, env: { DISCOVERY_ALLOW_LOCAL: 'false' } })
const WHY = '127.77.0.0/24 overlaps the local range 127.0.0.0/8, which is scanned only with DISCOVERY_ALLOW_LOCAL=true'

/**
 * A network that became local after its rule was created. The rule is enabled when its network can't be scanned any
 * more.
 */
const localNetwork = async (): Promise<string> => {
  const { api, write } = it.plat
  const { id } = await api.networks.create({ name: 'loop', subnet: '10.77.0.0/24' })
  const rule = await api.discoveryRules.create({ network_id: id, enabled: false })
  await api.networks.update({ id, subnet: '127.77.0.0/24' })
  await write(({ db }) => db.updateTable('discovery_rules').set({ enabled: 1 }).where('id', '=', rule.id).execute())
  return id
}

test('a scan is refused with its reason, and a rule says why it starts no scan', async () => {
  const id = await localNetwork()
  await it.visit(
    async ({ page, open }) => {
      await open('/rules')
      const mark = page.getByTitle(WHY)
      await mark.waitFor()
      expect(await mark.textContent()).toBe('skipped')
      expect(await axeFindings(page)).toEqual([])
      await open(`/networks/${id}?tab=discovery`)
      await page.getByText(`does not run: ${WHY}`).waitFor()
      await open(`/networks/${id}?new=scan`)
      await page.getByRole('dialog').getByText(WHY).waitFor()
    },
    { as: 'admin', expected: [`400 /api/discovery/networks/${id}/scan`] },
  )
})
