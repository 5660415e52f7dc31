/** Scanners from the first one to a scan of its network, with the real program that a user starts. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { takeOneIn } from '../testing/cases.ts'
import { type ScannerChild, type ScannerFolder, scannerFolder } from '../testing/servers/scanner-child.ts'
import { DISCOVERY, startHosts, untilScanned } from './discovery-seed.ts'
import { choose, eventually, openMore, world } from './harness.ts'
import { expectReadable } from './readable.ts'
import { seedScanner } from './scanner-seed.ts'

const it = world({
  devices: 0,
  // An enrolment counts as a sign-in.
  env: { ...DISCOVERY, SCANNER_OFFLINE_AFTER: '5s', LOGIN_RATE_LIMIT_REQUESTS: '1000' },
})

const START_MS = 60_000
/** Their processes are ended after the tests. */
const folders: ScannerFolder[] = []
let endHosts = async () => {}
beforeAll(async () => {
  endHosts = await startHosts()
}, START_MS)
afterAll(async () => {
  await Promise.all(folders.map((one) => one.remove()))
  await endHosts()
}, START_MS)

/** Starts a scanner as users do, with a state of its own. */
const start = (token: string): ScannerChild => {
  const folder = scannerFolder()
  folders.push(folder)
  return folder.start(['--url', it.plat.url, '--token', token])
}

/** Makes a scanner, starts it, and waits until it is online. */
const addScanner = async (name: string, tags: string[] = []) => {
  const { id, enrolment_token } = await it.plat.api.scanners.create({ name, tags })
  const program = start(enrolment_token)
  await eventually(async () => (await it.plat.api.scanners.get({ id })).status, 'online')
  return { id, program }
}

const dialog = (page: Page) => page.getByRole('dialog')
const badge = (page: Page, text: string) => page.getByRole('main').getByText(text, { exact: true }).first()

test(
  'a new scanner is named, started by the shown command, and comes online by itself; its network is scanned by it',
  () =>
    it.visit(
      async ({ page, open }) => {
        await it.plat.api.networks.create({ name: 'branch lan', subnet: '127.90.0.0/28' })
        await open('/scanners')
        await page.getByText('connects to this server').waitFor()
        await page.getByRole('main').getByRole('button', { name: 'New scanner' }).last().click()
        await page.getByRole('textbox', { name: 'Name' }).fill('oslo')
        await page.getByRole('textbox', { name: 'Tags' }).fill('branch')
        await openMore(page)
        await page.getByText('encrypted for this scanner only').waitFor()
        await page.getByRole('button', { name: 'Create scanner' }).click()
        await page.getByRole('dialog', { name: 'Start oslo' }).waitFor()
        await dialog(page).getByText('Waiting for oslo').waitFor()
        await dialog(page).getByRole('button', { name: 'Docker' }).click()
        await dialog(page).getByText('docker run').waitFor()
        await dialog(page).getByRole('button', { name: 'Shell' }).click()
        const command = await dialog(page).locator('pre').innerText()
        const [, url = '', token = ''] = /^plat scanner run --url (\S+) --token (\S+)$/.exec(command) ?? []
        expect(url).toBe(it.plat.url)
        start(token)
        await dialog(page).getByText('is online').waitFor()
        await dialog(page).getByRole('button', { name: 'Choose its networks' }).click()
        await page.getByRole('heading', { level: 1, name: 'oslo' }).waitFor()
        await badge(page, 'online').waitFor()
        await page.getByRole('link', { name: 'All networks that it scans' }).click()
        await choose(page.getByRole('combobox', { name: 'Another network' }), 'branch lan')
        await page.getByRole('button', { name: 'Scan it from here' }).click()
        await page.getByRole('grid').getByText('branch lan').waitFor()
        await page.getByRole('grid').getByRole('link', { name: '127.90.0.0/28' }).click()
        await page.getByRole('heading', { level: 1, name: 'branch lan' }).waitFor()
        await page.getByRole('button', { name: 'Scan', exact: true }).click()
        await dialog(page).getByText('Scanned by oslo.').waitFor()
        await page.getByRole('button', { name: 'Start scan' }).click()
        await page.getByRole('heading', { level: 1, name: 'Scan of branch lan' }).waitFor()
        await badge(page, 'completed').waitFor({ timeout: START_MS })
        await page.getByText('quick scan by oslo').waitFor()
        await page.getByText('14 addresses').first().waitFor()
        await open('/scans')
        await page.getByRole('grid').getByRole('gridcell', { name: 'oslo', exact: true }).waitFor()
        await open('/networks')
        await page.getByRole('treegrid').getByText('oslo', { exact: true }).waitFor()
      },
      { as: 'admin' },
    ),
  2 * START_MS,
)

