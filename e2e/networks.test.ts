/** Networks and pools: a gap is filled, an address is taken from the map, and another client fills a pool. */
import { expect, test } from 'bun:test'
import { world } from './harness.ts'

const it = world({ devices: 300 })
const as = 'admin'

test('a network is created in a gap of the tree', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/networks')
      const gap = page.getByRole('button', { name: /free$/ }).first()
      const subnet = ((await gap.textContent()) ?? '').replace(/ free$/, '')
      await gap.click()
      expect(await page.getByLabel('Subnet · required').inputValue()).toBe(subnet)
      await page.getByLabel('Name · required').fill('from-a-gap')
      await page.getByRole('button', { name: 'Create network' }).click()
      await page.getByText('Created from-a-gap').waitFor()
      await page.getByRole('treegrid').getByText('from-a-gap').waitFor()
      expect((await it.plat.api.networks.list({ name: 'from-a-gap' }))[0]?.subnet).toBe(subnet)
    },
    { as },
  ))

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
