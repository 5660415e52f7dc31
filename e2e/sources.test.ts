/** Sources from the first one to its changes in the inventory, over a document that a server on this machine gives. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { createCertificate } from '../testing/certificates.ts'
import { eventually, world } from './harness.ts'
import { expectReadable } from './readable.ts'

const it = world({ devices: 0, env: { SOURCE_TARGETS: '127.0.0.1' } })

type Device = {
  readonly name: string
  readonly status?: string
  readonly tags?: readonly string[]
  readonly os?: string
}

/** The documents by their paths; a path without one answers 401. */
const documents = new Map<string, readonly Device[]>()
let server: ReturnType<typeof Bun.serve> | undefined

beforeAll(() => {
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) => {
      const devices = documents.get(new URL(url).pathname)
      return devices ? Response.json({ devices }) : new Response('no token', { status: 401 })
    },
  })
})
afterAll(() => server?.stop(true))

const getUrl = (path: string): string => new URL(path, server?.url).href

/** Makes a source that is read by hand only. */
const addSource = async (
  name: string,
  devices: readonly Device[],
  settings: { readonly mode?: 'auto'; readonly when_gone?: 'delete'; readonly gone_after_hours?: number } = {},
) => {
  const path = `/${name}`
  documents.set(path, devices)
  const terms = { name, kind: 'document', url: getUrl(path), interval_minutes: 0, ...settings } as const
  const source = await it.plat.api.sources.create(terms)
  await readSource(source.id)
  return source
}

const readSource = async (id: string): Promise<void> => {
  const run = await it.plat.api.sources.run({ id })
  await eventually(async () => (await it.plat.api.sources.showRun({ id, run_id: run.id })).completed_at !== null, true)
}

const findDevice = async (name: string) =>
  (await it.plat.api.devices.search({ q: name })).find((device) => device.name === name)
const toast = (page: Page, text: string) => page.getByRole('region', { name: 'Notifications' }).getByText(text)
const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'About this source' }).getByRole('link', { name })
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

test('a new source is chosen by its tile, tested, read, reviewed, applied and undone', () =>
  it.visit(
    async ({ page, open }) => {
      documents.set('/first', [
        { name: 'first-web', os: 'Debian 13', tags: ['vm'] },
        { name: 'first-db', os: 'Debian 13' },
      ])
      await open('/sources')
      await page.getByText('knows its machines already').waitFor()
      await page.getByRole('main').getByRole('button', { name: 'New source' }).last().click()
      await page.getByRole('button', { name: /^Document/ }).click()
      await page.getByRole('textbox', { name: /^Name · required/ }).fill('first')
      await page.getByRole('textbox', { name: 'URL' }).fill(getUrl('/first'))
      await expectReadable(page)
      await page.getByRole('button', { name: 'Create source' }).click()
      await page.getByRole('heading', { level: 1, name: 'first' }).waitFor()
      await page.getByRole('status').getByText('answers', { exact: true }).waitFor()
      await row(page, 'first-web').getByText('new', { exact: true }).waitFor()
      await row(page, 'first-web').getByText('Debian 13').waitFor()
      await expectReadable(page)
      expect(await findDevice('first-web')).toBeUndefined()
      await page.getByRole('button', { name: 'Apply all' }).click()
      await toast(page, 'Applied 2 changes').waitFor()
      await page.getByText('Nothing differs').waitFor()
      const device = await findDevice('first-web')
      expect(device?.os).toBe('Debian 13')
      await page.getByRole('button', { name: 'Undo' }).click()
      await toast(page, 'Undone').waitFor()
      expect(await findDevice('first-web')).toBeUndefined()
    },
    { as: 'admin' },
  ))

test('a source that can not be read says why, and changes nothing', () =>
  it.visit(
    async ({ page, openWhole }) => {
      const { id } = await it.plat.api.sources.create({ name: 'closed', kind: 'document', url: getUrl('/closed') })
      await eventually(async () => (await it.plat.api.sources.get({ id })).status, 'failed')
      await openWhole(`/sources/${id}`)
      await page.getByRole('status').getByText('401').waitFor()
      await tab(page, 'Runs').click()
      const runs = page.getByRole('grid', { name: 'Runs' })
      await runs.getByText('failed').first().waitFor()
      await runs.getByRole('link').first().click()
      await page.getByRole('dialog').getByText('Check the secret in its settings.').waitFor()
      await expectReadable(page)
    },
    { as: 'admin' },
  ))

test('a test without a connection says why', () =>
  it.visit(
    async ({ page, open }) => {
      const url = getUrl('/absent')
      const { id } = await it.plat.api.sources.create({ name: 'absent', kind: 'document', url, interval_minutes: 0 })
      await open(`/sources/${id}`)
      await page.getByRole('button', { name: 'Test', exact: true }).click()
      await page.getByRole('alert').getByText('no connection').waitFor()
      await page.getByRole('alert').getByText('401').waitFor()
    },
    { as: 'operator', expected: ['502 /api/sources/'] },
  ))

