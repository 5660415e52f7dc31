/** Import and export of files: pasted, mapped, tried with a dry run, imported, and exported again. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { testsAll } from '../testing/tests-all.ts'
import { axeFindings, world } from './harness.ts'
import { expectReadable } from './readable.ts'

const it = world({ devices: 300 })
const as = 'admin'
const ROWS = testsAll ? 5000 : 500
/** `5,000` */
const COUNT = ROWS.toLocaleString('en-US')

const paste = async (page: Page, text: string): Promise<void> => {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
  await page.getByLabel('CSV or JSON').focus()
  await page.keyboard.press('Control+v')
  await page.getByRole('list', { name: 'Columns' }).waitFor()
}

/** Returns the content of the file that a menu item downloads. */
const exported = async (page: Page, format: 'CSV for import' | 'JSON'): Promise<string> => {
  await page.getByRole('button', { name: 'Export' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: format }).click(),
  ])
  expect(download.suggestedFilename()).toBe(format === 'JSON' ? 'devices.json' : 'devices.csv')
  return readFileSync(await download.path(), 'utf8')
}

test(`${COUNT} rows are pasted, checked and imported, and stand selected in the table`, () =>
  it.visit(
    async ({ page, open }) => {
      const rows = Array.from({ length: ROWS }, (_, i) => `new-${i},10.99.${i >> 8}.${i & 255},lab;batch,Ashburn 2`)
      await open('/devices')
      await page.getByRole('button', { name: 'Import' }).click()
      await page.getByRole('heading', { level: 1, name: 'Import' }).waitFor()
      await paste(page, ['Name,IP Address,Labels,Site', ...rows].join('\n'))
      expect(await page.getByLabel('IP Address').inputValue()).toBe('addresses')
      await page.getByRole('button', { name: `Check ${COUNT} rows` }).click()
      await page.getByText(`All ${COUNT} rows are good: ${COUNT} new rows`).waitFor({ timeout: 30_000 })
      await page.getByRole('button', { name: `Import ${COUNT} rows` }).click()
      await page.waitForURL(/\/devices\?q=in:import/, { timeout: 30_000 })
      await page.getByText(`${COUNT} selected`).waitFor()
      await page
        .getByText(new RegExp(`^${COUNT} of [\\d,]+ devices$`))
        .first()
        .waitFor()
      const [made] = await it.plat.api.devices.search({ q: `new-${ROWS - 1}` })
      expect(made).toMatchObject({
        tags: ['lab', 'batch'],
        addresses: [{ ip: `10.99.${(ROWS - 1) >> 8}.${(ROWS - 1) & 255}` }],
      })
      expect(made?.datacenter_id).not.toBeNull()
      await page.reload()
      await page
        .getByText(new RegExp(`^${COUNT} of [\\d,]+ devices$`))
        .first()
        .waitFor()
    },
    { as },
  ))

test.each([
  ['UNAUTHORIZED', 'Sign in again'],
  ['FORBIDDEN', 'You need the permission devices:create'],
])('a last line of %s stands as an error: %s', (code, error) =>
  it.visit(
    async ({ page, open }) => {
      await page.route('**/api/estate/import?*', (route) =>
        route.fulfill({
          contentType: 'application/x-ndjson',
          body: [{ progress: { done: 1, total: 2 } }, { error: { code, error, details: [] } }]
            .map((line) => `${JSON.stringify(line)}\n`)
            .join(''),
        }),
      )
      await open('/import')
      await paste(page, 'name\nweb\n')
      await page.getByRole('button', { name: /^Check 1 row/ }).click()
      await page.getByRole('alert').filter({ hasText: error }).waitFor()
    },
    { as },
  ),
)

test('the page of a proxy that takes no body of this size is an error that names its limit', () =>
  it.visit(
    async ({ page, open }) => {
      await page.route('**/api/estate/import?*', (route) =>
        route.fulfill({ status: 413, contentType: 'text/html', body: '<html>413 Request Entity Too Large</html>' }),
      )
      await open('/import')
      await paste(page, 'name\nweb\n')
      await page.getByRole('button', { name: /^Check 1 row/ }).click()
      await page.getByRole('alert').filter({ hasText: 'client_max_body_size' }).waitFor()
    },
    { as, expected: ['413 /api/estate/import'] },
  ))

