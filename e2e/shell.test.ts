/** The frame around the pages: the navigation, the menu of the user, and the theme from the first paint on. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { axeFindings, eventually, world } from './harness.ts'

const it = world({ devices: 0 })

const main = (page: Page) => page.getByRole('navigation', { name: 'Main' })
const pages = (page: Page) => page.getByRole('navigation', { name: 'Pages' })

const ENTRIES = [
  ...['Overview', 'Inbox', 'Networks', 'Pools', 'DNS', 'Devices', 'Sites and racks', 'Cables', 'Topology', 'Scans'],
  ...[
    'Sources',
    'Discovered devices',
    'Proposals',
    'History',
    'Audit log',
    'Import',
    'Feeds and webhooks',
    'AI clients',
  ],
]

/** Returns the text of the entry that is marked. */
const readCurrent = (page: Page): Promise<string[]> => main(page).locator('[aria-current=page]').allInnerTexts()

test('at 1366 x 768 all entries, the settings, the help and the user are visible, and nothing scrolls', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      const links = main(page).getByRole('listitem').getByRole('link')
      expect(await links.allInnerTexts()).toEqual(ENTRIES)
      const below = [
        main(page).getByRole('link', { name: 'Settings' }),
        main(page).getByRole('button', { name: 'Help' }),
        main(page).getByRole('button', { name: 'admin' }),
      ]
      for (const one of [...(await links.all()), ...below]) {
        const box = await one.boundingBox()
        expect(box?.y).toBeGreaterThan(0)
        expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(768)
      }
      const scrolling = `[...document.querySelectorAll('nav, nav *')].filter((one) => one.scrollHeight > one.clientHeight + 1
        && getComputedStyle(one).overflowY === 'auto').length`
      expect(await page.evaluate<number>(scrolling)).toBe(0)
    },
    { as: 'admin', width: 1366, height: 768 },
  ))

test.each([
  ['/conflicts', 'Inbox', ['Discovered', 'Conflicts', 'Reports']],
  ['/vlans', 'Networks', ['Networks', 'VLANs', 'Address spaces']],
  ['/reservations', 'Pools', ['Pools', 'Reservations']],
  ['/device-types', 'Devices', ['Devices', 'Device types']],
  ['/racks', 'Sites and racks', ['Datacenters', 'Racks']],
  ['/rules', 'Scans', ['Scans', 'Schedules', 'Scanners']],
  ['/webhooks', 'Feeds and webhooks', ['Feeds', 'Webhooks']],
] as const)('%s is a page of the entry %s, whose pages stand below its head', (path, entry, texts) =>
  it.visit(
    async ({ page, open }) => {
      await open(path)
      expect(await readCurrent(page)).toEqual([entry])
      expect(await pages(page).getByRole('link').allInnerTexts()).toEqual([...texts])
      expect(await pages(page).locator('[aria-current=page]').getAttribute('href')).toBe(path)
      await pages(page).getByRole('link').first().click()
      await eventually(() => pages(page).locator('[aria-current=page]').innerText(), texts[0])
      expect(await readCurrent(page)).toEqual([entry])
    },
    { as: 'admin' },
  ),
)

test('the page of an object has its entry marked, and no links to other pages of the entry', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.racks.create({ name: 'marked', height: 42 })
      await open(`/racks/${id}`)
      expect(await readCurrent(page)).toEqual(['Sites and racks'])
      expect(await pages(page).count()).toBe(0)
    },
    { as: 'admin' },
  ))

test('the number at the inbox is what waits, follows the live feed, and is absent at 0', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      await open('/')
      await main(page).getByRole('link', { name: 'Inbox', exact: true }).waitFor()
      const network = await api.networks.create({ name: 'waiting', subnet: '10.77.0.0/24' })
      const hosts = [1, 2, 3].map((last) => ({ ip: `10.77.0.${last}`, mac_address: `00:00:0c:77:00:0${last}` }))
      await api.scans.record({ id: network.id, hosts })
      await main(page).getByRole('link', { name: 'Inbox, 3 waiting' }).waitFor()
      expect(await axeFindings(page)).toEqual([])
    },
    { as: 'admin' },
  ))

