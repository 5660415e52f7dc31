/** Networks and pools: a gap is filled, and free addresses are given to devices and reserved. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { axeFindings, choose, eventually, world } from './harness.ts'

const it = world({ devices: 300 })
const as = 'admin'
const isFine = async (page: Page) => expect(await axeFindings(page)).toEqual([])

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
      expect(await form.getByLabel('Subnet · required').inputValue()).toBe('10.0.0.0/16')
      const datacenter = await it.plat.api.datacenters.get({ id: outer?.datacenter_id ?? '' })
      await eventually(() => form.getByLabel('Datacenter').inputValue(), datacenter.name)
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
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog', { name: `Use ${ip}`, exact: true })
      await dialog.getByRole('radio', { name: 'Reservation' }).check()
      await dialog.getByLabel('Purpose').fill('printer')
      await dialog.getByLabel('MAC address').fill('x')
      await dialog.getByRole('button', { name: 'Reserve', exact: true }).click()
      await dialog.locator('[aria-invalid=true]').waitFor()
      await dialog.getByLabel('MAC address').fill('02:00:00:00:00:01')
      await page.keyboard.press('Control+Enter')
      await page.getByText(`Reserved ${ip}`).waitFor()
      await page.getByRole('gridcell', { name: `${ip}: reserved` }).waitFor()
      const reserved = await it.plat.api.reservations.list({ pool_id: pool?.id ?? '' })
      expect(reserved.find(({ ip_address }) => ip_address === ip)).toMatchObject({
        ...{ purpose: 'printer', mac_address: '02:00:00:00:00:01', expires_at: null },
      })
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('gridcell', { name: `${ip}: free` }).waitFor()
    },
    { as, expected: ['400 /api/pools/'] },
  ))

/** Counts the clicks of the user from now on. */
const countClicks = async (page: Page): Promise<() => Promise<number>> => {
  await page.evaluate("window.clicks = 0; addEventListener('pointerdown', () => { window.clicks += 1 }, true)")
  return () => page.evaluate('window.clicks')
}

test('the next free address of a network goes to a device by three clicks and its name', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.networks.create({ name: 'plain', subnet: '10.212.0.0/24' })
      const device = await it.plat.api.devices.create({ name: 'web-plain', addresses: [{ ip: '10.212.0.1' }] })
      await open(`/networks/${id}`)
      const clicks = await countClicks(page)
      await page.getByRole('button', { name: 'Next free address', exact: true }).click()
      const dialog = page.getByRole('dialog', { name: 'Use 10.212.0.2', exact: true })
      await dialog.waitFor()
      await page.keyboard.type('web-plain')
      await dialog.getByRole('option', { name: 'web-plain' }).click()
      await isFine(page)
      await dialog.getByRole('button', { name: 'Give to web-plain', exact: true }).click()
      await page.getByText('Gave 10.212.0.2 to web-plain').waitFor()
      expect(await clicks()).toBe(3)
      const { addresses } = await it.plat.api.devices.get({ id: device.id })
      expect(addresses.map(({ ip, network_id }) => [ip, network_id])).toEqual([
        ['10.212.0.1', null],
        ['10.212.0.2', id],
      ])
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Undone').waitFor()
      expect((await it.plat.api.devices.get({ id: device.id })).addresses).toHaveLength(1)
    },
    { as },
  ))

test('the palette asks for a network or a pool, and gives its next free address, by the keyboard only', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.networks.create({ name: 'asked for', subnet: '10.221.0.0/29' })
      const device = await it.plat.api.devices.create({ name: 'by-palette' })
      await it.plat.api.networks.allocateIp({ id, ip: '10.221.0.1', device_id: device.id })
      await open('/racks')
      await page.keyboard.press('Control+k')
      await page.keyboard.type('next free')
      await page.getByRole('option', { name: 'Next free address…', selected: true }).waitFor()
      await page.keyboard.press('Enter')
      const asked = page.getByRole('dialog', { name: 'Next free address' })
      await asked.getByRole('combobox', { name: 'Network or pool' }).waitFor()
      await page.keyboard.type('asked f')
      await asked.getByRole('option', { name: 'asked for' }).getByText('next 10.221.0.2 · 5 free').waitFor()
      await isFine(page)
      await page.keyboard.press('Enter')
      const use = page.getByRole('dialog', { name: 'Use 10.221.0.2' })
      await use.getByRole('combobox', { name: 'Device' }).waitFor()
      await page.keyboard.type('by-pal')
      await use.getByRole('option', { name: 'by-palette' }).waitFor()
      await page.keyboard.press('Enter')
      await page.keyboard.press('Control+Enter')
      await page.getByText('Gave 10.221.0.2 to by-palette').waitFor()
      const { addresses } = await it.plat.api.devices.get({ id: device.id })
      expect(addresses.map(({ ip }) => ip)).toEqual(['10.221.0.1', '10.221.0.2'])
    },
    { as },
  ))