test('each error is shown beside its row, and nothing is imported', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/import')
      await paste(page, 'name,ip,status\ngood-one,10.98.0.1,active\n,10.98.0.2,active\nbad-status,10.98.0.3,asleep\n')
      await page.getByText('name: is required').waitFor()
      await page.getByRole('button', { name: 'Check 3 rows' }).click()
      await page.getByText('2 rows can’t be loaded').waitFor()
      await page.getByText(/status: must be one of/).waitFor()
      await page.getByLabel(/Only the 2 rows/).check()
      const grid = page.getByRole('grid', { name: 'Rows to import' })
      expect(await grid.getAttribute('aria-rowcount')).toBe('3')
      expect(await axeFindings(page)).toEqual([])
      expect(await it.plat.api.devices.search({ q: 'good-one' })).toEqual([])
      await page.getByLabel('status', { exact: true }).selectOption('')
      await page.getByRole('button', { name: 'Check 3 rows' }).click()
      await page.getByText('1 row can’t be loaded').waitFor()
    },
    { as },
  ))

test('bad rows are skipped: the others are imported, and a download gives the bad ones back', () =>
  it.visit(
    async ({ page, open }) => {
      const text =
        'List of 2026;;;\n\nHostname;IP-Adresse;MAC-Adresse;Status\nskip-1;10.96.0.1/24;00-11-22-33-44-55;Aktiv\n' +
        'skip-2;10.96.0.300;;\nSKIP-1;10.96.0.2;;\nskip-3;;;asleep\nskip-4;;;;;more\n'
      await open('/import')
      await page
        .getByLabel('File', { exact: true })
        .setInputFiles({ name: 'devices.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
      await page.getByRole('list', { name: 'Columns' }).waitFor()
      expect(await page.getByLabel('MAC-Adresse').inputValue()).toBe('mac_address')
      await page.getByRole('button', { name: 'Check 4 rows' }).click()
      await page.getByText('3 rows can’t be loaded').waitFor()
      await page.getByText('(line 5, column IP-Adresse, "10.96.0.300")').waitFor()
      await page.getByText('(line 7, column Status, "asleep")').waitFor()
      await page.getByText('has 6 cells, and there are 4 columns (line 8)').waitFor()
      expect(await axeFindings(page)).toEqual([])
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Skip bad rows' }).click(),
      ])
      expect(download.suggestedFilename()).toBe('devices.bad.csv')
      expect(readFileSync(await download.path(), 'utf8')).toBe(
        'Hostname,IP-Adresse,MAC-Adresse,Status\r\nskip-2,10.96.0.300,,\r\nskip-3,,,asleep\r\nskip-4,,,,,more\r\n',
      )
      await page.waitForURL(/\/devices\?q=in:import/)
      expect(await it.plat.api.devices.search({ q: 'skip-' })).toMatchObject([
        {
          name: 'skip-1',
          status: 'active',
          addresses: [{ ip: '10.96.0.1', mac_address: '00:11:22:33:44:55' }, { ip: '10.96.0.2' }],
        },
      ])
    },
    { as },
  ))

