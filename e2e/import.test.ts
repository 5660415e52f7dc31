/** Import and export of files: pasted, mapped, tried with a dry run, imported, and exported again. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { testsAll } from '../testing/tests-all.ts'
import { axeFindings, eventually, world } from './harness.ts'
import { expectReadable } from './readable.ts'

const it = world({ devices: 300 })
const as = 'admin'
const ROWS = testsAll ? 5000 : 500
/** `5,000` */
const COUNT = ROWS.toLocaleString('en-US')

/** Pastes rows, and waits for the step behind the source. */
const paste = async (page: Page, text: string): Promise<void> => {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
  await page.getByLabel('Rows', { exact: true }).focus()
  await page.keyboard.press('Control+v')
  await page.getByRole('button', { name: 'Start over' }).waitFor()
}
const check = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByRole('button', { name: /^Import [\d,]+ of/ }).waitFor({ timeout: 30_000 })
}
const choose = (page: Page, name: string, buffer: Buffer) =>
  page.getByLabel('File', { exact: true }).setInputFiles({ name, mimeType: 'text/csv', buffer })
const fieldOf = (page: Page, column: string) => page.getByRole('combobox', { name: column, exact: true })
const table = (page: Page) => page.getByRole('region', { name: 'Rows to import' })
const importRows = (page: Page, text: string) =>
  page.getByRole('button', { name: `Import ${text}`, exact: true }).click()

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
      expect(await fieldOf(page, 'IP Address').inputValue()).toBe('Address')
      expect(await fieldOf(page, 'Site').inputValue()).toBe('Datacenter')
      await check(page)
      await page.getByText(`The import creates ${COUNT} devices`).waitFor({ timeout: 30_000 })
      await importRows(page, `${COUNT} of ${COUNT}`)
      await page.getByRole('heading', { name: `Imported ${COUNT} of ${COUNT}` }).waitFor({ timeout: 30_000 })
      await page.getByRole('link', { name: 'Show the devices' }).click()
      await page.waitForURL(/\/devices\?q=in:import/, { timeout: 30_000 })
      await page.getByText(`${COUNT} selected`).waitFor()
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
      await page.route('**/api/estate/apply', (route) =>
        route.fulfill({
          contentType: 'application/x-ndjson',
          body: [{ progress: { done: 1, total: 2 } }, { error: { code, error, details: [] } }]
            .map((line) => `${JSON.stringify(line)}\n`)
            .join(''),
        }),
      )
      await open('/import')
      await paste(page, 'name\nweb\n')
      await page.getByRole('button', { name: 'Check', exact: true }).click()
      await page.getByRole('alert').filter({ hasText: error }).waitFor()
    },
    { as },
  ),
)

test('the page of a proxy that takes no body of this size is an error that names its limit', () =>
  it.visit(
    async ({ page, open }) => {
      await page.route('**/api/estate/apply', (route) =>
        route.fulfill({ status: 413, contentType: 'text/html', body: '<html>413 Request Entity Too Large</html>' }),
      )
      await open('/import')
      await paste(page, 'name\nweb\n')
      await page.getByRole('button', { name: 'Check', exact: true }).click()
      await page.getByRole('alert').filter({ hasText: 'client_max_body_size' }).waitFor()
    },
    { as, expected: ['413 /api/estate/apply'] },
  ))

