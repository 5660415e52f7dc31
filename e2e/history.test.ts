/** The history: changes seen, undone, compared, and the estate as of a moment. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { axeFindings, eventually, world } from './harness.ts'

const it = world({ devices: 60 })
const as = 'admin'

/** The time of the server, later than all changes so far. */
const nowOf = async (page: Page): Promise<string> => {
  const [newest] = await it.plat.api.history.list({ limit: 1 })
  const at = newest?.at ?? ''
  const isPast = async (moment: string) => (await page.evaluate<number>('Date.now()')) > Date.parse(moment) + 1
  await eventually(() => isPast(at), true)
  const now = await page.evaluate<string>('new Date().toISOString()')
  // The next change is not of the same millisecond.
  await eventually(() => isPast(now), true)
  return now
}

const tabOf = (page: Page, noun: string) =>
  page.getByRole('navigation', { name: `About this ${noun}` }).getByRole('link', { name: 'History' })

test('a device is deleted with its relationship, and the toast undoes it', async () => {
  const { api } = it.plat
  const device = await api.devices.create({ name: 'undone-one', addresses: [{ ip: '10.77.0.1' }] })
  const [other] = await api.devices.list({ limit: 1 })
  await api.relationships.create({ device_id: device.id, child_id: other?.id ?? '', type: 'connected_to' })
  await it.visit(
    async ({ page, open }) => {
      await open(`/devices/${device.id}`)
      await page.getByRole('heading', { level: 1, name: 'undone-one' }).waitFor()
      await page.keyboard.press('#')
      const dialog = page.getByRole('dialog', { name: 'Delete undone-one?' })
      await dialog.getByText('Deletes 1 device and 1 relationship.').waitFor()
      expect(await dialog.getByText("can't be undone").count()).toBe(0)
      expect(await axeFindings(page, 'layers')).toEqual([])
      await dialog.getByLabel('Change note').fill('Sold – für 5 €')
      await page.keyboard.press('Enter')
      await page.getByText('Deleted undone-one').waitFor()
      const [deletion] = await api.histories.device({ id: device.id })
      expect(deletion).toMatchObject({ change: 'delete', note: 'Sold – für 5 €' })
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Creates 1 device and 1 relationship.').waitFor()
      expect(await api.devices.get({ id: device.id })).toMatchObject({ ...device, updated_at: expect.any(String) })
      expect(await api.relationships.list({ device_id: device.id })).toHaveLength(1)
      await page.getByRole('combobox', { name: 'Filter' }).fill('undone-one')
      await page.getByRole('link', { name: 'undone-one' }).waitFor()
    },
    { as },
  )
})

test('a field is changed, seen in the tab, and undone there', async () => {
  const { api } = it.plat
  const { id } = await api.devices.create({ name: 'seen-one', os: 'Debian 12', tags: ['a', 'b'] })
  await it.visit(
    async ({ page, open }) => {
      await open(`/devices/${id}?edit=${id}`)
      await page.getByLabel('Operating system').fill('Debian 13')
      await page.getByLabel('Tags').fill('b, c')
      await page.getByLabel('Change note').fill('Renewed')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved seen-one').waitFor()
      await tabOf(page, 'device').click()
      const entry = page.getByRole('listitem').filter({ hasText: 'Renewed' })
      await entry.getByText('changed', { exact: true }).waitFor()
      const values = (await entry.locator('dd').allTextContents()).map((text) => text.replace(/^./, ''))
      expect(values).toEqual(['Before: Debian 12', 'After: Debian 13', 'Before: a', 'After: c'])
      await page.getByText(/^History begins on /).waitFor()
      await entry.getByRole('button', { name: 'Undo' }).click()
      const dialog = page.getByRole('dialog', { name: 'Undo this change?' })
      await dialog.getByText('Changes 1 device.').waitFor()
      expect(await axeFindings(page, 'layers')).toEqual([])
      await dialog.getByRole('button', { name: 'Undo' }).click()
      await entry.getByText('undone', { exact: true }).waitFor()
      expect(await api.devices.get({ id })).toMatchObject({ os: 'Debian 12', tags: ['a', 'b'] })
    },
    { as },
  )
})

