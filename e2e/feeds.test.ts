/** Feeds: written beside their preview, opened by keys of their own, and configured in their consumers. */
import { beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { axeFindings, choose, countRequests, eventually, world } from './harness.ts'
import { expectReadable } from './readable.ts'

const it = world({ devices: 0 })
const as = 'admin'

beforeAll(async () => {
  await it.plat.api.networks.create({ name: 'all', subnet: '10.0.0.0/16' })
  const given = [
    ['web-1', '10.0.0.1', 'web'],
    ['web-2', '10.0.0.2', 'web'],
    ['db-1', '10.0.0.3', 'db'],
  ] as const
  for (const [name, ip, tag] of given)
    await it.plat.api.devices.create({
      id: name,
      name,
      hostname: name,
      status: 'active',
      tags: [tag],
      addresses: [{ ip }],
    })
  await it.plat.api.devices.create({ id: 'spare', name: 'spare', status: 'active', tags: ['web'] })
})

const previewOf = (page: Page) => page.getByRole('region', { name: 'Preview' })
const contentOf = (page: Page) => previewOf(page).locator('pre')
const hasDevices = (page: Page, text: string) => previewOf(page).getByRole('status').filter({ hasText: text }).waitFor()

const read = (path: string, key: string) => fetch(it.plat.url + path, { headers: { authorization: `Bearer ${key}` } })

const copied = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()')

const isBlocked = async (page: Page, name: string) =>
  (await page.getByRole('button', { name }).first().getAttribute('aria-disabled')) === 'true'

test('an empty list explains feeds, and offers to make one', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/feeds')
      await page.getByText('No feeds yet').waitFor()
      await page.getByText('A feed gives devices to another program').waitFor()
      expect(await axeFindings(page)).toEqual([])
      await page.getByRole('button', { name: 'New feed' }).last().click()
      await page.getByRole('heading', { level: 1, name: 'New feed' }).waitFor()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByText('No feeds yet').waitFor()
    },
    { as },
  ))

test('by the keyboard: a feed is written beside its preview, saved, opened by a key, and the key is revoked', () =>
  it.visit(
    async ({ page, open, requests }) => {
      await open('/feeds')
      await page.getByText('No feeds yet').waitFor()
      await page.keyboard.press('c')
      await page.getByLabel('Name · required').and(page.locator(':focus')).waitFor()
      await page.keyboard.type('host file')
      await page.keyboard.press('Tab')
      await page.keyboard.type('lan')
      await choose(page.getByRole('combobox', { name: 'Format' }), 'Hosts file')
      expect(await page.getByLabel('Port').count()).toBe(0)
      await hasDevices(page, '4 devices')
      await contentOf(page).getByText('10.0.0.3\tdb-1').waitFor()
      await previewOf(page).getByRole('region', { name: 'Left out' }).waitFor({ state: 'detached' })
      const asked = () => requests.filter((line) => line === 'POST /api/feeds/preview').length
      const before = asked()
      await page.getByLabel('Tags').pressSequentially('web')
      await hasDevices(page, '3 devices')
      expect(asked() - before).toBe(1)
      expect(await contentOf(page).textContent()).not.toContain('db-1')
      await page.getByRole('button', { name: 'Create feed' }).press('Enter')
      await page.getByRole('heading', { level: 1, name: 'host file' }).waitFor()
      await page.locator('pre', { hasText: 'YOUR_KEY' }).waitFor()
      await page.getByRole('button', { name: 'New key' }).press('Enter')
      await page.getByLabel('Name · required').fill('dns-1')
      await page.getByRole('button', { name: 'Create key' }).press('Enter')
      const shown = page.getByRole('dialog', { name: 'The key “dns-1”' })
      const key = (await shown.locator('code').textContent()) ?? ''
      const answer = await read('/api/feeds/lan/content', key)
      expect([answer.status, await answer.text()]).toEqual([200, '# Plat feed lan\n10.0.0.1\tweb-1\n10.0.0.2\tweb-2\n'])
      expect((await read('/api/devices', key)).status).toBe(403)
      await shown.getByLabel('I have saved it').press(' ')
      await shown.getByRole('button', { name: 'Done' }).press('Enter')
      await page.locator('pre', { hasText: `PLAT_TOKEN=${key} plat feed pull lan /etc/plat.hosts` }).waitFor()
      await page.getByRole('button', { name: 'Copy dnsmasq.conf' }).press('Enter')
      expect(await copied(page)).toBe('addn-hosts=/etc/plat.hosts')
      await page.getByText('Used just now').or(page.getByText('Never used')).waitFor()
      await page.getByRole('button', { name: 'Delete the key dns-1' }).press('Enter')
      await page.getByRole('button', { name: 'Delete key' }).press('Enter')
      await page.getByText('The key “dns-1” is deleted').waitFor()
      expect((await read('/api/feeds/lan/content', key)).status).toBe(401)
    },
    { as },
  ))