test('refused rows have whole errors, are corrected in their cells, and the rest is imported without them', () =>
  it.visit(
    async ({ page, open }) => {
      const text =
        'List of 2026;;;\n\nHostname;IP-Adresse;MAC-Adresse;Status\nskip-1;10.96.0.1/24;00-11-22-33-44-55;Aktiv\n' +
        'skip-2;10.96.0.300;;\nSKIP-1;10.96.0.2;;\nskip-3;;;asleep\nskip-4;;;;;more\n'
      await open('/import')
      await choose(page, 'devices.csv', Buffer.from(text))
      expect(await fieldOf(page, 'MAC-Adresse').inputValue()).toBe('MAC address')
      await check(page)
      const rows = table(page)
      await rows
        .getByText('Address 1: must be an IPv4 or IPv6 address (line 5, column IP-Adresse, "10.96.0.300")')
        .waitFor()
      await rows.getByText(/Status: must be one of .*\(line 7, column Status, "asleep"\)$/).waitFor()
      await rows.getByText('has 6 cells, and there are 4 columns (line 8)').waitFor()
      expect(await rows.getByRole('checkbox', { name: 'Import skip-2' }).isDisabled()).toBe(true)
      expect(await axeFindings(page)).toEqual([])
      await rows.getByRole('button', { name: 'Correct skip-2' }).click()
      const dialog = page.getByRole('dialog', { name: 'Correct skip-2' })
      await dialog.getByRole('textbox', { name: 'IP-Adresse' }).fill('10.96.0.3')
      expect(await axeFindings(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Check again' }).click()
      await rows.getByRole('button', { name: 'Correct skip-2' }).waitFor({ state: 'detached' })
      await importRows(page, '2 of 4')
      await page.getByRole('heading', { name: 'Imported 2 of 4' }).waitFor()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download the refused rows' }).click(),
      ])
      expect(download.suggestedFilename()).toBe('devices.refused.csv')
      expect(readFileSync(await download.path(), 'utf8')).toBe(
        'Hostname,IP-Adresse,MAC-Adresse,Status\r\nskip-3,,,asleep\r\nskip-4,,,,,more\r\n',
      )
      expect(await it.plat.api.devices.search({ q: 'skip-' })).toMatchObject([
        {
          name: 'skip-1',
          status: 'active',
          addresses: [{ ip: '10.96.0.1', mac_address: '00:11:22:33:44:55' }, { ip: '10.96.0.2' }],
        },
        { name: 'skip-2', addresses: [{ ip: '10.96.0.3' }] },
      ])
      await page.getByRole('button', { name: 'Undo' }).click()
      await eventually(async () => (await it.plat.api.devices.search({ q: 'skip-' })).length, 0)
    },
    { as },
  ))

test('a workbook has its columns with samples, and of its sheets the one behind the cover is read', () =>
  it.visit(
    async ({ page, open }) => {
      const book = (name: string) => readFileSync(join(import.meta.dirname, `../testing/workbooks/${name}.xlsx`))
      await open('/import?format=spreadsheet')
      await choose(page, 'devices.xlsx', book('openpyxl'))
      await page.getByText(/rows of devices\.xlsx as devices/).waitFor()
      expect(await fieldOf(page, 'MAC Address').inputValue()).toBe('MAC address')
      const column = page.getByRole('list', { name: 'Columns' }).getByRole('listitem').filter({ hasText: 'Hostname' })
      await column.getByText('book-1 · book-2').waitFor()
      expect(await axeFindings(page)).toEqual([])
      await check(page)
      await table(page).getByText('(row 5, column IP Address, "10.97.0.300")').waitFor()
      await table(page).getByText('(row 8, column Status, "asleep")').waitFor()
      await page.getByRole('button', { name: 'Start over' }).click()
      await choose(page, 'plan.xlsx', book('cover-sheet'))
      await page.getByText('Of the workbook the sheet "Hosts" was read.').waitFor()
      await page.getByText('Left: “Cover”, “Charts only”, “Old”, “Networks”.').waitFor()
      await check(page)
    },
    { as },
  ))

test('a column is given a field by its label, goes into the description, or is left out', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/import')
      await paste(page, 'Name,OS,Paint,Memory\ndescribed-1,Debian 13,red,64 GB\n')
      expect(await fieldOf(page, 'Paint').inputValue()).toBe('Into the description')
      const set = async (column: string, text: string) => {
        await fieldOf(page, column).fill(text)
        await page.getByRole('option', { name: text, exact: true }).click()
      }
      await set('OS', 'Into the description')
      await set('Memory', 'Leave out')
      await check(page)
      await table(page).getByText('described-1', { exact: true }).waitFor()
      await importRows(page, '1 of 1')
      await page.getByRole('heading', { name: 'Imported 1 of 1' }).waitFor()
      const [made] = await it.plat.api.devices.search({ q: 'described-1' })
      expect([made?.os, made?.description.split('\n').sort()]).toEqual(['', ['OS: Debian 13', 'Paint: red']])
    },
    { as },
  ))