testAll('an undo that something is in the way of lists the later change, with a link to it', async () => {
  const { api } = it.plat
  const { id } = await api.devices.create({ name: 'blocked-one', os: 'one' })
  await api.devices.update({ id, os: 'two' })
  const [first] = await api.histories.device({ id })
  await api.devices.update({ id, os: 'three' })
  const [later] = await api.histories.device({ id })
  await it.visit(
    async ({ page, open }) => {
      await open(`/history/${first?.change_id}`)
      await page.getByRole('button', { name: 'Undo' }).click()
      const dialog = page.getByRole('dialog', { name: 'Undo this change?' })
      await dialog.getByText("It can't be undone.").waitFor()
      expect(await dialog.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(0)
      expect(await axeFindings(page, 'layers')).toEqual([])
      await dialog.getByRole('link', { name: later?.change_id ?? '' }).click()
      await page.waitForURL(`**/history/${later?.change_id}`)
      await page.getByText('three').waitFor()
      expect((await api.devices.get({ id })).os).toBe('three')
    },
    { as, expected: ['409 /api/history/'] },
  )
})

test('the clock goes to a moment before, where the deleted device is, and back', async () => {
  const { api } = it.plat
  const { id } = await api.devices.create({ name: 'gone-one', os: 'Plan 9' })
  await it.visit(
    async ({ page, open }) => {
      const before = await nowOf(page)
      await api.devices.delete({ id })
      await open('/devices')
      await page.getByRole('grid', { name: 'Devices' }).waitFor()
      await page.keyboard.press('t')
      const dialog = page.getByRole('dialog', { name: 'Show the estate as of' })
      const field = dialog.getByLabel('Moment')
      await dialog.getByText(/^History begins on /).waitFor()
      expect(await axeFindings(page, 'layers')).toEqual([])
      await field.fill('2001-01-01T00:00:00')
      await page.keyboard.press('Enter')
      await dialog.getByText(/must not be before /).waitFor()
      // The browser's own time, to the millisecond.
      const local = await page.evaluate<string>(
        `new Date(${Date.parse(before)} - new Date().getTimezoneOffset() * 60000).toISOString().slice(0, -1)`,
      )
      await field.fill(local)
      await page.keyboard.press('Enter')
      await page.getByText(/^The estate as of /).waitFor()
      await page.getByRole('combobox', { name: 'Filter' }).fill('gone-one')
      await page.getByRole('link', { name: 'gone-one' }).click()
      await page.getByText('Plan 9').waitFor()
      expect(new URL(page.url()).searchParams.get('as_of')).toBe(before)
      // Nothing can be changed there, also not by keys.
      expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0)
      await page.keyboard.press('e')
      expect(new URL(page.url()).searchParams.get('edit')).toBeNull()
      await page.getByRole('link', { name: 'Scans' }).click()
      await page.getByText('This page has no past').waitFor()
      await page.getByRole('link', { name: /^Devices/ }).click()
      await page.getByRole('grid', { name: 'Devices' }).waitFor()
      await page.getByRole('button', { name: 'Back to now' }).click()
      await page.getByRole('button', { name: 'New device' }).waitFor()
      await page.getByRole('combobox', { name: 'Filter' }).fill('gone-one')
      await page.getByText('Nothing matches “gone-one”').waitFor()
      expect(new URL(page.url()).searchParams.get('as_of')).toBeNull()
    },
    { as },
  )
})

test('every read of a page in the past is of its moment, and nothing else is read', async () => {
  const { api } = it.plat
  const { id } = await api.devices.create({ name: 'read-one' })
  const [change] = await api.histories.device({ id })
  const of: string[] = []
  await it.visit(
    async ({ page, openWhole }) => {
      page.on('request', (request) => {
        const { pathname, searchParams } = new URL(request.url())
        if (pathname.startsWith('/api/') && pathname !== '/api/auth/me')
          of.push(`${pathname} ${searchParams.get('as_of') === change?.change_id}`)
      })
      await openWhole(`/devices/${id}?as_of=${change?.change_id}`)
      await openWhole(`/networks?as_of=${change?.change_id}`)
      await openWhole(`/topology?as_of=${change?.change_id}`)
      for (const list of ['racks', 'vlans', 'spaces', 'device-types'])
        await openWhole(`/${list}?as_of=${change?.change_id}`)
      expect(of.length).toBeGreaterThan(3)
      expect(of.filter((line) => line.endsWith('false'))).toEqual([])
    },
    { as },
  )
})

