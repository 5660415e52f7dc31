/** Saved views: named lists, opened from their menu or the palette, in all tabs of the browser. */
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
