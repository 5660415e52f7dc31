/** Files of other programs on the import page, and objects that estate documents manage. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { pgDump } from '../testing/netbox/forms.ts'
import { axeFindings, world } from './harness.ts'

const it = world({ devices: 30 })
const as = 'admin'

const choose = (page: Page, name: string, text: string) =>
  page.getByLabel('File', { exact: true }).setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })

test('a dump of NetBox is read, planned and imported, and its change can be undone', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/import')
      await choose(page, 'netbox.sql', pgDump('4.2'))
      await page.getByText(/rows? of netbox\.sql, read as netbox/).waitFor()
      await page.getByRole('heading', { name: 'Read', exact: true }).waitFor()
      await page.getByText('dcim.device', { exact: true }).first().waitFor()
      const plan = page.getByRole('grid', { name: 'Plan' })
      await plan.getByText('create').first().waitFor()
      await page.getByText(/^The import creates .* Nothing has been changed yet\./).waitFor()
      expect(await axeFindings(page)).toEqual([])
      const [left] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download what is left' }).click(),
      ])
      expect(JSON.parse(readFileSync(await left.path(), 'utf8'))).toHaveProperty(['tenancy.tenant'])
      const [yaml] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download as YAML' }).click(),
      ])
      expect(yaml.suggestedFilename()).toBe('netbox.yaml')
      expect(readFileSync(await yaml.path(), 'utf8')).toContain('devices:\n')
      await page.getByLabel('Managed by').fill('netbox')
      await page.getByRole('button', { name: 'Check again' }).click()
      await page.getByRole('button', { name: 'Import', exact: true }).click()
      await page.waitForURL(/\/history\/[^/]+$/)
      const [managed] = await it.plat.api.devices.list({ managed_by: 'netbox' })
      expect(managed?.refs.netbox).toStartWith('dcim.device.')
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
      await page.getByText(/rows of hosts, read as hosts/).waitFor()
      await page.getByLabel('Managed by').fill('hosts')
      await page.getByRole('button', { name: 'Check again' }).click()
      await page.getByText('is managed by "git"').first().waitFor()
      await page.getByText('1 row can’t be imported.').waitFor()
      await page.getByRole('button', { name: 'Import what is good' }).click()
      await page.getByText('There is nothing to do.').or(page.getByText('Imported')).first().waitFor()
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
      await page.getByRole('grid', { name: 'Plan' }).getByText('update').waitFor()
      await it.plat.api.devices.update({ id, os: 'Debian 13' })
      await page.getByRole('button', { name: 'Import', exact: true }).click()
      await page.getByRole('alert').filter({ hasText: 'Not applied' }).waitFor()
      await page.getByRole('button', { name: 'Import', exact: true }).click()
      await page.waitForURL(/\/history\/[^/]+$/)
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
      await page.getByLabel('Format').selectOption('nmap')
      await choose(page, 'scan.xml', '<nmaprun><host>')
      await page.getByRole('alert').filter({ hasText: 'the file ends within host' }).waitFor()
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
      const text = 'Gerät,Farbe\nmapped-1,red\n'
      await open('/import')
      await choose(page, 'devices.csv', text)
      await page.getByLabel('Gerät').selectOption('name')
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download mapping' }).click(),
      ])
      expect(JSON.parse(readFileSync(await download.path(), 'utf8'))).toEqual({
        resource: 'devices',
        columns: { Gerät: 'name', Farbe: '' },
      })
      await open('/import')
      await choose(page, 'devices.csv', text)
      expect(await page.getByLabel('Gerät').inputValue()).toBe('name')
      const mapping = (yaml: string) =>
        page
          .getByLabel('Mapping file')
          .setInputFiles({ name: 'm.yaml', mimeType: 'text/plain', buffer: Buffer.from(yaml) })
      await mapping('resource: devices\ncolumns:\n  Gerät: name\n  Farbe: location\n')
      await page.getByRole('grid', { name: 'Rows to import' }).getByText('red').waitFor()
      expect(await page.getByLabel('Farbe').inputValue()).toBe('location')
      await mapping('columns: {Farbe: colour}')
      await page.getByText('There is no field colour of devices').first().waitFor()
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
