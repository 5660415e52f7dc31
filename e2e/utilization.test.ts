/** Utilization of networks and pools, and its forecast. */
import { beforeAll, expect, test } from 'bun:test'
import { record } from '../src/answers/utilization/store.ts'
import { testAll } from '../testing/cases.ts'
import { axeFindings, type Visit, world } from './harness.ts'

const it = world({ devices: 60 })

const DAY_MS = 86_400_000
const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10)

const USED = 60

let network = ''
let pool = ''
beforeAll(async () => {
  const { api, write } = it.plat
  network = (await api.networks.create({ name: 'filling', subnet: '10.77.0.0/24' })).id
  pool = (await api.pools.create({ network_id: network, name: 'tight', start_ip: '10.77.0.1', end_ip: '10.77.0.100' }))
    .id
  // The server itself records the utilization of today.
  const operations = Array.from({ length: USED }, (_, i) => ({
    op: 'create' as const,
    device: { name: `f${i}`, addresses: [{ ip: `10.77.0.${i + 1}` }] },
  }))
  await api.devices.bulk({ operations })
  const samples = Array.from({ length: 39 }, (_, i) => i + 1).flatMap((ago) => [
    { object_id: network, day: day(ago), used: USED - ago, total: 254 },
    { object_id: pool, day: day(ago), used: USED - ago, total: 100 },
  ])
  await write((inner) => record(inner, samples))
}, 60_000)

const figures = (page: Visit['page']) => page.getByRole('img', { name: /^From / })

test('a network shows its past utilization and its forecast', () =>
  it.visit(
    async ({ page, open }) => {
      await open(`/networks/${network}`)
      await page.getByRole('link', { name: 'Utilization' }).click()
      await figures(page).waitFor()
      const text = (await page.getByText('more a day').textContent()) ?? ''
      expect(text).toContain(`1 more a day: full in about 194 days, on ${day(-194)}.`)
      expect(new URL(page.url()).searchParams.get('tab')).toBe('usage')
    },
    { as: 'viewer' },
  ))

test('a period is chosen, kept in the URL, and drawn', () =>
  it.visit(
    async ({ page, open }) => {
      await open(`/pools/${pool}?tab=usage`)
      await page.getByText('60 of 100').waitFor()
      expect(await figures(page).getAttribute('aria-label')).toContain(`on ${day(39)} to`)
      await page.getByRole('button', { name: '30 days' }).click()
      await page.getByRole('img', { name: `on ${day(29)} to` }).waitFor()
      expect(new URL(page.url()).searchParams.get('days')).toBe('30')
      await page.getByText('Day by day').click()
      expect(await page.getByRole('row').count()).toBe(31)
    },
    { as: 'viewer' },
  ))

test('the overview says what will be full soon', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      await page.getByRole('listitem').filter({ hasText: 'tight' }).getByText('full in 40 days').waitFor()
    },
    { as: 'viewer' },
  ))

testAll('a network created today says that a forecast needs more days', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.networks.create({ name: 'new', subnet: '10.78.0.0/24' })
      await open(`/networks/${id}?tab=usage`)
      await page.getByText('A forecast needs three days; there is 1 so far.').waitFor()
    },
    { as: 'admin' },
  ),
)

testAll.each(['light', 'dark'] as const)('no WCAG violation in %s', (theme) =>
  it.visit(
    async ({ page, open }) => {
      for (const path of [`/networks/${network}?tab=usage`, `/pools/${pool}?tab=usage`]) {
        await open(path)
        await figures(page).waitFor()
        await page.getByText('Day by day').click()
        expect(await axeFindings(page)).toEqual([])
      }
    },
    { as: 'viewer', theme },
  ),
)

testAll('it fits on a phone', () =>
  it.visit(
    async ({ page, open }) => {
      await open(`/pools/${pool}?tab=usage`)
      await figures(page).waitFor()
      await page.getByText('Day by day').click()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
      expect(await axeFindings(page, 'look')).toEqual([])
    },
    { as: 'viewer', width: 390 },
  ),
)
