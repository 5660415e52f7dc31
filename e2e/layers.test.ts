/** Dialogs, drawers, menus, tooltips and toasts: keys, focus, the place of popovers, and WCAG 2.2 AA. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { axeFindings, world } from './harness.ts'

const it = world({ devices: 40 })
const as = 'admin'

/** The element that has the focus: its accessible name, or its tag. */
const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(`(() => {
    const { activeElement: one } = document
    return one.ariaLabel ?? one.labels?.[0]?.textContent ?? (one.textContent.slice(0, 40) || one.tagName)
  })()`)

const isIn = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate<boolean>(`document.activeElement.closest(${JSON.stringify(selector)}) !== null`)

const firstDevice = async () => {
  const [device] = await it.plat.api.devices.list({ limit: 1 })
  if (!device) throw new Error('the estate has devices')
  return device
}

const LETTERS = 'jkexcgd/tq'

const TRIES = ['/', '/devices', '/networks', '/pools', '/topology'].flatMap((path) => Array(4).fill(path) as string[])

test('every letter after Ctrl K is in the field of the palette, right after a load, and none acts on the page: 20 tries', () =>
  it.visit(
    async ({ page, open }) => {
      for (const [index, path] of TRIES.entries()) {
        await open(path)
        // Between the keys and the load, the page sends its first requests.
        await page.waitForTimeout((index % 4) * 80)
        await page.keyboard.press('Control+k')
        await page.keyboard.type(LETTERS)
        expect(await page.getByRole('combobox', { name: 'Search or jump to' }).inputValue()).toBe(LETTERS)
        expect(await page.locator('[data-layer]').count()).toBe(1)
        expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(path)
      }
    },
    { as },
  ))

test('a drawer focuses its first field, keeps the focus, and returns it to its button', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await firstDevice()
      await open(`/devices/${id}`)
      await page.getByRole('button', { name: 'Edit' }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').getByLabel('Name · required').waitFor()
      await page.locator('dialog form input:focus').waitFor()
      expect(await focused(page)).toStartWith('Name')
      for (let presses = 0; presses < 60; presses++) {
        await page.keyboard.press('Tab')
        // Between the last and the first control it is outside of the page: then the body has it.
        expect(await page.evaluate('document.activeElement.closest("dialog, body").tagName')).toBeOneOf([
          'DIALOG',
          await page.evaluate('document.activeElement === document.body && "BODY"'),
        ])
      }
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect(await focused(page)).toStartWith('Edit')
    },
    { as },
  ))

test('Escape closes the uppermost layer only: the menu in a drawer, then the drawer', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await firstDevice()
      await open(`/devices/${id}?edit=${id}`)
      const drawer = page.getByRole('dialog')
      await drawer.getByRole('button', { name: 'Copy as a command' }).click()
      await drawer.getByRole('menu').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'detached' })
      expect(await drawer.count()).toBe(1)
      expect(await focused(page)).toBe('Copy as a command')
      await page.keyboard.press('Escape')
      await drawer.waitFor({ state: 'detached' })
    },
    { as },
  ))

test('a click on the backdrop closes a drawer, and a text that is selected beyond its edge does not', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await firstDevice()
      await open(`/devices/${id}?edit=${id}`)
      const name = page.getByRole('dialog').getByLabel('Name · required')
      const box = await name.boundingBox()
      if (!box) throw new Error('the field is visible')
      await page.mouse.move(box.x + 20, box.y + 10)
      await page.mouse.down()
      await page.mouse.move(200, box.y + 10)
      await page.mouse.up()
      expect(await page.getByRole('dialog').count()).toBe(1)
      await page.mouse.click(200, 300)
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    },
    { as },
  ))

