/** What if a device goes away: the picture, its list, more devices by Shift and click, the clipboard, and the dialogs of deletions. */
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { axeFindings, world } from './harness.ts'
import { expectReadable } from './readable.ts'

const it = world({ devices: 0 })
const as = 'admin'

const ids: Record<string, string> = {}
const id = (name: string): string => ids[name] ?? ''
beforeAll(async () => {
  const { api } = it.plat
  ids.site = (await api.datacenters.create({ name: 'Harbor' })).id
  ids.net = (await api.networks.create({ name: 'Harbor LAN', subnet: '10.90.0.0/24' })).id
  const make = async (name: string, more: object = {}) => {
    ids[name] = (await api.devices.create({ name, ...more })).id
  }
  const relate = (parent: string, type: 'contains' | 'depends_on' | 'connected_to', child: string) =>
    api.relationships.create({ device_id: id(parent), child_id: id(child), type })
  await make('core-sw', { datacenter_id: ids.site })
  await make('hyper-1')
  await make('db-1', { addresses: [{ ip: '10.90.0.5' }] })
  await make('shop')
  await make('billing')
  for (const name of ['edge-1', 'edge-2', 'printer', 'hyper-2', 'backup']) await make(name)
  await relate('hyper-1', 'contains', 'db-1')
  await relate('shop', 'depends_on', 'db-1')
  await relate('billing', 'depends_on', 'shop')
  for (const name of ['edge-1', 'edge-2', 'hyper-1', 'hyper-2']) await relate('core-sw', 'connected_to', name)
  await relate('edge-2', 'connected_to', 'printer')
  await relate('hyper-2', 'connected_to', 'backup')
  await relate('hyper-2', 'connected_to', 'edge-1')
  ids.wide = (await api.devices.create({ name: 'wide' })).id
  const operations = Array.from({ length: 301 }, (_, n) => ({ op: 'create' as const, device: { name: `leaf ${n}` } }))
  await api.devices.bulk({ operations })
  const leaves = await api.devices.search({ q: 'leaf' })
  for (const leaf of leaves)
    await api.relationships.create({ device_id: id('wide'), child_id: leaf.id, type: 'contains' })
})

const panelIn = (page: Page) => page.getByRole('complementary', { name: 'Affected devices' })
const graphIn = (page: Page) => page.getByRole('application', { name: /^Graph/ })

test('a device page leads to the devices that stop without it', () =>
  it.visit(
    async ({ page, open }) => {
      await open(`/devices/${id('hyper-1')}`)
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'What if this goes away?' }).click()
      await page.waitForURL((url) => url.searchParams.get('impact') === id('hyper-1'))
      await page.getByRole('heading', { level: 1, name: 'Without hyper-1' }).waitFor()
      await graphIn(page).waitFor()
      const panel = panelIn(page)
      await panel.getByRole('status').filter({ hasText: 'If hyper-1 goes away, 3 devices would stop' }).waitFor()
      await panel.getByText('db-1 is needed by it').waitFor()
      expect(await axeFindings(page)).toEqual([])
    },
    { as },
  ))

test('several devices go away together, by the list, the search and the URL', () =>
  it.visit(
    async ({ page, open }) => {
      await open(`/topology?impact=${id('core-sw')}`)
      await graphIn(page).waitFor()
      const panel = panelIn(page)
      await panel
        .getByText(/4 would be cut off|would be cut off/)
        .first()
        .waitFor()
      const box = page.getByRole('searchbox', { name: 'Add a device that goes away' })
      await box.fill('db-1')
      await box.press('Enter')
      await page.waitForURL((url) => url.searchParams.get('impact') === `${id('core-sw')},${id('db-1')}`)
      await page.getByRole('heading', { level: 1, name: 'Without 2 devices' }).waitFor()
      await panel.getByRole('button', { name: 'core-sw stays' }).click()
      await page.waitForURL((url) => url.searchParams.get('impact') === id('db-1'))
      await panel.getByText('If db-1 goes away, 2 devices would stop.').waitFor()
    },
    { as },
  ))

