/** The pages of a datacenter and of a network: their tabs and their history. */
import { expect, test } from 'bun:test'
import { testAll } from '../testing/cases.ts'
import { PEOPLE } from './access-seed.ts'
import { world } from './harness.ts'

const it = world({ devices: 300, env: PEOPLE })
const as = 'admin'

test('a datacenter: from the list to its devices, and on to one of them', () =>
  it.visit(
    async ({ page, open }) => {
      const [datacenter] = await it.plat.api.datacenters.list({ name: 'Ashburn 2' })
      const devices = await it.plat.api.datacenters.devices({ id: datacenter?.id ?? '' })
      await open('/datacenters')
      await page.getByRole('link', { name: 'Ashburn 2' }).click()
      await page.getByRole('heading', { level: 1, name: 'Ashburn 2' }).waitFor()
      await page
        .getByRole('navigation', { name: 'About this datacenter' })
        .getByRole('link', { name: 'Devices' })
        .click()
      await page.locator(`[role=grid][aria-rowcount="${devices.length + 1}"]`).waitFor()
      await page.getByRole('link', { name: 'Open in Devices' }).click()
      await page.getByText(`${devices.length} of 300 devices`).first().waitFor()
    },
    { as },
  ))

testAll('a datacenter: its networks and its history', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.datacenters.create({ name: 'Oslo 1' })
      await it.plat.api.networks.create({ name: 'oslo', subnet: '10.210.0.0/24', datacenter_id: id })
      await open(`/datacenters/${id}`)
      await page.getByRole('heading', { name: 'Last changes' }).waitFor()
      const tabs = page.getByRole('navigation', { name: 'About this datacenter' })
      await tabs.getByRole('link', { name: 'Devices' }).click()
      await page.getByText('No device is in this datacenter yet.').waitFor()
      await tabs.getByRole('link', { name: 'Networks' }).click()
      await page.getByRole('grid', { name: 'Networks' }).getByText('oslo').waitFor()
      await tabs.getByRole('link', { name: 'History' }).click()
      await page.getByText('created', { exact: true }).waitFor()
    },
    { as },
  ),
)

test('a datacenter is changed and deleted on its page, by keys', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.datacenters.create({ name: 'Bergen 1' })
      await open(`/datacenters/${id}`)
      await page.getByRole('heading', { level: 1, name: 'Bergen 1' }).waitFor()
      await page.keyboard.press('e')
      await page.getByLabel('Location').fill('By the sea')
      await page.keyboard.press('Enter')
      await page.getByText('Saved Bergen 1').waitFor()
      await page.getByRole('dialog', { name: 'Edit Bergen 1' }).waitFor({ state: 'detached' })
      await page.getByText('By the sea', { exact: true }).waitFor()
      await page.keyboard.press('#')
      await page.getByRole('button', { name: 'Delete datacenter' }).press('Enter')
      await page.getByText('Deleted Bergen 1').waitFor()
      await page.getByRole('heading', { level: 1, name: 'Datacenters' }).waitFor()
      expect(await it.plat.api.datacenters.list({ name: 'Bergen 1' })).toEqual([])
    },
    { as },
  ))

test('a network: its addresses, of devices and reserved ones, in their order', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.networks.create({ name: 'small', subnet: '10.211.0.0/24' })
      const range = { start_ip: '10.211.0.1', end_ip: '10.211.0.50' }
      const pool = await it.plat.api.pools.create({ network_id: id, name: 'desk', ...range })
      await it.plat.api.reservations.create({ pool_id: pool.id, ip_address: '10.211.0.9', purpose: 'printer' })
      await it.plat.api.devices.create({ name: 'ten', addresses: [{ ip: '10.211.0.10', network_id: id }] })
      await it.plat.api.devices.create({ name: 'two', addresses: [{ ip: '10.211.0.2', network_id: id }] })
      await open(`/networks/${id}`)
      const tabs = page.getByRole('navigation', { name: 'About this network' })
      await tabs.getByRole('link', { name: 'Addresses' }).click()
      await page.getByRole('button', { name: 'List', exact: true }).click()
      const grid = page.getByRole('grid', { name: 'Addresses' })
      await grid.getByText('printer').waitFor()
      const first = grid.getByRole('row').locator('[role=gridcell]:first-child')
      expect(await first.allTextContents()).toEqual(['10.211.0.2', '10.211.0.9', '10.211.0.10'])
      await tabs.getByRole('link', { name: 'Pools' }).click()
      await page.getByRole('link', { name: 'desk' }).waitFor()
      await tabs.getByRole('link', { name: 'Devices' }).click()
      await page.getByRole('grid', { name: 'Devices' }).getByRole('link', { name: 'ten' }).waitFor()
      await tabs.getByRole('link', { name: 'History' }).click()
      await page.getByText('created', { exact: true }).waitFor()
    },
    { as },
  ))

test('a viewer sees the history of what it may read', () =>
  it.visit(
    async ({ page, open }) => {
      const [network] = await it.plat.api.networks.list({ limit: 1 })
      await open(`/networks/${network?.id}?tab=history`)
      await page.getByText('created', { exact: true }).waitFor()
      expect(await page.getByRole('link', { name: 'All in the audit log' }).count()).toBe(0)
    },
    { as: 'viewer' },
  ))

test('a pool that is too large for a map says so, and shows the next free address', () =>
  it.visit(
    async ({ page, open }) => {
      const network = await it.plat.api.networks.create({ name: 'six', subnet: '2001:db8:77::/64' })
      const range = { start_ip: '2001:db8:77::1', end_ip: '2001:db8:77::ffff:ffff' }
      const pool = await it.plat.api.pools.create({ network_id: network.id, name: 'wide', ...range })
      await open(`/pools/${pool.id}`)
      await page.getByText(/Maps show at most 65,536/).waitFor()
      await page.locator('p').getByText('2001:db8:77::1', { exact: true }).waitFor()
    },
    { as },
  ))
