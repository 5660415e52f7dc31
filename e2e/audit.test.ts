/** The audit log: filters in the URL, scrolling to the end, one entry, verification and export. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { PEOPLE } from './access-seed.ts'
import { world } from './harness.ts'

const it = world({ devices: 60, env: PEOPLE })
const as = 'admin'

const rows = (page: Page) => page.getByRole('grid', { name: 'Audit log' }).getByRole('row')

/** The time of the newest entry, which opens it. The link in the cell of its object leads to the object instead. */
const newestTime = (page: Page) => rows(page).nth(1).getByRole('gridcell').first().getByRole('link')

test('filters are in the URL, and the URL is the filter', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.devices.create({ name: 'watched' })
      await it.plat.api.devices.update({ id, os: 'Plan 9' })
      await open('/audit')
      await page.getByLabel('Action').selectOption('update')
      await page.getByLabel('Resource').selectOption('device')
      await page.getByLabel('ID of the object').fill(id)
      await page.waitForURL(/resource_id=/)
      await page.getByText('1 entry').first().waitFor()
      await page.getByLabel('When').selectOption('24h')
      await page.waitForURL(/span=24h/)
      expect(new URL(page.url()).search).toBe(`?action=update&resource=device&resource_id=${id}&span=24h`)
      await page.reload()
      await page.getByText('1 entry').first().waitFor()
      expect(await rows(page).count()).toBe(2)
      await page.getByLabel('Action').selectOption('delete')
      await page.getByText('No entry matches the filter').waitFor()
      await page.getByRole('button', { name: 'Clear filter' }).click()
      await rows(page).nth(2).waitFor()
      expect(new URL(page.url()).search).toBe('')
    },
    { as },
  ))

test('an entry shows the sent values and the previous ones', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.devices.create({ name: 'changed', os: 'Junos 23.4' })
      await it.plat.api.devices.update({ id, os: 'Junos 24.2' })
      await open(`/audit?resource_id=${id}&action=update`)
      await rows(page).nth(1).waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      const drawer = page.getByRole('dialog', { name: 'update device' })
      await drawer.getByText('Junos 23.4').waitFor()
      await drawer.getByText('Junos 24.2').waitFor()
      await drawer.getByText(id).first().waitFor()
      await drawer.getByRole('link', { name: 'changed' }).click()
      await page.getByRole('heading', { level: 1, name: 'changed' }).waitFor()
      const tabs = page.getByRole('navigation', { name: 'About this device' })
      await tabs.getByRole('link', { name: 'History' }).click()
      await page.getByRole('link', { name: 'All in the audit log' }).click()
      await page.getByText('2 entries').first().waitFor()
    },
    { as },
  ))

test('the log names objects, and links to existing ones', async () => {
  const { api } = it.plat
  const { id } = await api.devices.create({ name: 'kept-device' })
  const gone = await api.devices.create({ name: 'gone-device' })
  await api.devices.delete({ id: gone.id })
  await it.visit(
    async ({ page, open }) => {
      await open(`/audit?resource_id=${gone.id}`)
      await page.getByRole('gridcell', { name: 'gone-device (deleted)' }).first().waitFor()
      expect(await page.getByRole('link', { name: 'gone-device' }).count()).toBe(0)
      await open(`/audit?resource_id=${id}`)
      await page.getByRole('gridcell', { name: 'kept-device' }).getByRole('link').click()
      await page.getByRole('heading', { level: 1, name: 'kept-device' }).waitFor()
    },
    { as },
  )
})

testAll('the overview names what was changed, with a link', async () => {
  const { id } = await it.plat.api.devices.create({ name: 'newest-device' })
  await it.visit(
    async ({ page, open }) => {
      await open('/')
      const change = page.getByRole('listitem').filter({ hasText: 'create device newest-device' })
      expect(await change.textContent()).not.toContain(id)
      await change.getByRole('link', { name: 'newest-device' }).click()
      await page.getByRole('heading', { level: 1, name: 'newest-device' }).waitFor()
    },
    { as },
  )
})

test('a call by API key is shown with the key and its owner, and can be filtered by both', () =>
  it.visit(
    async ({ page, open }) => {
      const [me] = await it.plat.api.users.list({ username: 'admin' })
      const made = await it.plat.api.devices.create({ name: 'by key' })
      const [entry] = await it.plat.api.audit.list({ resource_id: made.id })
      await open(`/audit?resource_id=${made.id}&user=${me?.id}`)
      await rows(page).nth(1).getByText('of admin').waitFor()
      await newestTime(page).click()
      const drawer = page.getByRole('dialog', { name: 'create device' })
      await drawer.getByText('Key owner').waitFor()
      await drawer.getByRole('link', { name: `All by ${entry?.username}`, exact: true }).click()
      await page.waitForURL((url) => url.searchParams.get('user') === entry?.user_id)
    },
    { as },
  ))

