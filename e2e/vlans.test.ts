/** VLANs: a number of a network gets its name, which then stands beside the number. */
import { expect, test } from 'bun:test'
import { axeFindings, world } from './harness.ts'

const it = world({ devices: 20 })
const as = 'admin'

test('a number of a network is named, and its name stands beside it from then on', () =>
  it.visit(
    async ({ page, open, requests }) => {
      const { api } = it.plat
      for (const network of await api.networks.list()) await api.networks.update({ id: network.id, vlan_id: 0 })
      const { id: datacenter_id } = await api.datacenters.create({ name: 'Oslo 1' })
      const one = await api.networks.create({ name: 'oslo', subnet: '10.210.0.0/24', vlan_id: 401, datacenter_id })
      await api.networks.create({ name: 'bergen', subnet: '10.211.0.0/24', vlan_id: 402 })

      await open('/networks?view=flat&q=oslo')
      await page.getByRole('gridcell', { name: '401', exact: true }).waitFor()
      await page.getByRole('button', { name: 'More about networks' }).click()
      await page.getByRole('menuitem', { name: 'VLANs' }).click()
      await page.getByRole('heading', { level: 1, name: 'VLANs' }).waitFor()
      await page.getByText('No VLANs yet').waitFor()

      await page.getByRole('button', { name: 'Name 401 in Oslo 1' }).click()
      expect(await page.getByLabel('Number · required').inputValue()).toBe('401')
      await page.getByLabel('Name · required').fill('Servers')
      await page.getByRole('button', { name: 'Create VLAN' }).click()
      await page.getByText('Created Servers').waitFor()
      await page.getByRole('grid', { name: 'VLANs' }).getByText('Servers').waitFor()
      await page.getByRole('button', { name: 'Name 401 in Oslo 1' }).waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Name 402', exact: true }).waitFor()
      expect(await api.vlans.list()).toMatchObject([{ vlan_id: 401, name: 'Servers', network_ids: [one.id] }])

      await page.setViewportSize({ width: 1100, height: 800 })
      // The columns of the head are those of the rows, whatever the longest title is.
      const edges = (role: string) =>
        page
          .getByRole('grid', { name: 'VLANs' })
          .getByRole(role as 'gridcell')
          .evaluateAll((cells) => cells.slice(0, 5).map((cell) => Math.round(cell.getBoundingClientRect().x)))
      expect(await edges('gridcell')).toEqual(await edges('columnheader'))
      expect(await axeFindings(page)).toEqual([])

      await open('/networks?view=flat&q=vlan:401')
      await page.getByRole('gridcell', { name: '401 Servers' }).waitFor()
      await open(`/networks?edit=${one.id}`)
      const form = page.getByRole('dialog', { name: 'Edit oslo' })
      await form.getByText('Servers', { exact: true }).waitFor()
      await form.getByLabel('VLAN').fill('402')
      await form.getByText('1 to 4094, or nothing').waitFor()
      await open(`/networks/${one.id}`)
      await page.getByText('401 Servers').waitFor()
      expect(requests.filter((line) => line === 'GET /api/vlans').length).toBeGreaterThan(0)
    },
    { as },
  ))

test('the palette leads to VLANs, and makes one', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices')
      await page.keyboard.press('Control+k')
      await page.keyboard.type('new vlan')
      await page.getByRole('option', { name: 'New VLAN' }).click()
      await page.getByRole('dialog', { name: 'New VLAN' }).waitFor()
    },
    { as },
  ))
