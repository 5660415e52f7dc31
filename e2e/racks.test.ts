/** Racks and device types: made, filled and rearranged with only the keyboard, and imported from YAML. */
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { describeAll, testAll } from '../testing/cases.ts'
import { axeFindings, choose, countClicks, eventually, world } from './harness.ts'

const it = world({ devices: 5 })
const as = 'admin'

const isNoWider = (page: Page) => page.evaluate('document.documentElement.scrollWidth <= innerWidth')

const HOSTILE = '"><img src=x onerror=alert(1)>'

const front = (page: Page, rack: string) => page.getByRole('grid', { name: `Front of ${rack}` })

/** Goes to a place of the front by its label, from the top. */
const goTo = async (page: Page, label: string): Promise<void> => {
  await page.keyboard.press('Home')
  const line = page.getByRole('status').filter({ hasText: /^U\d/ })
  for (let steps = 0; steps < 50 && (await line.textContent()) !== label; steps++)
    await page.keyboard.press('ArrowDown')
  expect(await line.textContent()).toBe(label)
}

/** Moves the focus by Tab to a button with this name. */
const tabTo = async (page: Page, name: string): Promise<void> => {
  const wanted = page.getByRole('button', { name, exact: true })
  for (let presses = 0; presses < 20; presses++) {
    if (await wanted.evaluate((element) => element.matches(':focus'))) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`${name} is not reached by Tab`)
}

test('the form of a device has nothing of racks before there is one', () =>
  it.visit(
    async ({ page, openWhole, requests }) => {
      await openWhole('/devices?new=1')
      await page.getByRole('dialog', { name: 'New device' }).waitFor()
      expect(await page.getByLabel(/^(Rack|Device type)$/).count()).toBe(0)
      expect(requests.filter((line) => /racks|device-types/.test(line))).toEqual([])
    },
    { as },
  ))

test('a rack is made, a device begins at a free unit, is moved, and is refused where another is', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      await open('/devices')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search or jump to' }).waitFor()
      await page.keyboard.type('new rack')
      // Found objects may come before it.
      const option = page.getByRole('option', { name: 'New rack' })
      await option.waitFor()
      for (let steps = 0; steps < 20 && (await option.getAttribute('aria-selected')) !== 'true'; steps++)
        await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'New rack' }).waitFor()
      await page.keyboard.type('K1')
      await page.keyboard.press('Enter')
      await page.getByText('Created K1').waitFor()

      await page.getByRole('gridcell', { name: 'K1' }).waitFor()
      await page.getByRole('grid', { name: 'Racks' }).focus()
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'K1' }).waitFor()
      await front(page, 'K1').focus()
      await goTo(page, 'U40, front: free')
      await page.keyboard.press('Enter')
      const form = page.getByRole('dialog', { name: 'New device' })
      await form.getByLabel('Unit', { exact: true }).waitFor()
      expect(await form.getByLabel('Unit', { exact: true }).inputValue()).toBe('40')
      await page.keyboard.type('web-k1')
      await page.keyboard.press('Enter')
      await page.getByText('Created web-k1').waitFor()
      const [rack] = await api.racks.list({ name: 'K1' })
      const rack_id = rack?.id ?? ''
      await api.devices.create({ name: 'web-k2', mount: { rack_id, position: 37 } })
      await page.getByRole('link', { name: 'web-k2' }).first().waitFor()

      await front(page, 'K1').focus()
      await goTo(page, 'U40, front: web-k1, active')
      await page.keyboard.press('m')
      await page.getByText('Moving web-k1 to U40, front').waitFor()
      for (let steps = 0; steps < 3; steps++) await page.keyboard.press('ArrowDown')
      await page.getByText('Moving web-k1 to U37, front, where web-k2 is').waitFor()
      await page.keyboard.press('Enter')
      expect(await page.getByRole('alert').textContent()).toContain('web-k2')
      await page.keyboard.press('ArrowDown')
      await page.getByRole('alert').waitFor({ state: 'detached' })
      await page.keyboard.press('Enter')
      await page.getByText('Moved web-k1 to U36, front').waitFor()
      await page.getByRole('gridcell', { name: 'U36, front: web-k1, active' }).first().waitFor()
      const moved = (await api.devices.list({ rack_id })).find(({ name }) => name === 'web-k1')
      expect(moved?.mount).toMatchObject({ rack_id, position: 36, face: 'front' })

      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'web-k1' }).waitFor()
      await page.getByText('K1, U36, front').first().waitFor()
      await page.getByRole('link', { name: 'K1', exact: true }).first().waitFor()
    },
    { as, expected: ['400 /api/devices/'] },
  ))

