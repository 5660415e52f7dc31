/** The ports of a device, their cables and paths: by keys only, as table and as grid, and in the topology. */
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { host, scanOnce, scriptedScanner, snmpFacts } from '../testing/servers/scripted-scanner.ts'
import { axeFindings, world } from './harness.ts'
import { expectReadable } from './readable.ts'

const scanner = scriptedScanner()
const it = world({ devices: 20, startScan: scanner.startScan })
const as = 'admin'

type Name = 'core' | 'panel' | 'server' | 'plain'
const ids = new Map<Name, string>()
const idOf = (name: Name): string => ids.get(name) ?? ''

beforeAll(async () => {
  for (const name of ['core', 'panel', 'server', 'plain'] as const)
    ids.set(name, (await it.plat.api.devices.create({ name: `${name}-port-test` })).id)
})

/** Moves the focus by Tab to an element with this role and name. */
const tabTo = async (page: Page, role: 'button' | 'grid' | 'listbox', name: string): Promise<void> => {
  const wanted = page.getByRole(role, { name, exact: true })
  await wanted.waitFor()
  for (let presses = 0; presses < 80; presses++) {
    if (await wanted.evaluate((element) => element.matches(':focus'))) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`${role} ${name} is not reached by Tab`)
}

/** Looks at a page in both themes, and as on a phone. */
const look = async (page: Page): Promise<void> => {
  await expectReadable(page)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1440, height: 900 })
}

test('a range of ports, a cable to another device, and the path are made by the keyboard only', () =>
  it.visit(
    async ({ page, open }) => {
      await open(`/devices/${idOf('core')}?tab=ports`)
      await page.getByText('No ports.').waitFor()
      expect(await axeFindings(page)).toEqual([])

      await tabTo(page, 'button', 'Add ports')
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog', { name: 'Add ports to core-port-test' })
      await dialog.getByText('A range stands in brackets').waitFor()
      await page.keyboard.type('Gi0/[1-')
      await dialog.getByText('A bracket has no other one').waitFor()
      await page.keyboard.type('12]')
      await dialog.getByText('12 ports: Gi0/1, Gi0/2, …, Gi0/12').waitFor()
      expect(await axeFindings(page, 'layers')).toEqual([])
      await page.keyboard.press('Enter')
      await page.getByText('Added 12 ports').waitFor()
      const grid = page.getByRole('grid', { name: 'Ports' })
      // In the order of their numbers.
      await grid.getByRole('row').nth(12).getByText('Gi0/12').waitFor()

      await tabTo(page, 'grid', 'Ports')
      await page.keyboard.press('j')
      await page.keyboard.press('l')
      const drawer = page.getByRole('dialog', { name: 'New cable' })
      await drawer.getByRole('group', { name: 'End A' }).getByText('Gi0/1', { exact: true }).waitFor()
      // The first field that is left to fill in has the focus.
      await page.keyboard.type('server-port')
      await drawer.getByRole('option', { name: /^server-port-test/ }).waitFor()
      expect(await axeFindings(page, 'layers')).toEqual([])
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      await page.keyboard.type('eth0')
      await drawer.getByText('server-port-test has no eth0 yet; it is made').waitFor()
      await page.keyboard.press('Enter')
      await page.getByText('Created core-port-test Gi0/1 to server-port-test eth0').waitFor()
      await drawer.waitFor({ state: 'detached' })
      await grid.getByRole('row').nth(1).getByText('server-port-test eth0').waitFor()

      await tabTo(page, 'grid', 'Ports')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Gi0/1' }).waitFor()
      const path = page.getByRole('group', { name: '1 cable, from core-port-test Gi0/1 to server-port-test eth0' })
      await path.getByRole('link', { name: 'Device server-port-test' }).waitFor()
      await look(page)
      await page.getByRole('link', { name: 'History' }).first().click()
      await page.getByText('created').first().waitFor()
    },
    { as },
  ))