test('a dialog with a secret stays until the secret is saved, however often Escape is pressed', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/account')
      await page.getByRole('button', { name: 'New key' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('kept-open')
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
      const shown = page.getByRole('dialog', { name: 'The key “kept-open”' })
      await shown.waitFor()
      for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape')
      await page.mouse.click(20, 20)
      expect(await shown.isVisible()).toBe(true)
      expect(await page.evaluate<boolean>('document.querySelector("dialog").matches(":modal")')).toBe(true)
    },
    { as },
  ))

test('a question over a drawer is above it, and gives the focus back to the drawer', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await firstDevice()
      await open(`/devices/${id}?edit=${id}`)
      await page.getByRole('dialog').getByLabel('Name · required').waitFor()
      await page.keyboard.press('Control+k')
      const palette = page.getByRole('dialog', { name: 'Search or jump to' })
      await palette.waitFor()
      // Nothing below it is found by its role.
      expect(await page.getByRole('dialog').count()).toBe(1)
      await page.keyboard.press('Escape')
      await palette.waitFor({ state: 'detached' })
      expect(await isIn(page, 'dialog form')).toBe(true)
      expect(await page.getByRole('dialog').count()).toBe(1)
    },
    { as },
  ))

test('a menu is moved through by arrows, Home, End and letters, and Tab leaves it', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices')
      const button = page.getByRole('button', { name: 'admin' })
      await button.focus()
      await page.keyboard.press('ArrowDown')
      await page.getByRole('menu').waitFor()
      const order: string[] = [await focused(page)]
      for (const key of ['ArrowDown', 'End', 'ArrowDown', 'ArrowUp', 'Home', 'd']) {
        await page.keyboard.press(key)
        order.push(await focused(page))
      }
      const [account, system, dark, out] = ['Your account', 'As the system', 'Dark', 'Sign out']
      expect(order).toEqual([account, system, out, account, out, account, dark] as string[])
      await page.keyboard.press('Enter')
      expect(await page.getByRole('menuitemradio', { name: 'Dark' }).getAttribute('aria-checked')).toBe('true')
      expect(await page.evaluate<string>('document.documentElement.dataset.theme')).toBe('dark')
      await page.keyboard.press('Tab')
      await page.getByRole('menu').waitFor({ state: 'detached' })
      expect(await isIn(page, 'body')).toBe(true)
      expect(await focused(page)).not.toBe('Dark')
    },
    { as },
  ))

test('a menu closes at a second click on its button and at a click elsewhere, and an item opens a dialog that returns to the button', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/networks')
      const button = page.getByRole('button', { name: /^Actions for / }).first()
      await button.click()
      await page.getByRole('menu').waitFor()
      await button.click()
      await page.getByRole('menu').waitFor({ state: 'detached' })
      await button.click()
      await page.getByRole('menu').waitFor()
      await page.getByRole('heading', { level: 1 }).click()
      await page.getByRole('menu').waitFor({ state: 'detached' })
      await button.click()
      await page.getByRole('menuitem', { name: /^Allocate/ }).click()
      await page.getByRole('dialog').waitFor()
      expect(await page.getByRole('menu').count()).toBe(0)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect(await focused(page)).toStartWith('Actions for ')
    },
    { as },
  ))

test('popovers stay inside the window: on a phone, and at its lower edge', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices')
      const triggers = page.locator('[aria-haspopup=menu]:visible')
      for (let index = 0; index < (await triggers.count()); index++) {
        if (await triggers.nth(index).isDisabled()) continue
        await triggers.nth(index).click()
        const box = await page.getByRole('menu').boundingBox()
        if (!box) throw new Error('the menu is visible')
        expect(box.x).toBeGreaterThanOrEqual(0)
        expect(box.y).toBeGreaterThanOrEqual(0)
        expect(box.x + box.width).toBeLessThanOrEqual(390)
        expect(box.y + box.height).toBeLessThanOrEqual(500)
        await page.keyboard.press('Escape')
      }
    },
    { as, width: 390, height: 500 },
  ))