test('twelve devices come into a rack with five clicks, around the device that is there', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const { id: rack_id } = await api.racks.create({ name: 'Full', height: 20, location: 'Hall 4' })
      await api.devices.create({ name: 'there', mount: { rack_id, position: 5 } })
      for (let at = 1; at <= 12; at++) await api.devices.create({ name: `srv-${at}` })
      await open('/devices?q=srv-')
      await page.getByRole('link', { name: 'srv-12' }).waitFor()
      await page.getByLabel('Select all that match').click()
      const clicks = await countClicks(page)
      await page.getByRole('button', { name: 'Place in rack…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Place 12 devices in a rack' })
      await dialog.getByRole('combobox', { name: 'Rack' }).click()
      await dialog.getByRole('option', { name: 'Full Hall 4' }).click()
      await dialog.getByLabel('Lowest unit').fill('15')
      await dialog.getByText('No room for 6 devices: srv-7').waitFor()
      expect(await dialog.getByRole('button', { name: 'Place 12' }).isDisabled()).toBe(true)
      await dialog.getByLabel('Lowest unit').fill('3')
      await dialog.getByRole('img', { name: 'U4, front: srv-2. U6, front: srv-3.' }).waitFor()
      expect(await axeFindings(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Place 12' }).click()
      await page.getByText('Placed 12 devices in Full').waitFor()
      expect(await clicks()).toBeLessThanOrEqual(5)
      const placed = (await api.devices.list({ rack_id, q: 'srv-' })).map(({ name, mount }) => [name, mount?.position])
      expect(Object.fromEntries(placed)).toMatchObject({ 'srv-1': 3, 'srv-2': 4, 'srv-3': 6, 'srv-12': 15 })
    },
    { as },
  ))

test('a device that exists is placed at a free unit, those of the datacenter first', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const { id: datacenter_id } = await api.datacenters.create({ name: 'Alkmaar' })
      const { id: rack_id } = await api.racks.create({ name: 'P1', height: 6, datacenter_id })
      await api.devices.create({ name: 'pl-away' })
      await api.devices.create({ name: 'pl-there', mount: { rack_id, position: 1 } })
      const { id } = await api.devices.create({ name: 'pl-here', datacenter_id })
      await open(`/racks/${rack_id}`)
      await front(page, 'P1').focus()
      await goTo(page, 'U4, front: free')
      await page.getByRole('button', { name: 'Place a device' }).click()
      const dialog = page.getByRole('dialog', { name: 'Place a device at U4' })
      await dialog.getByRole('combobox', { name: 'Device' }).fill('pl-')
      await dialog.getByRole('option', { name: 'pl-away' }).waitFor()
      expect(await dialog.getByRole('option').allTextContents()).toEqual(['pl-hereAlkmaar', 'pl-away'])
      expect(await axeFindings(page)).toEqual([])
      await page.keyboard.press('Enter')
      await page.keyboard.press('Enter')
      await page.getByText('Placed pl-here at U4, front').waitFor()
      await front(page, 'P1').getByRole('gridcell', { name: 'U4, front: pl-here, active' }).waitFor()
      expect((await api.devices.get({ id })).mount).toMatchObject({ rack_id, position: 4, face: 'front' })
      await page.getByRole('button', { name: 'Undo' }).click()
      await front(page, 'P1').getByRole('gridcell', { name: 'U4, front: free' }).waitFor()
      // The pointer finds both choices in the drawing.
      await front(page, 'P1')
        .getByRole('gridcell', { name: 'U4, front: free' })
        .getByText('Place a device')
        .click({ force: true })
      await dialog.waitFor()
    },
    { as },
  ))

