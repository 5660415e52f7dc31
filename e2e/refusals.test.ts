/** Refusals of the server and how a page shows them: 403, 404, 409, 412, and a request of another origin. */
import { expect, test } from 'bun:test'
import { takeOneIn } from '../testing/cases.ts'
import { PEOPLE } from './access-seed.ts'
import { world } from './harness.ts'

const it = world({ devices: 60, env: PEOPLE })

test('403: a page names the permission and the roles, and asks an admin for it', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/users')
      await page.getByRole('heading', { name: "You can't see this" }).waitFor()
      await page.getByText('users:list').waitFor()
      await page.getByText('Your roles: viewer.').waitFor()
      await page.getByRole('button', { name: 'Copy request for an admin' }).click()
      await page.getByText('Copied', { exact: true }).waitFor()
      const text = await page.evaluate<string>('navigator.clipboard.readText()')
      expect(text).toStartWith('Please give viewer the permission users:list in Plat')
    },
    { as: 'viewer' },
  ))

test('403: a form names the right that was revoked while it was open, and keeps its input', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/datacenters?new=1')
      await page.getByLabel('Name · required').fill('Nowhere')
      await page.route('**/api/datacenters', (route) =>
        route.request().method() === 'POST'
          ? route.fulfill({
              status: 403,
              json: { code: 'FORBIDDEN', error: 'This needs the permission datacenters:create', details: [] },
            })
          : route.continue(),
      )
      await page.getByRole('button', { name: 'Create datacenter' }).click()
      await page.getByRole('alert').getByText('This needs the permission datacenters:create').waitFor()
      expect(await page.getByLabel('Name · required').inputValue()).toBe('Nowhere')
    },
    { as: 'admin', expected: ['403 /api/datacenters'] },
  ))

test.each(takeOneIn(6, ['devices', 'networks', 'pools', 'datacenters', 'users', 'roles']))(
  '404: %s with an unknown id',
  (noun) =>
    it.visit(
      async ({ page, open }) => {
        await open(`/${noun}/nothing`)
        await page.getByText(`There is no such ${noun.slice(0, -1)}`).waitFor()
      },
      { as: 'admin', expected: ['404 /api/'] },
    ),
)

test('404: an address that the UI does not have, with the status of one', () =>
  it.visit(
    async ({ page }) => {
      const response = await page.goto('/nowhere/at/all')
      expect(response?.status()).toBe(404)
      await page.getByText('There is no page at this address').waitFor()
      await page.getByRole('link', { name: 'To the overview' }).click()
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    },
    { as: 'admin', expected: ['404 /nowhere'] },
  ))

test('404: an object that another user deleted while it was open', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.datacenters.create({ name: 'Short-lived' })
      await open(`/datacenters?edit=${id}`)
      await page.getByLabel('Location').fill('Row 1')
      await it.plat.api.datacenters.delete({ id })
      await page.getByRole('button', { name: 'Save' }).click()
      await page
        .getByRole('alert')
        .getByText(/no datacenter|not found|There is no/i)
        .waitFor()
    },
    { as: 'admin', expected: ['404 /api/datacenters/'] },
  ))

test('409: a name that is taken stands at its field', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/users?new=1')
      await page.getByLabel('User name · required').fill('operator')
      await page.getByRole('button', { name: 'Generate' }).click()
      await page.getByRole('button', { name: 'Create user' }).click()
      await page.locator('[aria-invalid=true]').waitFor()
      expect(await page.getByLabel('User name · required').getAttribute('aria-invalid')).toBe('true')
    },
    { as: 'admin', expected: ['409 /api/users'] },
  ))

test('409: a pool without a free address says where there are some', () =>
  it.visit(
    async ({ page, open }) => {
      const network = await it.plat.api.networks.create({ name: 'tight', subnet: '10.200.0.0/24' })
      const pool = (name: string, start_ip: string, end_ip: string) =>
        it.plat.api.pools.create({ network_id: network.id, name, start_ip, end_ip })
      const full = await pool('full', '10.200.0.1', '10.200.0.1')
      await pool('roomy', '10.200.0.10', '10.200.0.20')
      await it.plat.api.reservations.create({ pool_id: full.id, ip_address: '10.200.0.1' })
      await open(`/pools/${full.id}`)
      await page.getByText('Next free', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Next free address' }).click()
      await page.getByText('full has no free address left.').waitFor()
      const alert = page.getByRole('alert')
      await alert.getByText('11 free').waitFor()
      await alert.getByRole('link', { name: 'roomy' }).click()
      await page.getByRole('heading', { level: 1, name: 'roomy' }).waitFor()
    },
    { as: 'admin', expected: ['409 /api/pools/'] },
  ))

test("412: a save over another user's change of the network is refused", () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.networks.create({ name: 'contested', subnet: '10.201.0.0/24' })
      await open(`/networks/${id}?edit=${id}`)
      await page.getByLabel('Description').fill('mine')
      await it.plat.api.networks.update({ id, vlan_id: 7 })
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Changed by someone since you opened it.').waitFor()
      await page.getByRole('button', { name: 'Keep my changes' }).click()
      await page.getByText('Changed by someone since you opened it.').waitFor({ state: 'detached' })
      expect(await page.getByLabel('VLAN').inputValue()).toBe('7')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved contested').waitFor()
      expect(await it.plat.api.networks.get({ id })).toMatchObject({ description: 'mine', vlan_id: 7 })
    },
    { as: 'admin', expected: ['412 /api/networks/'] },
  ))

test('a form asks to sign in again when its session has ended, and keeps its input', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/networks?new=1')
      await page.getByLabel('Name · required').fill('kept')
      await it.plat.signOut('operator')
      await page.getByRole('button', { name: 'Create network' }).click()
      await page.getByText('Your session has ended.').waitFor()
      expect(new URL(page.url()).searchParams.get('next')).toBe('/networks?new=1')
    },
    { as: 'operator', expected: ['401 /api/'] },
  ))