testAll('a link into the past opens no form, also not back in the present', async () => {
  const { api } = it.plat
  const { id } = await api.devices.create({ name: 'formless' })
  const network = await api.networks.create({ name: 'formless', subnet: '10.79.0.0/24' })
  const of = { start_ip: '10.79.0.1', end_ip: '10.79.0.9' }
  const pool = await api.pools.create({ network_id: network.id, name: 'formless', ...of })
  const [change] = await api.history.list({ limit: 1 })
  await it.visit(
    async ({ page, openWhole }) => {
      const forms = page.getByRole('dialog')
      for (const link of [
        `/devices?edit=${id}`,
        '/devices?new=1',
        `/devices/${id}?edit=${id}`,
        `/networks?edit=${network.id}`,
        `/networks/${network.id}?new=1`,
        `/pools/${pool.id}?new=1`,
        '/datacenters?new=1',
      ]) {
        await openWhole(`${link}&as_of=${change?.id}`)
        expect([link, await forms.count()]).toEqual([link, 0])
      }
      await page.getByRole('button', { name: 'Back to now' }).click()
      await page.getByRole('button', { name: 'New datacenter' }).first().waitFor()
      expect(await forms.count()).toBe(0)
      await page.getByRole('button', { name: 'New datacenter' }).first().click()
      await forms.waitFor()
    },
    { as },
  )
})

test('the changes are filtered in the URL, and one is opened by keys', async () => {
  const { api } = it.plat
  const network = await api.networks.create({ name: 'listed', subnet: '10.78.0.0/24' })
  await it.visit(
    async ({ page, open }) => {
      await open('/')
      await page.keyboard.press('g')
      await page.keyboard.press('y')
      await page.getByRole('treegrid', { name: 'History' }).waitFor()
      await page.getByRole('combobox', { name: 'Filter' }).fill('kind:network list')
      await page.waitForURL(/q=kind/)
      await page.getByRole('gridcell', { name: 'listed created', exact: true }).waitFor()
      await page.getByText('1 change', { exact: true }).first().waitFor()
      expect(await axeFindings(page)).toEqual([])
      await page.getByRole('button', { name: 'Yesterday' }).click()
      await page.getByText('No change matches the filter').waitFor()
      await page.getByRole('button', { name: 'Today' }).click()
      await page.getByRole('gridcell', { name: 'listed created', exact: true }).waitFor()
      await page.getByRole('treegrid', { name: 'History' }).focus()
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Creates 1 network' }).waitFor()
      await page.getByRole('link', { name: 'listed' }).click()
      await page.waitForURL(`**/networks/${network.id}`)
      await page.goBack()
      await page.goBack()
      await page.getByRole('treegrid', { name: 'History' }).waitFor()
      expect(await page.getByRole('combobox', { name: 'Filter' }).inputValue()).toBe('kind:network list')
    },
    { as },
  )
})

test('the change of a device is found by its name, and undone in two clicks', async () => {
  const { api } = it.plat
  const { id } = await api.devices.create({ name: 'sought-one', status: 'active' })
  await api.devices.update({ id, status: 'maintenance' })
  await it.visit(
    async ({ page, open }) => {
      await open('/history?from=1d')
      await page.getByLabel('From').waitFor()
      await page.getByRole('combobox', { name: 'Filter' }).fill('sought')
      const row = page.getByRole('row').filter({ hasText: 'sought-one status active → maintenance' }).last()
      await row.getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
      await row.getByText('undone', { exact: true }).waitFor()
      await page.getByRole('gridcell', { name: 'Undid: sought-one status active → maintenance' }).waitFor()
      expect(await api.devices.get({ id })).toMatchObject({ status: 'active' })
      await row.getByRole('link', { name: 'sought-one' }).click()
      await page.waitForURL(`**/devices/${id}`)
    },
    { as },
  )
})