test('a certificate that signs itself is trusted by its fingerprint', () => {
  const tls = createCertificate({ name: 'lab', alternatives: 'IP:127.0.0.1' })
  const lab = Bun.serve({ hostname: '127.0.0.1', port: 0, tls, fetch: () => Response.json({ devices: [] }) })
  const fingerprint = new X509Certificate(tls.cert).fingerprint256
  return it
    .visit(
      async ({ page, open }) => {
        const terms = { kind: 'document', url: lab.url.href, interval_minutes: 0 } as const
        const { id } = await it.plat.api.sources.create({ name: 'signed by itself', ...terms })
        await open(`/sources/${id}`)
        await page.getByRole('button', { name: 'Test', exact: true }).click()
        await page.getByRole('alert').getByText(fingerprint).waitFor()
        await expectReadable(page)
        await page.getByRole('button', { name: 'Trust this certificate' }).click()
        await page.getByRole('status').getByText('answers', { exact: true }).waitFor()
        expect((await it.plat.api.sources.get({ id })).tls_fingerprint).toBe(fingerprint)
      },
      { as: 'admin', expected: ['502 /api/sources/'] },
    )
    .finally(() => lab.stop(true))
})

test('a value that a person has changed is kept, until the value of the source is taken', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await addSource('kept', [{ name: 'kept-web', os: 'Debian 12' }])
      await it.plat.api.sources.apply({ id })
      const device = await findDevice('kept-web')
      await it.plat.api.devices.update({ id: device?.id ?? '', os: 'NixOS' })
      documents.set('/kept', [{ name: 'kept-web', os: 'Debian 13' }])
      await readSource(id)
      await open(`/sources/${id}`)
      await row(page, 'kept-web').getByText('NixOS stays').waitFor()
      await expectReadable(page)
      await page.getByRole('checkbox', { name: 'Select kept-web' }).check()
      await page.getByRole('button', { name: 'Take the source’s value' }).click()
      await toast(page, 'Applied 1 change').waitFor()
      expect((await findDevice('kept-web'))?.os).toBe('Debian 13')
    },
    { as: 'admin' },
  ))

test('an object in doubt is linked to the device that it is', () =>
  it.visit(
    async ({ page, open }) => {
      const device = await it.plat.api.devices.create({ name: 'doubt-web' })
      const { id } = await addSource('doubt', [{ name: 'doubt-web', os: 'Debian 13' }])
      await open(`/sources/${id}`)
      await row(page, 'doubt-web').getByText('unclear', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Link doubt-web' }).click()
      const dialog = page.getByRole('dialog', { name: 'Which device is doubt-web?' })
      await dialog.getByRole('combobox', { name: 'Device in Plat' }).fill('doubt')
      await page.getByRole('option', { name: 'doubt-web' }).first().click()
      await expectReadable(page)
      await dialog.getByRole('button', { name: 'Link', exact: true }).click()
      await toast(page, 'Linked').waitFor()
      await eventually(async () => {
        const [object] = await it.plat.api.sources.objects({ source_id: id })
        return object?.object_id
      }, device.id)
    },
    { as: 'admin' },
  ))

test('a source that is kept in sync applies its next run by itself, and its device shows its state', () =>
  it.visit(
    async ({ page, open, openWhole }) => {
      const { id } = await addSource('synced', [{ name: 'synced-web', os: 'Debian 12' }])
      await open(`/sources/${id}`)
      await page.getByRole('button', { name: 'Apply and keep in sync' }).click()
      await toast(page, 'Applied 1 change').waitFor()
      await eventually(async () => (await it.plat.api.sources.get({ id })).mode, 'auto')
      documents.set('/synced', [{ name: 'synced-web', os: 'Debian 13' }])
      await readSource(id)
      const device = await findDevice('synced-web')
      expect(device?.os).toBe('Debian 13')
      await openWhole(`/devices/${device?.id}`)
      await page.getByText('Made by a source; your changes stay.').waitFor()
      const card = page.getByRole('heading', { name: 'Said by sources' }).locator('xpath=../..')
      await card.getByText('in sync').waitFor()
      await expectReadable(page)
      await card.getByRole('link', { name: 'synced' }).click()
      await page.getByRole('dialog', { name: 'synced-web' }).getByText('in sync').waitFor()
    },
    { as: 'admin' },
  ))

test('an answer without the rows of before changes nothing, and says so', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await addSource('emptied', [{ name: 'emptied-web' }])
      await it.plat.api.sources.apply({ id })
      documents.set('/emptied', [])
      await readSource(id)
      await open('/sources')
      await row(page, 'emptied').getByText('failed', { exact: true }).waitFor()
      await open(`/sources/${id}?tab=runs`)
      await page.getByRole('grid', { name: 'Runs' }).getByText('failed').first().waitFor()
      expect(await findDevice('emptied-web')).toBeDefined()
    },
    { as: 'viewer' },
  ))

const buildDevices = (name: string, count: number): Device[] =>
  Array.from({ length: count }, (_, at) => ({ name: `${name}-${at}` }))