test(
  'a network is given to a scanner by a tag of it in the form, and a scan waits for it while it is away',
  () =>
    it.visit(
      async ({ page, open }) => {
        const { id, program } = await addScanner('bergen', ['coast'])
        await program.stop()
        const network = await it.plat.api.networks.create({ name: 'coast lan', subnet: '127.91.0.0/28' })
        await open(`/networks/${network.id}?edit=${network.id}`)
        const label = page.getByRole('combobox', { name: 'Scanner' })
        await choose(label, 'coast')
        await dialog(page).getByText('Its scanner is not online: a scan waits for it.').waitFor()
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByRole('main').getByRole('link', { name: 'coast', exact: true }).waitFor()
        await page.getByRole('button', { name: 'Scan', exact: true }).click()
        await page.getByRole('button', { name: 'Start scan' }).click()
        await page.getByRole('heading', { level: 1, name: 'Scan of coast lan' }).waitFor()
        await page.getByText('Waits for coast').waitFor()
        await open('/')
        await page.getByRole('main').getByText('scanner is offline').waitFor()
        await open(`/scanners/${id}`)
        await page.getByText('It is not heard.').waitFor()
        await it.plat.api.networks.delete({ id: network.id })
      },
      { as: 'admin' },
    ),
  2 * START_MS,
)

test('a scanner takes over a network that it is in, and documents another', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const links = ['198.18.7.0/24', '198.18.8.0/24']
      const id = await seedScanner(it.plat, { name: 'bodo', links })
      const known = await api.networks.create({ name: 'known lan', subnet: '198.18.7.0/24' })
      await open(`/scanners/${id}`)
      const line = (subnet: string) => page.getByRole('listitem').filter({ hasText: subnet })
      await line('198.18.7.0/24').getByText('scanned by this server').waitFor()
      await page.getByRole('button', { name: 'Scan known lan from here' }).click()
      await line('198.18.7.0/24').getByText('scanned from here').waitFor()
      await page.getByRole('button', { name: 'Document 198.18.8.0/24' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill('new lan')
      await page.getByRole('button', { name: 'Create network' }).click()
      await line('198.18.8.0/24').getByText('scanned from here').waitFor()
      const made = (await api.networks.list({})).find(({ name }) => name === 'new lan')
      expect(made).toMatchObject({ subnet: '198.18.8.0/24', scanner: 'bodo' })
      await page.getByRole('link', { name: 'All networks that it scans' }).click()
      await page.getByRole('button', { name: 'Let this server scan known lan' }).click()
      await page.getByRole('gridcell', { name: 'known lan', exact: true }).waitFor({ state: 'detached' })
      expect((await api.networks.get({ id: known.id })).scanner).toBe('')
    },
    { as: 'admin' },
  ))

type Readable = readonly [string, (ids: { readonly scanner: string; readonly network: string }) => string, string]

/** Each with the button that opens its dialog; '' for none. */
const PAGES: readonly Readable[] = [
  ['scanners', () => '/scanners', ''],
  ['a scanner', ({ scanner }) => `/scanners/${scanner}`, ''],
  ['how to start a scanner', ({ scanner }) => `/scanners/${scanner}`, 'Enrol again'],
  ['the networks of a scanner', ({ scanner }) => `/scanners/${scanner}?tab=networks`, ''],
  ['the scans of a scanner', ({ scanner }) => `/scanners/${scanner}?tab=scans`, ''],
  ['the scanners of a network', ({ network }) => `/networks/${network}?tab=discovery`, ''],
  ['the form of a network', ({ network }) => `/networks/${network}?edit=${network}`, ''],
]

const seedPages = async () => {
  const { api } = it.plat
  const scanner = await seedScanner(it.plat, { name: 'hamar', tags: ['inland'], links: ['198.18.9.0/24'] })
  await api.scanners.revoke({ id: scanner })
  const { id: network } = await api.networks.create({ name: 'inland lan', subnet: '198.18.9.0/24', scanner: 'inland' })
  return { scanner, network }
}
/** Made by the first test that opens one of the pages, because the first journey has no scanner. */
let seeded: ReturnType<typeof seedPages> | undefined

test.each(takeOneIn(2, PAGES))('%s can be read', async (_, pathFor, opens) => {
  seeded ??= seedPages()
  const ids = await seeded
  await it.visit(
    async ({ page, openWhole }) => {
      await openWhole(pathFor(ids))
      if (opens !== '') {
        await page.getByRole('button', { name: opens }).click()
        await dialog(page).locator('pre').first().waitFor()
      }
      await expectReadable(page)
    },
    { as: 'admin' },
  )
})