test('a secret is left out, and a truncated change is marked as such', async () => {
  const { api } = it.plat
  const draft = { name: 'c', type: 'ssh_password', username: 'root', password: 'never to be seen' } as const
  const credential = await api.credentials.create(draft)
  const { id } = await api.devices.create({ name: 'long' })
  await api.devices.update({ id, tags: Array.from({ length: 90 }, (_, i) => `${i}-${'x'.repeat(120)}`) })
  await it.visit(
    async ({ page, open }) => {
      await open(`/audit?resource_id=${credential.id}`)
      await newestTime(page).click()
      await page.getByText('redacted').waitFor()
      expect(await page.content()).not.toContain('never to be seen')
      await open(`/audit?resource_id=${id}&action=update`)
      await newestTime(page).click()
      await page.getByText('truncated').waitFor()
    },
    { as },
  )
})

testAll('scrolling loads more entries, each of them once', async () => {
  const { id } = await it.plat.api.devices.create({ name: 'busy' })
  for (let i = 0; i < 130; i++) await it.plat.api.devices.update({ id, os: `os ${i}` })
  await it.visit(
    async ({ page, open }) => {
      await open(`/audit?resource_id=${id}`)
      await page.getByText('131 entries').first().waitFor()
      // A new entry must not shift the others.
      await it.plat.api.devices.update({ id, os: 'last' })
      await page.getByRole('grid').focus()
      await page.keyboard.press('End')
      await page.locator('[role=grid][aria-rowcount="132"]').waitFor()
      await page.keyboard.press('End')
      await page.getByRole('row').filter({ hasText: 'create' }).waitFor()
    },
    { as },
  )
})

test('verification passes an intact log and reports an altered one', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/audit')
      await page.getByRole('button', { name: 'Verify' }).click()
      await page.getByText('The log is intact.').waitFor()
      await page.getByText('Its ends are signed.').waitFor()
      const bad = { id: '', reason: 'at the end, behind ..., one entry was removed' }
      await page.route('**/api/audit/verify', (route) =>
        route.fulfill({ json: { ok: false, checked: 7, signed: true, first_bad: bad } }),
      )
      await page.getByRole('button', { name: 'Verify' }).click()
      await page.getByRole('alert').getByText('one entry was removed').waitFor()
    },
    { as },
  ))

testAll('the shown entries are exported as a file', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.devices.create({ name: 'exported' })
      await open(`/audit?resource_id=${id}`)
      await page.getByRole('button', { name: 'Export' }).click()
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: /^CSV/ }).click(),
      ])
      const lines = readFileSync(await file.path(), 'utf8')
        .trim()
        .split('\n')
      expect(lines.length).toBe(2)
      expect(lines[1]).toContain(id)
    },
    { as },
  ),
)

testAll('an operator reads the log but cannot export it', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/audit')
      await rows(page).nth(1).waitFor()
      const button = page.getByRole('button', { name: 'Export' })
      expect(await button.getAttribute('aria-disabled')).toBe('true')
      await button.focus()
      await page.getByText('Needs the permission audit:export').waitFor()
    },
    { as: 'operator' },
  ),
)

test('a viewer sees the name of the missing permission', () =>
  it.visit(
    async ({ page, open, requests }) => {
      await open('/audit')
      await page.getByText('audit:list').waitFor()
      expect(requests.filter((line) => line.includes('/api/audit'))).toEqual([])
    },
    { as: 'viewer' },
  ))

test('an error is shown, with a button that tries again', () =>
  it.visit(
    async ({ page, open }) => {
      let isBroken = true
      await page.route('**/api/audit?*', (route) =>
        isBroken
          ? route.fulfill({ status: 500, json: { code: 'INTERNAL_ERROR', error: 'Something broke' } })
          : route.continue(),
      )
      await open('/audit')
      await page.getByText('Something broke').waitFor()
      isBroken = false
      await page.getByRole('button', { name: 'Try again' }).click()
      await rows(page).nth(1).waitFor()
    },
    { as, expected: ['500 /api/audit'] },
  ))