const GONE = { when_gone: 'delete', gone_after_hours: 0 } as const

test('a source of which too much is gone is applied only after a person confirms the numbers', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await addSource('shrunk', buildDevices('shrunk', 10), GONE)
      await it.plat.api.sources.apply({ id })
      documents.set('/shrunk', buildDevices('shrunk', 6))
      await readSource(id)
      await open(`/sources/${id}`)
      await page.getByRole('status').getByText('4 of 10 devices are gone').waitFor()
      await row(page, 'shrunk-9').getByText('delete', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Apply all' }).click()
      const dialog = page.getByRole('dialog', { name: 'Apply although so much is gone?' })
      await dialog.getByText('4 of 10 devices are gone').waitFor()
      await expectReadable(page)
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      expect(await findDevice('shrunk-9')).toBeDefined()
      await page.getByRole('button', { name: 'Apply all' }).click()
      await dialog.getByRole('button', { name: 'Apply anyway' }).click()
      await toast(page, 'Applied 4 changes').waitFor()
      await page.getByText('Nothing differs').waitFor()
      expect(await findDevice('shrunk-9')).toBeUndefined()
      expect(await findDevice('shrunk-0')).toBeDefined()
    },
    { as: 'admin', expected: ['409 /api/sources/'] },
  ))

test('a held source that is kept in sync goes on once a person accepts what is gone', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await addSource('accepted', buildDevices('accepted', 10), { ...GONE, mode: 'auto' })
      documents.set('/accepted', buildDevices('accepted', 5))
      await readSource(id)
      expect(await findDevice('accepted-9')).toBeDefined()
      await open(`/sources/${id}`)
      await page.getByRole('status').getByText('5 of 10 devices are gone').waitFor()
      await expectReadable(page)
      await page.getByRole('button', { name: 'Read again and accept it' }).click()
      await page.getByText('Nothing differs').waitFor()
      expect(await findDevice('accepted-9')).toBeUndefined()
      expect((await it.plat.api.sources.get({ id })).status).toBe('ok')
    },
    { as: 'operator' },
  ))

testAll('a selection that is too large for one call says so, and is applied in portions', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await addSource('large', buildDevices('large', 1002))
      await open(`/sources/${id}`)
      for (const shown of [400, 600, 800, 1000, 1002]) {
        await page.getByRole('button', { name: 'Show more' }).click()
        await eventually(() => page.getByRole('checkbox', { name: /^Select large-/ }).count(), shown)
      }
      await page.getByRole('checkbox', { name: 'Select all' }).check()
      await page.getByText('1,000 at once; the others stay selected.').waitFor()
      await page.getByRole('button', { name: 'Apply 1,000 of 1,002' }).click()
      await toast(page, 'Applied 1,000 changes').waitFor()
      await page.getByRole('button', { name: 'Apply 2', exact: true }).click()
      await toast(page, 'Applied 2 changes').waitFor()
      await page.getByText('Nothing differs').waitFor()
    },
    { as: 'admin' },
  ),
)

test('the settings of a source are changed in its form, and a wrong one is named at its field', () =>
  it.visit(
    async ({ page, openWhole }) => {
      const { id } = await addSource('settled', [{ name: 'settled-web' }])
      await openWhole(`/sources/${id}?tab=settings`)
      const interval = page.getByRole('textbox', { name: 'Minutes between runs' })
      await interval.fill('3')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('must be 0, or 5-10080').waitFor()
      await interval.fill('15')
      await page.getByRole('textbox', { name: 'Leave out' }).fill('test-*\ntag:lab')
      await page.getByRole('button', { name: 'Add a place' }).click()
      await page.getByRole('textbox', { name: 'Pattern 1' }).fill('DC1/*')
      await page.getByRole('button', { name: 'Save' }).click()
      await toast(page, 'Saved settled').waitFor()
      const source = await it.plat.api.sources.get({ id })
      expect([source.interval_minutes, source.exclude, source.places.length]).toEqual([15, ['test-*', 'tag:lab'], 1])
      await expectReadable(page)
    },
    { as: 'admin', expected: ['400 /api/sources/'] },
  ))

test('a pushed source shows its command, and an operator sees which permission a change needs', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.sources.create({ name: 'pushed', kind: 'libvirt' })
      await open(`/sources/${id}`)
      await page.getByText(`plat source push ${id}`).waitFor()
      await open('/sources')
      await page.getByRole('button', { name: 'New source' }).first().hover()
      await page.getByRole('tooltip').getByText('sources:create').waitFor()
    },
    { as: 'operator' },
  ))

test('a source is deleted with the objects that it made', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await addSource('ended', [{ name: 'ended-web' }])
      await it.plat.api.sources.apply({ id })
      await open(`/sources/${id}`)
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Delete source' }).click()
      await page.getByRole('radio', { name: /^Delete its objects too/ }).check()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete source' }).click()
      await page.getByRole('heading', { level: 1, name: 'Sources' }).waitFor()
      expect(await findDevice('ended-web')).toBeUndefined()
    },
    { as: 'admin' },
  ))
