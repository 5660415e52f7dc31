/** Discovery from the first scan to documented devices, on loopback, with real scans and hosts. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { DISCOVERY, type SeededDiscovery, scanNetwork, seedDiscovery, startHosts } from './discovery-seed.ts'
import { eventually, world } from './harness.ts'

const it = world({ devices: 0, env: DISCOVERY })

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

const badge = (page: Page, text: string) => page.getByRole('main').getByText(text, { exact: true }).first()

/** Returns the number of rows of the visible table, without its header. */
const rowCount = async (page: Page): Promise<number> => {
  const rows = await page.getByRole('grid').getAttribute('aria-rowcount')
  return Number(rows) - 1
}

test(
  'a scan is composed with its estimate, started, and followed to its end',
  () =>
    it.visit(
      async ({ page, open }) => {
        await open('/scans')
        await page.keyboard.press('c')
        const network = page.getByRole('combobox', { name: 'Network' })
        await network.fill('127.93.4.5')
        await page.getByRole('option', { name: 'loop watched' }).waitFor()
        await network.press('Enter')
        const takes = page.getByRole('region', { name: 'Estimate' })
        await takes.getByText('4,094').waitFor()
        await page.getByRole('textbox', { name: 'Exclude' }).fill('127.93.0.0/24')
        await takes.getByText('3,839').waitFor()
        await page.getByRole('button', { name: 'Start scan' }).click()
        await page.getByRole('heading', { level: 1, name: 'Scan of loop watched' }).waitFor()
        await badge(page, 'running').waitFor()
        await page.getByRole('link', { name: 'Scans', exact: true }).first().click()
        const running = page.getByRole('region', { name: 'Running now' })
        await running.getByText('loop watched').waitFor()
        await running.getByRole('link', { name: 'loop watched' }).click()
        await badge(page, 'completed').waitFor({ timeout: START_MS })
        await eventually(() => rowCount(page), 500)
        await page.getByText('These are the first 500 hosts.').waitFor()
      },
      { as: 'operator' },
    ),
  START_MS,
)

testAll('the words of a filter also find devices beyond the loaded ones', () =>
  it.visit(
    async ({ page, open }) => {
      await open(`/discovered-devices?network=${ids().watched}`)
      await page.getByText(/^These are 2,000 devices of 3,839/).waitFor()
      await page.getByRole('combobox', { name: 'Filter' }).fill('127.93.15.201')
      await eventually(() => rowCount(page), 1)
      await page.getByRole('link', { name: '127.93.15.201' }).waitFor()
    },
    { as: 'viewer' },
  ),
)

test(
  'a cancelled scan keeps its discovered devices',
  () =>
    it.visit(
      async ({ page, open }) => {
        const started = await it.plat.api.scans.start({ id: ids().large, scan_type: 'quick' })
        await open(`/scans/${'id' in started ? started.id : ''}`)
        await badge(page, 'running').waitFor()
        await page.getByRole('button', { name: 'Cancel scan' }).click()
        await badge(page, 'cancelled').waitFor()
      },
      { as: 'operator' },
    ),
  START_MS,
)

testAll('a missing value is an error at its field', () =>
  it.visit(
    async ({ page, open }) => {
      await open(`/networks/${ids().untouched}`)
      await page.getByRole('button', { name: 'Scan', exact: true }).click()
      await page.getByRole('textbox', { name: 'Exclude' }).fill('127.91.0.300')
      await page.getByText('must be a comma-separated list').waitFor()
    },
    { as: 'operator', expected: ['400 /api/discovery/networks/'] },
  ),
)

test('a finished scan says what it found, and leads to what is new in its network', () =>
  it.visit(
    async ({ page, open }) => {
      const { network, scan } = ids()
      const [, first] = await it.plat.api.scans.list({ network_id: network })
      await open(`/scans/${scan}`)
      await page.getByText('14 addresses on 14 devices').waitFor()
      expect(await page.getByText(/seen again/).count()).toBe(0)
      const { new: count } = await it.plat.api.inbox.summary({ network_id: network })
      await page.getByRole('link', { name: `Review ${count} new` }).click()
      await page.waitForURL(`**/inbox?network=${network}`)
      const tabs = page.getByRole('navigation', { name: 'What differs' }).getByRole('link')
      await eventually(
        async () => (await tabs.allTextContents()).map((text) => text.replace(/[\d,]/g, '')).join(),
        'New,Changed,Gone,Contradictory,Ignored',
      )
      await open(`/scans/${first?.id}`)
      await page.getByText('Seen again by a later scan', { exact: true }).waitFor()
      await page.getByText('14 of 14 addresses were seen again by a later scan.').waitFor()
    },
    { as: 'viewer' },
  ))

