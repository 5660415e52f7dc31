/** The live feed: changes of another client appear, without further requests of the page. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { eventually, type Visit, world } from './harness.ts'

const it = world({ devices: 60 })

const FEED = 'GET /api/events'

/** Runs in the page, with the types of a page. */
const NOTE_MARKS = `new MutationObserver((records) => {
  if (records.some(({ target }) => target.hasAttribute('data-fresh'))) document.body.dataset.wasFresh = 'yes'
}).observe(document.body, { subtree: true, attributeFilter: ['data-fresh'] })`

const followed = ({ requests }: Pick<Visit, 'requests'>) => eventually(async () => requests.includes(FEED), true)

/** Works as another user with a separate browser. */
const elsewhere = (work: (page: Page) => Promise<void>) =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices')
      await work(page)
    },
    { as: 'operator' },
  )

test('devices that another user creates, changes and deletes are updated in the list, with a mark', async () => {
  await it.visit(
    async (visit) => {
      const { page, open } = visit
      await open('/devices?q=elsewhere')
      await page.getByText('Nothing matches “elsewhere”').waitFor()
      await followed(visit)
      const row = page.getByRole('row', { name: /made elsewhere/ })
      const isMarked = row.and(page.locator('[data-fresh]')).waitFor()
      await elsewhere(async (other) => {
        await other.keyboard.press('c')
        await other.getByRole('dialog').getByLabel('Name', { exact: false }).first().fill('made elsewhere')
        await other.getByRole('button', { name: 'Create device' }).click()
        await other.locator('[data-layer]').waitFor({ state: 'detached' })
      })
      await isMarked
      const id = (await it.plat.api.devices.list()).find(({ name }) => name === 'made elsewhere')?.id ?? ''
      await it.plat.api.devices.update({ id, os: 'Plan 9' })
      await row.getByText('Plan 9').waitFor()
      await it.plat.api.devices.delete({ id })
      await row.waitFor({ state: 'detached' })
    },
    { as: 'admin' },
  )
})

testAll('an event between the list and the start of the stream is not lost', async () => {
  await it.visit(
    async (visit) => {
      const { page, open } = visit
      await open('/devices?q=between')
      await page.getByText('Nothing matches “between”').waitFor()
      expect(visit.requests).not.toContain(FEED)
      await it.plat.api.devices.create({ name: 'in between' })
      await page.getByRole('row', { name: /in between/ }).waitFor()
    },
    { as: 'admin' },
  )
})

test("one's own change has no mark", async () => {
  const { id } = await it.plat.api.devices.create({ name: 'my own' })
  await it.visit(
    async (visit) => {
      const { page, open } = visit
      await open(`/devices?q=own&edit=${id}`)
      await followed(visit)
      await page.evaluate(NOTE_MARKS)
      await page.getByLabel('Operating system').fill('Haiku')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('row', { name: /Haiku/ }).waitFor()
      // Events arrive in order, so this one proves that the earlier one has arrived.
      await it.plat.api.devices.update({ id, os: 'BeOS' })
      await page.getByRole('row', { name: /BeOS/ }).waitFor()
      expect(await page.evaluate('document.body.dataset.wasFresh')).toBeUndefined()
    },
    { as: 'admin' },
  )
})

testAll('lists that others change are loaded again: networks, conflicts', async () => {
  await it.visit(
    async (visit) => {
      const { page, open } = visit
      await open('/conflicts')
      await page.getByText('No conflicts found').waitFor()
      await followed(visit)
      for (const name of ['one', 'two']) await it.plat.api.devices.create({ name, addresses: [{ ip: '192.0.2.200' }] })
      await page.getByRole('link', { name: '192.0.2.200', exact: true }).waitFor()
    },
    { as: 'admin' },
  )
})

test("an open form keeps its input after another user's change, and its save is refused", async () => {
  const { id } = await it.plat.api.devices.create({ name: 'contended' })
  await it.visit(
    async (visit) => {
      const { page, open } = visit
      await open(`/devices/${id}?edit=${id}`)
      await page.getByLabel('Operating system').fill('mine')
      await followed(visit)
      await it.plat.api.devices.update({ id, os: 'theirs' })
      await page.getByText('theirs', { exact: true }).waitFor()
      expect(await page.getByLabel('Operating system').inputValue()).toBe('mine')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Changed by someone since you opened it').waitFor()
    },
    { as: 'admin', expected: ['412 /api/devices/'] },
  )
})

testAll('the page of a device says that another user deleted it', async () => {
  const { id } = await it.plat.api.devices.create({ name: 'short lived' })
  await it.visit(
    async (visit) => {
      await visit.open(`/devices/${id}`)
      await followed(visit)
      await it.plat.api.devices.delete({ id })
      await visit.page.getByText('There is no such device').waitFor()
    },
    { as: 'admin', expected: [`404 /api/devices/${id}`] },
  )
})

test('the stream reconnects after a restart of the server, and delivers the missed events', async () => {
  await it.visit(
    async (visit) => {
      const { page, open } = visit
      await open('/devices?q=meanwhile')
      await followed(visit)
      await it.plat.restart(async () => {})
      await it.plat.api.devices.create({ name: 'meanwhile' })
      await page.getByRole('row', { name: /meanwhile/ }).waitFor()
    },
    { as: 'admin' },
  )
})

testAll('all pages of a tab share one stream', async () => {
  await it.visit(
    async (visit) => {
      const { page, open, requests } = visit
      await open('/devices')
      await followed(visit)
      await page.keyboard.press('g')
      await page.keyboard.press('n')
      await page.getByRole('heading', { level: 1, name: 'Networks' }).waitFor()
      await page.waitForLoadState('domcontentloaded')
      expect(requests.filter((one) => one === FEED).length).toBe(1)
    },
    { as: 'admin' },
  )
})

test('a user without the permission for events has no stream', async () => {
  await it.visit(
    async (visit) => {
      const { page, open, requests } = visit
      await page.route('**/api/auth/me', async (route) => {
        const response = await route.fetch()
        const me = await response.json()
        await route.fulfill({
          response,
          json: { ...me, permissions: me.permissions.filter((one: string) => one !== 'events:read') },
        })
      })
      await open('/devices')
      await page.getByRole('grid', { name: 'Devices' }).waitFor()
      // A later page of a permitted user follows the feed by now.
      const later = async (other: Visit): Promise<void> => {
        await other.open('/devices')
        await followed(other)
      }
      await it.visit(later, { as: 'operator' })
      expect(requests).not.toContain(FEED)
    },
    { as: 'admin' },
  )
})

/** The newest changes, and the files of their sentences, which come once the page is quiet. */
const isRecent = (line: string): boolean => line === 'GET /api/history' || /\/assets\/(history|lists)-/.test(line)

test('the overview makes at most twelve requests, the stream among them, and three for its newest changes', async () => {
  await it.visit(
    async (visit) => {
      await visit.open('/')
      await followed(visit)
      const recent = visit.requests.filter(isRecent)
      expect(visit.requests.length - recent.length).toBeLessThanOrEqual(12)
      expect(recent.length).toBeLessThanOrEqual(3)
    },
    { as: 'admin' },
  )
})