test('a workbook is read in the page: errors name its rows, and a download gives the bad ones back as CSV', () =>
  it.visit(
    async ({ page, open, requests }) => {
      await open('/import')
      await page.getByLabel('File', { exact: true }).setInputFiles({
        name: 'devices.xlsx',
        mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
        buffer: readFileSync(join(import.meta.dirname, '../testing/workbooks/openpyxl.xlsx')),
      })
      await page.getByText('3 rows of XLSX as devices').waitFor()
      expect(await page.getByLabel('MAC Address').inputValue()).toBe('mac_address')
      await page.getByRole('button', { name: 'Check 3 rows' }).click()
      await page.getByText('(row 5, column IP Address, "10.97.0.300")').waitFor()
      await page.getByText('(row 8, column Status, "asleep")').waitFor()
      expect(await axeFindings(page)).toEqual([])
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Skip bad rows' }).click(),
      ])
      expect(download.suggestedFilename()).toBe('devices.bad.csv')
      expect(readFileSync(await download.path(), 'utf8')).toBe(
        'Hostname,IP Address,MAC Address,Status,VLAN ID\r\nbook-2,10.97.0.300,,Active,20\r\nbook-3,,,asleep,30\r\n',
      )
      await page.waitForURL(/\/devices\?q=in:import/)
      expect(await it.plat.api.devices.search({ q: 'book-' })).toMatchObject([
        {
          name: 'book-1',
          status: 'active',
          addresses: [{ ip: '10.97.0.1', mac_address: '00:11:22:33:44:66' }, { ip: '10.97.0.2' }],
        },
      ])
      expect(requests.filter((request) => request.includes('/api/estate/convert'))).toEqual([])
    },
    { as },
  ))

test('of a workbook the sheet behind the cover sheet is read, and the page names the others', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/import')
      await page.getByLabel('File', { exact: true }).setInputFiles({
        name: 'plan.xlsx',
        mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
        buffer: readFileSync(join(import.meta.dirname, '../testing/workbooks/cover-sheet.xlsx')),
      })
      await page.getByText('2 rows of XLSX as devices').waitFor()
      await page
        .getByText('The sheet “Hosts” is read. Left: “Cover”, “Charts only”, “Old” (hidden), “Networks”.')
        .waitFor()
      await page.getByRole('button', { name: 'Check 2 rows' }).click()
      await page.getByText(/^All 2 rows are good: /).waitFor()
    },
    { as },
  ))

test('bad rows that are skipped make no datacenter', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/import')
      await paste(page, 'Name,Site,IP\nonly-good,Good site,10.95.0.1\nonly-bad,Bad site,10.95.0.300\n')
      await page.getByRole('button', { name: 'Check 2 rows' }).click()
      await page.getByText('1 row can’t be loaded').waitFor()
      await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Skip bad rows' }).click()])
      await page.waitForURL(/\/devices\?q=in:import/)
      const names = (await it.plat.api.datacenters.list({})).map(({ name }) => name)
      expect([names.includes('Good site'), names.includes('Bad site')]).toEqual([true, false])
    },
    { as },
  ))

test('rows that name a datacenter which is not there make it', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/import')
      await paste(page, 'Name,Site,Manufacturer,Type\nsited-1,Not there yet,Cisco,C9300\n')
      await page.getByRole('button', { name: 'Check 1 row' }).click()
      await page.getByText('All 1 row are good: 1 new row').waitFor()
      await page.getByRole('button', { name: 'Import 1 row' }).click()
      await page.waitForURL(/\/devices\?q=in:import/)
      const [made] = await it.plat.api.devices.search({ q: 'sited-1' })
      expect(made?.make_model).toBe('Cisco C9300')
      const all = await it.plat.api.datacenters.list({})
      expect(all.find(({ id }) => id === made?.datacenter_id)?.name).toBe('Not there yet')
    },
    { as },
  ))

testAll('each row shows its old and new values before the import', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.devices.create({ name: 'planned-1', os: 'Debian 12' })
      await open('/import')
      await paste(page, 'name,os\nplanned-1,Debian 13\nplanned-2,Debian 13\n')
      await page.getByRole('button', { name: 'Check 2 rows' }).click()
      await page.getByText('All 2 rows are good: 1 new row, 1 change').waitFor()
      await page.getByText('os: Debian 12 → Debian 13').waitFor()
      const grid = page.getByRole('grid', { name: 'Rows to import' })
      expect(await grid.getByText('new', { exact: true }).count()).toBe(1)
      expect((await it.plat.api.devices.get({ id })).os).toBe('Debian 12')
      await page.getByRole('button', { name: 'Import 2 rows' }).click()
      await page.getByText('Imported 2 rows').waitFor()
      await open('/import')
      await paste(page, 'name,os\nplanned-1,Debian 13\n')
      await page.getByRole('button', { name: 'Check 1 row' }).click()
      await grid.getByText('unchanged', { exact: true }).waitFor()
      expect(await axeFindings(page)).toEqual([])
    },
    { as },
  ),
)

