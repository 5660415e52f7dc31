/** Whether a page can be read: WCAG 2.2 AA, and the width of the window. */
import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { testsAll } from '../testing/tests-all.ts'
import { axeFindings } from './harness.ts'

const isNoWider = (page: Page) => page.evaluate('document.documentElement.scrollWidth <= innerWidth')

/** Checks a page as it is shown, and with PLAT_TEST_ALL=1 also in the dark theme on a phone, where `phone` says what axe checks. */
export const expectReadable = async (page: Page, phone: 'all' | 'look' = 'look'): Promise<void> => {
  expect(await isNoWider(page)).toBe(true)
  expect(await axeFindings(page)).toEqual([])
  if (!testsAll) return
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await isNoWider(page)).toBe(true)
  expect(await axeFindings(page, phone)).toEqual([])
}
