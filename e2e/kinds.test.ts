/** Kinds: one is defined and filled by the keyboard, listed as any other, with fields, tree, history and the objects that name it. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { axeFindings, world } from './harness.ts'

const it = world({ devices: 20 })
const as = 'admin'
/** The packs and the references are other parts of the server. */
const expected = ['404 /api/packs', '/references']

const isFine = async (page: Page): Promise<void> => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await axeFindings(page)).toEqual([])
  }
  await page.emulateMedia({ colorScheme: 'light' })
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
}

test('an estate without kinds shows and requests none', () =>
  it.visit(
    async ({ page, openWhole, requests }) => {
      await openWhole('/devices')
      const main = page.getByRole('navigation', { name: 'Main' })
      expect(await main.getByText('Kinds').count()).toBe(0)
      expect(requests.filter((line) => /kind|objects/.test(line))).toEqual([])
    },
    { as },
  ))

test('a kind is defined, and its first object made with three values, by the keyboard in at most 15 actions', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/kinds')
      await page.getByText('No kinds yet').waitFor()
      await isFine(page)
      let actions = 0
      const press = async (key: string) => {
        actions++
        await page.keyboard.press(key)
      }
      const type = async (text: string) => {
        actions++
        await page.keyboard.type(text)
      }
      await press('c')
      const drawer = page.getByRole('dialog', { name: 'New kind' })
      await drawer.getByLabel('Name · required').first().waitFor()
      await type('Circuits')
      await drawer.getByText('New circuit, /kinds/circuits').waitFor()
      await press('Enter')
      await type('Provider, Commit, Installed')
      await drawer.locator('section').getByLabel('Installed').waitFor()
      await press('Control+Enter')
      await page.getByRole('heading', { level: 1, name: 'Circuits' }).waitFor()
      const button = page.getByRole('button', { name: 'New circuit' }).first()
      await page.waitForFunction("document.activeElement?.textContent?.includes('New circuit')")
      await press('Enter')
      const form = page.getByRole('dialog', { name: 'New circuit' })
      await form.getByLabel('Provider').waitFor()
      await type('CID-1')
      await press('Tab')
      await type('Example Carrier')
      await press('Tab')
      await type('1000')
      await press('Tab')
      await type('2026-01-31')
      await press('Control+Enter')
      await form.waitFor({ state: 'detached' })
      await page.getByRole('row', { name: /CID-1.*Example Carrier.*1000/ }).waitFor()
      expect(actions).toBeLessThanOrEqual(15)
      await button.waitFor()
      const [made] = await it.plat.api.objects.list({ kind_id: 'circuits' })
      expect(made).toMatchObject({
        name: 'CID-1',
        custom: { provider: 'Example Carrier', commit: '1000', installed: '2026-01-31' },
      })
      await isFine(page)
    },
    { as, expected },
  ))
