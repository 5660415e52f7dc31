/** All pages in both themes: no violation of WCAG 2.2 AA or of a best practice, and no page wider than the window. */
import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { axeFindings, countRequests, world } from './harness.ts'
import { expectReadable } from './readable.ts'

const it = world({ devices: 300 })

const idsOf = async () => {
  const [[device], [network], [pool]] = await Promise.all([
    it.plat.api.devices.list({ limit: 1 }),
    it.plat.api.networks.list({ limit: 1 }),
    it.plat.api.pools.all({ limit: 1 }),
  ])
  const [datacenter] = await it.plat.api.datacenters.list({ limit: 1 })
  const [change] = await it.plat.api.history.list({ limit: 1, kind: 'device' })
  return {
    device: device?.id ?? '',
    network: network?.id ?? '',
    pool: pool?.id ?? '',
    datacenter: datacenter?.id ?? '',
    change: change?.id ?? '',
  }
}

/** The most requests of a page, including its files. A graph loads the rows of its devices after it is drawn. */
const MOST_REQUESTS = 12
const MOST_REQUESTS_OF_GRAPH = 13

type Ids = Awaited<ReturnType<typeof idsOf>>

const PAGES: readonly (readonly [string, (ids: Ids) => string])[] = [
  ['overview', () => '/'],
  ['account', () => '/account'],
  ['datacenters', () => '/datacenters'],
  ['datacenter', ({ datacenter }) => `/datacenters/${datacenter}`],
  ['networks of a datacenter', ({ datacenter }) => `/datacenters/${datacenter}?tab=networks`],
  ['datacenter as it is changed', ({ datacenter }) => `/datacenters/${datacenter}?edit=${datacenter}`],
  ['VLANs', () => '/vlans'],
  ['racks', () => '/racks'],
  ['device types', () => '/device-types'],
  ['networks', () => '/networks'],
  ['networks, flat', () => '/networks?view=flat'],
  ['network', ({ network }) => `/networks/${network}`],
  ['addresses of a network', ({ network }) => `/networks/${network}?tab=addresses`],
  ['pools of a network', ({ network }) => `/networks/${network}?tab=pools`],
  ['devices of a network', ({ network }) => `/networks/${network}?tab=devices`],
  ['history of a network', ({ network }) => `/networks/${network}?tab=history`],
  ['network as it is changed', ({ network }) => `/networks?edit=${network}`],
  ['new network', () => '/networks?new=1'],
  ['pools', () => '/pools'],
  ['pool', ({ pool }) => `/pools/${pool}`],
  ['reservations', () => '/reservations'],
  ['devices', () => '/devices?q=tag:production'],
  ['devices, none', () => '/devices?q=nothing-like-this'],
  ['new device', () => '/devices?new=1'],
  ['device as it is changed, over the list', ({ device }) => `/devices?edit=${device}`],
  ['device as it is changed', ({ device }) => `/devices/${device}?edit=${device}`],
  ['device', ({ device }) => `/devices/${device}`],
  ['addresses', ({ device }) => `/devices/${device}?tab=addresses`],
  ['relationships', ({ device }) => `/devices/${device}?tab=relationships`],
  ['history', ({ device }) => `/devices/${device}?tab=history`],
  ['no ports', ({ device }) => `/devices/${device}?tab=ports`],
  ['no cables', () => '/cables'],
  ['new cable', () => '/cables?new=1'],
  ['history of a pool', ({ pool }) => `/pools/${pool}?tab=history`],
  ['changes', () => '/history'],
  ['changes, filtered', ({ change }) => `/history?kind=device&from=${change}`],
  ['one change', ({ change }) => `/history/${change}`],
  ['two moments', () => '/history/diff'],
  ['the difference of two moments', ({ change }) => `/history/diff?from=${change}`],
  ['devices as of a moment', ({ change }) => `/devices?as_of=${change}`],
  ['network as of a moment', ({ network, change }) => `/networks/${network}?as_of=${change}`],
  ['pool as of a moment', ({ pool, change }) => `/pools/${pool}?as_of=${change}`],
  ['no scanners', () => '/scanners'],
  ['no sources', () => '/sources'],
  ['kinds of sources', () => '/sources?new=1'],
  ['new source', () => '/sources?new=proxmox'],
  ['no past', ({ change }) => `/scans?as_of=${change}`],
  ['no proposals', () => '/proposals'],
  ['request', () => '/request'],
  ['no policies', () => '/policies'],
  ['new policy', () => '/policies?new=1'],
  ['system', () => '/system'],
  ['topology', () => '/topology'],
  ['graph of a device', ({ device }) => `/topology?focus=${device}`],
  ['no such page', () => '/nowhere'],
]

