/** The pages of discovery: accessible in both themes, in every state, with untrusted text, and for read-only users. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { takeOneIn, testAll } from '../testing/cases.ts'
import { until } from '../testing/until.ts'
import {
  DISCOVERY,
  HOSTILE,
  type SeededDiscovery,
  seedDiscovery,
  startHosts,
  strange,
  strangeItems,
} from './discovery-seed.ts'
import { countRequests, world } from './harness.ts'
import { expectReadable } from './readable.ts'

const it = world({ devices: 60, env: DISCOVERY })

const START_MS = 60_000
let seeded: SeededDiscovery | undefined
let endHosts = async () => {}
beforeAll(async () => {
  endHosts = await startHosts()
  seeded = await seedDiscovery(it.plat)
}, START_MS)
afterAll(() => endHosts())

const ids = (): SeededDiscovery => {
  if (!seeded) throw new Error('it is there in the tests of the file')
  return seeded
}

const PAGES: readonly (readonly [string, (ids: SeededDiscovery) => string])[] = [
  ['scans', () => '/scans'],
  ['scans, none', () => '/scans?q=nothing-like-this'],
  ['new scan', ({ large }) => `/scans?new=1&network=${large}`],
  ['scan', ({ scan }) => `/scans/${scan}`],
  ['differences of a scan', ({ scan }) => `/scans/${scan}?tab=diff`],
  ['log of a scan', ({ scan }) => `/scans/${scan}?tab=log`],
  ['discovered devices', ({ network }) => `/discovered-devices?network=${network}`],
  ['discovered devices, none', () => '/discovered-devices?q=nothing-like-this'],
  ['evidence', ({ discovered }) => `/discovered-devices?entry=${discovered}`],
  ['inbox', () => '/inbox'],
  ['inbox, changed', () => '/inbox?tab=changed'],
  ['inbox, nothing gone', () => '/inbox?tab=gone'],
  ['item of the inbox', ({ discovered }) => `/inbox?tab=changed&entry=${discovered}`],
  ['rules', () => '/rules'],
  ['rule as it is changed', ({ rule }) => `/rules?edit=${rule}`],
  ['new rule', () => '/rules?new=1'],
  ['discovery of a network', ({ network }) => `/networks/${network}?tab=discovery`],
  ['scan of a network', ({ network }) => `/networks/${network}?new=scan`],
  ['device that was seen', ({ device }) => `/devices/${device}`],
]

const expectAccessible = async (page: Page): Promise<void> => {
  await expectReadable(page)
}

test.each(takeOneIn(3, PAGES))('%s', (_, pathOf) =>
  it.visit(
    async ({ page, requests, openWhole }) => {
      await openWhole(pathOf(ids()))
      expect(countRequests(requests)).toBeLessThanOrEqual(12)
      await expectAccessible(page)
    },
    { as: 'admin' },
  ),
)

/** Replaces responses by data that a scan of loopback never finds. */
const answerStrange = async (page: Page): Promise<void> => {
  const { network, device } = ids()
  const one = strange(network)
  const items = strangeItems(network, device)
  await page.route('**/api/discovery/inbox/summary*', (route) =>
    route.fulfill({ json: { new: 0, changed: 1, gone: 1, conflict: 1, ignored: 0 } }),
  )
  await page.route('**/api/discovery/inbox?*', (route) => {
    const bucket = new URL(route.request().url()).searchParams.get('bucket')
    return route.fulfill({ json: items.filter((item) => item.bucket === bucket) })
  })
  await page.route('**/api/discovery/devices?*', (route) => route.fulfill({ json: [one] }))
  await page.route('**/api/discovery/devices/*', (route) => route.fulfill({ json: one }))
}

const STRANGE = [
  ['discovered devices', '/discovered-devices', HOSTILE],
  ['evidence', '/discovered-devices?entry=strange', 'Neighbors, by LLDP'],
  ['wiring in the inbox', '/inbox?tab=changed', 'relationship'],
  ['gone', '/inbox?tab=gone', 'decommissioned'],
  ['conflict', '/inbox?tab=conflict', 'SHA256:after'],
] as const

test.each(takeOneIn(2, STRANGE))('text from scanned hosts is never markup: %s', (_, path, text) =>
  it.visit(
    async ({ page, openWhole }) => {
      await answerStrange(page)
      await openWhole(path)
      await page.getByText(text).first().waitFor()
      expect(await page.locator('img').count()).toBe(0)
      await expectAccessible(page)
    },
    { as: 'admin' },
  ),
)

testAll('a running scan is accessible, and a scan that failed says why', () =>
  it.visit(
    async ({ page }) => {
      const [scan] = await it.plat.api.scans.list({ limit: 1 })
      const running = { status: 'running', stage: 'ports', progress_percent: 41.7, completed_at: null }
      const failed = { id: 'failed', status: 'failed', error_message: HOSTILE, progress_percent: 12 }
      await page.route('**/api/discovery/scans?*', (route) =>
        route.fulfill({
          json: [
            { ...scan, ...running },
            { ...scan, id: 'next', status: 'pending', started_at: null },
            { ...scan, ...failed },
          ],
        }),
      )
      await page.goto('/scans')
      await page.getByRole('region', { name: 'Running now' }).getByText('41%').waitFor()
      await page.getByText(HOSTILE).waitFor()
      await expectAccessible(page)
    },
    { as: 'admin' },
  ),
)

const LISTS = [
  ['/scans', '**/api/discovery/scans?*', '127.90.0.0/28'],
  ['/discovered-devices', '**/api/discovery/devices?*', '127.90.0.14'],
  ['/rules', '**/api/discovery/rules', '127.90.0.0/28'],
  ['/inbox', '**/api/discovery/inbox?*', '127.90.0.14'],
] as const