testAll('what the server refuses stands beside the field that it is about', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const device_id = idOf('panel')
      await api.ports.create({ device_id, name: 'mgmt' })
      await api.ports.create({ device_id, name: 'psu', kind: 'power' })
      const taken = await api.ports.create({ device_id: idOf('plain'), name: 'eth9' })
      await api.cables.create({ a: { port_id: taken.id }, b: { device_id, port: 'used' } })

      await open(`/devices/${device_id}?tab=ports&new=ports`)
      const dialog = page.getByRole('dialog', { name: /^Add ports/ })
      await dialog.getByRole('button', { name: 'Add port' }).click()
      await dialog.getByText('A port needs a name').waitFor()
      await dialog.getByLabel('Names').fill('MGMT')
      await dialog.getByText('panel-port-test has MGMT already').waitFor()
      await dialog.getByLabel('Names').fill('x1')
      await dialog.getByLabel('Speed in Mbit/s').fill('-5')
      await dialog.getByRole('button', { name: 'Add port' }).click()
      await page.locator('input[aria-invalid=true]').waitFor()
      expect(await dialog.getByLabel('Speed in Mbit/s').getAttribute('aria-invalid')).toBe('true')
      expect(await dialog.getByRole('alert').count()).toBe(0)

      await open(`/devices/${device_id}?tab=ports&new=cable`)
      const drawer = page.getByRole('dialog', { name: 'New cable' })
      const [a, b] = [drawer.getByRole('group', { name: 'End A' }), drawer.getByRole('group', { name: 'End B' })]
      await a.getByRole('combobox', { name: 'Port' }).fill('psu')
      const create = drawer.getByRole('button', { name: 'Create cable' })
      await create.click()
      await b.getByText('Choose a device').waitFor()
      await b.getByRole('combobox', { name: 'Device' }).fill('plain-port-test')
      await b.getByRole('option', { name: /^plain-port-test/ }).click()
      await b.getByRole('combobox', { name: 'Port' }).fill('eth9')
      await create.click()
      await b.getByText(/has a cable already|is a network port/).waitFor()
      expect(await b.getByRole('combobox', { name: 'Port' }).getAttribute('aria-invalid')).toBe('true')
      expect(await drawer.getByRole('alert').count()).toBe(0)
      expect(await api.cables.list({ device_id: idOf('plain') })).toHaveLength(1)
    },
    { as, expected: ['400 /api/ports/bulk', '400 /api/cables'] },
  ),
)

test('the grid is moved through by arrow keys, and shows the path of the selected port', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const { id: device_id } = await api.devices.create({ name: 'grid-port-test' })
      for (const name of ['1', '2', '3']) await api.ports.create({ device_id, name, pass_through: true })
      await api.cables.create({
        a: { device_id, port: '2' },
        b: { device_id: idOf('server'), port: 'eth2' },
        label: 'G-2',
        length_m: 2,
      })
      await api.cables.create({
        a: { device_id, port: '2', side: 'rear' },
        b: { device_id: idOf('core'), port: 'uplink' },
        status: 'planned',
      })
      await open(`/devices/${device_id}?tab=ports`)
      await page.getByRole('button', { name: 'Grid' }).click()
      await page.waitForURL(/view=grid/)
      await tabTo(page, 'listbox', 'Ports')
      const panel = page.getByRole('complementary', { name: 'Selected port' })
      await panel.getByText('It has no cable.').waitFor()
      await page.keyboard.press('ArrowRight')
      await page.getByRole('option', { name: /^2, connected to/, selected: true }).waitFor()
      await panel.getByText(/^2 cables, 2 m, from/).waitFor()
      await panel.getByRole('link', { name: 'Cable G-2 2 m' }).waitFor()
      await look(page)
      await page.keyboard.press('End')
      await page.getByRole('option', { name: '3, free', selected: true }).waitFor()
      await page.keyboard.press('Home')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: '2' }).waitFor()
      await page.getByRole('group', { name: /^2 cables, 2 m, from/ }).waitFor()
    },
    { as },
  ))

