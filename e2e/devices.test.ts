/** Devices: searched, changed, created and deleted, by mouse and by keyboard. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { axeFindings, countClicks, countRequests, eventually, openMore, world } from './harness.ts'

const it = world({ devices: 300 })
const as = 'admin'

const rowCount = async (page: Page): Promise<number> =>
  Number(await page.getByRole('grid', { name: 'Devices' }).getAttribute('aria-rowcount')) - 1

const filter = async (page: Page, text: string): Promise<void> => {
  await page.getByRole('combobox', { name: 'Filter' }).fill(text)
  await page.waitForURL((url) => (url.searchParams.get('q') ?? '') === text.trim())
}

test('a device is found by its address and changed', () =>
  it.visit(
    async ({ page, open }) => {
      const [device] = await it.plat.api.devices.list({ limit: 1 })
      const ip = device?.addresses[0]?.ip ?? ''
      await open('/devices')
      await filter(page, `ip:${ip}/32`)
      await page.getByRole('link', { name: device?.name ?? '', exact: true }).click()
      await page.getByRole('heading', { name: device?.name ?? '' }).waitFor()
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByLabel('Operating system').fill('Plan 9')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText(`Saved ${device?.name}`).waitFor()
      expect((await it.plat.api.devices.get({ id: device?.id ?? '' })).os).toBe('Plan 9')
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Changes 1 device.').waitFor()
      expect((await it.plat.api.devices.get({ id: device?.id ?? '' })).os).toBe(device?.os ?? '')
    },
    { as },
  ))

testAll('a changed label of an address keeps all that the form does not show', () =>
  it.visit(
    async ({ page, open }) => {
      const addresses = [
        { ip: '192.0.2.77', type: 'vip', port: 8443, mac_address: '02:00:00:00:00:77', dns_name: 'vip.example.com' },
        { ip: '192.0.2.78', type: 'anycast', label: 'second' },
      ]
      const { id, ...before } = await it.plat.api.devices.create({ name: 'typed', tags: ['a, b', 'c'], addresses })
      await open(`/devices/${id}?edit=${id}`)
      await page.getByLabel('Label', { exact: true }).first().fill('front')
      await page.getByLabel('Tags').fill('"a, b", c, d')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved typed').waitFor()
      expect(await it.plat.api.devices.get({ id })).toEqual({
        ...{ id, ...before, tags: ['a, b', 'c', 'd'], updated_at: expect.any(String) },
        addresses: before.addresses.map((one, at) => (at === 0 ? { ...one, label: 'front' } : one)),
      })
    },
    { as },
  ),
)

test('an error of the server is shown at its field', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices?new=1')
      await page.getByLabel('Address 1', { exact: true }).fill('10.0.0.999')
      await page.getByRole('button', { name: 'Create device' }).click()
      const address = page.getByLabel('Address 1', { exact: true })
      await page.getByText('must be an IPv4 or IPv6 address').waitFor()
      expect(await address.getAttribute('aria-invalid')).toBe('true')
      expect(await page.getByLabel('Name · required').getAttribute('aria-invalid')).toBe('true')
    },
    { as, expected: ['400 /api/devices'] },
  ))

test('a change of someone else is not overwritten', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.devices.create({ name: 'contested' })
      await open(`/devices/${id}?edit=${id}`)
      await page.getByLabel('Location').fill('mine')
      await it.plat.api.devices.update({ id, os: 'theirs' })
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Changed by someone since you opened it.').waitFor()
      await page.getByRole('button', { name: 'Keep my changes' }).click()
      await page.waitForFunction("document.querySelector('dialog form')?.textContent.includes('Your unsaved changes')")
      expect(await page.getByLabel('Operating system').inputValue()).toBe('theirs')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved contested').waitFor()
      expect(await it.plat.api.devices.get({ id })).toMatchObject({ location: 'mine', os: 'theirs' })
    },
    { as, expected: ['412 /api/devices/'] },
  ))

test('a device is created, found, edited, deleted and restored by the keyboard only', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices')
      await page.getByRole('grid', { name: 'Devices' }).waitFor()
      await page.keyboard.press('c')
      await page.getByLabel('Name · required').waitFor()
      await page.keyboard.type('keys-only')
      await page.keyboard.press('Enter')
      await page.getByText('Created keys-only').waitFor()
      await page.getByRole('dialog', { name: 'New device' }).waitFor({ state: 'detached' })
      await page.keyboard.press('/')
      await page.keyboard.type('keys-only')
      await page
        .getByText(/^1 of \d+ devices$/)
        .first()
        .waitFor()
      await page.keyboard.press('Enter')
      await page.keyboard.press('j')
      await page.keyboard.press('e')
      await page.getByRole('heading', { name: 'Edit keys-only' }).waitFor()
      await page.locator(':focus').and(page.getByLabel('Name · required')).waitFor()
      await page.keyboard.press('End')
      await page.keyboard.type('-edited')
      await page.keyboard.press('Enter')
      await page.getByText('Saved keys-only-edited').waitFor()
      await page.getByRole('dialog', { name: 'Edit keys-only' }).waitFor({ state: 'detached' })
      await page.keyboard.press('#')
      await page.getByRole('heading', { name: 'Delete keys-only-edited?' }).waitFor()
      await page.getByRole('button', { name: 'Delete device' }).press('Enter')
      await page.getByText('Nothing matches “keys-only”').waitFor()
      await page.getByText('Deleted keys-only-edited').waitFor()
      await page.getByRole('status', { name: 'Deleted keys-only-edited' }).getByRole('button', { name: 'Undo' }).click()
      await page.getByRole('link', { name: 'keys-only-edited' }).waitFor()
    },
    { as },
  ))

test('all matching devices are selected, and exactly these are tagged', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices?q=status:maintenance')
      await page.getByRole('grid', { name: 'Devices' }).waitFor()
      const matching = await rowCount(page)
      await page.getByLabel('Select all that match').click()
      await page.getByText(`${matching} selected`).waitFor()
      await filter(page, '')
      await page.getByRole('button', { name: /^Edit \d/ }).click()
      await page.getByLabel('Add tags').fill('e2e')
      await page.getByRole('button', { name: /^Change \d/ }).click()
      await page.getByText(`Changed ${matching} devices`).waitFor()
      const tagged = await it.plat.api.devices.list({ tags: ['e2e'] })
      expect(tagged.length).toBe(matching)
      expect(new Set(tagged.map(({ status }) => status))).toEqual(new Set(['maintenance']))
    },
    { as },
  ))

test('Ctrl Enter sends a form from every field, and its first wrong field gets the focus', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices?new=1')
      const form = page.getByRole('dialog', { name: 'New device' })
      for (const name of ['Identity', 'Place']) await form.getByRole('heading', { name }).waitFor()
      expect(await form.getByLabel('Tags').isVisible()).toBe(false)
      await openMore(page)
      await form.getByLabel('Domains').fill('not a domain')
      await form.getByText('More', { exact: true }).click()
      await form.getByLabel('Domains').waitFor({ state: 'hidden' })
      await form.getByLabel('Operating system').fill('Plan 9')
      await page.keyboard.press('Control+Enter')
      await form.getByText('2 fields need a correction: Name, Domains').waitFor()
      await form.getByText(/^Name (is|must) /).waitFor()
      expect(await form.getByLabel('Name · required').evaluate((field) => field.matches(':focus'))).toBe(true)
      expect(await axeFindings(page)).toEqual([])
      await form.getByRole('button', { name: 'Domains' }).click()
      expect(await form.getByLabel('Domains').evaluate((field) => field.matches(':focus'))).toBe(true)
      await form.getByLabel('Domains').fill('example.net')
      await form.getByLabel('Name · required').fill('by-ctrl-enter')
      await form.getByLabel('Description').fill('two lines')
      await page.keyboard.press('Control+Enter')
      await page.getByText('Created by-ctrl-enter').waitFor()
    },
    { as, expected: ['400 /api/devices'] },
  ))

test('forty devices are decommissioned with four clicks, and back with one', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const names = Array.from({ length: 40 }, (_, at) => `old-${String(at).padStart(2, '0')}`)
      await api.devices.bulk({
        atomic: true,
        operations: names.map((name, at) => ({
          op: 'create' as const,
          device: { name, os: at < 28 ? 'Debian 12' : 'Debian 13', location: 'Hall 1', tags: ['keep'] },
        })),
      })
      await open('/devices?q=old-')
      await page.getByRole('link', { name: 'old-00' }).waitFor()
      await page.getByLabel('Select all that match').click()
      const clicks = await countClicks(page)
      await page.getByRole('button', { name: 'Edit 40' }).click()
      const form = page.getByRole('dialog', { name: 'Edit 40 devices' })
      await form.getByText('Debian 12: 28, Debian 13: 12').waitFor()
      expect(await axeFindings(page)).toEqual([])
      // A click opens the choice, and one chooses.
      await form.getByLabel('Status').click()
      await form.getByLabel('Status').selectOption('Decommissioned')
      await page.getByRole('button', { name: 'Change 40' }).click()
      await page.getByText('Changed 40 devices').waitFor()
      expect(1 + (await clicks())).toBe(4)
      const changed = await api.devices.list({ status: 'decommissioned', q: 'old-' })
      expect(changed.length).toBe(40)
      expect(changed.every(({ location, tags }) => location === 'Hall 1' && tags.join() === 'keep')).toBe(true)
      await page.getByRole('button', { name: 'Undo' }).click()
      await eventually(async () => (await api.devices.list({ status: 'decommissioned', q: 'old-' })).length, 0)
    },
    { as },
  ))

test('ten servers like one are made with four clicks, each with a free address', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const { id: network_id } = await api.networks.create({ name: 'copies', subnet: '10.99.0.0/28' })
      const { id } = await api.devices.create({
        ...{ name: 'ams-srv-01', hostname: 'ams-srv-01.example.net', os: 'Debian 13', tags: ['web'] },
        addresses: [{ ip: '10.99.0.1' }],
      })
      await open(`/devices/${id}`)
      const clicks = await countClicks(page)
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Duplicate…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Duplicate ams-srv-01' })
      await dialog.getByLabel('Names').waitFor()
      await page.keyboard.type('ams-srv-[02-11')
      await dialog.getByText('A bracket has no other one').waitFor()
      await page.keyboard.type(']')
      await dialog.getByText('10 devices: ams-srv-02 … ams-srv-11').waitFor()
      await page.keyboard.press('Tab')
      await page.keyboard.type('copies')
      await dialog.getByRole('option', { name: 'next free of copies 10.99.0.0/28, from 10.99.0.2, 13 free' }).click()
      expect(await axeFindings(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Create 10 devices' }).click()
      await page.getByText('Created 10 devices').waitFor()
      expect(await clicks()).toBe(4)
      const made = await api.devices.list({ network_id })
      expect(made.map(({ name, hostname, addresses }) => [name, hostname, addresses[0]?.ip])).toEqual(
        Array.from({ length: 11 }, (_, at) => {
          const name = `ams-srv-${String(at + 1).padStart(2, '0')}`
          return [name, `${name}.example.net`, `10.99.0.${at + 1}`]
        }),
      )
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Duplicate…' }).click()
      await dialog.getByLabel('Names').waitFor()
      await page.keyboard.type('more-[1-4]')
      await page.keyboard.press('Tab')
      await page.keyboard.type('copies')
      await dialog.getByRole('option', { name: /, 3 free$/ }).waitFor()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Enter')
      await dialog.getByText('copies has only 3 free addresses').waitFor()
      expect((await api.devices.search({ q: 'more-' })).length).toBe(0)
    },
    { as },
  ))

testAll('a bulk edit clears a field, sets a reference and a tag, and names a refused field', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const { id: datacenter_id } = await api.datacenters.create({ name: 'Hilversum' })
      const ids = []
      for (const name of ['many-1', 'many-2']) ids.push((await api.devices.create({ name, os: 'Old OS' })).id)
      await open('/devices?q=many-')
      await page.getByRole('link', { name: 'many-2' }).waitFor()
      await page.getByLabel('Select all that match').click()
      await page.getByRole('button', { name: 'Edit 2' }).click()
      const form = page.getByRole('dialog', { name: 'Edit 2 devices' })
      await form.getByText('Old OS: 2').waitFor()
      expect(await form.getByRole('button', { name: 'Change 2' }).isDisabled()).toBe(true)
      await form.getByRole('button', { name: 'Clear Operating system' }).click()
      await form.getByText('Cleared from each of them.').waitFor()
      await form.getByRole('combobox', { name: 'Datacenter' }).fill('hilv')
      await form.getByRole('option', { name: 'Hilversum' }).click()
      await form.getByLabel('Add tags').fill('new, tagged')
      await form.getByRole('textbox', { name: 'Model' }).fill('x'.repeat(256))
      await form.getByRole('button', { name: 'Change 2' }).click()
      await form.locator('[aria-invalid=true]').waitFor()
      expect(await form.getByRole('textbox', { name: 'Model' }).getAttribute('aria-invalid')).toBe('true')
      await form.getByRole('button', { name: 'Leave Model as it is' }).click()
      await form.getByRole('button', { name: 'Change 2' }).click()
      await page.getByText('Changed 2 devices').waitFor()
      for (const id of ids)
        expect(await api.devices.get({ id })).toMatchObject({
          os: '',
          datacenter_id,
          tags: ['new', 'tagged'],
          make_model: '',
        })
    },
    { as, expected: ['400 /api/devices/bulk'] },
  ),
)

testAll('a tag that another user sets during a bulk change is kept', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.devices.create({ name: 'raced', tags: ['seen'] })
      await open('/devices?q=raced')
      await page.getByLabel('Select all that match').click()
      await page.getByRole('button', { name: /^Edit \d/ }).click()
      await page.getByLabel('Add tags').fill('mine')
      await it.plat.api.devices.update({ id, tags: ['seen', 'theirs'] })
      await page.getByRole('button', { name: /^Change \d/ }).click()
      await page.getByText('Changed 1 device').waitFor()
      expect((await it.plat.api.devices.get({ id })).tags).toEqual(['seen', 'theirs', 'mine'])
    },
    { as },
  ),
)

test('a deletion is sent at once', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.devices.create({ name: 'left-behind' })
      await open('/devices?q=left-behind')
      await page.getByRole('link', { name: 'left-behind' }).waitFor()
      await page.getByRole('grid', { name: 'Devices' }).focus()
      await page.keyboard.press('j')
      await page.keyboard.press('#')
      await page.getByRole('button', { name: 'Delete device' }).click()
      await page.getByText('Deleted left-behind').waitFor()
      expect(await it.plat.api.devices.search({ q: 'left-behind' })).toEqual([])
      // Its history says who did it.
      const [entry] = await it.plat.api.histories.device({ id })
      expect(entry).toMatchObject({ change: 'delete', username: 'admin', via: 'session' })
    },
    { as },
  ))

testAll('the order and the columns are in the URL', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices')
      await page.getByRole('button', { name: 'Address' }).click()
      await page.getByRole('button', { name: 'Address' }).click()
      await page.locator('[aria-sort=descending]').waitFor()
      await page.getByRole('button', { name: 'Columns and density' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Host name' }).click()
      await page.getByRole('columnheader', { name: 'Host name' }).waitFor()
      expect(new URL(page.url()).search).toContain('sort=address&desc=1&cols=name,')
    },
    { as },
  ),
)

test('a viewer sees everything and changes nothing', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices')
      await page.getByRole('grid', { name: 'Devices' }).waitFor()
      const button = page.getByRole('button', { name: 'New device' })
      expect(await button.getAttribute('aria-disabled')).toBe('true')
      await button.focus()
      await page.getByText('Needs the permission devices:create').waitFor()
      await page.getByRole('row').nth(1).getByRole('link').click()
      await page.getByRole('navigation', { name: 'About this device' }).getByRole('link', { name: 'History' }).click()
      await page.getByText('History begins on').waitFor()
      const undo = page.getByRole('button', { name: 'Undo' }).first()
      expect(await undo.getAttribute('aria-disabled')).toBe('true')
    },
    { as: 'viewer' },
  ))

test('a page sends at most 12 requests', () =>
  it.visit(
    async ({ page, open, requests }) => {
      await open('/devices')
      await page.getByRole('grid', { name: 'Devices' }).waitFor()
      await page.waitForLoadState('networkidle')
      expect(countRequests(requests)).toBeLessThanOrEqual(12)
    },
    { as },
  ))
