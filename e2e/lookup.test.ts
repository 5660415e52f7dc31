/** The first result of the palette for an address, a block, a MAC or a host name. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { testsAll } from '../testing/tests-all.ts'
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

/** Presses Enter, and returns the name of the row that was marked at that moment. */
const ENTER = `(() => {
  const marked = document.querySelector('[role=option][aria-selected=true]')?.textContent ?? ''
  document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))
  return marked
})()`

const MAX_DELAY_MS = 2000
const TEXTS = testsAll ? 200 : 12

test('Enter opens the marked row, or the first row of exactly the typed text, however late the answers are', async () => {
  const { api } = it.plat
  const names = Array.from({ length: 12 }, (_, index) => `q${index}-boots`)
  await Promise.all(names.map((name) => api.devices.create({ name })))
  /** Texts with the heading that Enter leads to: a name, a part of a name, a page, a synonym and an action. */
  const cases = [
    ...names.map((name) => [name, name] as const),
    ...names.map((name) => [name.slice(0, -2), name] as const),
    // The search finds devices as well.
    ...[['pools', 'Pools'] as const, ['boot', 'q0-boots'] as const, ['vrf', 'Address spaces'] as const],
    ...[['diff', 'Compare two moments'] as const, ['oots', 'q0-boots'] as const],
  ]
  let seed = 7
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  const pick = () => cases[random(cases.length)] ?? (['pools', 'Pools'] as const)
  await it.visit(
    async ({ page, open }) => {
      await open('/')
      for (const url of ['**/api/search?*', '**/api/lookup?*'])
        await page.route(url, async (route) => {
          await Bun.sleep(random(MAX_DELAY_MS))
          // The page may have gone on.
          await route.continue().catch(() => {})
        })
      let waited = 0
      for (let count = 0; count < TEXTS; count++) {
        const [[older], [text, heading]] = [pick(), pick()]
        await page.keyboard.press('Control+k')
        const field = page.getByRole('combobox', { name: 'Search or jump to' })
        await field.fill(older)
        await page.waitForTimeout(random(400))
        await field.fill(text)
        await page.waitForTimeout(random(600))
        const marked = await page.evaluate<string>(ENTER)
        if (marked === '') waited++
        await field.waitFor({ state: 'detached' })
        const shown = page.getByRole('heading', { level: 1, name: heading, exact: true })
        await shown.waitFor()
        expect([text, marked]).toEqual([
          text,
          marked === ''
            ? ''
            : expect.stringContaining(text === 'vrf' || text === 'diff' ? heading : text.replace('pools', 'Pools')),
        ])
        await page.goto('/')
        await page.locator('h1').first().waitFor()
      }
      expect(waited).toBeGreaterThan(0)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    },
    { as: 'admin' },
  )
}, 900_000)

test('a row that the user has marked stays marked where it is when answers arrive', () =>
  it.visit(
    async ({ page, open }) => {
      await it.plat.api.devices.create({ name: 'ools-first' })
      await open('/')
      await page.route('**/api/search?*', async (route) => {
        await Bun.sleep(700)
        await route.continue()
      })
      await ask(page, 'ools')
      const marked = page.locator('[role=option][aria-selected=true]')
      // Only pages that contain it are there; none is marked before the answer.
      await page.getByRole('option', { name: 'Pools' }).waitFor()
      expect(await marked.count()).toBe(0)
      await page.keyboard.press('ArrowDown')
      expect(await marked.textContent()).toContain('Pools')
      await page.getByRole('option', { name: 'ools-first' }).waitFor()
      expect(await marked.textContent()).toContain('Pools')
      expect(await firstOption(page)).toContain('Pools')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Pools' }).waitFor()
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    },
    { as: 'admin' },
  ))

test('the palette has actions: it opens the preview of undoing the last change of the user, and signs out', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices?new=1')
      await page.getByLabel('Name · required').fill('undone-soon')
      await page.getByRole('button', { name: 'Create device' }).click()
      await page.getByText('Created undone-soon').waitFor()
      await ask(page, 'undo')
      await eventually(() => firstOption(page), 'Undo my last change')
      await page.keyboard.press('Enter')
      const preview = page.getByRole('dialog', { name: 'Undo this change?' })
      await preview.getByRole('button', { name: 'Undo' }).waitFor()
      await preview.getByText('device').first().waitFor()
      await page.keyboard.press('Escape')
      await ask(page, 'nearly')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/networks?view=flat&sort=utilization&desc=1')
      // A request that is answered after the end of the session would be refused.
      await page.getByRole('grid', { name: 'Networks' }).or(page.getByText('No networks yet')).first().waitFor()
      await ask(page, 'log off')
      await eventually(() => firstOption(page), 'Sign out')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    },
    { as: 'admin', expected: ['401 /api/auth/me'] },
  ))