test('an address that is taken while the dialog is open is not given twice, and the next one is offered', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.networks.create({ name: 'sought', subnet: '10.213.0.0/29' })
      const device = await it.plat.api.devices.create({ name: 'late-one' })
      const use = (ip: string) => page.getByRole('dialog', { name: `Use ${ip}`, exact: true })
      const take = (ip: string) => it.plat.api.networks.allocateIp({ id, ip, device_id: device.id })
      await open(`/networks/${id}`)
      await page.keyboard.press('f')
      await use('10.213.0.1').getByRole('button', { name: 'Another address' }).click()
      await use('10.213.0.2').waitFor()
      await page.getByRole('combobox', { name: 'Device' }).fill('late')
      await page.getByRole('option', { name: 'late-one' }).click()
      await take('10.213.0.2')
      await page.getByRole('button', { name: 'Give to late-one' }).click()
      await use('10.213.0.3').getByText('Someone was quicker: 10.213.0.2 is taken.').waitFor()
      await isFine(page)

      await page.getByRole('radio', { name: 'New device' }).check()
      await page.getByLabel('Name', { exact: true }).fill('later-one')
      await take('10.213.0.3')
      await page.getByRole('button', { name: 'Create device' }).click()
      await use('10.213.0.4').getByText('Someone was quicker: 10.213.0.3 is taken.').waitFor()

      await page.getByRole('radio', { name: 'Reservation' }).check()
      await take('10.213.0.4')
      await page.getByRole('button', { name: 'Reserve', exact: true }).click()
      await use('10.213.0.5').getByText('Someone was quicker: 10.213.0.4 is taken.').waitFor()
      await page.getByRole('button', { name: 'Reserve', exact: true }).click()
      await page.getByText('Reserved 10.213.0.5').waitFor()
      const { addresses } = await it.plat.api.devices.get({ id: device.id })
      expect(addresses.map(({ ip }) => ip)).toEqual(['10.213.0.2', '10.213.0.3', '10.213.0.4'])
      expect(await it.plat.api.devices.search({ q: 'later-one' })).toEqual([])
    },
    { as, expected: ['409 /api/networks/', '400 /api/estate/apply'] },
  ))