/** Returns the controls that a thumb misses, a radio button with its label: they are smaller than 44 px, and the point 21 px beside their middle is not theirs. */
const SMALL_TARGETS = `(() => {
  const layer = [...document.querySelectorAll('dialog[open], [popover]:popover-open')].at(-1) ?? document
  const isHit = (element, x, y) => {
    const hit = document.elementFromPoint(x, y)
    return hit !== null && (element.contains(hit) || hit.contains(element) && hit.matches('label, a, button'))
  }
  return [...layer.querySelectorAll('button, a[href], input, select, [role=menuitem], [role=option]')].flatMap((control) => {
    const element = control.matches('input[type=radio]') ? control.closest('label') ?? control : control
    const { left, top, width, height } = element.getBoundingClientRect()
    const [x, y] = [left + width / 2, top + height / 2]
    // Beyond the window, behind something else, or for screen readers only.
    if (width <= 1 || height <= 1 || y < 22 || y > innerHeight - 22 || x < 0 || x > innerWidth) return []
    if (!isHit(element, x, y)) return []
    const isWide = width >= 44 || isHit(element, x - 21, y) && isHit(element, x + 21, y)
    const isHigh = height >= 44 || isHit(element, x, y - 21) && isHit(element, x, y + 21)
    return isWide && isHigh ? [] : [(element.ariaLabel ?? element.textContent) + ' ' + Math.round(width) + 'x' + Math.round(height)]
  })
})()`

