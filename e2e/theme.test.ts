/** The theme: of the system or as selected, from the first paint on. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { eventually, world } from './harness.ts'

const it = world({ devices: 0 })

const choose = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('button', { name: /^Theme: / }).click()
  await page.getByRole('menuitemradio', { name }).click()
  await page.keyboard.press('Escape')
}

const GROUND = `(() => {
  const context = document.createElement('canvas').getContext('2d')
  context.fillStyle = getComputedStyle(document.body).backgroundColor
  context.fillRect(0, 0, 1, 1)
  return context.getImageData(0, 0, 1, 1).data[1]
})()`

/** The lightness of the background, 0 to 255. */
const ground = (page: Page): Promise<number> => page.evaluate<number>(GROUND)

test('is that of the system, also when it changes', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      expect(await ground(page)).toBeGreaterThan(200)
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await ground(page)).toBeLessThan(60)
    },
    { as: 'admin' },
  ))

test.each([
  ['Dark', 'light', (light: number) => light < 60],
  ['Light', 'dark', (light: number) => light > 200],
] as const)('that was chosen, %s, holds against the system and after a reload', (name, system, isRight) =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      await choose(page, name)
      expect(isRight(await ground(page))).toBe(true)
      await page.reload()
      await page.locator('h1').waitFor()
      expect(isRight(await ground(page))).toBe(true)
      await choose(page, 'As the system')
      expect(isRight(await ground(page))).toBe(false)
    },
    { as: 'admin', theme: system },
  ),
)

test('is set before the first paint', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      await choose(page, 'Dark')
      // The script is blocked, so that the page shows its state on a slow connection.
      await page.route(/assets\/index-.*\.js/, () => {})
      await page.goto('/', { waitUntil: 'commit' })
      await eventually(() => page.evaluate('document.body !== null && document.styleSheets.length > 0'), true)
      expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
      expect(await ground(page)).toBeLessThan(60)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    },
    { as: 'admin' },
  ))