test.each(takeOneIn(4, LISTS))('%s while it loads, when it fails, and when it is loaded', (path, api, text) =>
  it.visit(
    async ({ page, open }) => {
      const { promise: shown, resolve: isShown } = Promise.withResolvers<void>()
      let isBroken = true
      await page.route(api, async (route) => {
        if (!isBroken) return route.continue()
        await shown
        await route.fulfill({ status: 500, json: { code: 'INTERNAL_ERROR', error: 'Something broke' } })
      })
      await open(path)
      await page.getByRole('status', { name: 'Loading' }).waitFor()
      isShown()
      await page.getByText('Something broke').waitFor()
      isBroken = false
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText(text, { exact: true }).first().waitFor()
    },
    { as: 'admin', expected: ['500 /api/'] },
  ),
)

const POLLED = [
  ['asks every three seconds while one runs', 'running', 3],
  ['asks no more when none runs', 'completed', 0],
] as const

test.each(takeOneIn(2, POLLED))('the list of scans %s', (_, status, more) =>
  it.visit(
    async ({ page, open }) => {
      const [scan] = await it.plat.api.scans.list({ limit: 1 })
      let asked = 0
      await page.route('**/api/discovery/scans?*', (route) => {
        asked++
        return route.fulfill({ json: [{ ...scan, status }] })
      })
      await page.clock.install()
      await open('/scans')
      await page.getByRole('grid').waitFor()
      const before = asked
      for (let i = 0; i < 3; i++) {
        await page.clock.runFor(3100)
        // The next request follows three seconds after the response.
        if (more > 0) await until('another request', () => (asked - before > i ? true : undefined))
        await page.waitForLoadState('networkidle')
      }
      expect(asked - before).toBe(more)
    },
    { as: 'viewer', changesContext: true },
  ),
)

const EMPTY = [
  ['/scans', '**/api/discovery/scans?*', 'No scans yet', 'New scan'],
  ['/discovered-devices', '**/api/discovery/devices?*', 'No discovered devices yet', 'New scan'],
  ['/rules', '**/api/discovery/rules', 'No schedules yet', 'New schedule'],
] as const

test.each(takeOneIn(3, EMPTY))('%s without content offers one action', (path, api, title, action) =>
  it.visit(
    async ({ page, open }) => {
      await page.route(api, (route) => route.fulfill({ json: [] }))
      await open(path)
      await page.getByRole('heading', { name: title }).waitFor()
      await page.getByRole('main').getByRole('button', { name: action }).last().click()
      await page.getByRole('dialog', { name: action }).waitFor()
    },
    { as: 'admin' },
  ),
)

testAll('a filter without matches says so, and offers to clear it', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/discovered-devices?q=nothing-like-this')
      await page.getByText('Nothing matches “nothing-like-this”').waitFor()
      await page.getByRole('button', { name: 'Clear filter' }).click()
      await page.getByRole('grid').waitFor()
    },
    { as: 'viewer' },
  ),
)

const SEEN = [
  ['/scans', 'New scan', 'discovery:create'],
  ['/rules', 'New schedule', 'discovery:create'],
  ['/inbox?tab=changed', 'Document all: lab-ssh', 'discovery:update'],
  ['/inbox?tab=changed', 'Lock OS of lab-ssh', 'discovery:update'],
] as const

test.each(takeOneIn(4, SEEN))('a viewer sees %s, and the reason why it is disabled: %s', (path, name, permission) =>
  it.visit(
    async ({ page, open }) => {
      await open(path)
      const control = page.getByRole('button', { name })
      await control.hover()
      await page.getByRole('tooltip').getByText(permission).waitFor()
      expect(await control.getAttribute('aria-disabled')).toBe('true')
    },
    { as: 'viewer' },
  ),
)

testAll('a viewer sees the evidence, and cannot decide', () =>
  it.visit(
    async ({ page, open }) => {
      await open(`/discovered-devices?entry=${ids().discovered}`)
      const drawer = page.getByRole('dialog')
      await drawer.getByText('SSH-2.0-OpenSSH_9.2p1').waitFor()
      expect(await drawer.getByRole('button', { name: 'Delete' }).getAttribute('aria-disabled')).toBe('true')
    },
    { as: 'viewer' },
  ),
)

test('the keys go to the pages of discovery', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      for (const [key, title] of [
        ['s', 'Scans'],
        ['f', 'Discovered devices'],
        ['i', 'Inbox'],
        ['r', 'Schedules'],
      ] as const) {
        await page.keyboard.press('g')
        await page.keyboard.press(key)
        await page.getByRole('heading', { level: 1, name: title }).waitFor()
      }
    },
    { as: 'viewer' },
  ))

testAll('a link and a saved view of the earlier path /found lead to the discovered devices', () =>
  it.visit(
    async ({ page, open }) => {
      await open(`/found?entry=${ids().discovered}`)
      await page.getByRole('dialog').getByText('SSH-2.0-OpenSSH_9.2p1').waitFor()
      expect(new URL(page.url()).pathname).toBe('/discovered-devices')
      const view = { name: 'Up before', path: '/found', search: '?q=status:up' }
      await page.evaluate((text) => localStorage.setItem('plat.views', text), JSON.stringify([view]))
      await open('/discovered-devices')
      await page.getByRole('button', { name: 'Saved views' }).click()
      await page.getByRole('menuitem', { name: 'Up before' }).click()
      await page.waitForURL((url) => url.pathname === '/discovered-devices' && url.search === '?q=status:up')
    },
    { as: 'viewer' },
  ),
)