describe('a stored feed', () => {
  beforeAll(async () => {
    const { api } = it.plat
    await api.feeds.create({ id: 'targets', name: 'targets', format: 'prometheus', port: 9100, tags: ['web'] })
    await api.feeds.create({ id: 'report', name: 'report', format: 'template', template: '{{ devices.size }} found' })
    await api.feeds.create({ id: 'dhcp', name: 'reservations', format: 'dnsmasq' })
    await api.feeds.create({ id: 'short-lived', name: 'short-lived', format: 'hosts' })
  })

  test('is listed with its format, its URL to copy and its filter in words', () =>
    it.visit(
      async ({ page, open }) => {
        const { key } = await it.plat.api.keys.create({ name: 'p', feed_id: 'targets' })
        await read('/api/feeds/targets/content', key)
        await open('/feeds?q=format:prometheus')
        const row = page.getByRole('row', { name: /targets/ })
        await row.getByText('Devices tagged web; active and maintenance').waitFor()
        await row.getByText('Prometheus').waitFor()
        await row.getByText('/api/feeds/targets/content').hover()
        await row.getByRole('button', { name: 'Copy URL of targets' }).click()
        expect(await copied(page)).toBe(`${it.plat.url}/api/feeds/targets/content`)
        await page.getByRole('columnheader', { name: 'Last used' }).waitFor()
      },
      { as },
    ))

  test('a stored feed is opened for a change from the menu of its row, and only its port is saved', () =>
    it.visit(
      async ({ page, open }) => {
        await open('/feeds')
        await page.getByRole('button', { name: 'Actions for targets' }).click()
        await page.getByRole('menuitem', { name: 'Edit' }).click()
        await page.getByRole('heading', { level: 1, name: 'targets' }).waitFor()
        await contentOf(page).getByText('10.0.0.1:9100').waitFor()
        await page.getByLabel('Port').fill('70000')
        await page.locator('input[aria-invalid=true]').waitFor()
        expect(await page.getByLabel('Port').getAttribute('aria-invalid')).toBe('true')
        await previewOf(page).getByText('Correct the marked fields').waitFor()
        await page.getByLabel('Port').fill('9200')
        await contentOf(page).getByText('10.0.0.1:9200').waitFor()
        await page.getByRole('button', { name: 'Save' }).press('Enter')
        await page.getByText('Saved targets').waitFor()
        expect(await it.plat.api.feeds.get({ id: 'targets' })).toMatchObject({ port: 9200, tags: ['web'] })
        await page.getByRole('button', { name: 'Edit' }).click()
        await page.getByLabel('Port').fill('9300')
        await page.getByRole('button', { name: 'Cancel' }).click()
        await contentOf(page).getByText('10.0.0.1:9200').waitFor()
      },
      { as, expected: ['400 /api/feeds/preview'] },
    ))

  testAll('loses the fields that its new format does not use', () =>
    it.visit(
      async ({ page, open }) => {
        await it.plat.api.feeds.create({ id: 'turned', name: 'turned', format: 'prometheus', port: 9100 })
        await open('/feeds/turned?edit=turned')
        await choose(page.getByRole('combobox', { name: 'Format' }), 'OpenSSH')
        await contentOf(page).getByText('HostName 10.0.0.1').waitFor()
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Saved turned').waitFor()
        expect(await it.plat.api.feeds.get({ id: 'turned' })).toMatchObject({ format: 'ssh-config', port: null })
        await page.getByRole('button', { name: 'Edit' }).click()
        await choose(page.getByRole('combobox', { name: 'Format' }), 'Template')
        await page.getByLabel('Template · required').fill('{{ devices.size }}')
        await page.getByLabel('Media type of the content').selectOption('text/csv')
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('text/csv', { exact: true }).waitFor()
        expect(await it.plat.api.feeds.get({ id: 'turned' })).toMatchObject({ media_type: 'text/csv' })
      },
      { as },
    ),
  )

  testAll('says what its format leaves out, and why', () =>
    it.visit(
      async ({ page, open }) => {
        await open('/feeds/dhcp')
        const skipped = previewOf(page).getByRole('region', { name: 'Left out' })
        await skipped.getByText('3 left out').waitFor()
        await skipped.getByText('10.0.0.1 has no MAC address').waitFor()
        await skipped.getByRole('link', { name: 'web-1' }).click()
        await page.getByRole('heading', { level: 1, name: 'web-1' }).waitFor()
      },
      { as },
    ),
  )

  testAll('has the error of its template at the template', () =>
    it.visit(
      async ({ page, open }) => {
        await open('/feeds/report?edit=report')
        await contentOf(page).getByText('4 found').waitFor()
        const template = page.getByLabel('Template · required')
        await template.fill('{{ devices.size }}\n{{ 1 | nothing }}')
        await page.getByText(/^line 2: /).waitFor()
        expect(await template.getAttribute('aria-invalid')).toBe('true')
        await previewOf(page).getByText('Correct the marked fields').waitFor()
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText(/^line 2: /).waitFor()
        await template.fill('{% for device in devices %}{{ device.main.ip }};{% endfor %}')
        await contentOf(page).getByText('10.0.0.3;').waitFor()
        expect(await page.locator('[aria-invalid=true]').count()).toBe(0)
        await template.fill('')
        await previewOf(page).getByText('Write a template').waitFor()
      },
      { as, expected: ['400 /api/feeds/preview', '400 /api/feeds/report'] },
    ),
  )

  test('is not overwritten by a form that was opened before another change', () =>
    it.visit(
      async ({ page, open }) => {
        await open('/feeds/report?edit=report')
        await page.getByLabel('Description').fill('mine')
        await it.plat.api.feeds.update({ id: 'report', name: 'report of others' })
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Changed by someone since you opened it.').waitFor()
        await page.getByRole('button', { name: 'Keep my changes' }).click()
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Saved report of others').waitFor()
        expect(await it.plat.api.feeds.get({ id: 'report' })).toMatchObject({ description: 'mine' })
      },
      { as, expected: ['412 /api/feeds/report'] },
    ))

  testAll('is deleted with its keys, after a warning', () =>
    it.visit(
      async ({ page, open }) => {
        const { key } = await it.plat.api.keys.create({ name: 'k', feed_id: 'short-lived' })
        await open('/feeds?q=short-lived')
        await page.getByRole('button', { name: 'Actions for short-lived' }).click()
        await page.getByRole('menuitem', { name: 'Delete feed' }).click()
        await page.getByText('Its URL stops working, and its API keys are deleted too.').waitFor()
        await page.getByRole('button', { name: 'Delete feed' }).click()
        await page.getByText('Deleted short-lived').waitFor()
        await eventually(async () => (await read('/api/feeds/short-lived/content', key)).status, 401)
      },
      { as },
    ),
  )

  test('that does not exist is said to be missing', () =>
    it.visit(
      async ({ page, open }) => {
        await open('/feeds/nothing')
        await page.getByText('There is no such feed').waitFor()
      },
      { as, expected: ['404 /api/feeds/nothing'] },
    ))

  testAll('is named by its keys in the list of all keys', () =>
    it.visit(
      async ({ page, open }) => {
        await it.plat.api.keys.create({ name: 'of targets', feed_id: 'targets' })
        await open('/keys')
        await page
          .getByRole('row', { name: /of targets/ })
          .getByRole('link', { name: 'the feed targets' })
          .click()
        await page.getByRole('heading', { level: 1, name: 'targets' }).waitFor()
      },
      { as },
    ),
  )

  test('is seen by a viewer, who can not change it', () =>
    it.visit(
      async ({ page, open, requests }) => {
        await open('/feeds')
        await page.getByRole('row', { name: /targets/ }).waitFor()
        expect(await isBlocked(page, 'New feed')).toBe(true)
        expect(await page.getByRole('columnheader', { name: 'Last used' }).count()).toBe(0)
        await open('/feeds/targets')
        await previewOf(page).getByText('The preview needs the permission feeds:update').waitFor()
        expect(await isBlocked(page, 'Edit')).toBe(true)
        const [content] = await Promise.all([
          page.context().waitForEvent('page'),
          page.getByRole('link', { name: 'Open the saved content' }).click(),
        ])
        await content.getByText('10.0.0.1:').waitFor()
        await open('/feeds/targets?tab=use')
        await page.getByText('None yet. A key of a feed opens its content').waitFor()
        expect(requests.some((line) => line === 'POST /api/feeds/preview')).toBe(false)
      },
      { as: 'viewer' },
    ))
})