test('at the rack, with a thumb: a device is found, read, placed and cabled, and gets the next free address', async () => {
  const { api } = it.plat
  const { id: network_id } = await api.networks.create({ name: 'th-net', subnet: '10.66.0.0/24' })
  const { id: rack_id } = await api.racks.create({ name: 'TH1', height: 8 })
  const sw = await api.devices.create({ name: 'th-switch-with-a-long-name-of-the-second-hall-on-the-left' })
  const server = await api.devices.create({
    name: 'th-server',
    addresses: [{ ip: '10.66.0.1', label: 'primary', mac_address: '00:16:3e:00:00:66' }],
  })
  await api.ports.create({ device_id: sw.id, name: 'Te1' })
  await api.ports.create({ device_id: server.id, name: 'eth0' })
  await it.visit(
    async ({ page, open }) => {
      const main = page.getByRole('main')
      const fits = async (): Promise<void> => {
        expect(await page.evaluate<string[]>(SMALL_TARGETS)).toEqual([])
        expect(await isNoWider(page)).toBe(true)
      }
      const find = async (text: string, name: string): Promise<void> => {
        await page.getByRole('button', { name: 'Search', exact: true }).tap()
        await page.getByRole('combobox', { name: 'Search or jump to' }).fill(text)
        await page.getByRole('option', { name }).first().tap()
        await main.getByRole('heading', { level: 1, name }).waitFor()
      }
      await open('/')
      await find('hall-on', sw.name)
      const [head, edit] = [main.getByRole('heading', { level: 1 }), main.getByRole('button', { name: 'Edit' })]
      const title = await head.boundingBox()
      // Two lines of its own, and nothing of it is cut.
      expect(title?.height).toBeLessThan(60)
      expect(
        await page.evaluate(
          '(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight)(document.querySelector("h1"))',
        ),
      ).toBe(true)
      expect((await edit.boundingBox())?.y).toBeGreaterThanOrEqual((title?.y ?? 0) + (title?.height ?? 0))
      expect(await page.locator('header').first().getByRole('button').allTextContents()).toEqual(['Edite', 'More'])
      await find('10.66.0.1', 'th-server')
      await main.getByText('primary').waitFor()
      await fits()
      await main.getByRole('link', { name: /^Addresses/ }).tap()
      await main.getByText('00:16:3e:00:00:66').waitFor()
      await fits()
      await main.getByRole('link', { name: 'Ports' }).tap()
      await main.getByRole('button', { name: 'Connect…' }).tap()
      const cable = page.getByRole('dialog', { name: 'New cable' })
      const ends = cable.getByRole('combobox', { name: 'Port' })
      await ends.first().fill('eth0')
      await cable.getByRole('combobox', { name: 'Device' }).fill('th-switch')
      await cable.getByRole('option', { name: sw.name }).tap()
      await ends.last().fill('Te1')
      await fits()
      await cable.getByRole('button', { name: 'Create cable' }).tap()
      await main.getByRole('row', { name: /eth0/ }).getByText('Te1').waitFor()
      await fits()
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Racks' }).tap()
      await fits()
      await main.getByRole('link', { name: 'TH1' }).tap()
      await front(page, 'TH1').getByRole('gridcell', { name: 'U4, front: free' }).getByText('Place a device').tap()
      const dialog = page.getByRole('dialog', { name: /^Place a device at U/ })
      await dialog.getByRole('combobox', { name: 'Device' }).fill('th-server')
      await dialog.getByRole('option', { name: 'th-server' }).tap()
      await fits()
      await dialog.getByRole('button', { name: 'Place' }).tap()
      await page.getByText(/^Placed th-server at U/).waitFor()
      expect((await api.devices.get({ id: server.id })).mount).toMatchObject({ rack_id })
      await open(`/networks/${network_id}`)
      await main.getByRole('button', { name: 'More' }).tap()
      await fits()
      await page.getByRole('menuitem', { name: 'Next free address' }).tap()
      const free = page.getByRole('dialog', { name: 'Use 10.66.0.2' })
      await free.getByRole('combobox', { name: 'Device' }).fill('th-server')
      await free.getByRole('option', { name: 'th-server' }).tap()
      await fits()
      await free.getByRole('button', { name: 'Give to th-server' }).tap()
      await free.waitFor({ state: 'detached' })
      const { addresses } = await api.devices.get({ id: server.id })
      expect(addresses.map(({ ip }) => ip)).toEqual(['10.66.0.1', '10.66.0.2'])
    },
    { as, width: 390, height: 844, hasTouch: true },
  )
})

testAll('Escape leaves a device where it is', () =>
  it.visit(
    async ({ page, open }) => {
      const rack = await it.plat.api.racks.create({ name: 'K2', height: 4 })
      const device = await it.plat.api.devices.create({ name: 'still', mount: { rack_id: rack.id, position: 4 } })
      await open(`/racks/${rack.id}`)
      await front(page, 'K2').focus()
      await page.keyboard.press('m')
      await page.keyboard.press('ArrowDown')
      await page.getByText('Moving still to U3').waitFor()
      await page.keyboard.press('Escape')
      await page.getByText('Moving still').waitFor({ state: 'detached' })
      expect((await it.plat.api.devices.get({ id: device.id })).mount?.position).toBe(4)
    },
    { as },
  ),
)