test('the number at the inbox has the active conflicts, and is 99+ above 99', () =>
  it.visit(
    async ({ page, open }) => {
      const counts = { new: 90, changed: 3, gone: 2, conflict: 1, ignored: 7, inventory_conflicts: 4 }
      await page.route('**/api/discovery/inbox/summary', (route) => route.fulfill({ json: counts }))
      await open('/')
      await main(page).getByRole('link', { name: 'Inbox, 100 waiting' }).waitFor()
      const shown = await page.evaluate<string>(
        `getComputedStyle(document.querySelector('[data-waiting]'), '::after').content`,
      )
      expect(shown).toContain('99+')
    },
    { as: 'admin' },
  ))

test('the settings begin at their first page, list the others, and g with a comma leads to them', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      await page.keyboard.press('g')
      await page.keyboard.press(',')
      await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
      expect(new URL(page.url()).pathname).toBe('/users')
      const settings = page.getByRole('navigation', { name: 'Settings' })
      await settings.getByRole('link', { name: 'System' }).waitFor()
      expect(await settings.getByRole('link').allInnerTexts()).toEqual([
        ...['Users', 'Groups', 'Roles', 'Scopes', 'Single sign-on', 'Policies'],
        ...['API keys', 'OAuth clients', 'Device credentials', 'Custom fields', 'System'],
      ])
      expect(await readCurrent(page)).toEqual(['Settings'])
      await settings.getByRole('link', { name: 'Custom fields' }).click()
      await page.getByRole('heading', { level: 1, name: 'Custom fields' }).waitFor()
      expect(await settings.locator('[aria-current=page]').allInnerTexts()).toEqual(['Custom fields'])
      expect(await axeFindings(page)).toEqual([])
    },
    { as: 'admin' },
  ))

test('the menu of the user says which roles count where', () =>
  it.visit(
    async ({ page, open }) => {
      const { api } = it.plat
      const [viewer] = await api.users.list({ username: 'viewer' })
      const { id } = await api.datacenters.create({ name: 'Frankfurt 1' })
      const scope = await api.scopes.create({ name: 'Frankfurt', datacenter_ids: [id] })
      const grant = { role_id: 'operator', user_id: viewer?.id ?? '', scope_id: scope.id }
      const { id: made } = await api.grants.create(grant)
      await open('/networks')
      await main(page).getByRole('button', { name: 'viewer' }).click()
      await page.getByRole('group', { name: 'operator in Frankfurt only, viewer everywhere' }).waitFor()
      await page.getByRole('menuitem', { name: 'Your account' }).click()
      await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
      await page.getByRole('main').getByText('operator in Frankfurt only', { exact: true }).waitFor()
      await api.grants.delete({ id: made })
    },
    { as: 'viewer' },
  ))

test('the help leads to the documentation, the description of the API and the keys', () =>
  it.visit(
    async ({ page, context, open }) => {
      await open('/')
      await main(page).getByRole('button', { name: 'Help' }).click()
      const read = context.waitForEvent('page')
      await page.getByRole('menuitem', { name: 'Documentation' }).click()
      await (await read).waitForURL('**/help/')
      await main(page).getByRole('button', { name: 'Help' }).click()
      const opened = context.waitForEvent('page')
      await page.getByRole('menuitem', { name: 'API reference' }).click()
      await (await opened).waitForURL('**/api/docs')
      await main(page).getByRole('button', { name: 'Help' }).click()
      await page.getByRole('menuitem', { name: 'Keyboard' }).click()
      await page.getByRole('dialog', { name: 'Keyboard' }).getByText('Go to settings').waitFor()
    },
    { as: 'admin' },
  ))

