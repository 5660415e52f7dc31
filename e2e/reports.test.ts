/** Reports: their counts, a table with its parameters in the URL, and what is settled in bulk: ghosts, shadows, reservations. */
import { beforeAll, expect, test } from 'bun:test'
import { eventually, world } from './harness.ts'
import { expectReadableInBothThemes } from './readable.ts'

const it = world()
const as = 'admin'

beforeAll(async () => {
  const { api } = it.plat
  const network = await api.networks.create({ name: 'office', subnet: '10.77.0.0/24' })
  for (const [n, name] of ['old-printer', 'old-nas', 'old-laptop'].entries())
    await api.devices.create({ name, addresses: [{ ip: `10.77.0.${n + 10}` }] })
  const pool = await api.pools.create({
    ...{ network_id: network.id, name: 'guests', start_ip: '10.77.0.100', end_ip: '10.77.0.109' },
  })
  await api.reservations.create({ pool_id: pool.id, ip_address: '10.77.0.101', hostname: 'never-came' })
  const hosts = [20, 21].map((n) => ({ ip: `10.77.0.${n}`, hostname: `new-${n}.example.net` }))
  await api.scans.record({ id: network.id, hosts })
})

test('the reports are a page of the inbox, with their counts', () =>
  it.visit(
    async ({ page, openWhole }) => {
      await openWhole('/inbox')
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Reports' }).click()
      const list = page.getByRole('list', { name: 'Reports' })
      await list.getByRole('link', { name: /^2 ?Shadows/ }).waitFor()
      expect(await list.getByRole('link').count()).toBe(12)
      await expectReadableInBothThemes(page)
    },
    { as },
  ))

test('the overview names a report with findings, and leads to it', () =>
  it.visit(
    async ({ page, openWhole }) => {
      await openWhole('/')
      const line = page.getByRole('listitem').filter({ hasText: 'Devices without a datacenter' })
      expect(await line.innerText()).toMatch(/report\s+3 Devices without a datacenter/)
      await line.getByRole('link').click()
      await page.getByRole('heading', { level: 1, name: 'Devices without a datacenter' }).waitFor()
      expect(new URL(page.url()).pathname).toBe('/reports/unlocated-devices')
    },
    { as },
  ))

test('ghosts of any age are decommissioned in bulk', () =>
  it.visit(
    async ({ page, openWhole }) => {
      await openWhole('/reports/ghosts')
      await page.getByText('Nothing to do').waitFor()
      await expectReadableInBothThemes(page)
      await page.getByLabel('Days').fill('0')
      await page.getByRole('row', { name: /old-printer/ }).waitFor()
      expect(new URL(page.url()).searchParams.get('days')).toBe('0')
      await expectReadableInBothThemes(page)
      await page.getByRole('checkbox', { name: /^Select all/ }).click()
      await page.getByRole('button', { name: 'Decommission 3' }).click()
      const dialog = page.getByRole('dialog', { name: 'Decommission 3 devices?' })
      await dialog.getByRole('button', { name: 'Decommission 3' }).click()
      await page.getByText('Nothing to do').waitFor()
      const devices = (await it.plat.api.devices.list({})).filter(({ name }) => name.startsWith('old-'))
      expect(devices.map(({ status }) => status)).toEqual(['decommissioned', 'decommissioned', 'decommissioned'])
    },
    { as },
  ))

test('a shadow is documented from the report', () =>
  it.visit(
    async ({ page, openWhole }) => {
      await openWhole('/reports/shadows')
      await page
        .getByRole('row', { name: /new-20/ })
        .getByRole('checkbox')
        .click()
      await page.getByRole('button', { name: 'Document 1' }).click()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Document/ })
        .click()
      await page.getByRole('row', { name: /new-20/ }).waitFor({ state: 'detached' })
      expect(await page.getByRole('row', { name: /new-21/ }).count()).toBe(1)
    },
    { as },
  ))

test('stale reservations are deleted in bulk', () =>
  it.visit(
    async ({ page, openWhole }) => {
      await openWhole('/reports/stale-reservations?days=0')
      await page
        .getByRole('row', { name: /never-came/ })
        .getByRole('checkbox')
        .click()
      await page.getByRole('button', { name: 'Delete 1' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete 1' }).click()
      await page.getByRole('row', { name: /never-came/ }).waitFor({ state: 'detached' })
      const left = async () =>
        (await it.plat.api.reservations.all({})).some(({ hostname }) => hostname === 'never-came')
      await eventually(left, false)
    },
    { as },
  ))

test('the export has the parameters of the page', () =>
  it.visit(
    async ({ page, openWhole }) => {
      await openWhole('/reports/unscanned-networks?days=7')
      await page.getByRole('button', { name: 'Export' }).click()
      const link = page.getByRole('menuitem', { name: /CSV/ })
      expect(await link.getAttribute('href')).toBe('/api/reports/unscanned-networks/export?format=csv&days=7')
    },
    { as },
  ))
