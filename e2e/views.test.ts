/** Saved views: named lists, private or shared, opened from their menu, the palette or the sidebar. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { takeOneIn, testAll } from '../testing/cases.ts'
import { PEOPLE } from './access-seed.ts'
import { axeFindings, world } from './harness.ts'

const it = world({ devices: 300, env: PEOPLE })
const as = 'admin'

const open = (page: Page) => page.getByRole('button', { name: 'Saved views' }).click()

const save = async (page: Page, name: string): Promise<void> => {
  await open(page)
  await page.getByRole('menuitem', { name: 'Save this view…' }).click()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByText(`Saved the view ${name}`).waitFor()
}

test('a view has the filter, the order and the columns', () =>
  it.visit(
    async ({ page, open: go }) => {
      await go('/devices?q=tag:production&sort=os&desc=1&cols=name,os')
      await save(page, 'Production by system')
      await page.getByRole('link', { name: 'Networks' }).click()
      await page.getByRole('link', { name: /^Devices/ }).click()
      await open(page)
      await page.getByRole('menuitem', { name: 'Production by system' }).click()
      await page.waitForURL(/q=tag:production/)
      expect(new URL(page.url()).search).toBe('?q=tag:production&sort=os&desc=1&cols=name,os')
      expect(await page.getByRole('combobox', { name: 'Filter' }).inputValue()).toBe('tag:production')
      await open(page)
      await page.getByRole('menuitem', { name: 'Production by system' }).getByLabel('shown now').waitFor()
    },
    { as },
  ))

testAll('a saved view leaves out the open drawer', () =>
  it.visit(
    async ({ page, open: go }) => {
      await go('/pools?q=servers&new=1')
      await page.getByRole('button', { name: 'Cancel' }).click()
      await save(page, 'Servers')
      await page.getByRole('combobox', { name: 'Filter' }).fill('')
      await page.waitForURL((url) => url.search === '')
      await page.keyboard.press('Escape')
      await open(page)
      await page.getByRole('menuitem', { name: 'Servers' }).click()
      await page.waitForURL((url) => url.search === '?q=servers')
    },
    { as },
  ),
)

test('a view is renamed, found in the palette, and deleted', () =>
  it.visit(
    async ({ page, open: go }) => {
      await go('/networks?view=flat&sort=name')
      await save(page, 'Old name')
      await open(page)
      await page.getByRole('menuitem', { name: 'Rename or delete…' }).click()
      await page.getByLabel('Name of Old name').fill('New name')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Delete New name' }).waitFor()
      expect(await axeFindings(page)).toEqual([])
      await page.getByRole('button', { name: 'Done' }).click()
      await go('/')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search or jump to' }).fill('new name')
      await page.getByRole('option', { name: 'New name' }).click()
      await page.waitForURL((url) => url.pathname === '/networks' && url.search === '?view=flat&sort=name')
      await open(page)
      await page.getByRole('menuitem', { name: 'Rename or delete…' }).click()
      await page.getByRole('button', { name: 'Delete New name' }).click()
      await page.getByText('None are left.').waitFor()
      await page.reload()
      await open(page)
      await page.getByRole('menuitem', { name: 'Save this view…' }).waitFor()
      expect(await page.getByRole('menuitem', { name: 'New name' }).count()).toBe(0)
    },
    { as },
  ))

testAll('a view saved in one tab appears in another', () =>
  it.visit(
    async ({ page, context, open: go }) => {
      await go('/datacenters?q=ash')
      const other = await context.newPage()
      await other.goto('/datacenters')
      await other.getByRole('grid').waitFor()
      await save(page, 'Ashburn')
      await open(other)
      await other.getByRole('menuitem', { name: 'Ashburn' }).click()
      await other.waitForURL(/q=ash/)
    },
    { as },
  ),
)

const LISTS = [
  ...['/devices', '/networks', '/pools', '/datacenters', '/reservations'],
  ...['/users', '/roles', '/keys', '/credentials', '/audit'],
]

test.each(takeOneIn(10, LISTS))('%s can be saved', (path) =>
  it.visit(
    async ({ page, open: go }) => {
      await go(path)
      await save(page, 'Mine')
      await open(page)
      await page.getByRole('menuitem', { name: 'Mine' }).waitFor()
      expect(await axeFindings(page)).toEqual([])
    },
    { as },
  ),
)

test('a shared view has its group in the menu of others, who pin it, and the sidebar counts its rows', async () => {
  const { api } = it.plat
  const wanted = { name: 'Shared production', path: '/devices', search: '?q=tag:production' }
  const listed = (await api.devices.list({ tags: ['production'] })).length
  await it.visit(
    async ({ page, open: go }) => {
      await go(wanted.path + wanted.search)
      await open(page)
      await page.getByRole('menuitem', { name: 'Save this view…' }).click()
      await page.getByLabel('Name', { exact: true }).fill(wanted.name)
      await page.getByLabel('Share with the team').check()
      expect(await axeFindings(page)).toEqual([])
      await page.getByRole('button', { name: 'Save view' }).click()
      await page.getByText(`Saved the view ${wanted.name}`).waitFor()
    },
    { as },
  )
  await it.visit(
    async ({ page, open: go }) => {
      await go('/devices')
      await open(page)
      const shared = page.getByRole('group', { name: 'Shared' })
      await shared.getByRole('menuitem', { name: wanted.name }).waitFor()
      await page.getByRole('menuitem', { name: 'Rename or delete…' }).click()
      // A viewer changes no view of others.
      expect(await page.getByRole('button', { name: `Delete ${wanted.name}` }).count()).toBe(0)
      await page.getByLabel(`Pin to the menu: ${wanted.name}`).check()
      expect(await axeFindings(page)).toEqual([])
      await page.getByRole('button', { name: 'Done' }).click()
      const pinned = page.getByRole('list', { name: 'Pinned views' })
      const link = pinned.getByRole('link', { name: wanted.name })
      await link.getByText(String(listed), { exact: true }).waitFor()
      await go('/networks')
      await link.click()
      await page.waitForURL((url) => url.pathname + url.search === wanted.path + wanted.search)
      expect(await axeFindings(page)).toEqual([])
    },
    { as: 'viewer' },
  )
})

test('a pinned view whose filter the API lacks has no number', async () => {
  const pin = (name: string, search: string) =>
    it.plat.api.views.create({ name, path: '/devices', search, is_pinned: true })
  const views = [await pin('Not edge', '?q=-tag:edge'), await pin('Only edge', '?q=tag:edge')]
  await it.visit(
    async ({ page, open: go, requests }) => {
      await go('/networks')
      const pinned = page.getByRole('list', { name: 'Pinned views' })
      await pinned.getByRole('link', { name: /^Only edge \d+$/ }).waitFor()
      expect(requests.filter((line) => line === 'GET /api/devices')).toHaveLength(1)
      expect(await pinned.getByRole('link', { name: 'Not edge' }).innerText()).toBe('Not edge')
    },
    { as },
  )
  for (const { id } of views) await it.plat.api.views.delete({ id })
})

test('a deleted view comes back by Undo', () =>
  it.visit(
    async ({ page, open: go }) => {
      await go('/racks?q=a')
      await save(page, 'Comes back')
      await open(page)
      await page.getByRole('menuitem', { name: 'Rename or delete…' }).click()
      await page.getByRole('button', { name: 'Delete Comes back' }).click()
      await page.getByText('None are left.').waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByLabel('Name of Comes back').waitFor()
    },
    { as },
  ))

test('views that the browser has stored go to the server once, and a taken name gets a number', async () => {
  const { api } = it.plat
  const path = '/reservations'
  await api.views.create({ name: 'Soon', path, search: '?q=a' })
  await it.visit(
    async ({ page, open: go }) => {
      await go('/networks')
      const stored = [
        { name: 'soon', path, search: '?q=b' },
        { name: 'Soon', path, search: '?q=a' },
        { name: 'Found', path: '/found', search: '?q=c' },
        { name: 'Wrong', path: 'no path', search: '' },
        'no view',
      ]
      await page.evaluate((views) => localStorage.setItem('plat.views', JSON.stringify(views)), stored)
      await page.reload()
      await page.waitForFunction(() => localStorage.getItem('plat.views') === null)
      const views = await api.views.list({})
      const listed = views.filter((view) => [path, '/discovered-devices'].includes(view.path))
      expect(listed.map(({ name, search }) => [name, search])).toEqual([
        ['Found', '?q=c'],
        ['Soon', '?q=a'],
        ['soon (2)', '?q=b'],
      ])
      await go(path)
      await open(page)
      await page.getByRole('menuitem', { name: 'soon (2)' }).waitFor()
    },
    { as, expected: ['400 /api/views'] },
  )
})

test('a shared view that two users look at stays when its owner is deleted', async () => {
  const { api } = it.plat
  await it.visit(
    async ({ page, open: go }) => {
      await go('/devices?q=tag:production')
      await open(page)
      await page.getByRole('menuitem', { name: 'Save this view…' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Left behind')
      await page.getByLabel('Share with the team').check()
      await page.getByRole('button', { name: 'Save view' }).click()
      await page.getByText('Saved the view Left behind').waitFor()
    },
    { as: 'operator' },
  )
  const show = async (page: Page): Promise<void> => {
    await open(page)
    await page.getByRole('menuitem', { name: 'Left behind' }).click()
    await page.waitForURL((url) => url.search === '?q=tag:production')
    await page.getByRole('grid', { name: 'Devices' }).waitFor()
  }
  const isThere = async (page: Page): Promise<void> => {
    await open(page)
    await page.getByRole('menuitem', { name: 'Left behind' }).getByLabel('shown now').waitFor()
    await page.keyboard.press('Escape')
  }
  await it.visit(
    (admin) =>
      it.visit(
        async (viewer) => {
          for (const { page, open: go } of [admin, viewer]) {
            await go('/devices')
            await show(page)
          }
          const [owner] = await api.users.list({ username: 'operator' })
          await api.users.delete({ id: owner?.id ?? '' })
          for (const { page } of [admin, viewer]) {
            await isThere(page)
            await page.reload()
            await page.getByRole('grid', { name: 'Devices' }).waitFor()
            await isThere(page)
          }
          const [view] = (await api.views.list({})).filter(({ name }) => name === 'Left behind')
          expect(view).toMatchObject({ is_shared: true, owner_id: null, owner: null })
          await open(admin.page)
          await admin.page.getByRole('menuitem', { name: 'Rename or delete…' }).click()
          await admin.page.getByRole('button', { name: 'Delete Left behind' }).click()
          await viewer.page.reload()
          await viewer.page.getByRole('grid', { name: 'Devices' }).waitFor()
          await open(viewer.page)
          await viewer.page.getByRole('menuitem', { name: 'Save this view…' }).waitFor()
          expect(await viewer.page.getByRole('menuitem', { name: 'Left behind' }).count()).toBe(0)
        },
        { as: 'viewer' },
      ),
    { as },
  )
})
