/** The page of devices with a million of them, which the test makes up in the place of the server. */
import { expect, test } from 'bun:test'
import type { Page, Route } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import type { Visit } from './harness.ts'
import { eventually, world } from './harness.ts'

const it = world({ devices: 0 })
const as = 'admin'
const COUNT = 1_000_000
const MATCHING = 90_000
const AT = '2026-01-01T00:00:00.000Z'

const deviceAt = (number: number) => ({
  ...{ id: `id-${number}`, name: `host-${String(number).padStart(7, '0')}`, hostname: '', description: '' },
  ...{ make_model: '', os: number % 2 === 0 ? 'Debian' : 'Junos', status: 'active', datacenter_id: null },
  ...{ username: '', location: '', tags: [], addresses: [], domains: [], refs: {}, managed_by: '' },
  ...{ created_at: AT, updated_at: AT },
})

/** Answers as the server does. The word `few` is in the first 90,000 devices. */
const answer = (url: URL) => {
  const { searchParams: asked } = url
  const count = asked.get('q') === 'few' ? MATCHING : asked.has('q') ? 300_000 : COUNT
  const offset = Number(asked.get('offset') ?? 0)
  const limit = Math.min(Number(asked.get('limit') ?? count), count - offset)
  const isFromEnd = asked.get('sort') === '-name'
  const rows = Array.from({ length: limit }, (_, i) => deviceAt(isFromEnd ? count - 1 - offset - i : offset + i))
  return { json: rows, headers: { 'x-total-count': String(count) } }
}

type Asked = { readonly requests: URL[]; readonly aborted: () => number }

const million = async ({ page }: Visit, hold: (url: URL) => Promise<void> = async () => {}): Promise<Asked> => {
  const requests: URL[] = []
  let aborted = 0
  page.on('requestfailed', (request) => {
    if (request.url().includes('/api/devices')) aborted++
  })
  await page.route(
    (url) => url.pathname === '/api/devices',
    async (route: Route) => {
      const url = new URL(route.request().url())
      requests.push(url)
      await hold(url)
      // The page may have called it off.
      await route.fulfill(answer(url)).catch(() => {})
    },
  )
  return { requests, aborted: () => aborted }
}

const grid = (page: Page) => page.getByRole('grid', { name: 'Devices' })
const row = (page: Page, number: number) => page.getByRole('link', { name: deviceAt(number).name, exact: true })
const scrollTo = (page: Page, part: number) =>
  grid(page).evaluate((element, at) => element.scrollTo(0, at * element.scrollHeight), part)

test('the scroll bar reaches every part of a million rows, and keys move by rows', () =>
  it.visit(
    async (visit) => {
      const { page, open } = visit
      await million(visit)
      await open('/devices')
      await page.getByText('1,000,000 devices: showing by name. Narrow to 120,000 to sort').waitFor()
      await row(page, 0).waitFor()
      expect(await grid(page).getAttribute('aria-rowcount')).toBe(String(COUNT + 1))
      expect(await grid(page).evaluate((element) => element.scrollHeight)).toBeLessThan(8_001_000)
      await page.keyboard.press('End')
      await row(page, COUNT - 1).waitFor()
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('PageUp')
      await row(page, COUNT - 20).waitFor()
      await scrollTo(page, 0.5)
      const shown = async (): Promise<number> => {
        const name = await page
          .locator('[role=row] a')
          .nth(3)
          .textContent({ timeout: 5000 })
          .catch(() => '')
        return Math.round(Number(name?.slice('host-'.length)) / (COUNT / 100))
      }
      await eventually(shown, 50)
      await page.keyboard.press('Home')
      await row(page, 0).waitFor()
    },
    { as },
  ))

test('rows are requested 200 at a time from the nearer end, and are not requested again', () =>
  it.visit(
    async (visit) => {
      const { page, open } = visit
      const { requests } = await million(visit)
      await open('/devices')
      await page.getByText('showing by name').waitFor()
      await page.keyboard.press('End')
      await row(page, COUNT - 1).waitFor()
      const paged = requests.filter((url) => url.searchParams.get('limit') === '200')
      expect(paged.every((url) => Number(url.searchParams.get('offset')) < COUNT / 2)).toBe(true)
      expect(paged.at(-1)?.searchParams.get('sort')).toBe('-name')
      const before = requests.length
      await page.keyboard.press('Home')
      await row(page, 0).waitFor()
      await page.keyboard.press('End')
      await row(page, COUNT - 1).waitFor()
      expect(requests.slice(before).map(({ search }) => search)).toEqual([])
    },
    { as },
  ))

test('a window that is scrolled past is called off', () =>
  it.visit(
    async (visit) => {
      const { page, open } = visit
      const held = Promise.withResolvers<void>()
      const { requests, aborted } = await million(visit, async ({ searchParams }) => {
        if (Math.abs(Number(searchParams.get('offset')) - COUNT / 4) < 1000) await held.promise
      })
      await open('/devices')
      await page.getByText('showing by name').waitFor()
      await scrollTo(page, 0.25)
      const isAsked = async () =>
        requests.some(({ searchParams }) => Math.abs(Number(searchParams.get('offset')) - COUNT / 4) < 1000)
      await eventually(isAsked, true)
      await page.keyboard.press('End')
      await row(page, COUNT - 1).waitFor()
      await eventually(async () => aborted() > 0, true)
      held.resolve()
    },
    { as },
  ))

testAll('typing asks once the keys rest, and loads the rows as soon as they are few enough', () =>
  it.visit(
    async (visit) => {
      const { page, open } = visit
      const { requests } = await million(visit)
      await open('/devices')
      await page.getByText('showing by name').waitFor()
      await page.getByRole('combobox', { name: 'Filter' }).fill('fe')
      await page.getByText('300,000 of 1,000,000 devices').first().waitFor()
      await page.getByRole('combobox', { name: 'Filter' }).fill('few')
      await page.getByText('90,000 of 1,000,000 devices').first().waitFor()
      await page.getByText('showing by name').waitFor({ state: 'detached' })
      await page.getByText('Loading 90,000 devices').waitFor({ state: 'detached' })
      expect(
        requests.filter((url) => url.searchParams.get('q') === 'few').some((url) => !url.searchParams.has('limit')),
      ).toBe(true)
      const before = requests.length
      await page.getByRole('combobox', { name: 'Filter' }).fill('few os:debian')
      await page.getByText('45,000 of 1,000,000 devices').first().waitFor()
      expect(requests.length).toBe(before)
    },
    { as },
  ),
)