test('a device is dragged to another unit, out of the units and back, and undone', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const rack = await api.racks.create({ name: 'K3', height: 10 })
      const device = await api.devices.create({ name: 'dragged', mount: { rack_id: rack.id, position: 10 } })
      const positionOf = async () => (await api.devices.get({ id: device.id })).mount?.position
      await open(`/racks/${rack.id}`)
      const box = async () => {
        const found = await front(page, 'K3').boundingBox()
        if (!found) throw new Error('the front is not drawn')
        return found
      }
      const drag = async (from: readonly [number, number], to: readonly [number, number]) => {
        await page.mouse.move(...from)
        await page.mouse.down()
        await page.mouse.move(to[0], to[1] - 3, { steps: 4 })
        await page.mouse.move(...to)
        await page.mouse.up()
      }
      const { x, y, height } = await box()
      const unit = height / 10
      const at = (row: number): readonly [number, number] => [x + 120, y + (row - 0.5) * unit]
      await drag(at(1), at(4))
      await page.getByText('Moved dragged to U7, front').waitFor()
      expect(await positionOf()).toBe(7)
      // The drag is no click on the link.
      await page.getByRole('heading', { level: 1, name: 'K3' }).waitFor()

      const unplaced = await page.getByText('Every device of this rack is in a unit.').boundingBox()
      if (!unplaced) throw new Error('the list of devices in no unit is not drawn')
      await page.getByRole('gridcell', { name: 'U7, front: dragged' }).first().waitFor()
      await drag(at(4), [unplaced.x + 10, unplaced.y + 5])
      await page.getByText('Moved dragged out of its unit').waitFor()
      expect(await positionOf()).toBeNull()

      await page.getByRole('button', { name: 'Place dragged' }).click()
      await page.getByText('Moving dragged to U1, front').waitFor()
      await page.keyboard.press('Enter')
      await page.getByText('Moved dragged to U1, front').waitFor()
      expect(await positionOf()).toBe(1)
      await page.getByRole('button', { name: 'Undo' }).first().click()
      await page.getByRole('button', { name: 'Place dragged' }).waitFor()
    },
    { as },
  ))

testAll('a place is given in the form of a device, and the form shows a refusal at its fields', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const rack = await api.racks.create({ name: 'K4', height: 4 })
      const device = await api.devices.create({ name: 'formed' })
      await open(`/devices/${device.id}?edit=${device.id}`)
      const form = page.getByRole('dialog', { name: 'Edit formed' })
      await choose(form.getByRole('combobox', { name: 'Rack' }), 'K4')
      await form.getByLabel('Unit', { exact: true }).fill('nine')
      await form.getByRole('button', { name: 'Save' }).click()
      const unit = form.getByLabel('Unit', { exact: true })
      await form.locator('[aria-invalid=true]').waitFor()
      expect(await unit.getAttribute('aria-invalid')).toBe('true')
      await unit.fill('2.5')
      await form.getByLabel('Height in units').fill('0.5')
      await form.getByLabel('Face').selectOption('Rear')
      await form.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved formed').waitFor()
      const { mount } = await api.devices.get({ id: device.id })
      expect(mount).toMatchObject({ rack_id: rack.id, position: 2.5, height: 0.5, face: 'rear' })
      await page.getByText('U2.5, rear').waitFor()
    },
    { as, expected: ['400 /api/devices/'] },
  ),
)

const YAML = `manufacturer: Acme
model: X1
slug: acme-x1
u_height: 1
weight: 4
interfaces:
  - name: Gi0/1
    type: 1000base-t
`

test('a device type is imported from YAML, with a report of what was left out; a bad file imports nothing', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const file = (name: string, text: string) => ({ name, mimeType: 'text/yaml', buffer: Buffer.from(text) })
      let chosen: ReturnType<typeof file>[] = []
      // Before the page, because the browser has to know that its own dialog is replaced.
      page.on('filechooser', (chooser) => void chooser.setFiles(chosen))
      await open('/device-types')
      const button = page.getByRole('button', { name: 'Import YAML' })
      await button.focus()
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog', { name: 'Import device types' })
      await dialog.waitFor()
      const choose = async (files: ReturnType<typeof file>[]) => {
        chosen = files
        await tabTo(page, 'Choose files')
        await page.keyboard.press('Enter')
      }
      await choose([file('a.yaml', YAML), file('b.yaml', 'model: 1\n')])
      await dialog.getByRole('alert').waitFor()
      expect(await axeFindings(page)).toEqual([])
      expect(await api.deviceTypes.list()).toEqual([])
      await choose([file('a.yaml', YAML)])
      const outcome = dialog.getByRole('status')
      await outcome.getByText('1 created, 0 updated, 0 unchanged.').waitFor()
      await outcome.getByText('Left out: weight').waitFor()
      expect(await dialog.getByRole('alert').count()).toBe(0)
      expect(await axeFindings(page)).toEqual([])
      await tabTo(page, 'Done')
      await page.keyboard.press('Enter')
      await dialog.waitFor({ state: 'detached' })
      expect(await button.evaluate((element) => element.matches(':focus'))).toBe(true)
      await page.getByRole('gridcell', { name: 'X1' }).waitFor()
      expect(await api.deviceTypes.list()).toMatchObject([{ name: 'Acme X1', ports: [{ name: 'Gi0/1' }] }])
    },
    { as, expected: ['400 /api/device-types/import'] },
  ))

