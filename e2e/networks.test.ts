/** Networks and pools: a gap is filled, an address is taken from the map, and another client fills a pool. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { axeFindings, world } from './harness.ts'

const it = world({ devices: 300 })
const as = 'admin'

test('a network is created in a gap of the tree', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/networks')
      const tree = page.getByRole('treegrid', { name: 'Networks' })
      const gap = tree.getByText('10.0.16.0 – 10.0.255.255 free, 61,440 addresses')
      await gap.waitFor()
      // A gap of three blocks: /20, /19, /18 and /17. The dialog takes a /24 of the lowest.
      await tree.getByRole('button', { name: 'Use…', exact: true }).first().click()
      const dialog = page.getByRole('dialog', { name: 'Allocate a subnet of fra1 IPv4' })
      await dialog.getByText('Takes 10.0.16.0/24').waitFor()
      // The tree is inert below the dialog.
      await page.locator('[data-marked]', { hasText: 'free, 61,440 addresses, next 10.0.16.0/24' }).waitFor()
      expect(await axeFindings(page)).toEqual([])
      await dialog.getByLabel('Name').fill('from-a-gap')
      await dialog.getByRole('button', { name: 'Allocate' }).click()
      await page.getByText('Created from-a-gap').waitFor()
      await tree.getByText('from-a-gap').waitFor()
      await tree.getByText('10.0.17.0 – 10.0.255.255 free, 61,184 addresses').waitFor()
      const [made] = await it.plat.api.networks.list({ name: 'from-a-gap' })
      const [outer] = await it.plat.api.networks.list({ name: 'fra1 IPv4' })
      expect([made?.subnet, made?.datacenter_id]).toEqual(['10.0.16.0/24', outer?.datacenter_id ?? ''])

      await page.getByRole('button', { name: 'Free space' }).click()
      await tree.getByText('free, ').first().waitFor({ state: 'detached' })
      await open('/networks')
      await tree.waitFor()
      expect(await page.getByRole('button', { name: 'Free space' }).getAttribute('aria-pressed')).toBe('false')
      expect(await tree.getByText('free, ').count()).toBe(0)
      await page.getByRole('button', { name: 'Free space' }).click()
      await tree.getByText('free, ').first().waitFor()
    },
    { as },
  ))

test('a new network at a row has the datacenter of the network around it, and the menu of a row has all actions', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/networks')
      const tree = page.getByRole('treegrid', { name: 'Networks' })
      await tree.getByText('fra1 IPv4').click()
      await page.keyboard.press('c')
      const [outer] = await it.plat.api.networks.list({ name: 'fra1 IPv4' })
      const form = page.getByRole('dialog', { name: 'New network' })
      const values = async () => [
        await form.getByLabel('Subnet · required').inputValue(),
        await form.getByLabel('Datacenter').inputValue(),
      ]
      expect(await values()).toEqual(['10.0.0.0/16', outer?.datacenter_id ?? ''])
      await page.keyboard.press('Escape')
      await form.waitFor({ state: 'detached' })
      await tree.getByRole('button', { name: 'Actions for fra1 IPv4' }).click()
      const menu = page.getByRole('menu')
      await menu.getByRole('menuitem', { name: 'New network inside' }).waitFor()
      for (const item of [
        'Open',
        'Edit',
        'Allocate a subnet…',
        'Split…',
        'Scan',
        'New network inside',
        'Delete network',
      ])
        expect([item, await menu.getByRole('menuitem', { name: item }).count()]).toEqual([item, 1])
      await menu.getByRole('menuitem', { name: 'Split…' }).click()
      await page.getByRole('dialog', { name: 'Split fra1 IPv4' }).waitFor()
    },
    { as },
  ))

test('a network that is split is open in the tree, with one meter and its subnets in words', async () => {
  await it.plat.api.networks.create({ name: 'to-split', subnet: '172.31.0.0/24' })
  const outer = await it.plat.api.networks.create({ name: 'around it', subnet: '172.31.0.0/16' })
  await it.visit(
    async ({ page, open }) => {
      await open('/networks')
      const tree = page.getByRole('treegrid', { name: 'Networks' })
      await tree.getByText('to-split').click()
      await page.keyboard.press('s')
      const dialog = page.getByRole('dialog', { name: 'Split to-split' })
      await dialog.getByText('Creates 2 networks').waitFor()
      await dialog.getByRole('button', { name: 'Split' }).click()
      await tree.getByRole('link', { name: '172.31.0.128/25' }).waitFor()
      const row = tree.getByRole('row').filter({ hasText: 'to-split' }).first()
      expect(await row.getByRole('meter').count()).toBe(1)
      await row.getByText('2 · 100 %').waitFor()
      expect(await row.getByRole('meter').getAttribute('aria-valuenow')).toBe('0')
      await it.plat.api.networks.delete({ id: outer.id })
    },
    { as },
  )
})

test('the tree unfolds by keys', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/networks')
      const tree = page.getByRole('treegrid', { name: 'Networks' })
      await tree.waitFor()
      const first = tree.getByRole('row').nth(1)
      expect(await first.getAttribute('aria-expanded')).toBe('true')
      await page.keyboard.press('j')
      await page.keyboard.press('ArrowLeft')
      await tree.locator('[aria-rowindex="2"][aria-expanded=false]').waitFor()
      await page.keyboard.press('ArrowRight')
      await tree.locator('[aria-rowindex="2"][aria-expanded=true]').waitFor()
    },
    { as },
  ))

test('an IP finds the networks that it is in', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/networks')
      await page.getByRole('combobox', { name: 'Filter' }).fill('10.0.0.20')
      const names = page.getByRole('grid', { name: 'Networks' }).getByRole('link')
      await page
        .getByText(/of \d+ networks/)
        .first()
        .waitFor()
      expect((await names.allTextContents())[0]).toBe('10.0.0.0/16')
    },
    { as },
  ))

test('a free address of the map becomes a reservation, and then it is taken', () =>
  it.visit(
    async ({ page, open }) => {
      const [pool] = await it.plat.api.pools.all({ limit: 1 })
      await open(`/pools/${pool?.id}`)
      await page.getByRole('grid').focus()
      await page.keyboard.press('ArrowRight')
      const ip = (await page.getByRole('status').filter({ hasText: 'is free' }).locator('b').textContent()) ?? ''
      await page.getByRole('button', { name: 'Reserve', exact: true }).click()
      expect(await page.getByLabel('Address · required').inputValue()).toBe(ip)
      await page.getByLabel('Purpose').fill('printer')
      await page.getByRole('button', { name: 'Create reservation' }).click()
      await page.getByText(`Created ${ip}`).waitFor()
      await page.getByRole('gridcell', { name: `${ip}: reserved` }).waitFor()
      const reserved = await it.plat.api.reservations.list({ pool_id: pool?.id ?? '' })
      expect(reserved.map(({ ip_address }) => ip_address)).toContain(ip)
    },
    { as },
  ))

test('the next free address is allocated while others allocate', () =>
  it.visit(
    async ({ page, open }) => {
      const [pool] = await it.plat.api.pools.all({ limit: 1 })
      await open(`/pools/${pool?.id}`)
      await page.getByRole('button', { name: 'Next free IP' }).click()
      await page.getByLabel('How many').fill('2')
      await page.getByRole('button', { name: 'Reserve', exact: true }).click()
      await page.getByRole('heading', { name: 'Reserved 2 addresses' }).waitFor()
    },
    { as },
  ))

test('a new device gets the selected free address', () =>
  it.visit(
    async ({ page, open }) => {
      const [pool] = await it.plat.api.pools.all({ limit: 1 })
      await open(`/pools/${pool?.id}`)
      await page.getByRole('button', { name: 'New device here' }).click()
      const ip = await page.getByLabel('Address 1', { exact: true }).inputValue()
      await page.getByLabel('Name · required').fill('on-the-map')
      await page.getByRole('button', { name: 'Create device' }).click()
      await page.getByText('Created on-the-map').waitFor()
      const [device] = await it.plat.api.devices.search({ q: 'on-the-map' })
      expect(device?.addresses[0]).toMatchObject({ ip, pool_id: pool?.id ?? '' })
    },
    { as },
  ))

const widthOf = async (page: Page, name: string): Promise<number> =>
  Math.round((await page.getByRole('columnheader', { name, exact: true }).boundingBox())?.width ?? 0)

test('the columns of a list fit the window; their choice and widths are remembered, and a link wins', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices')
      const grid = page.getByRole('grid', { name: 'Devices' })
      const overflow = () => grid.evaluate((one) => one.scrollWidth - one.clientWidth)
      await grid.getByRole('link').first().waitFor()
      await page.getByRole('button', { name: 'Columns and density' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Host name' }).click()
      await page.keyboard.press('Escape')
      await page.getByRole('columnheader', { name: 'Host name' }).waitFor()
      expect(await overflow()).toBe(0)

      // By keys, on the focused head.
      const before = await widthOf(page, 'Model')
      await page.getByRole('columnheader', { name: 'Model' }).getByRole('button').focus()
      for (let press = 0; press < 3; press++) await page.keyboard.press('Alt+Shift+ArrowRight')
      expect(await widthOf(page, 'Model')).toBe(before + 48)
      // By its border.
      const border = page.locator('[data-border="model"]')
      const { x = 0, y = 0, width = 0, height = 0 } = (await border.boundingBox()) ?? {}
      await page.mouse.move(x + width / 2, y + height / 2)
      await page.mouse.down()
      await page.mouse.move(x + width / 2 - 30, y + height / 2, { steps: 3 })
      await page.mouse.up()
      expect(await widthOf(page, 'Model')).toBe(before + 18)
      expect(await overflow()).toBe(0)
      expect(await axeFindings(page)).toEqual([])

      await open('/networks')
      await open('/devices')
      await page.getByRole('columnheader', { name: 'Host name' }).waitFor()
      expect(await widthOf(page, 'Model')).toBe(before + 18)
      await open('/devices?cols=name,status')
      await page.getByRole('columnheader', { name: 'Status' }).waitFor()
      expect(await page.getByRole('columnheader').count()).toBe(3)
      await open('/devices')
      await page.getByRole('columnheader', { name: 'Host name' }).waitFor()
      await border.dblclick()
      expect(await widthOf(page, 'Model')).toBeLessThan(before + 18)
    },
    { as },
  ))

test('a long name is cut in its middle: its last eight characters stay', async () => {
  const name = 'a-device-with-a-name-that-is-longer-than-its-column-00000042'
  await it.plat.api.devices.create({ name })
  await it.visit(
    async ({ page, open }) => {
      await open('/devices?q=00000042')
      const link = page.getByRole('grid', { name: 'Devices' }).getByRole('link', { name, exact: true })
      await link.waitFor()
      expect(await link.textContent()).toBe(name)
      const end = link.getByText('00000042', { exact: true })
      const cell = await page.getByRole('gridcell').filter({ hasText: name }).boundingBox()
      const box = await end.boundingBox()
      // The end is whole in the cell, and the beginning is not.
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual((cell?.x ?? 0) + (cell?.width ?? 0))
      const [start] = await link.locator('span span').all()
      expect(await start?.evaluate((one) => one.scrollWidth > one.clientWidth)).toBe(true)
      expect(await axeFindings(page)).toEqual([])
    },
    { as },
  )
})
