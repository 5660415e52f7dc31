/** Back and forward: the list keeps its filter, order and rows. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { eventually, world } from './harness.ts'

const it = world({ devices: 300 })

const isAt = (page: Page, top: number) =>
  eventually(() => page.getByRole('grid').evaluate((grid) => grid.scrollTop), top)

const scrollTo = async (page: Page, top: number): Promise<void> => {
  await page.getByRole('grid').evaluate((grid, at) => grid.scrollTo(0, at), top)
  // The current rows, and no longer the earlier ones.
  await page.locator(`[role=row][aria-rowindex="${Math.floor(top / 32) + 4}"]`).waitFor()
}

test('back and forward between the devices and a device', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices?q=tag:production&sort=address')
      await page.getByRole('grid', { name: 'Devices' }).waitFor()
      await scrollTo(page, 1600)
      const link = page.locator('[role=row][aria-rowindex="54"]').getByRole('link')
      const name = (await link.textContent()) ?? ''
      await link.click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
      await page.goBack()
      await isAt(page, 1600)
      expect(await page.getByRole('combobox', { name: 'Filter' }).inputValue()).toBe('tag:production')
      await page.locator('[aria-sort=ascending]').getByText('Address').waitFor()
      await page.goForward()
      await page.getByRole('heading', { level: 1, name }).waitFor()
    },
    { as: 'admin' },
  ))

test('a list that was left by the sidebar begins at its top, and back is where it was', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/reservations')
      await page.getByRole('grid', { name: 'Reservations' }).waitFor()
      await page.getByRole('link', { name: /^Devices/ }).click()
      await page.getByRole('grid', { name: 'Devices' }).waitFor()
      await scrollTo(page, 3200)
      await page.getByRole('link', { name: 'Networks' }).click()
      await page.getByRole('treegrid', { name: 'Networks' }).waitFor()
      await page.goBack()
      await page.getByRole('grid', { name: 'Devices' }).waitFor()
      await isAt(page, 3200)
      await page.getByRole('link', { name: 'Networks' }).click()
      await page.getByRole('treegrid', { name: 'Networks' }).waitFor()
      await page.getByRole('link', { name: /^Devices/ }).click()
      await page.getByRole('grid', { name: 'Devices' }).waitFor()
      await isAt(page, 0)
    },
    { as: 'admin' },
  ))

testAll('a filter that was typed is one step, and back is the page before', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      await page.getByRole('link', { name: 'Pools' }).first().click()
      await page.getByRole('combobox', { name: 'Filter' }).fill('servers')
      await page.waitForURL(/q=servers/)
      await page.goBack()
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      await page.goForward()
      await page.getByRole('grid', { name: 'Pools' }).waitFor()
      expect(await page.getByRole('combobox', { name: 'Filter' }).inputValue()).toBe('servers')
    },
    { as: 'admin' },
  ),
)