test.each(['CSV for import', 'JSON'] as const)('an import of an export as %s changes nothing', (format) =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices?q=tag:production+-status:planned')
      const shown = page.getByRole('grid', { name: 'Devices' })
      await shown.waitFor()
      const count = Number(await shown.getAttribute('aria-rowcount')) - 1
      const text = await exported(page, format)
      await open('/import')
      await paste(page, text)
      const what = `${count.toLocaleString('en-US')} rows`
      await page.getByRole('button', { name: `Check ${what}` }).click()
      await page.getByText(`All ${what} are good: 0 new rows, 0 changes`).waitFor()
    },
    { as },
  ),
)

/** Returns the rows of a file as Python's reader of CSV finds them. */
const readByPython = async (path: string): Promise<readonly (readonly string[])[]> => {
  const script =
    'import csv,json,sys; print(json.dumps(list(csv.reader(open(sys.argv[1],encoding="utf-8-sig",newline="")))))'
  const child = Bun.spawn(['python3', '-c', script, path], { stdout: 'pipe' })
  return JSON.parse(await new Response(child.stdout).text())
}

test('a CSV as shown has the visible columns with names, every address, and no formula', async () => {
  const [place] = await it.plat.api.datacenters.list({ limit: 1 })
  await it.plat.api.devices.create({
    name: '=shown-1',
    status: 'maintenance',
    datacenter_id: place?.id ?? null,
    tags: ['one', 'two'],
    addresses: [{ ip: '10.77.0.10' }, { ip: '2001:db8::10' }],
  })
  await it.visit(
    async ({ page, open }) => {
      await open('/devices?q=shown-1&cols=name,address,status,datacenter,tags')
      const download = async () => {
        await page.getByRole('button', { name: 'Export' }).click()
        const [file] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('menuitem', { name: 'CSV as shown' }).click(),
        ])
        return file.path()
      }
      await page.getByRole('grid').getByText('shown-1').waitFor()
      const path = await download()
      expect(readFileSync(path, 'utf8')).toStartWith('\uFEFFName,Address,Status,Datacenter,Tags\r\n')
      expect((await readByPython(path)).slice(1)).toEqual([
        ["'=shown-1", '10.77.0.10; 2001:db8::10', 'maintenance', place?.name ?? '', 'one; two'],
      ])
      // Cells without a text of their own are read as they are drawn.
      await open('/networks?view=flat')
      await page.getByRole('grid', { name: 'Networks' }).getByRole('link').first().waitFor()
      const [head, first] = await readByPython(await download())
      expect(head).toEqual(['Subnet', 'Name', 'VLAN', 'Datacenter', 'In use', 'Used / total', 'Subnets'])
      expect(first?.slice(0, 2)).toEqual(['10.0.0.0/16', 'fra1 IPv4'])
      expect(first?.slice(4).join(' | ')).toMatch(/^0\.\d% \| \d+( \+ \d+)? \/ 65,534 \| 1 · 6 %$/)
    },
    { as },
  )
})

testAll('the export of another list has its filter', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/datacenters?q=ashburn')
      await page.getByRole('grid').waitFor()
      await page.getByRole('button', { name: 'Export' }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: 'JSON' }).click(),
      ])
      const rows: unknown = JSON.parse(readFileSync(await download.path(), 'utf8'))
      expect(rows).toMatchObject([{ name: 'Ashburn 2' }])
    },
    { as },
  ),
)

test('a user who may not import sees the reason', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/import')
      await paste(page, 'name,os\na,b\n')
      expect(await page.getByRole('button', { name: 'Check 1 row' }).getAttribute('aria-disabled')).toBe('true')
    },
    { as: 'viewer' },
  ))

testAll('before and after the paste, in both themes and on a phone', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/import')
      expect(await axeFindings(page)).toEqual([])
      await paste(page, 'name,ip,tags,comment\nweb-1,10.97.0.5,prod;web,first\nweb-2,10.97.0.6,prod,second\n')
      await expectReadable(page, 'all')
    },
    { as },
  ),
)