testAll('a port is changed and disconnected, and its deletion names its cable', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const { id: device_id } = await api.devices.create({ name: 'edit-port-test' })
      const port = await api.ports.create({ device_id, name: 'a1' })
      await api.cables.create({ a: { port_id: port.id }, b: { device_id: idOf('plain'), port: 'a1' } })
      await open(`/devices/${device_id}?tab=ports`)
      await tabTo(page, 'grid', 'Ports')
      await page.keyboard.press('j')
      await page.keyboard.press('e')
      const form = page.getByRole('dialog', { name: 'Edit a1' })
      await form.getByLabel('Tagged VLANs').fill('20-22, 40')
      await form.getByLabel('Untagged VLAN').fill('5000')
      await form.getByRole('button', { name: 'Save' }).click()
      await form.locator('[aria-invalid=true]').waitFor()
      expect(await form.getByLabel('Untagged VLAN').getAttribute('aria-invalid')).toBe('true')
      await form.getByLabel('Untagged VLAN').fill('10')
      await form.getByLabel('State').selectOption('Disabled')
      await form.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved a1').waitFor()
      await page.getByRole('gridcell', { name: '10, tagged 20-22, 40' }).waitFor()
      await page.getByText('disabled').waitFor()
      expect(await api.ports.get({ id: port.id })).toMatchObject({
        vlan_id: 10,
        tagged_vlan_ids: [20, 21, 22, 40],
        enabled: false,
      })
      await tabTo(page, 'grid', 'Ports')
      await page.keyboard.press('#')
      const question = page.getByRole('dialog', { name: 'Delete a1?' })
      await question.getByText('Its cables are deleted too.').waitFor()
      await question.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'Actions for a1' }).click()
      await page.getByRole('menuitem', { name: 'Disconnect from plain-port-test a1' }).click()
      await page.getByRole('button', { name: 'Delete cable' }).click()
      await page.getByText('Deleted the cable to plain-port-test a1').waitFor()
      await page.getByText('plain-port-test a1', { exact: true }).waitFor({ state: 'detached' })
      expect(await api.cables.list({ device_id })).toEqual([])

      // The newest change is the deletion.
      const [, made] = await api.history.list({ kind: 'cable', limit: 2 })
      await open(`/history/${made?.id}`)
      await page.getByRole('listitem').filter({ hasText: 'cable' }).getByText('Its fields').click()
      await page.getByText('port edit-port-test a1 · side front').first().waitFor()
      expect(await axeFindings(page)).toEqual([])
      await open(`/ports/${port.id}?as_of=${made?.id}`)
      await page.getByRole('group', { name: '1 cable, from edit-port-test a1 to plain-port-test a1' }).waitFor()
    },
    { as, expected: ['400 /api/ports/'] },
  ),
)

test('the ports that SNMP reported are adopted, and several are deleted in one go and put back', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const { id: device_id } = await api.devices.create({ name: 'adopting', addresses: [{ ip: '127.9.0.1' }] })
      await api.ports.create({ device_id, name: 'Gi0/1' })
      const mac = '00:1b:21:00:00:01'
      const interfaces = ['Gi0/1', 'Gi0/2', 'Gi0/3'].map((name, at) => ({
        index: at + 1,
        name,
        mac: at === 0 ? mac : '',
        addresses: [],
      }))
      await scanOnce(scanner, it.plat, [host('127.9.0.1', { mac, snmp: snmpFacts({ interfaces }) })])
      await open(`/devices/${device_id}?tab=ports`)
      const grid = page.getByRole('grid', { name: 'Ports' })
      const adopt = async () => {
        await tabTo(page, 'button', 'More about ports')
        await page.keyboard.press('Enter')
        // It is shown before it has the focus.
        await page.locator('[role=menuitem]:focus', { hasText: 'Adopt ports from SNMP' }).waitFor()
        await page.keyboard.press('Enter')
      }
      await adopt()
      await page.getByText('Added 2 ports, and a MAC address to 1').waitFor()
      await grid.getByText('Gi0/3').waitFor()
      await grid.getByText(mac).waitFor()
      expect(await axeFindings(page)).toEqual([])
      await adopt()
      await page.getByText('SNMP has told of no port or MAC address that is missing here').waitFor()

      await api.cables.create({ a: { device_id, port: 'Gi0/2' }, b: { device_id: idOf('plain'), port: 'eth5' } })
      await open(`/devices/${device_id}?tab=ports`)
      await tabTo(page, 'grid', 'Ports')
      for (const key of ['j', 'j', 'x', 'j', 'x']) await page.keyboard.press(key)
      await page.getByRole('toolbar', { name: 'Selected ports' }).getByText('2 selected').waitFor()
      await look(page)
      await tabTo(page, 'button', 'Delete 2')
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog', { name: 'Delete 2 ports?' })
      await dialog.getByRole('listitem').filter({ hasText: 'cable' }).waitFor()
      expect(await axeFindings(page, 'layers')).toEqual([])
      await page.keyboard.press('Enter')
      const toast = page.getByRole('status', { name: 'Deleted 2 ports' })
      await grid.getByText('Gi0/3').waitFor({ state: 'detached' })
      expect((await api.ports.device({ device_id })).map(({ name }) => name)).toEqual(['Gi0/1'])
      expect(await api.cables.list({ device_id })).toEqual([])
      expect(await page.getByRole('toolbar', { name: 'Selected ports' }).count()).toBe(0)
      await toast.getByRole('button', { name: 'Undo' }).click()
      await grid.getByText('plain-port-test eth5').waitFor()
    },
    { as },
  ))

