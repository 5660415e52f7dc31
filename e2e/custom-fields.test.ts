/** Custom fields: nothing shows them before there is one; then each type is made, filled and filtered by the keyboard. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { host, scanOnce, scriptedScanner } from '../testing/servers/scripted-scanner.ts'
import { axeFindings, choose, eventually, openMore, world } from './harness.ts'
import { expectReadableInBothThemes } from './readable.ts'

const scanner = scriptedScanner()
const it = world({ devices: 20, startScan: scanner.startScan })
const as = 'admin'

test('an estate without custom fields shows none and requests none', () =>
  it.visit(
    async ({ page, open, openWhole, requests }) => {
      for (const path of ['/devices', '/devices?new=1', '/networks?view=flat', '/networks?new=1', '/datacenters']) {
        await openWhole(path)
        expect(await page.getByText(/custom/i).count()).toBe(0)
      }
      await openWhole('/import')
      expect(await page.getByText(/custom\b/).count()).toBe(0)
      expect(requests.filter((one) => one.includes('custom'))).toEqual([])
      await open('/')
      expect(await page.getByRole('link', { name: 'Custom fields' }).count()).toBe(0)
    },
    { as },
  ))

/** Moves the focus to a control by Tab. */
const tabTo = async (page: Page, label: string): Promise<void> => {
  for (let steps = 0; steps < 60; steps++) {
    const name = await page.evaluate<string>(
      `(() => { const one = document.activeElement; const label = one?.labels?.[0]?.textContent; return label || one?.getAttribute('aria-label') || one?.textContent || '' })()`,
    )
    if (name === label) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${label}`)
}

/** A definition, by the texts that are typed and chosen. */
type Typed = { readonly type: string; readonly name: string; readonly fields?: Readonly<Record<string, string>> }

const TYPES: readonly Typed[] = [
  { type: 'Text', name: 'owner', fields: { Label: 'Owner', Pattern: '[a-z ]+', 'Help text': 'The team' } },
  { type: 'Whole number', name: 'watts', fields: { Minimum: '1', Maximum: '5000' } },
  { type: 'Number', name: 'price' },
  { type: 'Yes or no', name: 'leased' },
  { type: 'Date', name: 'warranty' },
  { type: 'Choice', name: 'tier', fields: { Choices: 'gold\nsilver\nbronze' } },
  { type: 'URL', name: 'wiki' },
  { type: 'Reference', name: 'site' },
]

const typeInto = async (page: Page, label: string, text: string): Promise<void> => {
  await tabTo(page, label)
  await page.keyboard.type(text)
}

test('a field of each type is made by the keyboard', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search or jump to' }).waitFor()
      await page.keyboard.type('custom fields')
      await page.getByRole('option', { name: 'Custom fields' }).first().waitFor()
      await page.keyboard.press('Enter')
      await page.getByText('No custom fields yet').waitFor()
      await expectReadableInBothThemes(page)
      for (const { type, name, fields = {} } of TYPES) {
        await page.keyboard.press('c')
        // The form arrives after its drawer.
        await page.getByRole('dialog', { name: 'New custom field' }).getByLabel('Type').waitFor()
        await typeInto(page, 'Type', type)
        await typeInto(page, 'Name · required', name)
        for (const [label, text] of Object.entries(fields)) await typeInto(page, label, text)
        if (type === 'Reference') await typeInto(page, 'Refers to', 'Datacenters')
        if (type === 'Text') await expectReadableInBothThemes(page)
        await tabTo(page, 'Create custom field')
        await page.keyboard.press('Enter')
        await page.locator('ol button', { hasText: name }).waitFor()
        await page.getByRole('dialog', { name: 'New custom field' }).waitFor({ state: 'detached' })
      }
      const made = await it.plat.api.customFields.list({ resource: 'devices' })
      expect(made.map(({ name, type }) => `${name} ${type}`)).toEqual([
        ...['owner text', 'watts integer', 'price number', 'leased boolean'],
        ...['warranty date', 'tier choice', 'wiki url', 'site reference'],
      ])
      expect(made[5]?.choices).toEqual(['gold', 'silver', 'bronze'])
      expect(made[7]?.reference_to).toBe('datacenters')
      await expectReadableInBothThemes(page)
      await page.setViewportSize({ width: 390, height: 844 })
      await expectReadableInBothThemes(page)
    },
    { as },
  ))

/** Finds the parts of an open form that are wider than their room. */
const WIDER =
  "[...document.querySelectorAll('dialog[open] form > div')].filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.className)"

test('a field with a condition is made, and a form shows it as the condition comes true', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      await open('/custom-fields?new=1')
      const editor = page.getByRole('dialog', { name: 'New custom field' })
      await editor.getByLabel('Name · required').fill('stack')
      await editor.getByLabel('Type').selectOption({ label: 'IP address' })
      await editor.getByLabel('Several values').check()
      await editor.getByLabel('Only where').selectOption({ label: 'Tags' })
      await editor.getByLabel('Is one of').fill('switch\nrouter')
      await expectReadableInBothThemes(page)
      await page.emulateMedia({ colorScheme: 'light' })
      await editor.getByRole('button', { name: 'Create custom field' }).click()
      await editor.waitFor({ state: 'detached' })
      const [made] = (await api.customFields.list({ resource: 'devices' })).filter(({ name }) => name === 'stack')
      expect(made).toMatchObject({
        type: 'ip',
        multiple: true,
        only_for: { field: 'tags', values: ['switch', 'router'] },
      })
      const choices = ['B1', 'G', 'F1', 'F2', 'F3', 'F4', 'F5', 'F6']
      const floor = await api.customFields.create({ resource: 'devices', name: 'floor', type: 'choice', choices })
      await open('/devices?new=1')
      const form = page.getByRole('dialog', { name: 'New device' })
      await form.getByLabel('Name · required').fill('conditional')
      await form.getByText('Custom fields').first().waitFor()
      expect(await form.getByLabel('stack').count()).toBe(0)
      // More than seven choices are searched.
      await choose(form.getByRole('combobox', { name: 'floor' }), 'F4')
      expect(await page.evaluate(WIDER)).toEqual([])
      await openMore(page)
      expect(await page.evaluate(WIDER)).toEqual([])
      await form.getByLabel('Tags').fill('lab, Switch')
      await form.getByLabel('stack').fill('10.0.0.7; 2001:DB8::7')
      await expectReadableInBothThemes(page)
      await form.getByRole('button', { name: 'Create device' }).click()
      await form.waitFor({ state: 'detached' })
      const [device] = await api.devices.list({ q: 'conditional' })
      expect(device?.custom).toEqual({ floor: 'F4', stack: ['10.0.0.7', '2001:db8::7'] })
      await api.customFields.delete({ id: floor.id, force: true })
      await api.customFields.delete({ id: made?.id ?? '', force: true })
    },
    { as },
  ))

/** The text of the fields of the editor, by group. */
const orderOf = async (page: Page): Promise<string> => (await page.locator('section ol').allInnerTexts()).join('|')

testAll('fields are ordered by Alt and the arrows, by dragging, and deleted by their name', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const names = async () =>
        (await api.customFields.list({ resource: 'devices' })).map(({ name, group }) => `${group}${name}`).join()
      await open('/custom-fields')
      const first = page.locator('ol button', { hasText: 'owner' })
      await first.focus()
      await page.keyboard.press('Alt+ArrowDown')
      await eventually(names, 'watts,owner,price,leased,warranty,tier,wiki,site')
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Owner owner')
      await page.keyboard.press('Alt+ArrowUp')
      await eventually(names, 'owner,watts,price,leased,warranty,tier,wiki,site')
      await page.locator('li', { hasText: 'warranty' }).dragTo(page.locator('li', { hasText: 'watts' }))
      await eventually(names, 'owner,warranty,watts,price,leased,tier,wiki,site')
      const [price] = (await api.customFields.list()).filter(({ name }) => name === 'price')
      await api.customFields.update({ id: price?.id ?? '', group: 'Money' })
      await page.reload()
      await page.getByRole('heading', { name: 'Money' }).waitFor()
      expect(await orderOf(page)).toContain('|')
      await expectReadableInBothThemes(page)

      const [device] = await api.devices.list({ limit: 1 })
      await api.devices.update({ id: device?.id ?? '', custom: { price: 12.5 } })
      await page.reload()
      await page.locator('li', { hasText: 'price' }).getByText('1 object').waitFor()
      await page.getByRole('button', { name: 'Delete price' }).click()
      const dialog = page.getByRole('dialog', { name: 'Delete price?' })
      await dialog.getByText('1 object has a value of it.').waitFor()
      const confirm = dialog.getByRole('button', { name: 'Delete custom field' })
      expect(await confirm.isDisabled()).toBe(true)
      await expectReadableInBothThemes(page)
      await dialog.getByRole('textbox').fill('price')
      await confirm.click()
      await page.getByText('Deleted price').waitFor()
      await eventually(names, 'owner,warranty,watts,leased,tier,wiki,site')
      expect((await api.devices.get({ id: device?.id ?? '' })).custom).toBeUndefined()
    },
    { as },
  ),
)

test('values are filled in by the keyboard, shown, filtered, ordered and chosen as columns', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const oslo = await api.datacenters.create({ name: 'Oslo', location: 'Norway' })
      await open('/devices?new=1')
      const form = page.getByRole('dialog', { name: 'New device' })
      await form.getByRole('textbox', { name: 'Owner' }).waitFor()
      await expectReadableInBothThemes(page)
      await typeInto(page, 'Name · required', 'core-9')
      await typeInto(page, 'Owner', 'NetEng')
      await typeInto(page, 'warranty', '01312027')
      await typeInto(page, 'watts', '9999')
      await typeInto(page, 'leased', 'Yes')
      await typeInto(page, 'tier', 'gold')
      await typeInto(page, 'wiki', 'https://wiki.example.com/core-9')
      await typeInto(page, 'site', 'osl')
      await form.getByRole('option', { name: 'Oslo Norway' }).waitFor()
      await expectReadableInBothThemes(page)
      await page.keyboard.press('Enter')
      await eventually(() => form.getByRole('combobox', { name: 'site' }).inputValue(), 'Oslo')
      await tabTo(page, 'Create device')
      await page.keyboard.press('Enter')
      await form.getByText('must match [a-z ]+').waitFor()
      await form.getByText('must be at most 5000').waitFor()
      await expectReadableInBothThemes(page)
      await form.getByRole('textbox', { name: 'Owner' }).fill('neteng')
      await form.getByRole('textbox', { name: 'watts' }).fill('750')
      await page.keyboard.press('Enter')
      await page.getByText('Created core-9').waitFor()
      const all = await api.devices.list()
      const device = all.find(({ name }) => name === 'core-9')
      expect(device?.custom).toEqual({
        owner: 'neteng',
        warranty: '2027-01-31',
        watts: 750,
        leased: true,
        tier: 'gold',
        wiki: 'https://wiki.example.com/core-9',
        site: oslo.id,
      })
      const other = all.find(({ name }) => name !== 'core-9')
      await api.devices.update({ id: other?.id ?? '', custom: { owner: 'storage', watts: 90, tier: 'silver' } })
      const shown = async () =>
        (await page.getByRole('grid', { name: 'Devices' }).getByRole('link').allTextContents()).join()
      await open('/devices')
      const box = page.getByRole('combobox', { name: 'Filter' })
      await page.keyboard.press('/')
      for (const q of [
        ...['owner:neteng', 'custom.owner:neteng', 'watts:750', 'watts.min:100', 'custom.watts.min:100'],
        ...['warranty:2027-01', 'warranty.max:2027', 'leased:yes', 'tier:gold', 'wiki:core', 'site:oslo', 'site:*'],
      ]) {
        await box.fill(q)
        await eventually(async () => `${q} ${await shown()}`, `${q} core-9`)
      }
      await box.fill('watts.max:')
      await page.keyboard.type('100')
      await eventually(shown, other?.name ?? '')
      await box.fill('owner:* -owner:neteng')
      await eventually(shown, other?.name ?? '')
      await box.fill('custom.tier:gold watts.min:100 -site:*')
      await page.getByRole('button', { name: 'Copy as a command' }).click()
      await page.getByRole('menuitem', { name: 'Copy as curl' }).click()
      await eventually(
        async () => (await page.evaluate<string>('navigator.clipboard.readText()')).split("'")[1],
        `${it.plat.url}/api/devices?custom.tier=gold&custom.watts.min=100&custom.site=`,
      )
      await box.fill('tie')
      await page.getByRole('option', { name: 'tier:' }).first().waitFor()
      await box.fill('tier:')
      await page.getByRole('option', { name: 'tier:silver' }).waitFor()

      await open('/devices?cols=name,custom.owner,custom.watts,custom.tier,custom.site&sort=custom.watts&desc=1')
      const cells = async () =>
        (await page.getByRole('row').nth(1).getByRole('gridcell').allTextContents()).slice(1).join()
      await eventually(cells, 'core-9,neteng,750,gold,Oslo')
      await expectReadableInBothThemes(page)
      await open('/devices?sort=custom.watts&cols=name,custom.watts')
      await eventually(cells, `${other?.name},90`)
      await page.getByRole('button', { name: 'Columns and density' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'warranty' }).click()
      await page.keyboard.press('Escape')
      await page.getByRole('columnheader', { name: 'warranty' }).waitFor()

      await open(`/devices/${device?.id}`)
      await page.getByRole('heading', { name: 'Custom fields' }).waitFor()
      await page.getByRole('link', { name: 'https://wiki.example.com/core-9' }).waitFor()
      await page.getByRole('link', { name: 'Oslo' }).waitFor()
      await expectReadableInBothThemes(page)
      await page.setViewportSize({ width: 390, height: 844 })
      await expectReadableInBothThemes(page)
      await page.setViewportSize({ width: 1440, height: 900 })
      await open(`/devices/${device?.id}?edit=${device?.id}`)
      const edit = page.getByRole('dialog', { name: 'Edit core-9' })
      await edit.getByRole('textbox', { name: 'Owner' }).fill('')
      await edit.getByRole('combobox', { name: 'leased' }).selectOption('')
      await edit.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved core-9').waitFor()
      expect(Object.keys((await api.devices.get({ id: device?.id ?? '' })).custom ?? {})).not.toContain('owner')
    },
    { as, expected: ['400 /api/devices'] },
  ))

testAll('networks, pools, datacenters and addresses show their values, and files have columns of them', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      for (const resource of ['networks', 'pools', 'datacenters', 'addresses'] as const)
        await api.customFields.create({ resource, name: 'contract', label: 'Contract', type: 'text' })
      const custom = { contract: 'C-17' }
      const network = await api.networks.create({ name: 'lab', subnet: '10.240.0.0/24' })
      const range = { start_ip: '10.240.0.10', end_ip: '10.240.0.20' }
      const pool = await api.pools.create({ network_id: network.id, name: 'lab', ...range, custom })
      const place = await api.datacenters.create({ name: 'Bergen', custom })
      await api.reservations.create({ pool_id: pool.id, ip_address: '10.240.0.11', custom })
      const device = await api.devices.create({ name: 'lab-1', addresses: [{ ip: '10.240.0.5', custom }] })

      await open(`/networks/${network.id}?edit=${network.id}`)
      const form = page.getByRole('dialog', { name: 'Edit lab' })
      await form.getByRole('textbox', { name: 'Contract' }).fill('C-16')
      await form.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved lab').waitFor()
      await page.getByText('C-16').waitFor()
      await expectReadableInBothThemes(page)
      for (const path of [`/pools/${pool.id}`, `/datacenters/${place.id}`, `/devices/${device.id}?tab=addresses`]) {
        await open(path)
        await page.getByText('C-17').waitFor()
        await expectReadableInBothThemes(page)
      }
      for (const path of ['/pools', '/datacenters', '/reservations']) {
        await open(`${path}?q=contract:c-17&cols=custom.contract`)
        await page.getByRole('gridcell', { name: 'C-17' }).waitFor()
      }
      await open('/networks?cols=subnet,custom.contract')
      await page.getByRole('treegrid').getByText('C-16').waitFor()
      await open('/networks?q=contract:c-16')
      await page.getByRole('grid').getByText('10.240.0.0/24').waitFor()

      await open(`/pools/${pool.id}`)
      await page.getByRole('button', { name: 'Next free address' }).click()
      const taking = page.getByRole('dialog', { name: /^Use / })
      await taking.getByRole('radio', { name: 'Reservation' }).check()
      await taking.getByRole('textbox', { name: 'Contract' }).fill('C-20')
      await expectReadableInBothThemes(page)
      await taking.getByRole('button', { name: 'Reserve' }).click()
      await page.getByText(/^Reserved /).waitFor()
      expect((await api.reservations.all()).map(({ custom: one }) => one?.contract)).toContain('C-20')
      await open(`/networks/${network.id}?new=subnet`)
      const split = page.getByRole('dialog', { name: 'Allocate a subnet of lab' })
      await split.getByRole('textbox', { name: 'Contract' }).fill('C-21')
      await expectReadableInBothThemes(page)
      await split.getByRole('button', { name: 'Allocate' }).click()
      await split.waitFor({ state: 'detached' })
      expect((await api.networks.list()).map(({ custom: one }) => one?.contract)).toContain('C-21')

      await open('/pools?q=contract:c-17')
      await page.getByRole('button', { name: 'Export' }).click()
      const download = page.waitForEvent('download')
      await page.getByRole('menuitem', { name: 'CSV for import' }).click()
      const csv = await Bun.file(await (await download).path()).text()
      expect(csv.split('\r\n')[0]).toContain('custom.contract')
      expect(csv).toContain('C-17')

      await open('/import')
      await page.getByText('custom.owner').waitFor()
      await page
        .getByLabel('CSV or JSON')
        .fill('name,owner,custom.watts,custom.tier\nnew-1,netops,120,gold\nnew-2,netops,0,gold')
      await page.getByRole('button', { name: 'Continue' }).click()
      await eventually(() => page.getByLabel('owner', { exact: true }).inputValue(), 'custom.owner')
      await page.getByRole('button', { name: 'Check 2 rows' }).click()
      await page.getByText('custom.watts: must be at least 1').waitFor()
      await expectReadableInBothThemes(page)
      await page.getByRole('button', { name: 'Start over' }).click()
      await page.getByLabel('CSV or JSON').fill('name,owner,custom.watts,custom.tier\nnew-1,netops,120,gold')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('button', { name: 'Check 1 row' }).click()
      await page.getByRole('button', { name: 'Import 1 row' }).click()
      await page.getByRole('grid', { name: 'Devices' }).getByText('new-1').waitFor()
      const made = (await api.devices.list()).find(({ name }) => name === 'new-1')
      expect(made?.custom).toEqual({ owner: 'netops', tier: 'gold', watts: 120 })
    },
    // The last free block is taken.
    { as, expected: ['409 /api/networks/'] },
  ),
)

testAll('required fields are asked for where networks are split, devices are documented and ports are added', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const old = await api.networks.create({ name: 'old', subnet: '10.250.0.0/23' })
      const { network, device } = await scanOnce(
        scanner,
        it.plat,
        [1, 2, 3].map((n) => host(`127.9.0.${n}`)),
      )
      const made = await Promise.all(
        (['networks', 'devices', 'addresses', 'ports'] as const).map((resource) =>
          api.customFields.create({ resource, name: 'team', label: 'Team', type: 'text', required: true }),
        ),
      )
      const serial = await api.customFields.create({ resource: 'devices', name: 'serial', type: 'text', unique: true })

      await open(`/networks/${old.id}?new=split`)
      const split = page.getByRole('dialog', { name: 'Split old' })
      await split.getByText('The new networks need values in the required fields.').waitFor()
      expect(await split.locator('[aria-invalid=true]').count()).toBe(0)
      await tabTo(page, 'Split')
      await page.keyboard.press('Enter')
      await split.getByText('is required').waitFor()
      expect(await axeFindings(page, 'layers')).toEqual([])
      await split.getByRole('textbox', { name: 'Team' }).fill('net')
      await split.getByText('Creates 2 networks').waitFor()
      await page.keyboard.press('Enter')
      await page.getByText('Split old into 2 networks').waitFor()
      const parts = (await api.networks.list()).filter(({ subnet }) => /^10\.250\.[01]\.0\/24$/.test(subnet))
      expect(parts.map(({ custom }) => custom)).toEqual([{ team: 'net' }, { team: 'net' }])

      await open(`/discovered-devices?entry=${device}`)
      await page.getByRole('button', { name: 'Document…' }).click()
      const one = page.getByRole('dialog', { name: 'Document 127.9.0.1' })
      const ofAddress = one.getByRole('group', { name: 'Of its address' })
      await ofAddress.getByRole('textbox', { name: 'Team' }).fill('dns')
      await one.getByRole('textbox', { name: 'serial' }).fill('S-1')
      await one.getByRole('button', { name: 'Document' }).click()
      await one.getByText('is required').waitFor()
      expect(await one.getByRole('alert').count()).toBe(0)
      await expectReadableInBothThemes(page)
      await one.getByRole('group', { name: 'Custom fields' }).getByRole('textbox', { name: 'Team' }).fill('ops')
      await page.keyboard.press('Enter')
      await page.getByText('127.9.0.1 is documented').waitFor()
      const documented = (await api.devices.list()).find(({ name }) => name === '127.9.0.1')
      expect(documented).toMatchObject({
        custom: { team: 'ops', serial: 'S-1' },
        addresses: [{ custom: { team: 'dns' } }],
      })

      await open(`/discovered-devices?network=${network}&q=documented:no`)
      await page.getByLabel('Select all that match').click()
      await page.getByRole('button', { name: 'Document', exact: true }).click()
      const many = page.getByRole('dialog', { name: 'Document 2 devices' })
      await many.getByRole('group', { name: 'Of each address' }).getByRole('textbox', { name: 'Team' }).fill('dns')
      expect(await many.getByRole('textbox', { name: 'serial' }).count()).toBe(0)
      await many.getByRole('button', { name: 'Document 2 devices' }).click()
      await many.getByText('2 devices could not be documented.').waitFor()
      expect(await axeFindings(page, 'layers')).toEqual([])
      const team = many.getByRole('group', { name: 'Custom fields' }).getByRole('textbox', { name: 'Team' })
      expect(await team.getAttribute('aria-invalid')).toBe('true')
      await team.fill('ops')
      await page.keyboard.press('Enter')
      await page.getByText('Documented 2 devices').waitFor()
      expect(await api.devices.list({ custom: { team: 'ops' } })).toHaveLength(3)

      await open(`/devices/${documented?.id}?tab=ports&new=ports`)
      const ports = page.getByRole('dialog', { name: /^Add ports/ })
      await ports.getByLabel('Names').fill('eth[0-1]')
      await page.keyboard.press('Enter')
      await ports.getByText('is required').waitFor()
      expect(await axeFindings(page, 'layers')).toEqual([])
      await ports.getByRole('textbox', { name: 'Team' }).fill('net')
      await page.keyboard.press('Enter')
      await page.getByText('Added 2 ports').waitFor()
      await Promise.all([...made, serial].map(({ id }) => api.customFields.delete({ id, force: true })))
    },
    { as, expected: ['400 /api/networks/', '400 /api/discovery/devices/', '400 /api/ports/bulk'] },
  ),
)

test('selected devices get one value, and the history of a device has the labels of its fields', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const site = await api.customFields.create({
        ...{ resource: 'devices', name: 'home', label: 'Home site', type: 'reference', reference_to: 'datacenters' },
      })
      const flag = await api.customFields.create({
        resource: 'devices',
        name: 'spare',
        label: 'Spare',
        type: 'boolean',
      })
      const serial = await api.customFields.create({ resource: 'devices', name: 'asset', type: 'text', unique: true })
      const place = await api.datacenters.create({ name: 'Tromso' })
      const both = await Promise.all(
        ['bulk-1', 'bulk-2'].map((name) => api.devices.create({ name, custom: { spare: true } })),
      )
      await open('/devices?q=bulk-')
      const grid = page.getByRole('grid', { name: 'Devices' })
      await grid.getByText('bulk-2').waitFor()
      const dialog = page.getByRole('dialog', { name: 'Edit 2 devices' })
      const begin = async () => {
        await page.getByLabel('Select all that match').click()
        await page.getByRole('button', { name: 'Edit 2' }).waitFor()
        await tabTo(page, 'Edit 2')
        await page.keyboard.press('Enter')
        await dialog.getByText('Yes: 2').waitFor()
      }
      await begin()
      expect(await dialog.getByLabel('asset').count()).toBe(0)
      await tabTo(page, 'Home site')
      await page.keyboard.type('trom')
      await dialog.getByRole('option', { name: 'Tromso' }).waitFor()
      await expectReadableInBothThemes(page)
      await page.keyboard.press('Enter')
      await tabTo(page, 'Change 2')
      await page.keyboard.press('Enter')
      await page.getByText('Changed 2 devices').waitFor()
      await begin()
      await dialog.getByText('Tromso: 2').waitFor()
      await dialog.getByRole('button', { name: 'Clear Spare' }).click()
      await dialog.getByRole('button', { name: 'Change 2' }).click()
      await dialog.waitFor({ state: 'detached' })
      const [one] = both
      expect((await api.devices.get({ id: one?.id ?? '' })).custom).toEqual({ home: place.id })

      await open(`/devices/${one?.id}?tab=history`)
      const field = (label: string) => page.locator('dl > div', { has: page.getByText(label, { exact: true }) })
      await field('Spare').getByText('Yes').waitFor()
      await field('Home site').getByText('Tromso').waitFor()
      expect(
        await page
          .getByText(/custom/i)
          .and(page.locator('dt'))
          .count(),
      ).toBe(0)
      expect(await axeFindings(page, 'layers')).toEqual([])
      await Promise.all([site, flag, serial].map(({ id }) => api.customFields.delete({ id, force: true })))
    },
    { as, expected: ['400 /api/devices/bulk'] },
  ))
