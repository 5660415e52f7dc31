/** Whether a page can be read: WCAG 2.2 AA and the best practices of axe, and the size of the window. */
import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { testsAll } from '../testing/tests-all.ts'
import { axeFindings } from './harness.ts'

/** Returns true if nothing of the page is beyond the right or the lower edge of the window: its parts scroll inside. */
const isInWindow = (page: Page) =>
  page.evaluate(
    '(({ scrollWidth, scrollHeight }) => scrollWidth <= innerWidth && scrollHeight <= innerHeight)(document.documentElement)',
  )

/** Checks a page as it is shown, and with PLAT_TEST_ALL=1 also in the dark theme on a phone. */
export const expectReadable = async (page: Page): Promise<void> => {
  expect(await isInWindow(page)).toBe(true)
  expect(await axeFindings(page)).toEqual([])
  if (!testsAll) return
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await isInWindow(page)).toBe(true)
  expect(await axeFindings(page)).toEqual([])
}

/** Checks a page in both themes, at the width of the window. */
export const expectReadableInBothThemes = async (page: Page): Promise<void> => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await axeFindings(page)).toEqual([])
  }
  await page.emulateMedia({ colorScheme: 'light' })
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
}
