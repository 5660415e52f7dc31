/** The page of devices where there are more than the browser holds: 300, of which it holds 100. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { axeFindings, eventually, world } from './harness.ts'

const it = world({ devices: 300, env: { WEB_MAX_ROWS: '100' } })
const as = 'admin'
const NOTE = /devices: showing by name\. Narrow to 100 to sort, and to use os:, model:, location:/

const grid = (page: Page) => page.getByRole('grid', { name: 'Devices' })
const rowCount = async (page: Page): Promise<number> => Number(await grid(page).getAttribute('aria-rowcount')) - 1
const filter = async (page: Page, text: string): Promise<void> => {
  const box = page.getByRole('combobox', { name: 'Filter' })
  await box.fill(text)
  // Closes the completions, which cover the head of the table.
  await box.press('Enter')
}
const firstName = (page: Page) => page.locator('[role=row][aria-rowindex="2"] a').first().textContent()
const names = async (query: string): Promise<string[]> => {
  const all = await it.plat.api.devices.list({})
  const found = query === '' ? all : await it.plat.api.devices.list({ q: query })
  return found.map(({ name }) => name)
}

test('the first rows are shown by name, and the page says how many there are', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices')
      await page.getByText(NOTE).waitFor()
      const all = await names('')
      expect(await rowCount(page)).toBe(all.length)
      expect(await firstName(page)).toBe(all[0] ?? '')
      expect(await page.getByRole('columnheader').getByRole('button').allTextContents()).toEqual(['Name'])
      expect(await axeFindings(page)).toEqual([])
    },
    { as },
  ))

test('End shows the last device and Home the first, in either order', () =>
  it.visit(
    async ({ page, open }) => {
      const all = await names('')
      await open('/devices')
      await page.getByText(NOTE).waitFor()
      await page.keyboard.press('End')
      await page.getByRole('link', { name: all.at(-1) ?? '', exact: true }).waitFor()
      await page.keyboard.press('Home')
      await page.getByRole('link', { name: all[0] ?? '', exact: true }).waitFor()
      await page.getByRole('columnheader').getByRole('button', { name: 'Name' }).click()
      await page.locator('[aria-sort=descending]').waitFor()
      await eventually(() => firstName(page), all.at(-1) ?? '')
      await page.keyboard.press('End')
      await page.getByRole('link', { name: all[0] ?? '', exact: true }).waitFor()
    },
    { as },
  ))

testAll('a filter that leaves few enough is answered in full: facets, orders and negation', () =>
  it.visit(
    async ({ page, open }) => {
      const planned = await it.plat.api.devices.list({ status: 'planned' })
      const wanted = planned.filter(({ os }) => !os.toLowerCase().includes('debian'))
      expect(wanted.length).toBeGreaterThan(0)
      await open('/devices')
      await page.getByText(NOTE).waitFor()
      await filter(page, '-os:debian')
      await page.getByText('Not applied: -os:debian').waitFor()
      expect(await rowCount(page)).toBe(300)
      await filter(page, 'status:planned -os:debian')
      await eventually(() => rowCount(page), wanted.length)
      expect(await page.getByText(NOTE).count()).toBe(0)
      await page.getByRole('button', { name: 'Address' }).click()
      await page.locator('[aria-sort=ascending]').filter({ hasText: 'Address' }).waitFor()
      await filter(page, '')
      await page.getByText(NOTE).waitFor()
      await eventually(() => rowCount(page), 300)
    },
    { as },
  ),
)

test('a filter in the URL is applied at once', () =>
  it.visit(
    async ({ page, open }) => {
      const planned = await it.plat.api.devices.list({ status: 'planned' })
      await open('/devices?q=status:planned&sort=os')
      await eventually(() => rowCount(page), planned.length)
      await page.locator('[aria-sort=ascending]').filter({ hasText: 'OS' }).waitFor()
    },
    { as },
  ))

test('all that match are selected and tagged, but for one', () =>
  it.visit(
    async ({ page, open }) => {
      const active = await it.plat.api.devices.list({ status: 'active' })
      expect(active.length).toBeGreaterThan(100)
      await open('/devices?q=status:active')
      await page.getByText(NOTE).waitFor()
      await eventually(() => rowCount(page), active.length)
      await page.getByLabel('Select all that match').click()
      await page.getByText(`${active.length} selected`).waitFor()
      await page.locator('[role=row][aria-rowindex="2"]').getByRole('checkbox').click()
      await page.getByText(`${active.length - 1} selected`).waitFor()
      await page.getByRole('button', { name: /^Edit \d/ }).click()
      await page.getByLabel('Add tags').fill('windowed')
      await page.getByRole('button', { name: /^Change \d/ }).click()
      await page.getByText(`Changed ${active.length - 1} devices`).waitFor()
      const tagged = await it.plat.api.devices.list({ tags: ['windowed'] })
      expect(tagged.map(({ id }) => id)).toEqual(active.slice(1).map(({ id }) => id))
    },
    { as },
  ))

testAll('the file has all that match', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices')
      await page.getByText(NOTE).waitFor()
      for (const format of ['CSV as shown', 'CSV for import', 'JSON'] as const) {
        const download = page.waitForEvent('download')
        await page.getByRole('button', { name: 'Export' }).click()
        await page.getByRole('menuitem', { name: format, exact: true }).click()
        const text = readFileSync(await (await download).path(), 'utf8')
        await page.getByText('Exported 300 rows').first().waitFor()
        if (format !== 'JSON') expect(text.trim().split('\r\n').length).toBe(301)
        else {
          const rows = JSON.parse(text) as readonly { readonly name: string }[]
          expect(rows.map(({ name }) => name)).toEqual(await names(''))
        }
      }
    },
    { as },
  ),
)

test('a change by another user is shown, and the number follows', () =>
  it.visit(
    async ({ page, open }) => {
      // The live feed begins once the page is quiet.
      const followed = page.waitForRequest(/\/api\/events/)
      await open('/devices')
      await page.getByText(NOTE).waitFor()
      await followed
      const { id } = await it.plat.api.devices.create({ name: '000-new' })
      await page.getByRole('link', { name: '000-new' }).waitFor()
      await eventually(() => rowCount(page), 301)
      await it.plat.api.devices.update({ id, name: '000-renamed' })
      await page.getByRole('link', { name: '000-renamed' }).waitFor()
      await it.plat.api.devices.delete({ id })
      await page.getByRole('link', { name: '000-renamed' }).waitFor({ state: 'detached' })
      await eventually(() => rowCount(page), 300)
    },
    { as },
  ))

testAll('back is back to the same rows', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices')
      await page.getByText(NOTE).waitFor()
      await grid(page).evaluate((element) => element.scrollTo(0, 4000))
      const row = page.locator('[role=row][aria-rowindex="130"] a').first()
      const name = (await row.textContent()) ?? ''
      await row.click()
      await page.getByRole('heading', { name }).waitFor()
      await page.goBack()
      await page.getByRole('link', { name, exact: true }).waitFor()
      expect(await grid(page).evaluate((element) => element.scrollTop)).toBeGreaterThan(3000)
    },
    { as },
  ),
)

testAll('the picture of all devices asks for fewer, and names both numbers', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/topology')
      await page.getByText('There are 300 devices, and the picture holds at most 100.').waitFor()
    },
    { as },
  ),
)

testAll('once enough are deleted, the page holds all of them again', () =>
  it.visit(
    async ({ page, open }) => {
      const active = await it.plat.api.devices.list({ status: 'active' })
      await open('/devices?q=status:active')
      await page.getByText(NOTE).waitFor()
      await eventually(() => rowCount(page), active.length)
      await page.getByLabel('Select all that match').click()
      await page.getByRole('button', { name: `Delete ${active.length}` }).click()
      await page.getByRole('textbox', { name: /to go on/ }).fill(String(active.length))
      await page
        .getByRole('button', { name: `Delete ${active.length}` })
        .last()
        .click()
      await page.getByText(`Deleted ${active.length} devices`).waitFor()
      expect(await it.plat.api.devices.list({ status: 'active' })).toEqual([])
      await filter(page, '')
      await eventually(() => rowCount(page), 300 - active.length)
      await page.getByRole('button', { name: 'Address' }).click()
      await page.locator('[aria-sort=ascending]').filter({ hasText: 'Address' }).waitFor()
      expect(await page.getByText(NOTE).count()).toBe(0)
    },
    { as },
  ),
)
