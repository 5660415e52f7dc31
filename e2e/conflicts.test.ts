/** Conflicts: detected, compared, resolved, and marked on the pages of their devices. */
import { expect, test } from 'bun:test'
import { testAll } from '../testing/cases.ts'
import { seedDuplicate, seedOverlap } from './automation-seed.ts'
import { eventually, world } from './harness.ts'
import { expectReadable } from './readable.ts'

const it = world({ devices: 40 })

test('the device that keeps the address is chosen beside the differences, and the other loses it', async () => {
  const { devices, conflict } = await seedDuplicate(it.plat.api, '192.0.2.10', 'db')
  await it.visit(
    async ({ page, open }) => {
      await open('/conflicts')
      await page.getByRole('link', { name: '192.0.2.10', exact: true }).click()
      const drawer = page.getByRole('dialog')
      await drawer.getByRole('columnheader', { name: 'db-1' }).waitFor()
      await drawer.getByRole('row', { name: /^OS.*Debian 12.*Windows Server 2022$/ }).waitFor()
      await drawer.getByRole('radio', { name: /^db-2 keeps it/ }).check()
      await drawer.getByLabel('Notes').fill('the iLO was set by hand')
      await drawer.getByRole('button', { name: 'Resolve', exact: true }).click()
      await page.locator('[data-layer]').waitFor({ state: 'detached' })
      const [lost, kept] = await Promise.all(devices.map((id) => it.plat.api.devices.get({ id })))
      expect([lost?.addresses.length, kept?.addresses.length]).toEqual([0, 1])
      expect(await it.plat.api.conflicts.get({ id: conflict })).toMatchObject({
        status: 'resolved',
        notes: 'the iLO was set by hand',
      })
    },
    { as: 'admin' },
  )
})

test('an ignored conflict keeps its reason, and is not raised by the next check', async () => {
  const { conflict } = await seedDuplicate(it.plat.api, '192.0.2.11', 'anycast')
  await it.visit(
    async ({ page, open }) => {
      await open(`/conflicts?entry=${conflict}`)
      await page.getByLabel('Notes').fill('anycast')
      await page.getByRole('button', { name: 'Ignore, it is intended' }).click()
      await page.locator('[data-layer]').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Check everything again' }).click()
      await page.getByText(/^Checked/).waitFor()
      await page.getByRole('link', { name: /^Ignored/ }).click()
      await page.getByRole('link', { name: '192.0.2.11', exact: true }).waitFor()
    },
    { as: 'admin' },
  )
})

test('a conflict is deleted by a key of the keyboard', async () => {
  const { conflict } = await seedDuplicate(it.plat.api, '192.0.2.12', 'gone')
  await it.visit(
    async ({ page, open }) => {
      await open('/conflicts?q=192.0.2.12')
      await page.getByRole('grid', { name: 'Conflicts' }).focus()
      await page.keyboard.press('j')
      await page.keyboard.press('#')
      await page.getByRole('button', { name: 'Delete conflict' }).click()
      await eventually(async () => (await it.plat.api.conflicts.list()).some(({ id }) => id === conflict), false)
    },
    { as: 'admin' },
  )
})

test('the page and the list row of a device show its conflict', async () => {
  const { devices } = await seedDuplicate(it.plat.api, '192.0.2.13', 'marked')
  await it.visit(
    async ({ page, open }) => {
      await open('/devices?q=marked')
      await page.getByText('Conflict: 2 devices have the address 192.0.2.13').first().waitFor()
      await open(`/devices/${devices[0]}`)
      await page.getByText('2 devices have the address 192.0.2.13').waitFor()
      await page.getByRole('link', { name: 'Compare and resolve' }).click()
      await page.getByRole('heading', { name: 'Several devices have 192.0.2.13' }).waitFor()
    },
    { as: 'admin' },
  )
})

test('networks with the same subnet show their conflict, side by side', async () => {
  const { network } = await seedOverlap(it.plat.api, '198.51.100.0/24')
  await it.visit(
    async ({ page, open }) => {
      await open(`/networks/${network}`)
      await page.getByRole('link', { name: 'Compare and resolve' }).click()
      await page.getByRole('columnheader', { name: 'branch office, old' }).waitFor()
    },
    { as: 'admin' },
  )
})

test('g x goes there, and the inbox is the entry of the page', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      await page.keyboard.press('g')
      await page.keyboard.press('x')
      await page.getByRole('heading', { level: 1, name: 'Conflicts' }).waitFor()
      const entry = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Inbox' })
      expect(await entry.getAttribute('aria-current')).toBe('page')
    },
    { as: 'admin' },
  ))

test('a viewer sees conflicts and cannot resolve them', async () => {
  const { conflict } = await seedDuplicate(it.plat.api, '192.0.2.15', 'seen')
  await it.visit(
    async ({ page, open }) => {
      await open(`/conflicts?entry=${conflict}`)
      const drawer = page.getByRole('dialog')
      for (const name of ['Mark as resolved', 'Ignore, it is intended', 'Delete'])
        expect(await drawer.getByRole('button', { name, exact: true }).getAttribute('aria-disabled')).toBe('true')
      expect(await drawer.getByRole('radio').first().isDisabled()).toBe(true)
    },
    { as: 'viewer' },
  )
})

testAll.each([
  ['the list', () => '/conflicts'],
  ['nothing there', () => '/conflicts?tab=ignored&q=nothing'],
  ['a comparison', (id: string) => `/conflicts?entry=${id}`],
] as const)('%s has no WCAG violation, on a desktop and on a phone', async (_, pathOf) => {
  const { conflict } = await seedDuplicate(it.plat.api, '192.0.2.16', 'axe')
  await it.visit(
    async ({ page, open }) => {
      await open(pathOf(conflict))
      if (pathOf(conflict).includes('entry')) await page.getByRole('columnheader', { name: 'axe-1' }).first().waitFor()
      await expectReadable(page)
    },
    { as: 'admin' },
  )
})