test(
  'five devices are documented by a template, and a second scan makes no duplicates',
  () =>
    it.visit(
      async ({ page, open }) => {
        const { network } = ids()
        await open(`/discovered-devices?network=${network}&q=documented:no`)
        const before = await rowCount(page)
        for (let i = 0; i < 5; i++) {
          await page.keyboard.press('j')
          await page.keyboard.press('x')
        }
        await page.getByText('5 selected').waitFor()
        await page.getByRole('button', { name: 'Document', exact: true }).click()
        const name = page.getByRole('textbox', { name: 'Name' })
        await name.fill('host-{rack}')
        await page.getByText('There is no {rack}').waitFor()
        await name.fill('host-{n}')
        await page.getByText('host-5').waitFor()
        await page.getByRole('textbox', { name: 'Tags' }).fill('lab')
        await page.getByRole('button', { name: 'Document 5 devices' }).click()
        const toast = page.getByRole('status', { name: 'Documented 5 devices' })
        await toast.getByRole('button', { name: 'Undo' }).waitFor()
        await eventually(() => rowCount(page), before - 5)
        await scanNetwork(it.plat.api, network, 'quick')
        const made = await it.plat.api.devices.list({ tags: ['lab'] })
        const found = await it.plat.api.discovery.list({ network_id: network })
        expect([
          made
            .map((one) => one.name)
            .sort()
            .join(),
          found.length,
        ]).toEqual(['host-1,host-2,host-3,host-4,host-5', 14])
      },
      { as: 'operator' },
    ),
  START_MS,
)

testAll('two records of one device are merged, and split again', () =>
  it.visit(
    async ({ page, open }) => {
      const { network } = ids()
      const [one] = await it.plat.api.discovery.list({ network_id: network, q: '127.90.0.13' })
      const count = async () => (await it.plat.api.discovery.list({ network_id: network })).length
      await open(`/discovered-devices?entry=${one?.id}`)
      await page.getByRole('button', { name: 'Merge' }).click()
      await page.getByRole('textbox', { name: 'Find' }).fill('127.90.0.14')
      await page.getByRole('checkbox', { name: '127.90.0.14' }).check()
      await page.getByRole('button', { name: 'Merge' }).last().click()
      await page.getByText('Merged 1 device into').waitFor()
      await eventually(count, 13)
      await page.getByRole('checkbox', { name: 'Choose 127.90.0.14' }).check()
      await page.getByRole('button', { name: 'Split off' }).click()
      await page.getByText('1 address split off').waitFor()
      await eventually(count, 14)
    },
    { as: 'operator' },
  ),
)

test('one changed field of a device is documented and another is locked', () =>
  it.visit(
    async ({ page, open }) => {
      const { device } = ids()
      await open('/inbox?tab=changed')
      await page.getByRole('button', { name: 'Document OS of lab-ssh' }).click()
      await page.getByText('Documented 1 item').waitFor()
      await page.getByRole('button', { name: 'Lock Status of lab-ssh' }).click()
      await page.getByText('Status is locked').waitFor()
      await page.getByRole('link', { name: 'lab-ssh' }).waitFor({ state: 'detached' })
      const { os, status } = await it.plat.api.devices.get({ id: device })
      expect([os, status]).toEqual(['Linux (Debian)', 'planned'])
    },
    { as: 'operator' },
  ))