testAll('the list of cables is filtered by device, and a cable shows its path', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const { id: device_id } = await api.devices.create({ name: 'list-port-test' })
      await api.cables.create({
        a: { device_id, port: 'p1' },
        b: { device_id: idOf('server'), port: 'eth7' },
        label: 'C-7',
        color: 'blue',
        length_m: 1.5,
      })
      await open('/cables?q=device:list-port')
      const grid = page.getByRole('grid', { name: 'Cables' })
      await grid.getByText('C-7').waitFor()
      await page.getByText('1 of').waitFor()
      await look(page)
      await tabTo(page, 'grid', 'Cables')
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      const form = page.getByRole('dialog', { name: 'Edit C-7' })
      await form
        .getByRole('group', { name: '1 cable, 1.5 m, from list-port-test p1 to server-port-test eth7' })
        .waitFor()
      expect(await axeFindings(page, 'layers')).toEqual([])
      await form.getByLabel('Status').selectOption('Planned')
      await form.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved C-7').waitFor()
      await grid.getByText('Planned').waitFor()
    },
    { as },
  ),
)

testAll('the palette makes a cable', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      await page.keyboard.press('Control+k')
      await page.keyboard.type('new cable')
      await page.getByRole('option', { name: 'New cable' }).click()
      const drawer = page.getByRole('dialog', { name: 'New cable' })
      await drawer.getByRole('group', { name: 'End B' }).waitFor()
      expect(await axeFindings(page)).toEqual([])
    },
    { as },
  ),
)

test('the topology has cables with the names of their ports', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const { id: device_id } = await api.devices.create({ name: 'top-port-test' })
      await api.cables.create({ a: { device_id, port: 'up1' }, b: { device_id: idOf('server'), port: 'eth8' } })
      await open(`/topology?focus=${device_id}&view=connections&hops=1`)
      await page.getByText('2 devices, 0 relationships, 1 cable').waitFor()
      const panel = page.getByRole('complementary', { name: 'Selected device' })
      await panel.getByText('up1 – eth8').waitFor()
      expect(await axeFindings(page)).toEqual([])
      await page.getByRole('button', { name: 'Table' }).click()
      await page.getByText('cabled to server-port-test (up1 – eth8)').waitFor()
    },
    { as },
  ))

test('a reader sees ports, and the buttons name the missing permission', () =>
  it.visit(
    async ({ page, open }) => {
      await it.plat.api.ports.create({ device_id: idOf('plain'), name: 'console' })
      await open(`/devices/${idOf('plain')}?tab=ports`)
      await page.getByRole('grid', { name: 'Ports' }).getByText('console').waitFor()
      expect(await page.getByRole('button', { name: 'Add ports' }).getAttribute('aria-disabled')).toBe('true')
      expect(await page.getByRole('button', { name: 'Connect…' }).getAttribute('aria-disabled')).toBe('true')
    },
    { as: 'viewer' },
  ))