test('a name that means no object or several is asked once for all rows', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const west = await api.datacenters.create({ name: 'Amsterdam', location: 'West' })
      await api.datacenters.create({ name: 'Amsterdam', location: 'South' })
      await open('/import')
      await paste(
        page,
        'Name,Site,IP\nasked-1,Amsterdam,10.95.0.1\nasked-2,amsterdam,10.95.0.2\nasked-3,Utrecht,10.95.0.3\nasked-4,Nowhere,10.95.0.4\n',
      )
      await check(page)
      const questions = page.getByRole('list', { name: 'Questions' })
      await questions.getByText('Amsterdam is 2 datacenters', { exact: true }).waitFor()
      await questions.getByText('In 2 rows.').waitFor()
      await questions.getByText('Utrecht is no datacenter', { exact: true }).waitFor()
      expect(await axeFindings(page)).toEqual([])
      await page.getByRole('button', { name: 'Import 0 of 4' }).waitFor()
      await questions.getByRole('combobox', { name: 'Amsterdam is 2 datacenters' }).fill('west')
      await page.getByRole('option', { name: /Amsterdam.*West/ }).click()
      await questions.getByText('Amsterdam is Amsterdam').waitFor()
      await page.getByRole('button', { name: 'Import 2 of 4' }).waitFor()
      await questions.getByRole('button', { name: 'Create it: Utrecht' }).click()
      await page.getByRole('button', { name: 'Import 4 of 5' }).waitFor()
      await questions.getByRole('button', { name: 'Leave empty: Nowhere' }).click()
      await importRows(page, '5 of 5')
      await page.getByRole('heading', { name: 'Imported 5 of 5' }).waitFor()
      const found = await api.devices.search({ q: 'asked-' })
      const utrecht = (await api.datacenters.list({})).find(({ name }) => name === 'Utrecht')
      expect(found.map(({ datacenter_id }) => datacenter_id)).toEqual([west.id, west.id, utrecht?.id ?? '', null])
    },
    { as },
  ))

test('rows that are not checked stay out, and each row shows its values', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.devices.create({ name: 'planned-1', os: 'Debian 12' })
      await open('/import')
      await paste(page, 'name,os,ip\nplanned-1,Debian 13,\nplanned-2,Debian 13,10.94.0.2\nplanned-3,Debian 13,\n')
      await check(page)
      const rows = table(page)
      const row = (name: string) => rows.getByRole('row').filter({ hasText: name })
      await row('planned-1').getByText('Operating system Debian 12 → Debian 13').waitFor()
      await row('planned-2').getByText('Address 10.94.0.2').waitFor()
      await rows.getByRole('checkbox', { name: 'Import planned-3' }).uncheck()
      await importRows(page, '2 of 3')
      await page.getByRole('heading', { name: 'Imported 2 of 3' }).waitFor()
      expect((await it.plat.api.devices.get({ id })).os).toBe('Debian 13')
      expect((await it.plat.api.devices.search({ q: 'planned-' })).map(({ name }) => name)).toEqual([
        'planned-1',
        'planned-2',
      ])
      await page.getByRole('button', { name: 'Import another file' }).click()
      await paste(page, 'name,os\nplanned-1,Debian 13\n')
      await check(page)
      await rows.getByText('unchanged', { exact: true }).waitFor()
      await page.getByText('There is nothing to do.').waitFor()
    },
    { as },
  ))

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
      if (format === 'CSV for import') await page.getByRole('button', { name: 'Check', exact: true }).click()
      await page.getByText(what, { exact: false }).first().waitFor()
      await page.getByText('There is nothing to do.').waitFor()
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
      const button = page.getByRole('button', { name: 'Choose a file' })
      expect(await button.getAttribute('aria-disabled')).toBe('true')
    },
    { as: 'viewer' },
  ))

testAll('before and after the paste, in both themes and on a phone', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/import')
      expect(await axeFindings(page)).toEqual([])
      await paste(page, 'name,ip,tags,comment\nweb-1,10.97.0.5,prod;web,first\nweb-2,10.97.0.6,prod,second\n')
      await expectReadable(page)
      await check(page)
      await expectReadable(page)
    },
    { as },
  ),
)