test('an item is opened, ignored, put back and documented by the keyboard only', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/inbox?tab=changed')
      const item = page.getByRole('link', { name: 'lab-retired' })
      await item.waitFor()
      const moveTo = async () => {
        for (let i = 0; i < 5; i++) {
          await page.keyboard.press('j')
          if ((await page.locator('[aria-current=true]').textContent())?.includes('lab-retired')) return
        }
        throw new Error('it is not among the first five')
      }
      await page.keyboard.press('Home')
      if (!(await page.locator('[aria-current=true]').textContent())?.includes('lab-retired')) await moveTo()
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').getByText('Evidence that it exists').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.keyboard.press('i')
      await page.getByText('Ignored 1 item').waitFor()
      await item.waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Ignored' }).click()
      await item.waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('i')
      await page.getByText('Put back 1 item').waitFor()
      await page.getByRole('link', { name: 'Changed' }).click()
      await item.waitFor()
      await page.keyboard.press('Home')
      if (!(await page.locator('[aria-current=true]').textContent())?.includes('lab-retired')) await moveTo()
      await page.keyboard.press('a')
      await page.getByText('Documented 1 item').waitFor()
      const [device] = await it.plat.api.devices.search({ q: 'lab-retired' })
      expect(device?.status).toBe('active')
    },
    { as: 'operator' },
  ))

test('selected items are documented together', () =>
  it.visit(
    async ({ page, open }) => {
      await open(`/inbox?network=${ids().network}`)
      await page.getByRole('checkbox', { name: /^Select the/ }).check()
      const document = page
        .getByRole('toolbar', { name: 'Selected items' })
        .getByRole('button', { name: /^Document \d/ })
      await document.click()
      await page.getByText('Nothing new').waitFor()
      const { new: left } = await it.plat.api.inbox.summary({ network_id: ids().network })
      expect(left).toBe(0)
    },
    { as: 'operator' },
  ))

testAll('a schedule is made, changed, switched on and deleted by the keyboard only', () =>
  it.visit(
    async ({ page, open }) => {
      const rule = async () => (await it.plat.api.discoveryRules.list({ network_id: ids().untouched }))[0]
      await open('/rules')
      await page.getByRole('grid').waitFor()
      await page.keyboard.press('c')
      await page.getByRole('combobox', { name: 'Network' }).waitFor()
      await page.keyboard.type('spare')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Control+a')
      await page.keyboard.type('6')
      await page.keyboard.press('Tab')
      await page.keyboard.type('N')
      await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Enter')
      await page.getByText('Created the schedule of loop spare').waitFor()
      const made = await rule()
      expect([made?.scan_type, made?.interval_hours, made?.enabled]).toEqual(['full', 6, false])
      const row = page.getByRole('row', { name: /loop spare/ })
      await row.waitFor()
      await page.keyboard.press('End')
      await page.keyboard.press('e')
      const hours = page.getByRole('textbox', { name: 'Interval in hours' })
      await hours.waitFor()
      await hours.focus()
      await page.keyboard.press('Control+a')
      await page.keyboard.type('48')
      await page.keyboard.press('Enter')
      await row.getByText('every 2 days').waitFor()
      const toggle = row.getByRole('switch')
      await toggle.focus()
      await page.keyboard.press('Space')
      await eventually(async () => (await rule())?.enabled, true)
      await row.getByText(/^(now|in )/).waitFor()
      await page.keyboard.press('End')
      await page.keyboard.press('#')
      await page.getByRole('dialog').getByRole('button', { name: 'Delete schedule' }).focus()
      await page.keyboard.press('Enter')
      await page.getByText('Deleted the schedule of loop spare').waitFor()
      await row.waitFor({ state: 'detached' })
    },
    { as: 'admin' },
  ),
)

testAll('a switch that the server refuses goes back', () =>
  it.visit(
    async ({ page, open }) => {
      await page.route('**/api/discovery/rules/*', (route) =>
        route.fulfill({ status: 409, json: { code: 'CONFLICT', error: 'Not now', details: [] } }),
      )
      await open('/rules')
      const toggle = page.getByRole('switch', { name: /loop lab/ })
      await toggle.click()
      await page.getByText('The schedule is as it was').first().waitFor()
      expect(await toggle.getAttribute('aria-checked')).toBe('false')
    },
    { as: 'admin', expected: ['409 /api/discovery/rules/'] },
  ),
)