test('a phone has a bar with words, and a dialog with the rest', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices')
      const bar = main(page)
      await bar.getByRole('button', { name: 'More' }).waitFor()
      expect((await bar.innerText()).split(/\s+/)).toEqual(['Search', 'Networks', 'Devices', 'Racks', 'More'])
      expect(await readCurrent(page)).toEqual(['Devices'])
      for (const one of await bar.locator('a, button').all())
        expect((await one.boundingBox())?.height).toBeGreaterThanOrEqual(44)
      await bar.getByRole('button', { name: 'More' }).click()
      const dialog = page.getByRole('dialog', { name: 'More' })
      const rest = ENTRIES.filter((text) => text !== 'Networks' && text !== 'Devices')
      const texts = await dialog.getByRole('link').evaluateAll((all) => all.map(({ title }) => title))
      expect(texts).toEqual([...rest, 'Settings'])
      expect((await dialog.boundingBox())?.height).toBe(844)
      expect(await axeFindings(page)).toEqual([])
      await dialog.getByRole('link', { name: 'Pools' }).click()
      await page.getByRole('heading', { level: 1, name: 'Pools' }).waitFor()
      await dialog.waitFor({ state: 'detached' })
      await bar.getByRole('button', { name: 'Search' }).click()
      await page.getByRole('combobox', { name: 'Search or jump to' }).waitFor()
    },
    { as: 'admin', width: 390, height: 844 },
  ))

test('an unknown path has the navigation and a heading', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/nowhere/at/all')
      await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
      await main(page).getByRole('link', { name: 'Networks' }).click()
      await page.getByRole('heading', { level: 1, name: 'Networks' }).waitFor()
    },
    { as: 'admin', expected: ['404 /nowhere/at/all'] },
  ))

test('the page has no frame around it after a key has led to it', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      await page.keyboard.press('g')
      await page.keyboard.press('p')
      await page.getByRole('heading', { level: 1, name: 'Pools' }).waitFor()
      await eventually(() => page.evaluate('document.activeElement.id'), 'content')
      expect(await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle')).toBe('none')
    },
    { as: 'admin' },
  ))

const choose = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: 'admin' }).click()
  await page.getByRole('menuitemradio', { name }).click()
  await page.keyboard.press('Escape')
}

const GROUND = `(() => {
  const context = document.createElement('canvas').getContext('2d')
  context.fillStyle = getComputedStyle(document.body).backgroundColor
  context.fillRect(0, 0, 1, 1)
  return context.getImageData(0, 0, 1, 1).data[1]
})()`

/** The lightness of the background, 0 to 255. */
const ground = (page: Page): Promise<number> => page.evaluate<number>(GROUND)

test('the theme is that of the system, also when it changes', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      expect(await ground(page)).toBeGreaterThan(200)
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await ground(page)).toBeLessThan(60)
    },
    { as: 'admin' },
  ))

test.each([
  ['Dark', 'light', (light: number) => light < 60],
  ['Light', 'dark', (light: number) => light > 200],
] as const)('the theme that was chosen, %s, holds against the system and after a reload', (name, system, isRight) =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      await choose(page, name)
      expect(isRight(await ground(page))).toBe(true)
      await page.reload()
      await page.locator('h1').waitFor()
      expect(isRight(await ground(page))).toBe(true)
      await choose(page, 'As the system')
      expect(isRight(await ground(page))).toBe(false)
    },
    { as: 'admin', theme: system },
  ),
)

test('the theme is set before the first paint', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      await choose(page, 'Dark')
      // The script is blocked, so that the page shows its state on a slow connection.
      await page.route(/assets\/index-.*\.js/, () => {})
      await page.goto('/', { waitUntil: 'commit' })
      await eventually(() => page.evaluate('document.body !== null && document.styleSheets.length > 0'), true)
      expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
      expect(await ground(page)).toBeLessThan(60)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    },
    { as: 'admin' },
  ))
