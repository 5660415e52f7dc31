/** The first minute: four ways to fill an empty server, and the lines that follow. */
import { expect, test } from 'bun:test'
import { host, scriptedScanner } from '../testing/servers/scripted-scanner.ts'
import { axeFindings, world } from './harness.ts'

const scanner = scriptedScanner()
const it = world({ devices: 0, startScan: scanner.startScan })
const as = 'admin' as const

const empty = async (): Promise<void> => {
  const { api } = it.plat
  for (const { id } of await api.devices.list({})) await api.devices.delete({ id })
  for (const { id } of await api.networks.list({})) await api.networks.delete({ id })
}

for (const [theme, width] of [
  ['light', 1440],
  ['dark', 390],
] as const)
  test(`an empty server shows four ways to begin, ${theme} at ${width} px`, async () => {
    await it.visit(
      async ({ page, openWhole }) => {
        await openWhole('/')
        await page.getByText('Start here').waitFor()
        const titles = ['Scan your network', 'Add your networks', 'Bring your data', 'Look around first']
        for (const name of titles) await page.getByRole('heading', { name }).waitFor()
        for (const name of ['NetBox', 'phpIPAM', 'Spreadsheet', 'nmap', 'Other formats'])
          await page.getByRole('main').getByRole('link', { name, exact: true }).waitFor()
        await page
          .getByRole('button', { name: /^Scan [\d,]+ addresses?$/ })
          .first()
          .waitFor()
        expect(await axeFindings(page)).toEqual([])
      },
      { as, theme, width },
    )
  })

test('one click makes the network, starts a deep scan and shows its hosts', async () => {
  await it.visit(
    async ({ page, openWhole }) => {
      await openWhole('/')
      await page
        .getByRole('button', { name: /^Scan [\d,]+ addresses?$/ })
        .first()
        .click()
      await page.waitForURL(/\/scans\/./)
      const scan = await scanner.next()
      const [network] = await it.plat.api.networks.list({})
      const [stored] = await it.plat.api.scans.list({})
      expect([network?.name, stored?.network_id, stored?.scan_type]).toEqual([
        network?.subnet ?? '',
        network?.id ?? '',
        'deep',
      ])
      await scan.found([host((network?.subnet ?? '').replace(/\d+\/\d+$/, '77'))])
      scan.end('done')
      await page.getByText(/Review 1 new/).waitFor()
    },
    { as },
  )
  await empty()
})

test('lines of subnets are networks, and a wrong line is named', async () => {
  await it.visit(
    async ({ page, openWhole }) => {
      await openWhole('/')
      const add = page.getByRole('button', { name: /^Add \d+ networks?$/ })
      expect(await add.isDisabled()).toBe(true)
      await page
        .getByLabel('Subnets', { exact: true })
        .fill('10.0.0.0/8 Company\n10.1.0.0/16, Frankfurt\n10.1.300.0/24 Office')
      await page.getByText('Line 3: 10.1.300.0/24 is not a subnet').waitFor()
      expect(await add.textContent()).toBe('Add 2 networks')
      await add.click()
      await page.getByText('Added 2 networks').waitFor()
      const made = await it.plat.api.networks.list({})
      expect(made.map(({ name, subnet }) => `${subnet} ${name}`).sort()).toEqual([
        '10.0.0.0/8 Company',
        '10.1.0.0/16 Frankfurt',
      ])
      await page.getByText('2 networks, and no device yet.').waitFor()
      for (const name of ['Scan them', 'Import devices', 'New device'])
        await page.getByRole('link', { name, exact: true }).waitFor()
      expect(await axeFindings(page)).toEqual([])
      await page.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Undo' }).first().click()
      await page.getByText('Start here').waitFor()
      expect(await it.plat.api.networks.list({})).toEqual([])
    },
    { as },
  )
})

test('"Hide" hides the line about no device in this browser', async () => {
  await it.plat.api.networks.create({ name: 'Lab', subnet: '10.9.0.0/16' })
  await it.visit(
    async ({ page, openWhole }) => {
      await openWhole('/')
      const line = page.getByText('1 network, and no device yet.')
      await line.waitFor()
      await page.getByRole('button', { name: 'Hide', exact: true }).click()
      await line.waitFor({ state: 'detached' })
      await openWhole('/')
      expect(await line.count()).toBe(0)
    },
    { as },
  )
  await empty()
})

test('the demo is loaded by one click, and removed after its preview', async () => {
  await it.visit(
    async ({ page, openWhole }) => {
      await openWhole('/')
      await page.getByRole('button', { name: 'Load the demo' }).click()
      await page.getByText('This is the demo.').waitFor()
      expect(await axeFindings(page)).toEqual([])
      expect((await it.plat.api.demo.show({})).loaded).toBe(true)
      await openWhole('/')
      await page.getByRole('button', { name: 'Remove the demo' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText(/^Deletes .* 77 devices/).waitFor()
      await dialog.getByRole('button', { name: 'Remove the demo' }).click()
      await page.getByText('Start here').waitFor()
      expect((await it.plat.api.demo.show({})).objects).toBe(0)
    },
    { as },
  )
})

test('an empty list says what its things are, with its button and "Learn more"', async () => {
  await it.visit(
    async ({ page, openWhole }) => {
      for (const [path, button, help] of [
        ['/networks', 'New network', '/help/inventory#addresses-and-networks'],
        ['/racks', 'New rack', '/help/inventory#racks-and-device-types'],
        ['/feeds', 'New feed', '/help/feeds#formats'],
        ['/devices', 'New device', '/help/inventory#objects'],
        ['/scans', 'New scan', '/help/discovery#scans'],
        ['/discovered-devices', 'New scan', '/help/discovery#discovered-devices'],
        ['/custom-fields', 'New custom field', '/help/inventory#custom-fields'],
      ] as const) {
        await openWhole(path)
        await page.getByRole('main').getByRole('button', { name: button }).last().waitFor()
        expect(await page.getByRole('link', { name: 'Learn more' }).getAttribute('href')).toBe(help)
      }
    },
    { as },
  )
})