test('a disabled button tells its reason to the pointer and to the keyboard, and Escape takes it away', () =>
  it.visit(
    async ({ page, open }) => {
      await page.clock.install()
      await open('/devices')
      const button = page.getByRole('button', { name: 'New device' })
      await button.hover()
      await page.clock.runFor(1000)
      const tooltip = page.getByRole('tooltip')
      await tooltip.waitFor()
      // It stays while the pointer is on it (WCAG 1.4.13).
      await tooltip.hover()
      await page.clock.runFor(2000)
      expect(await tooltip.isVisible()).toBe(true)
      await page.mouse.move(10, 10)
      await page.clock.runFor(1000)
      await tooltip.waitFor({ state: 'detached' })
      await page.locator('main').focus()
      for (let presses = 0; presses < 10 && !(await isIn(page, '[aria-disabled=true]')); presses++)
        await page.keyboard.press('Tab')
      await tooltip.waitFor()
      expect(await page.locator('[aria-disabled=true]:focus').getAttribute('aria-describedby')).toBe(
        await tooltip.getAttribute('id'),
      )
      expect(await axeFindings(page)).toEqual([])
      await page.keyboard.press('Escape')
      await tooltip.waitFor({ state: 'detached' })
    },
    { as: 'viewer', changesContext: true },
  ))

test('a toast is a status that F6 reaches and Escape closes, and it stays while it has the focus', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.devices.create({ name: 'toasted' })
      await page.clock.install()
      await open(`/devices/${id}?edit=${id}`)
      await page.getByRole('dialog').getByLabel('Location').fill('here')
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      const toast = page.getByRole('status', { name: 'Saved toasted' })
      await toast.waitFor()
      await page.getByRole('button', { name: 'Edit' }).focus()
      await page.keyboard.press('F6')
      expect(await focused(page)).toBe('Undo')
      // The time of a toast stands still while it has the focus.
      await page.clock.runFor(20_000)
      await page.keyboard.press('Escape')
      await toast.waitFor({ state: 'detached' })
      expect(await focused(page)).toStartWith('Edit')
      expect(await page.getByRole('region', { name: 'Notifications' }).count()).toBe(0)
    },
    { as, changesContext: true },
  ))

const WIDTHS = [1440, 390]

test.each(WIDTHS.flatMap((width) => (['light', 'dark'] as const).map((theme) => [width, theme] as const)))(
  'a drawer, a dialog, a menu and a toast at %d px in the %s theme have no WCAG 2.2 AA violation',
  (width, theme) =>
    it.visit(
      async ({ page, openWhole }) => {
        const { id } = await it.plat.api.devices.create({ name: `seen-${width}-${theme}` })
        await openWhole(`/devices/${id}?edit=${id}`)
        expect(await axeFindings(page)).toEqual([])
        await page.getByRole('dialog').getByRole('button', { name: 'Copy as a command' }).click()
        await page.getByRole('menu').waitFor()
        expect(await axeFindings(page)).toEqual([])
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').getByLabel('Location').fill('seen')
        await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
        await page.getByRole('status', { name: /^Saved/ }).waitFor()
        expect(await axeFindings(page)).toEqual([])
        await page.keyboard.press('#')
        await page.getByRole('dialog', { name: /^Delete/ }).waitFor()
        expect(await axeFindings(page)).toEqual([])
      },
      { as, width, theme },
    ),
)

test('the font of further letters is loaded when one of them is shown', () =>
  it.visit(
    async ({ page, openWhole, requests }) => {
      const isFurther = (line: string) => line.includes('inter-latin-ext')
      await openWhole('/')
      expect(requests.filter(isFurther)).toEqual([])
      const { id } = await it.plat.api.devices.create({ name: 'lodz', location: 'Łódź' })
      await openWhole(`/devices/${id}`)
      await page.getByText('Łódź').waitFor()
      await page.evaluate('document.fonts.ready.then(() => {})')
      expect(requests.filter(isFurther).length).toBeGreaterThan(0)
    },
    { as },
  ))
