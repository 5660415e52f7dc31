/** Every page in both themes: nothing against WCAG 2.2 AA, nothing wider than the window. */
import { expect, test } from 'bun:test'
import { axeFindings, world } from './harness.ts'

const it = world({ devices: 300 })

const idsOf = async () => {
  const [[device], [network], [pool]] = await Promise.all([
    it.plat.api.devices.list({ limit: 1 }),
    it.plat.api.networks.list({ limit: 1 }),
    it.plat.api.pools.all({ limit: 1 }),
  ])
  return { device: device?.id ?? '', network: network?.id ?? '', pool: pool?.id ?? '' }
}

type Ids = Awaited<ReturnType<typeof idsOf>>

const PAGES: readonly (readonly [string, (ids: Ids) => string])[] = [
  ['overview', () => '/'],
  ['account', () => '/account'],
  ['datacenters', () => '/datacenters'],
  ['networks', () => '/networks'],
  ['networks, flat', () => '/networks?view=flat'],
  ['network', ({ network }) => `/networks/${network}`],
  ['new network', () => '/networks?new=1'],
  ['pools', () => '/pools'],
  ['pool', ({ pool }) => `/pools/${pool}`],
  ['reservations', () => '/reservations'],
  ['devices', () => '/devices?q=tag:production'],
  ['devices, none', () => '/devices?q=nothing-like-this'],
  ['new device', () => '/devices?new=1'],
  ['device', ({ device }) => `/devices/${device}`],
  ['addresses', ({ device }) => `/devices/${device}?tab=addresses`],
  ['relationships', ({ device }) => `/devices/${device}?tab=relationships`],
  ['history', ({ device }) => `/devices/${device}?tab=history`],
  ['no such page', () => '/nowhere'],
]

test.each(PAGES)('%s', async (_, pathOf) => {
  const path = pathOf(await idsOf())
  await it.visit(
    async ({ page }) => {
      await page.goto(path)
      await page.locator('h1, h2').first().waitFor()
      await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
      const isNoWider = () => page.evaluate('document.documentElement.scrollWidth <= innerWidth')
      expect(await isNoWider()).toBe(true)
      expect(await axeFindings(page)).toEqual([])
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.setViewportSize({ width: 390, height: 844 })
      expect(await isNoWider()).toBe(true)
      expect(await axeFindings(page, 'look')).toEqual([])
    },
    { as: 'admin' },
  )
})

test('sign-in, in both themes', async () => {
  for (const theme of ['light', 'dark'] as const)
    await it.visit(
      async ({ page, open }) => {
        await open('/login')
        expect(await axeFindings(page)).toEqual([])
      },
      { theme },
    )
})

test('an object that is not there is said to be missing', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices/nothing')
      await page.getByText('There is no such device').waitFor()
      await open('/pools/nothing')
      await page.getByText('There is no such pool').waitFor()
    },
    { as: 'admin', expected: ['404 /api/devices/nothing'] },
  ))

test('the theme that was chosen is there from the first paint on', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      await page.getByRole('button', { name: 'Theme: system' }).click()
      await page.getByRole('menuitemradio', { name: 'Dark' }).click()
      await page.reload()
      expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
      expect(await page.evaluate('getComputedStyle(document.body).colorScheme')).toContain('dark')
    },
    { as: 'admin' },
  ))

test('the palette finds a page, an object and an action', () =>
  it.visit(
    async ({ page, open }) => {
      const [network] = await it.plat.api.networks.list({ limit: 1 })
      await open('/')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search or jump to' }).fill(network?.subnet ?? '')
      const found = page.getByRole('option', { name: network?.name ?? '' }).first()
      await found.waitFor()
      expect(await axeFindings(page)).toEqual([])
      await found.click()
      await page.getByRole('heading', { level: 1, name: network?.name ?? '' }).waitFor()
      await page.keyboard.press('g')
      await page.keyboard.press('p')
      await page.getByRole('heading', { level: 1, name: 'Pools' }).waitFor()
    },
    { as: 'admin' },
  ))

test('a server that is away is said to be, and then everything goes on', () =>
  it.visit(
    async ({ page, context, open }) => {
      await open('/reservations')
      await page.getByRole('grid').waitFor()
      await context.setOffline(true)
      await page.getByRole('link', { name: 'Overview', exact: true }).click()
      await page.getByText('The server does not answer.').first().waitFor()
      await context.setOffline(false)
      await page.getByText('Fullest networks').waitFor()
      await page.getByRole('meter').first().waitFor()
    },
    { as: 'admin' },
  ))