describe('every view of the feeds', () => {
  const PAGES: readonly (readonly [string, string, string])[] = [
    ['the list', '/feeds', 'Devices tagged web'],
    ['a new one', '/feeds?new=1', '4 devices'],
    ['targets', '/feeds/targets', '3 devices'],
    ['a template', '/feeds/report', 'Template'],
    ['one that is changed', '/feeds/report?edit=report', 'Media type of the content'],
    ['what is left out', '/feeds/dhcp', '3 left out'],
    ['keys and use', '/feeds/targets?tab=use', 'credentials: YOUR_KEY'],
  ]

  testAll.each(PAGES)('has no WCAG violation, on a desk and on a phone: %s', (_, path, text) =>
    it.visit(
      async ({ page, openWhole, requests }) => {
        await openWhole(path)
        expect(countRequests(requests)).toBeLessThanOrEqual(12)
        await page.getByText(text, { exact: false }).first().waitFor()
        await expectReadable(page)
      },
      { as },
    ),
  )
})

testAll('the palette opens the form of a new feed', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search or jump to' }).fill('New feed')
      await page.getByRole('option', { name: 'New feed' }).click()
      await page.getByRole('heading', { level: 1, name: 'New feed' }).waitFor()
    },
    { as },
  ),
)

test('a page without its permission names it', async () => {
  const role = await it.plat.api.roles.create({ name: 'devices alone', permissions: ['devices:list'] })
  const [viewer] = await it.plat.api.users.list({ username: 'viewer' })
  await it.plat.api.users.update({ id: viewer?.id ?? '', roles: [role.id] })
  await it.visit(
    async ({ page, open }) => {
      await open('/feeds')
      await page.getByText('feeds:list').waitFor()
      await open('/feeds/targets')
      await page.getByText('feeds:read').waitFor()
    },
    { as: 'viewer' },
  )
})
