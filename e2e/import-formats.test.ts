/** Files of other programs on the import page, and objects that estate documents manage. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { pgDump } from '../testing/netbox/forms.ts'
import { axeFindings, eventually, world } from './harness.ts'

const it = world({ devices: 30 })
const as = 'admin'

const choose = (page: Page, name: string, text: string) =>
  page.getByLabel('File', { exact: true }).setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })

const rowsOf = (page: Page) => page.getByRole('region', { name: 'Rows to import' })

const setOwner = async (page: Page, owner: string): Promise<void> => {
  await page.getByText(/^Managed by: /).click()
  await page.getByLabel('Managed by').fill(owner)
  await page.getByRole('button', { name: 'Check again' }).click()
}

const importAll = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: /^Import \d+ of/ }).click()
  await page.getByRole('heading', { name: /^Imported \d+ of/ }).waitFor()
}

test('a dump of NetBox is read, planned and imported, and its change can be undone', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/import')
      await choose(page, 'netbox.sql', pgDump('4.2'))
      await page.getByText(/rows? of netbox\.sql, read as NetBox/).waitFor()
      await page.getByText('What was read, and what is left').click()
      await page.getByRole('heading', { name: 'Read', exact: true }).waitFor()
      await page.getByText('dcim.device', { exact: true }).first().waitFor()
      await rowsOf(page).getByText('new', { exact: true }).first().waitFor()
      await page.getByText(/^The import creates .* Nothing has been changed yet\./).waitFor()
      expect(await axeFindings(page)).toEqual([])
      const [left] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download what is left' }).click(),
      ])
      expect(JSON.parse(readFileSync(await left.path(), 'utf8'))).toHaveProperty(['dcim.rackrole.slug'])
      const [yaml] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download as YAML' }).click(),
      ])
      expect(yaml.suggestedFilename()).toBe('netbox.yaml')
      expect(readFileSync(await yaml.path(), 'utf8')).toContain('devices:\n')
      await setOwner(page, 'netbox')
      await importAll(page)
      await page.getByRole('link', { name: 'Show the change' }).click()
      await page.waitForURL(/\/history\/[^/]+$/)
      const managed = await it.plat.api.devices.list({ managed_by: 'netbox' })
      expect(managed.some(({ refs }) => refs.netbox?.startsWith('dcim.device.'))).toBe(true)
      await open('/import')
      await choose(page, 'netbox.sql', pgDump('4.2'))
      await page.getByText('There is nothing to do.').waitFor()
    },
    { as },
  ))

testAll('rows that cannot be imported are named, and the others are imported', () =>
  it.visit(
    async ({ page, open }) => {
      const taken = await it.plat.api.devices.create({ name: 'owned-1', managed_by: 'git' })
      await open('/import')
      await choose(page, 'hosts', '10.200.0.1 owned-1\n10.200.0.2 free-1\n')
      await page.getByText(/rows of hosts, read as Hosts file/).waitFor()
      await setOwner(page, 'hosts')
      await page.getByText('is managed by "git"').first().waitFor()
      await page.getByText('1 row can’t be imported.').waitFor()
      await importAll(page)
      expect(await it.plat.api.devices.search({ q: 'free-1' })).toHaveLength(1)
      expect(await it.plat.api.devices.get({ id: taken.id })).toMatchObject({ addresses: [], managed_by: 'git' })
    },
    { as },
  ),
)

testAll('an import after another change shows the new plan, and is applied by it', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.devices.create({ name: 'moving-1' })
      await open('/import')
      await choose(page, 'hosts', '10.201.0.1 moving-1\n')
      await rowsOf(page).getByText('change', { exact: true }).waitFor()
      await it.plat.api.devices.update({ id, os: 'Debian 13' })
      await page.getByRole('button', { name: 'Import 1 of 1' }).click()
      await page.getByRole('alert').filter({ hasText: 'Not applied' }).waitFor()
      await importAll(page)
      expect(await it.plat.api.devices.get({ id })).toMatchObject({
        os: 'Debian 13',
        addresses: [{ ip: '10.201.0.1' }],
      })
    },
    { as, expected: ['412 /api/estate/apply'] },
  ),
)

test('a file that is cut off is refused with its place', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/import')
      await page.getByRole('button', { name: /^nmap/ }).click()
      await page.waitForURL('**/import?format=nmap')
      await choose(page, 'scan.xml', '<nmaprun><host>')
      await page.getByRole('alert').filter({ hasText: 'the file ends within host' }).waitFor()
      await page.getByRole('button', { name: /^NetBox/ }).click()
      await page.getByLabel('URL').fill('http://127.0.0.1:1/')
      await page.getByLabel('API token').fill('0123456789')
      await page.getByRole('button', { name: 'Read the NetBox' }).click()
      await page.getByText('127.0.0.1 is refused as a loopback').waitFor()
    },
    { as, expected: ['400 /api/estate/'] },
  ))