test('a reservation in a network without pools makes a pool, by one change that can be undone', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.networks.create({ name: 'poolless', subnet: '10.214.0.0/24' })
      await open('/networks?q=poolless')
      await page.getByRole('grid', { name: 'Networks' }).getByText('10.214.0.0/24').waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('f')
      const dialog = page.getByRole('dialog', { name: 'Use 10.214.0.1', exact: true })
      await dialog.getByRole('radio', { name: 'Reservation' }).check()
      await dialog
        .getByText('Reservations are kept in pools. This makes the pool poolless of all its addresses.')
        .waitFor()
      await dialog.getByLabel('Host name').fill('printer-7')
      await dialog.getByLabel('Ends').fill('2099-01-01T00:00')
      await dialog.getByRole('button', { name: 'Reserve', exact: true }).click()
      await page.getByText('Reserved 10.214.0.1').waitFor()
      const [pool] = await it.plat.api.pools.list({ network_id: id })
      expect(pool).toMatchObject({ name: 'poolless', start_ip: '10.214.0.1', end_ip: '10.214.0.254' })
      const [reservation] = await it.plat.api.reservations.list({ pool_id: pool?.id ?? '' })
      expect(reservation).toMatchObject({ ip_address: '10.214.0.1', hostname: 'printer-7' })
      expect(reservation?.expires_at).toStartWith('209')
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Undone').waitFor()
      expect(await it.plat.api.pools.list({ network_id: id })).toEqual([])
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

test('the next free address of a pool goes to a new device, by the menu of its row, and with all fields', () =>
  it.visit(
    async ({ page, open }) => {
      const network = await it.plat.api.networks.create({ name: 'menu-net', subnet: '10.215.0.0/24' })
      const range = { start_ip: '10.215.0.10', end_ip: '10.215.0.20' }
      const pool = await it.plat.api.pools.create({ network_id: network.id, name: 'menu-pool', ...range })
      const create = async (finish: (name: string) => Promise<void>, name: string) => {
        await open('/pools?q=menu-pool')
        await page.getByRole('button', { name: 'Actions for menu-pool' }).click()
        await page.getByRole('menuitem', { name: 'Next free address' }).click()
        await page.getByRole('radio', { name: 'New device' }).check()
        await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill(name)
        await finish(name)
        await page.getByText(`Created ${name}`).waitFor()
        return (await it.plat.api.devices.search({ q: name }))[0]?.addresses[0]
      }
      const quick = await create(() => page.getByRole('button', { name: 'Create device' }).click(), 'quick-one')
      expect(quick).toMatchObject({ ip: '10.215.0.10', pool_id: pool.id, network_id: network.id })
      const whole = await create(async (name) => {
        await page.getByRole('button', { name: 'All fields' }).click()
        const form = page.getByRole('dialog', { name: 'New device' })
        expect(await form.getByLabel('Name · required').inputValue()).toBe(name)
        expect(await form.getByLabel('Address 1', { exact: true }).inputValue()).toBe('10.215.0.11')
        await form.getByLabel('Operating system').fill('Debian 13')
        await form.getByRole('button', { name: 'Create device' }).click()
      }, 'whole-one')
      expect(whole).toMatchObject({ ip: '10.215.0.11', pool_id: pool.id, network_id: network.id })
    },
    { as },
  ))

test('a network shows the map of its addresses, with its pools and the networks inside it', () =>
  it.visit(
    async ({ page, open }) => {
      const network = await it.plat.api.networks.create({ name: 'mapped', subnet: '10.216.0.0/24' })
      await it.plat.api.networks.create({ name: 'within', subnet: '10.216.0.128/25' })
      const range = { start_ip: '10.216.0.5', end_ip: '10.216.0.6' }
      await it.plat.api.pools.create({ network_id: network.id, name: 'marked', ...range })
      await it.plat.api.devices.create({ name: 'outside-one', addresses: [{ ip: '10.216.0.1' }] })
      await it.plat.api.devices.create({ name: 'inside-one', addresses: [{ ip: '10.216.0.129' }] })
      await open(`/networks/${network.id}?tab=addresses`)
      const cell = (name: string) => page.getByRole('gridcell', { name, exact: true })
      await cell('10.216.0.1: used').waitFor()
      await cell('10.216.0.129: used').waitFor()
      await cell('10.216.0.130: of a nested network').click()
      await page.getByRole('link', { name: 'Open its network' }).waitFor()
      await isFine(page)
      await cell('10.216.0.5: free, in the pool marked').click()
      await page.getByText('free of mapped, in the pool marked').waitFor()
      await page.keyboard.press('Escape')

      await page.getByRole('button', { name: 'List', exact: true }).click()
      const list = page.getByRole('grid', { name: 'Addresses' })
      const listed = () => list.getByRole('row').locator('[role=gridcell]:nth-child(4)').allTextContents()
      await list.getByText('10.216.0.129').waitFor()
      expect(await listed()).toEqual(['mapped', 'within'])
      await isFine(page)
      await page.getByRole('switch', { name: 'Only this network' }).click()
      await list.getByText('10.216.0.129').waitFor({ state: 'detached' })
      await list.getByText('10.216.0.1', { exact: true }).waitFor()
      expect(await listed()).toEqual(['mapped'])

      await page.getByRole('navigation', { name: 'About this network' }).getByRole('link', { name: 'Devices' }).click()
      const devices = page.getByRole('grid', { name: 'Devices' })
      await devices.getByText('outside-one').waitFor()
      expect(await devices.getByText('inside-one').count()).toBe(0)
      await page.getByRole('switch', { name: 'Only this network' }).click()
      await devices.getByText('inside-one').waitFor()
      await devices.getByRole('link', { name: 'within' }).waitFor()
    },
    { as },
  ))

test('a full network says so, and a viewer gets no address', async () => {
  const { id } = await it.plat.api.networks.create({ name: 'crowded', subnet: '10.217.0.0/31' })
  await it.plat.api.devices.create({ name: 'both', addresses: [{ ip: '10.217.0.0' }, { ip: '10.217.0.1' }] })
  await it.visit(
    async ({ page, open }) => {
      await open(`/networks/${id}`)
      await page.keyboard.press('f')
      await page.getByText('crowded has no free address left.').waitFor()
    },
    { as, expected: ['409 /api/networks/'] },
  )
  await it.visit(
    async ({ page, open }) => {
      await open(`/networks/${id}`)
      const button = page.getByRole('button', { name: 'Next free address', exact: true })
      expect(await button.getAttribute('aria-disabled')).toBe('true')
    },
    { as: 'viewer' },
  )
})

test('the addresses of a form are free ones of pools and networks, and are not given twice', () =>
  it.visit(
    async ({ page, open }) => {
      const { id: datacenter_id } = await it.plat.api.datacenters.create({ name: 'Form hall' })
      const draft = { name: 'form-net', subnet: '10.218.0.0/24', datacenter_id }
      const network = await it.plat.api.networks.create(draft)
      const range = { start_ip: '10.218.0.10', end_ip: '10.218.0.20' }
      const pool = await it.plat.api.pools.create({ network_id: network.id, name: 'form-pool', ...range })
      await it.plat.api.devices.create({ name: 'form-holder', addresses: [{ ip: '10.218.0.10', pool_id: pool.id }] })
      await open('/devices?new=1')
      const form = page.getByRole('dialog', { name: 'New device' })
      await form.getByLabel('Name · required').fill('form-one')
      const first = form.getByRole('combobox', { name: 'Address 1' })
      await first.fill('form-p')
      const option = page.getByRole('option', { name: 'next free of form-pool, form-net, 10 free' })
      await option.waitFor()
      expect(await option.textContent()).toStartWith('10.218.0.11')
      await isFine(page)
      await page.keyboard.press('Enter')
      await eventually(() => first.inputValue(), '10.218.0.11')
      await form.getByText('free, in form-pool, form-net').waitFor()
      await form.getByRole('button', { name: 'Add address' }).click()
      await page.keyboard.type('form-p')
      await option.click()
      const second = form.getByRole('combobox', { name: 'Address 2' })
      await eventually(() => second.inputValue(), '10.218.0.12')
      await form.getByRole('button', { name: 'Add address' }).click()
      await page.keyboard.type('10.218.0.10')
      await form.getByText('used by form-holder').waitFor()
      await form.getByRole('button', { name: 'Remove address 3' }).click()
      await form.getByRole('button', { name: 'Create device' }).click()
      await page.getByText('Created form-one').waitFor()
      const [device] = await it.plat.api.devices.search({ q: 'form-one' })
      expect(device?.addresses.map(({ ip, network_id, pool_id }) => [ip, network_id, pool_id])).toEqual([
        ['10.218.0.11', network.id, pool.id],
        ['10.218.0.12', network.id, pool.id],
      ])
    },
    { as },
  ))

test('the page of a device names the network of each address, also where the address names none', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.networks.create({ name: 'around-it', subnet: '10.219.0.0/24' })
      const addresses = [{ ip: '10.219.0.7' }, { ip: '203.0.113.9' }]
      const device = await it.plat.api.devices.create({ name: 'in-a-network', addresses })
      await open(`/devices/${device.id}?tab=addresses`)
      expect(await page.getByRole('link', { name: 'around-it' }).getAttribute('href')).toStartWith(`/networks/${id}`)
      const last = page.getByRole('region', { name: 'Addresses' }).getByRole('row').last()
      expect(await last.getByRole('link').count()).toBe(0)
    },
    { as },
  ))

