/** The first result of the palette for an address, a block, a MAC or a host name. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { eventually, world } from './harness.ts'
import { expectReadable } from './readable.ts'

const it = world({ devices: 0 })

const ask = async (page: Page, text: string): Promise<void> => {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or jump to' }).fill(text)
}
const firstOption = (page: Page): Promise<string> =>
  page
    .getByRole('option')
    .first()
    .textContent()
    .then((text) => text ?? '')

test('each kind of question has its answer first, and Enter leads there', async () => {
  const { api } = it.plat
  const { id: network_id } = await api.networks.create({ name: 'Servers', subnet: '10.20.30.0/24' })
  await api.pools.create({ network_id, name: 'Static', start_ip: '10.20.30.100', end_ip: '10.20.30.199' })
  await api.devices.create({ name: 'web-01', hostname: 'web-01.example.com', addresses: [{ ip: '10.20.30.10' }] })
  const cases = [
    ['10.20.30.10', '10.20.30.10 belongs to web-01, active, in Servers (10.20.30.0/24)open web-01', 'web-01'],
    [
      '10.20.30.150',
      '10.20.30.150 is free, in the pool Static of Servers (10.20.30.0/24)open the pool Static',
      'Static',
    ],
    ['WEB-01.example.com', 'web-01.example.com is the device web-01, active, at 10.20.30.10open web-01', 'web-01'],
    ['10.20.30.77/24', '10.20.30.0/24 is the network Servers; 1 of 254 addresses is takenopen Servers', 'Servers'],
  ] as const
  await it.visit(
    async ({ page, open }) => {
      await open('/')
      for (const [text, answer, heading] of cases) {
        await ask(page, text)
        await eventually(() => firstOption(page), answer)
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
      }
    },
    { as: 'admin' },
  )
})

test('a free block opens the form of a new network', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      await ask(page, '172.31.0.0/24')
      await eventually(() => firstOption(page), 'No network overlaps 172.31.0.0/24create a network')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'New network' }).waitFor()
      expect(await page.getByLabel('Subnet').inputValue()).toBe('172.31.0.0/24')
    },
    { as: 'admin' },
  ))

test('an unknown name and a word have no answer', () =>
  it.visit(
    async ({ page, open, requests }) => {
      await open('/')
      await ask(page, 'nobody-7.example.com')
      await page.getByText('Nothing has this name.').waitFor()
      await page.getByRole('combobox', { name: 'Search or jump to' }).fill('pools')
      await page.getByRole('option', { name: 'Pools' }).waitFor()
      expect(requests.filter((line) => line.includes('/api/lookup/'))).toEqual(['GET /api/lookup/nobody-7.example.com'])
    },
    { as: 'viewer' },
  ))

testAll('the answer is readable in both themes and on a phone', () =>
  it.visit(
    async ({ page, open }) => {
      await it.plat.api.networks.create({ name: `Long ${'x'.repeat(120)}`, subnet: '10.99.0.0/24' })
      await open('/')
      await ask(page, '10.99.0.5')
      await page.getByRole('option', { name: /10\.99\.0\.5 is free/ }).waitFor()
      await expectReadable(page)
      if (process.env.PLAT_SHOT) await page.screenshot({ path: process.env.PLAT_SHOT })
    },
    { as: 'admin' },
  ),
)