testAll('files that are dropped on the page are imported', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/device-types')
      const text = JSON.stringify(YAML.replace('X1', 'X2').replace('acme-x1', 'acme-x2'))
      // Runs in the page. The compiler does not know the globals of the page.
      const transfer = await page.evaluateHandle(`(() => {
        const data = new DataTransfer()
        data.items.add(new File([${text}], 'x2.yaml', { type: 'text/yaml' }))
        return data
      })()`)
      await page.getByRole('heading', { level: 1 }).dispatchEvent('drop', { dataTransfer: transfer })
      await page.getByText('1 created, 0 updated, 0 unchanged.').waitFor()
    },
    { as },
  ),
)

test('ports are added to a type by a pattern, and to its devices after a dry run', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      await open('/device-types?new=1')
      const form = page.getByRole('dialog', { name: 'New device type' })
      await form.getByLabel('Manufacturer').fill('Acme')
      await form.getByLabel('Model').fill('P24')
      await form.getByLabel('Height in units').fill('tall')
      await form.getByLabel('Add ports').fill('Gi0/[1-24]')
      await page.keyboard.press('Enter')
      await form.getByLabel('Name of Gi0/24').waitFor()
      await form.getByRole('button', { name: 'Create device type' }).click()
      await form.locator('[aria-invalid=true]').waitFor()
      await form.getByLabel('Height in units').fill('1')
      await form.getByRole('button', { name: 'Create device type' }).click()
      await page.getByText('Created Acme P24').waitFor()
      const type = (await api.deviceTypes.list({ name: 'P24' }))[0]
      const device_type_id = type?.id ?? ''
      expect(type?.ports).toHaveLength(24)
      const device = await api.devices.create({ name: 'panel-24', device_type_id })
      await api.deviceTypes.update({ id: device_type_id, ports: [{ name: 'con0', kind: 'console' }] })
      await open(`/device-types?edit=${device_type_id}`)
      await page.getByRole('button', { name: 'Add missing ports to its devices' }).click()
      await page.getByText('1 port is added to 1 device.').waitFor()
      expect(await api.ports.device({ device_id: device.id })).toHaveLength(24)
      await page.getByRole('button', { name: 'Add ports', exact: true }).click()
      await page.getByText('Added 1 port').waitFor()
      expect(await api.ports.device({ device_id: device.id })).toHaveLength(25)
      await open(`/devices/${device.id}`)
      await page.getByRole('link', { name: 'Acme P24' }).first().waitFor()
    },
    { as, expected: ['400 /api/device-types'] },
  ))