test('the mapping of a spreadsheet is kept, saved and loaded', () =>
  it.visit(
    async ({ page, open }) => {
      const text = 'Ding,Farbe\nmapped-1,red\n'
      const field = (column: string) => page.getByRole('combobox', { name: column, exact: true })
      await open('/import')
      await choose(page, 'devices.csv', text)
      await field('Ding').fill('Name')
      await page.getByRole('option', { name: 'Name', exact: true }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download mapping' }).click(),
      ])
      expect(JSON.parse(readFileSync(await download.path(), 'utf8'))).toEqual({
        resource: 'devices',
        columns: { Ding: 'name', Farbe: '+description' },
      })
      await open('/import')
      await choose(page, 'devices.csv', text)
      await field('Ding').waitFor()
      expect(await field('Ding').inputValue()).toBe('Name')
      const mapping = (yaml: string) =>
        page
          .getByLabel('Mapping file')
          .setInputFiles({ name: 'm.yaml', mimeType: 'text/plain', buffer: Buffer.from(yaml) })
      await mapping('resource: devices\ncolumns:\n  Ding: name\n  Farbe: location\n')
      await eventually(() => field('Farbe').inputValue(), 'Location')
      await mapping('columns: {Farbe: paint}')
      await page.getByText('There is no field paint of devices').first().waitFor()
    },
    { as },
  ))

test('the hosts of a scan go into the inbox, or into the inventory', () =>
  it.visit(
    async ({ page, open }) => {
      const network = await it.plat.api.networks.create({ name: 'scanned', subnet: '127.80.0.0/28' })
      await open('/import?format=nmap')
      const args = ['-sT', '-Pn', '-n', '-p', '9', '-oX', '-', '127.80.0.2', '127.80.0.3']
      const { stdout } = Bun.spawnSync(['nmap', ...args])
      await choose(page, 'lan.xml', stdout.toString())
      await page.getByText(/of lan\.xml, read as nmap/).waitFor()
      await page.getByRole('button', { name: 'Import 2 of 2' }).waitFor()
      await rowsOf(page).getByText('Address 127.80.0.3').first().waitFor()
      await page.getByRole('radio', { name: 'The inbox' }).check()
      await page.getByText('2 in scanned').waitFor()
      expect(await axeFindings(page)).toEqual([])
      await page.getByRole('button', { name: 'Record 2 hosts' }).click()
      await page.getByRole('link', { name: 'Review them in the inbox' }).click()
      await page.waitForURL(`**/inbox?network=${network.id}`)
      await page.getByRole('list', { name: 'Items' }).getByText('127.80.0.3').first().waitFor()
      expect(await it.plat.api.devices.search({ q: '127.80.0.3' })).toEqual([])
    },
    { as },
  ))

testAll('a managed object names its owner, who can be removed', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.devices.create({
        name: 'kept-1',
        managed_by: 'team:net',
        refs: { netbox: 'dcim.device.7', cmdb: 'CI7' },
      })
      await open('/devices?q=managed:team:net')
      await page.getByRole('grid', { name: 'Devices' }).getByText('kept-1').waitFor()
      await open(`/devices/${id}`)
      await page.getByText('Managed by team:net').first().waitFor()
      expect(await axeFindings(page)).toEqual([])
      await page.getByRole('button', { name: /^Edit/ }).click()
      const refs = page.getByLabel('Also known as')
      expect((await refs.inputValue()).split('\n').sort()).toEqual(['cmdb:CI7', 'netbox:dcim.device.7'])
      await refs.fill('cmdb:CI8')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Saved kept-1').waitFor()
      expect((await it.plat.api.devices.get({ id })).refs).toEqual({ cmdb: 'CI8' })
      await page.getByRole('button', { name: 'Let go' }).click()
      await page.getByText('team:net no longer manages kept-1').waitFor()
      await page.getByRole('button', { name: 'Let go' }).waitFor({ state: 'detached' })
      expect((await it.plat.api.devices.get({ id })).managed_by).toBe('')
    },
    { as },
  ),
)

testAll('a list is exported as code', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/datacenters')
      await page.getByRole('grid').waitFor()
      await page.getByRole('button', { name: 'Export' }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: 'As code', exact: true }).click(),
      ])
      expect(download.suggestedFilename()).toBe('datacenters.yaml')
      expect(readFileSync(await download.path(), 'utf8')).toStartWith('datacenters:\n  - name: ')
    },
    { as },
  ),
)
