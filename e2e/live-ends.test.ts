/** A page with a live feed that ends, because the session has ended or a newer page took its place. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { eventually, type Visit, world } from './harness.ts'

const it = world({ devices: 30, env: { FEEDS_PER_USER: '1' } })

const FEED = 'GET /api/events'
const feedsOf = ({ requests }: Pick<Visit, 'requests'>): number => requests.filter((one) => one === FEED).length
const followed = (visit: Pick<Visit, 'requests'>) => eventually(async () => feedsOf(visit) > 0, true)

/** The browser sends this event for a page that becomes visible. */
const lookAt = (page: Page) => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

test('an idle page shows the sign-in after its session ends', () =>
  it.visit(
    async (visit) => {
      const { page, open } = visit
      await open('/devices')
      await followed(visit)
      await it.plat.signOut('operator')
      await page.getByText('Your session has ended.').waitFor()
    },
    { as: 'operator', expected: ['401 /api/'] },
  ))

testAll('a page reconnects when it is visible after a newer page replaced its feed, and loads the missed events', () =>
  it.visit(
    async (first) => {
      await first.open('/devices?q=missed')
      await first.page.getByText('Nothing matches “missed”').waitFor()
      await followed(first)
      await it.visit(
        async (second) => {
          await second.open('/devices?q=missed')
          await followed(second)
          await it.plat.api.devices.create({ name: 'missed by the first' })
          await second.page.getByRole('row', { name: /missed by the first/ }).waitFor()
          expect([feedsOf(first), feedsOf(second)]).toEqual([1, 1])
          await lookAt(first.page)
          await first.page.getByRole('row', { name: /missed by the first/ }).waitFor()
          expect(feedsOf(first)).toBe(2)
        },
        { as: 'admin' },
      )
    },
    { as: 'admin' },
  ),
)