test('Shift and click on a node adds it', () =>
  it.visit(
    async ({ page, open }) => {
      await open(`/topology?impact=${id('printer')}`)
      const graph = graphIn(page)
      await graph.waitFor()
      await panelIn(page).getByText('nothing else stops without it').waitFor()
      // The selected node moves into the middle of the canvas.
      await page.locator('[aria-busy="false"]').first().waitFor()
      await page.keyboard.press('z')
      const box = await graph.boundingBox()
      if (!box) throw new Error('the canvas is visible')
      const middle = { x: box.width / 2, y: box.height / 2 }
      await graph.click({ position: middle, modifiers: ['Shift'] })
      await page.waitForURL((url) => !url.searchParams.has('impact'))
    },
    { as },
  ))

test('the list is copied as text, and saved as CSV', () =>
  it.visit(
    async ({ page, context, open }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      await open(`/topology?impact=${id('hyper-1')}`)
      await panelIn(page).getByRole('button', { name: 'Copy list' }).click()
      await page.getByText('Copied the list').waitFor()
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(
        [
          'If hyper-1 goes away, 3 devices would stop.',
          '',
          '- hyper-1 goes away',
          '- db-1 stops: hyper-1 contains it',
          '- shop stops: db-1 is needed by it',
          '- billing stops: shop is needed by it',
          '',
        ].join('\n'),
      )
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        panelIn(page).getByRole('button', { name: 'CSV' }).click(),
      ])
      expect(download.suggestedFilename()).toBe('impact.csv')
    },
    { as, changesContext: true },
  ))

test('a cable that another client adds is in the impact that is shown', () =>
  it.visit(
    async ({ page, open }) => {
      const [first, second] = await Promise.all(
        ['live-sw', 'live-srv'].map((name) => it.plat.api.devices.create({ name })),
      )
      if (!first || !second) throw new Error('two were made')
      // The feed begins once the page is quiet.
      await Promise.all([page.waitForRequest('**/api/events?*'), open(`/topology?impact=${first.id}&tab=table`)])
      await page.getByText('If live-sw goes away, nothing else stops without it').waitFor()
      const end = (device_id: string) => ({ device_id, port: 'eth0' })
      await it.plat.api.cables.create({ a: end(first.id), b: end(second.id) })
      await page.getByText('If live-sw goes away, 1 device would be cut off').waitFor()
    },
    { as },
  ))

test('above 300 affected devices the list comes first', () =>
  it.visit(
    async ({ page, open }) => {
      await open(`/topology?impact=${id('wide')}`)
      const grid = page.getByRole('grid', { name: 'Affected devices' })
      await grid.waitFor()
      await grid.getByRole('link', { name: 'leaf 0', exact: true }).waitFor()
      await page.getByText(/If wide goes away, 301 devices would stop/).waitFor()
      expect(await axeFindings(page)).toEqual([])
      await page.getByRole('button', { name: 'Graph' }).click()
      await graphIn(page).waitFor()
    },
    { as },
  ))

test.each(['light', 'dark'] as const)(
  'the picture and its list are readable in the %s theme, also on a phone',
  async (theme) => {
    for (const width of [1280, 390])
      await it.visit(
        async ({ page, open }) => {
          await open(`/topology?impact=${id('core-sw')},${id('hyper-1')}`)
          await graphIn(page).waitFor()
          await panelIn(page).getByText('db-1').first().waitFor()
          await expectReadable(page)
          expect(await axeFindings(page)).toEqual([])
        },
        { as, theme, width },
      )
  },
)

test.each([
  ['devices', 'hyper-1', 'without it, 3 devices would stop'],
  ['datacenters', 'site', 'without it, '],
  ['networks', 'net', 'without it, 2 devices would stop, 1 would be cut off'],
])('the dialog before a delete of %s says how many devices follow', (path, name, text) =>
  it.visit(
    async ({ page, open }) => {
      await open(`/${path}/${id(name)}`)
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: /^Delete/ }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('status').filter({ hasText: text }).waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
    },
    { as },
  ),
)
