/** The topology of a device and of all devices, as drawing, as table, and by keyboard. */
import { beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { axeFindings, world } from './harness.ts'
import { expectReadable } from './readable.ts'

const it = world({ devices: 300 })
const as = 'admin'

/** The device with the most relationships. */
let hub = { id: '', name: '' }
beforeAll(async () => {
  const links = await it.plat.api.relationships.all()
  const counts = new Map<string, number>()
  for (const { parent_id } of links) counts.set(parent_id, (counts.get(parent_id) ?? 0) + 1)
  const [id = ''] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? []
  hub = await it.plat.api.devices.get({ id })
})

const graphIsThere = (page: Page) => page.getByRole('application', { name: /^Graph/ }).waitFor()

test('the way from a device to its neighbors, and on to a neighbor', () =>
  it.visit(
    async ({ page, open, requests }) => {
      await open(`/devices/${hub.id}`)
      await page.getByRole('button', { name: 'Topology' }).click()
      await graphIsThere(page)
      const panel = page.getByRole('complementary', { name: 'Selected device' })
      await panel.getByRole('link', { name: hub.name }).waitFor()
      const neighbour = panel.getByRole('listitem').getByRole('button', { name: /\w/ }).first()
      const name = (await neighbour.textContent()) ?? ''
      await neighbour.click()
      await panel.getByRole('link', { name }).waitFor()
      await page.getByRole('button', { name: 'Focus on this device' }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
      await page.goBack()
      await page.getByRole('heading', { level: 1, name: hub.name }).waitFor()
      expect(requests.filter((line) => line === 'GET /api/relationships')).toHaveLength(1)
    },
    { as },
  ))

test('the topology changes hops, neighbors and focus by the keyboard only', () =>
  it.visit(
    async ({ page, open }) => {
      await open(`/topology?focus=${hub.id}&view=connections`)
      await graphIsThere(page)
      await page.keyboard.press('[')
      await page.waitForURL(/hops=1/)
      await page.getByText('1 hop', { exact: true }).waitFor()
      await page.keyboard.press(']')
      await page.waitForURL((url) => !url.searchParams.has('hops'))
      const current = page.getByRole('status').filter({ hasText: 'in the middle' })
      await current.waitFor()
      const neighbour = page.getByRole('status').filter({ hasText: '1 hop away' })
      // The direction of the neighbor depends on the layout. On a slow machine the words come late, after the next key.
      const keys = ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp']
      for (const key of [...keys, ...keys, ...keys]) {
        await page.keyboard.press(key)
        const isThere = await neighbour.waitFor({ timeout: 3000 }).then(
          () => true,
          () => false,
        )
        if (isThere) break
      }
      await neighbour.waitFor()
      await page.keyboard.press('z')
      await page.keyboard.press('f')
      await page.keyboard.press('Enter')
      await page.waitForURL((url) => url.searchParams.get('focus') !== hub.id)
    },
    { as },
  ))

test('impact says what can not work without it, and the table says the same', () =>
  it.visit(
    async ({ page, open }) => {
      const links = await it.plat.api.relationships.all()
      const needed = links.find(({ type }) => type === 'depends_on')
      await open(`/topology?focus=${needed?.child_id}&view=impact`)
      await page.getByText(/can’t work without it/).waitFor()
      await page.getByRole('button', { name: 'Table' }).click()
      const grid = page.getByRole('grid', { name: 'Devices of the graph' })
      await grid.getByRole('link', { name: needed?.parent_id ?? '', exact: true }).waitFor()
      await grid.getByText('fails with it, 1 hop').first().waitFor()
      expect(await axeFindings(page)).toEqual([])
    },
    { as },
  ))

test('the whole estate: a dot is found by keys, a device by its name', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/topology?view=devices')
      await page.getByRole('application', { name: /^All devices/ }).waitFor()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.waitForURL(/focus=/)
      await page.getByRole('searchbox', { name: 'Focus on a device' }).fill(hub.name)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: hub.name }).waitFor()
      await open('/topology?tab=table')
      await page.getByRole('grid', { name: 'Datacenters' }).waitFor()
      expect(await axeFindings(page)).toEqual([])
    },
    { as },
  ))