const expectPage = (path: string) =>
  it.visit(
    async ({ page, requests, openWhole }) => {
      await openWhole(path)
      const isGraph = path.startsWith('/topology')
      expect(countRequests(requests)).toBeLessThanOrEqual(isGraph ? MOST_REQUESTS_OF_GRAPH : MOST_REQUESTS)
      await expectReadable(page)
    },
    { as: 'admin', expected: ['404 /nowhere'] },
  )

test.each(PAGES)('%s', async (_, pathOf) => expectPage(pathOf(await idsOf())))

// Behind the others: each page of a device shows its sources once there are some.
test.each(['changes', 'objects', 'runs', 'settings'])('%s of a source', async (tab) => {
  const [known] = await it.plat.api.sources.list()
  const { id } = known ?? (await it.plat.api.sources.create({ name: 'lab', kind: 'docker' }))
  await expectPage(`/sources/${id}?tab=${tab}`)
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

test('the palette finds a port by a part of its MAC, shows its device, and opens its page', () =>
  it.visit(
    async ({ page, open }) => {
      const [device] = await it.plat.api.devices.list({ limit: 1 })
      const port = { device_id: device?.id ?? '', name: 'Sought1/7', mac_address: '02:7f:3a:b5:c6:d9' }
      const { id } = await it.plat.api.ports.create(port)
      await open('/')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search or jump to' }).fill('7f3a.b5')
      const found = page.getByRole('option', { name: 'Sought1/7' })
      await found.getByText(`${device?.name} · 02:7f:3a:b5:c6:d9`).waitFor()
      await found.click()
      await page.waitForURL(`**/ports/${id}`)
      await it.plat.api.ports.delete({ id })
    },
    { as: 'admin' },
  ))

test('a key after g may be a capital letter', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      await page.keyboard.press('g')
      // Presses Shift before the letter, as people do.
      await page.keyboard.press('Shift+C')
      await page.getByRole('heading', { level: 1, name: 'Cables' }).waitFor()
    },
    { as: 'admin' },
  ))

describe('the documentation', () => {
  const read = async (path: string) => {
    const answer = await fetch(new URL(path, it.plat.url), { headers: { accept: 'text/html' } })
    return { status: answer.status, text: await answer.text() }
  }
  const listValues = (text: string, name: string): string[] =>
    [...text.matchAll(new RegExp(` ${name}="([^"]+)"`, 'g'))].map(([, value = '']) => value)

  test('has each document, and its links and pictures lead to what is there', async () => {
    const documents = readdirSync(join(import.meta.dir, '..', 'docs')).filter((file) => file.endsWith('.md'))
    const pages = documents.map((file) => (file === 'README.md' ? '/help/' : `/help/${file.slice(0, -3)}`))
    const texts = new Map<string, string>()
    for (const path of pages) {
      const { status, text } = await read(path)
      expect([path, status]).toEqual([path, 200])
      texts.set(path, text)
    }
    const broken: string[] = []
    for (const [path, text] of texts)
      for (const target of [...listValues(text, 'href'), ...listValues(text, 'src')]) {
        const { pathname, hash, origin } = new URL(target, new URL(path, 'http://here'))
        if (origin !== 'http://here' || pathname === '/' || pathname.startsWith('/api/')) continue
        const isThere = texts.has(pathname)
          ? hash === '' || listValues(texts.get(pathname) ?? '', 'id').includes(hash.slice(1))
          : (await fetch(new URL(pathname, it.plat.url))).ok
        if (!isThere) broken.push(`${path}: ${target}`)
      }
    expect(broken).toEqual([])
    expect(texts.size).toBeGreaterThan(25)
  })

  test.each(['light', 'dark'] as const)('is readable in a %s theme and on a phone, without script', (theme) =>
    it.visit(
      async ({ page, open, requests }) => {
        for (const width of [1440, 390]) {
          await page.setViewportSize({ width, height: 844 })
          for (const path of ['/help/', '/help/history', '/help/web']) {
            await open(path)
            expect(await axeFindings(page)).toEqual([])
            expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
          }
        }
        await page.getByRole('navigation', { name: 'Documentation' }).getByRole('link', { name: 'Sizing' }).click()
        await page.getByRole('heading', { name: 'Sizing', level: 1 }).waitFor()
        await page.getByRole('link', { name: 'Back to Plat' }).waitFor()
        expect(requests.filter((line) => line.endsWith('.js'))).toEqual([])
      },
      { theme },
    ),
  )
})