test('a scan of a network is refused, if no scanner answers to its label, at the field of the network', () =>
  it.visit(
    async ({ page, open }) => {
      const network = await it.plat.api.networks.create({
        name: 'lost lan',
        subnet: '127.94.0.0/28',
        scanner: 'nobody',
      })
      await open(`/networks/${network.id}`)
      await page.getByRole('button', { name: 'Scan', exact: true }).click()
      await page.getByRole('button', { name: 'Start scan' }).click()
      const field = page.getByRole('combobox', { name: 'Network' })
      await eventually(() => field.getAttribute('aria-invalid'), 'true')
      await dialog(page).getByText('"nobody"').waitFor()
    },
    { as: 'operator', expected: ['400 /api/discovery/networks/'] },
  ))

test(
  'a revoked scanner says so, and is enrolled again',
  () =>
    it.visit(
      async ({ page, open }) => {
        const { id } = await addScanner('narvik')
        await open(`/scanners/${id}`)
        await page.getByRole('button', { name: 'More' }).click()
        await page.getByRole('menuitem', { name: 'Revoke…' }).click()
        await dialog(page).getByText('It can be enrolled again.').waitFor()
        await dialog(page).getByRole('button', { name: 'Revoke scanner' }).click()
        await badge(page, 'revoked').waitFor()
        await page.getByRole('button', { name: 'Enrol again' }).click()
        const command = await dialog(page).locator('pre').innerText()
        start(/--token (\S+)/.exec(command)?.[1] ?? '')
        await dialog(page).getByText('is online').waitFor()
        await dialog(page).getByRole('button', { name: 'Close' }).last().click()
        await badge(page, 'online').waitFor()
        await page
          .getByRole('navigation', { name: 'About this scanner' })
          .getByRole('link', { name: 'History' })
          .click()
        await page.getByRole('main').getByText('narvik').first().waitFor()
      },
      { as: 'admin' },
    ),
  2 * START_MS,
)

test(
  'the list of scanners follows their states by itself',
  () =>
    it.visit(
      async ({ page, openWhole }) => {
        const { enrolment_token } = await it.plat.api.scanners.create({ name: 'tromso' })
        await openWhole('/scanners')
        const row = page.getByRole('row').filter({ hasText: 'tromso' })
        await row.getByText('not started').waitFor()
        const program = start(enrolment_token)
        await row.getByText('online').waitFor()
        await program.stop()
        await row.getByText('offline').waitFor()
      },
      { as: 'operator' },
    ),
  START_MS,
)

test('a schedule listens between scans, and the list of schedules says so', () =>
  it.visit(
    async ({ page, open }) => {
      const network = await it.plat.api.networks.create({ name: 'heard lan', subnet: '127.95.0.0/28' })
      await open(`/rules?new=1&network=${network.id}`)
      await page.getByRole('checkbox', { name: 'Listen between scans' }).check()
      await page.getByRole('button', { name: 'Create schedule' }).click()
      const row = page.getByRole('row').filter({ hasText: 'heard lan' })
      await row.getByRole('gridcell', { name: 'yes' }).waitFor()
      const [rule] = (await it.plat.api.discoveryRules.list()).filter(({ network_id }) => network_id === network.id)
      expect(rule?.listen).toBe(true)
      await it.plat.api.discoveryRules.delete({ id: rule?.id ?? '' })
      await untilScanned(it.plat.api, network.id)
    },
    { as: 'operator' },
  ))

test('a scanner of the past has its name of then, and no state', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const { id } = await api.scanners.create({ name: 'named before' })
      const [change] = await api.history.list({ limit: 1 })
      await api.scanners.update({ id, name: 'named since' })
      await open(`/scanners/${id}?as_of=${change?.id}`)
      await page.getByRole('heading', { level: 1, name: 'named before' }).waitFor()
      expect(await page.getByText('not started').count()).toBe(0)
      await open(`/scanners?as_of=${change?.id}`)
      await page.getByRole('grid').getByText('named before').waitFor()
      expect(await page.getByText('not started').count()).toBe(0)
    },
    { as: 'viewer' },
  ))

test('a viewer reads a scanner, and sees which permission its actions need', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.scanners.create({ name: 'seen' })
      await open('/scanners')
      await page.getByRole('button', { name: 'New scanner' }).hover()
      await page.getByRole('tooltip').getByText('scanners:create').waitFor()
      await open(`/scanners/${id}`)
      const enrol = page.getByRole('button', { name: 'Show how to start it' })
      await enrol.hover()
      await page.getByRole('tooltip').getByText('scanners:update').waitFor()
      expect(await enrol.getAttribute('aria-disabled')).toBe('true')
    },
    { as: 'viewer' },
  ))