testAll('the table of devices has their racks and types, is sorted by the place and filtered by both', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const rack = await api.racks.create({ name: 'T1 row 2', height: 9 })
      const other = await api.racks.create({ name: 'T2' })
      const { id: device_type_id } = await api.deviceTypes.create({ manufacturer: 'Acme', model: 'T9' })
      const mount = { rack_id: rack.id, position: 9 }
      await api.devices.create({ name: 'below', mount: { ...mount, position: 2 } })
      await api.devices.create({ name: 'above', device_type_id, mount })
      await api.devices.create({ name: 'beside', mount: { ...mount, rack_id: other.id } })
      await open('/devices')
      await page.getByRole('grid', { name: 'Devices' }).getByText('above').waitFor()
      expect(await page.getByRole('columnheader', { name: 'Rack' }).count()).toBe(0)
      await page.getByRole('button', { name: 'Columns and density' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Rack' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Device type' }).click()
      await page.keyboard.press('Escape')
      await page.getByRole('gridcell', { name: 'T1 row 2, U9, front' }).waitFor()
      await page.getByRole('gridcell', { name: 'Acme T9' }).last().waitFor()
      await page.getByRole('columnheader', { name: 'Rack' }).getByRole('button').click()
      const names = async () =>
        (await page.getByRole('grid', { name: 'Devices' }).getByRole('link').allTextContents()).join()
      const box = page.getByRole('combobox', { name: 'Filter' })
      await box.fill('rack:')
      await page.getByRole('option', { name: 'rack:"T1 row 2"' }).waitFor()
      await box.fill('rack:"T1 row 2" ')
      await eventually(names, 'above,below')
      await page.getByRole('button', { name: 'Copy as a command' }).click()
      await page.getByRole('menuitem', { name: 'Copy as curl' }).click()
      const copied = async () => (await page.evaluate<string>('navigator.clipboard.readText()')).split("'")[1]
      await eventually(copied, `${it.plat.url}/api/devices?rack_id=${rack.id}`)
      await box.fill('type:t9 ')
      await eventually(names, 'above')
      expect(await axeFindings(page)).toEqual([])
    },
    { as },
  ),
)

test('a viewer sees a rack, moves nothing and begins no device', () =>
  it.visit(
    async ({ page, open }) => {
      const rack = await it.plat.api.racks.create({ name: 'K5', height: 4 })
      await it.plat.api.devices.create({ name: 'seen', mount: { rack_id: rack.id, position: 4 } })
      await open(`/racks/${rack.id}`)
      await front(page, 'K5').focus()
      await page.keyboard.press('m')
      await page.getByText('U4, front: seen, active', { exact: true }).waitFor()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByText('U3, front: free', { exact: true }).waitFor()
      expect(await page.getByRole('dialog').count()).toBe(0)
      expect(await page.getByText('+ New device').count()).toBe(0)
    },
    { as: 'viewer' },
  ))

describeAll('every page of racks and device types', () => {
  let paths: readonly string[] = []
  beforeAll(async () => {
    const { api } = it.plat
    const rack = await api.racks.create({ name: HOSTILE, location: HOSTILE, description: HOSTILE, max_power_w: 100 })
    const type = await api.deviceTypes.create({
      manufacturer: HOSTILE,
      model: 'M',
      height: 2,
      ports: [{ name: HOSTILE }],
    })
    const mount = { rack_id: rack.id, position: 3, power_w: 90 }
    const device = await api.devices.create({ name: HOSTILE, make_model: HOSTILE, device_type_id: type.id, mount })
    await api.devices.create({ name: 'half', status: 'maintenance', mount: { ...mount, position: 9, slot: '1/2' } })
    await api.devices.create({ name: 'pdu', status: 'planned', mount: { ...mount, position: null } })
    paths = [
      '/racks',
      `/racks?edit=${rack.id}`,
      `/racks/${rack.id}`,
      `/racks/${rack.id}?new=front%209%202/2`,
      `/racks/${rack.id}?tab=history`,
      '/device-types',
      `/device-types?edit=${type.id}`,
      `/devices/${device.id}`,
      `/devices/${device.id}?edit=${device.id}`,
    ]
  })

  test.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('has no finding in %s at %d pixels, and hostile names stay text', (theme, width) =>
    it.visit(
      async ({ page, openWhole }) => {
        for (const path of paths) {
          await openWhole(path)
          expect([path, await isNoWider(page)]).toEqual([path, true])
          expect([path, await axeFindings(page)]).toEqual([path, []])
          expect(await page.locator('img').count()).toBe(0)
        }
      },
      { as, theme, width, height: 900 },
    ),
  )
})