test('a reference to one of more than 1,000 objects is searched by the server, by its name and by its note', async () => {
  const numbers = Array.from({ length: 1100 }, (_, at) => at)
  for (let at = 0; at < numbers.length; at += 100)
    await Promise.all(
      numbers
        .slice(at, at + 100)
        .map((number) => it.plat.api.datacenters.create({ name: `site-${number}`, location: `Room ${number}` })),
    )
  await it.visit(
    async ({ page, open }) => {
      await open('/networks?new=1')
      const form = page.getByRole('dialog', { name: 'New network' })
      const field = form.getByLabel('Datacenter')
      await choose(field, 'site-1099')
      expect(await field.inputValue()).toBe('site-1099')
      await field.fill('Room 1098')
      await form.getByRole('option', { name: 'site-1098 Room 1098' }).click()
      await form.getByLabel('Name · required').fill('of many sites')
      await form.getByLabel('Subnet · required').fill('10.220.0.0/24')
      await page.keyboard.press('Control+Enter')
      await page.getByText('Created of many sites').waitFor()
      const [made] = await it.plat.api.networks.list({ name: 'of many sites' })
      const [site] = await it.plat.api.datacenters.list({ name: 'site-1098' })
      expect(made?.datacenter_id).toBe(site?.id ?? '')
      await open(`/networks?edit=${made?.id}`)
      await eventually(() => page.getByLabel('Datacenter').inputValue(), 'site-1098')
    },
    { as },
  )
})