test('the first view has the switches and the links between them', async () => {
  const { api } = it.plat
  const [core, access] = [
    await api.devices.create({ name: 'hall-core-sw' }),
    await api.devices.create({ name: 'hall-access-sw' }),
  ]
  const panel = await api.devices.create({ name: 'hall-panel' })
  const [from, to] = [
    { device_id: core.id, port: 'up1' },
    { device_id: access.id, port: 'down1' },
  ]
  await api.ports.create({ device_id: panel.id, name: '1', pass_through: true })
  await api.cables.create({ a: from, b: { device_id: panel.id, port: '1' } })
  await api.cables.create({ a: { device_id: panel.id, port: '1', side: 'rear' }, b: to })
  await it.visit(
    async ({ page, openWhole }) => {
      await openWhole('/topology')
      await graphIsThere(page)
      await page.getByText(/switches and .* between them/).waitFor()
      await page.getByRole('button', { name: 'Table' }).click()
      const row = page.getByRole('grid', { name: 'Devices of the graph' }).getByRole('row', { name: /hall-core-sw/ })
      await row.getByText('cabled to hall-access-sw (up1 – down1, through 1 panel)').waitFor()
      expect(await page.getByRole('row', { name: /hall-panel/ }).count()).toBe(0)
      await page.getByRole('button', { name: 'All devices' }).click()
      await page.getByRole('grid', { name: 'Datacenters' }).waitFor()
      await page.getByRole('button', { name: 'Graph', exact: true }).click()
      await page.getByRole('application', { name: /^All devices/ }).waitFor()
      await page.getByRole('button', { name: 'Switches' }).click()
      await page.getByRole('application', { name: /^Graph/ }).focus()
      await page.keyboard.press('Enter')
      await page.waitForURL(/focus=/)
      expect(await axeFindings(page)).toEqual([])
    },
    { as },
  )
})

test('a press in the picture selects what is under it, a drag moves it', () =>
  it.visit(
    async ({ page, open }) => {
      await open(`/topology?focus=${hub.id}&hops=1`)
      await graphIsThere(page)
      const panel = page.getByRole('complementary', { name: 'Selected device' })
      const neighbour = panel.getByRole('listitem').getByRole('button', { name: /\w/ }).first()
      const name = (await neighbour.textContent()) ?? ''
      await neighbour.click()
      // It is now in the middle, from where it is dragged.
      await page.getByRole('button', { name: 'Zoom' }).click()
      const { x = 0, y = 0, width = 0, height = 0 } = (await page.getByRole('application').boundingBox()) ?? {}
      const middle = { x: x + width / 2, y: y + height / 2 }
      await page.keyboard.press('Escape')
      await panel.getByRole('link', { name: hub.name }).waitFor()
      await page.mouse.move(middle.x, middle.y)
      await page.mouse.down()
      await page.mouse.move(middle.x - 60, middle.y - 40, { steps: 4 })
      await page.mouse.up()
      await page.mouse.click(middle.x - 60, middle.y - 40)
      await panel.getByRole('link', { name }).waitFor()
    },
    { as },
  ))

test('a device that is not there', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/topology?focus=nobody')
      await page.getByText('There is no device with the id nobody').waitFor()
    },
    { as },
  ))

testAll.each(['/topology', 'all', 'connections', 'containment', 'impact'])(
  '%s, in both themes and on a phone',
  (view) =>
    it.visit(
      async ({ page, openWhole }) => {
        await openWhole(view === '/topology' ? view : `/topology?focus=${hub.id}&view=${view}`)
        await page.getByRole('application').waitFor()
        await expectReadable(page)
      },
      { as },
    ),
)

test('its code is loaded when it is opened, and the first files stay small', () => {
  const folder = join(import.meta.dirname, '..', 'dist', 'web')
  const html = readFileSync(join(folder, 'index.html'), 'utf8')
  const first = [...html.matchAll(/assets\/[\w.-]+\.js/g)].map(([name]) => name)
  const bytes = [...new Set(first)].map((name) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(165 * 1024)
  expect(readdirSync(join(folder, 'assets')).some((name) => name.startsWith('topology-page'))).toBe(true)
})