test('changes of one user in a row are one row that opens, and are undone together, also on a phone', async () => {
  const { api } = it.plat
  const ids: string[] = []
  for (const name of ['folded-1', 'folded-2', 'folded-3']) ids.push((await api.devices.create({ name })).id)
  for (const id of ids) await api.devices.update({ id, status: 'maintenance' })
  await it.visit(
    async ({ page, open }) => {
      await open('/history')
      const fold = page.getByRole('row', { name: /3 devices changed: folded-3, folded-2 and 1 other/ })
      await fold.getByText('3 devices').waitFor()
      const inside = page.getByRole('row').filter({ hasText: /folded-\d status active → maintenance/ })
      expect(await inside.count()).toBe(0)
      await page.getByRole('treegrid', { name: 'History' }).focus()
      await page.keyboard.press('j')
      await page.keyboard.press('ArrowRight')
      await inside.nth(2).waitFor()
      expect(await fold.getAttribute('aria-expanded')).toBe('true')
      expect(await inside.first().getAttribute('aria-level')).toBe('2')
      await inside.filter({ hasText: 'folded-2' }).getByRole('button', { name: 'Undo' }).waitFor()
      expect(await axeFindings(page)).toEqual([])
      await page.keyboard.press('u')
      const dialog = page.getByRole('dialog', { name: 'Undo 3 changes?' })
      await dialog.getByText('folded-1 status active → maintenance').waitFor()
      expect(await axeFindings(page, 'layers')).toEqual([])
      await page.setViewportSize({ width: 390, height: 844 })
      await dialog.getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('row').filter({ hasText: '3 undos: folded-1, folded-2 and 1 other' }).waitFor()
      await page.getByRole('row').filter({ hasText: 'folded-3, folded-2' }).getByText('undone').waitFor()
      const changed = await Promise.all(ids.map(async (id) => (await api.devices.get({ id })).status))
      expect(changed).toEqual(['active', 'active', 'active'])
      const created = page.getByRole('row').filter({ hasText: '3 devices created' })
      await created.getByRole('button', { name: /^Unfold 3 changes/ }).click()
      await page
        .getByRole('row')
        .filter({ hasText: 'folded-2 created' })
        .getByRole('button', { name: 'Undo' })
        .waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    },
    { as },
  )
})

test('a field for a moment completes what is typed', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/history/diff')
      const field = page.getByRole('combobox', { name: 'From' })
      await field.click()
      await page.getByRole('option', { name: /^Yesterday \d{4}-\d{2}-\d{2} 00:00$/ }).waitFor()
      expect(await axeFindings(page)).toEqual([])
      await field.fill('9')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      expect(await page.getByRole('listbox').getByRole('option', { selected: true }).textContent()).toStartWith('9h')
      await page.keyboard.press('Enter')
      await page.waitForURL(/from=/)
      const hoursAgo = (Date.now() - Date.parse(new URL(page.url()).searchParams.get('from') ?? '')) / 3_600_000
      expect(Math.round(hoursAgo)).toBe(9)
      await field.fill('soon')
      await page.keyboard.press('Enter')
      await page.getByText('is no moment, such as 14:05 or 24h').waitFor()
      await field.fill('')
      await page.keyboard.press('Enter')
      await page.waitForURL((url) => !url.searchParams.has('from'))
      await page.keyboard.press('t')
      expect(await field.inputValue()).toBe('t')
    },
    { as },
  ))

testAll('two moments differ by what was created, changed and deleted in between', async () => {
  const { api } = it.plat
  const [kept, gone] = [await api.devices.create({ name: 'kept-two' }), await api.devices.create({ name: 'gone-two' })]
  await it.visit(
    async ({ page, open }) => {
      const from = await nowOf(page)
      await api.devices.create({ name: 'new-two' })
      await api.devices.update({ id: kept.id, os: 'Debian 13' })
      await api.devices.delete({ id: gone.id })
      const to = await nowOf(page)
      await api.devices.create({ name: 'later-two' })
      await open(`/history/diff?from=${from}&to=${to}`)
      await page.getByText('3 objects differ').waitFor()
      await page.getByText('1 created, 1 changed, 1 deleted').waitFor()
      await page.getByRole('link', { name: 'new-two' }).waitFor()
      expect(await page.getByText('later-two').count()).toBe(0)
      await page.getByRole('link', { name: 'gone-two' }).click()
      await page.getByRole('heading', { level: 1, name: 'gone-two' }).waitFor()
      await page.getByText(/^The estate as of /).waitFor()
      await page.goBack()
      await page.getByLabel('Kind').selectOption('pool')
      await page.getByText('Nothing is different').waitFor()
    },
    { as },
  )
})

testAll('many devices are deleted at once, and come back together', async () => {
  const { api } = it.plat
  for (const name of ['many-1', 'many-2', 'many-3']) await api.devices.create({ name, tags: ['many'] })
  await it.visit(
    async ({ page, open }) => {
      await open('/devices?q=tag:many')
      await page.getByLabel('Select all that match').click()
      await page.getByRole('button', { name: 'Delete 3' }).click()
      const dialog = page.getByRole('dialog', { name: 'Delete 3 devices?' })
      await dialog.getByText('Deletes 3 devices.').waitFor()
      await dialog.getByRole('button', { name: 'Delete 3' }).click()
      await page.getByText('Deleted 3 devices').waitFor()
      expect(await api.devices.list({ tags: ['many'] })).toEqual([])
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('link', { name: 'many-2' }).waitFor()
      expect(await api.devices.list({ tags: ['many'] })).toHaveLength(3)
    },
    { as },
  )
})
