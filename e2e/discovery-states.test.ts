/**
 * The pages of discovery when the server refuses, limits or is unreachable, and the deletion of many discovered
 * devices.
 */
import { beforeAll, expect, test } from 'bun:test'
import { testAll } from '../testing/cases.ts'
import { eventually, world } from './harness.ts'

const it = world({ devices: 0 })
const AWAY = 'The server does not answer.'
const COUNTDOWN = /Too many requests\. The page continues in \d+ s\./

let network = ''
const address = (n: number): string => `127.88.0.${n}`
const HOSTS = 40

const record = () => {
  const hosts = Array.from({ length: HOSTS }, (_, i) => ({ ip: address(i + 1), hostname: `host-${i + 1}` }))
  return it.plat.api.scans.record({ id: network, hosts })
}
beforeAll(async () => {
  network = (await it.plat.api.networks.create({ name: 'loop states', subnet: '127.88.0.0/24' })).id
  await record()
}, 60_000)

test('403: a user who may not list discovered devices sees the name of the permission', () =>
  it.visit(
    async ({ page, open }) => {
      await page.route('**/api/discovery/inbox?*', (route) =>
        route.fulfill({
          status: 403,
          json: { code: 'FORBIDDEN', error: 'This needs the permission discovery:list', details: [] },
        }),
      )
      await open('/inbox')
      await page.getByRole('heading', { name: "You can't see this" }).waitFor()
      await page.getByText('discovery:list').waitFor()
    },
    { as: 'viewer', expected: ['403 /api/discovery/inbox'] },
  ))

testAll('429: the inbox waits and loads again by itself', () =>
  it.visit(
    async ({ page, open }) => {
      let answers = 0
      await page.route('**/api/discovery/inbox?*', (route) =>
        answers++ === 0
          ? route.fulfill({
              status: 429,
              headers: { 'retry-after': '2' },
              json: { code: 'RATE_LIMIT_EXCEEDED', error: 'Too many requests', details: [] },
            })
          : route.continue(),
      )
      await open('/inbox')
      await page.getByText(COUNTDOWN).waitFor()
      await page.getByText(address(HOSTS), { exact: true }).first().waitFor()
      await page.getByText('Too many requests').waitFor({ state: 'detached' })
    },
    { as: 'viewer', expected: ['429 /api/discovery/inbox'] },
  ),
)

testAll('without a connection, the devices stay and the failed deletion is shown', () =>
  it.visit(
    async ({ page, context, open }) => {
      await open(`/discovered-devices?network=${network}`)
      const row = page.getByRole('row', { name: /host-7 / }).or(page.getByRole('row', { name: /host-7$/ }))
      await row.first().waitFor()
      await page.waitForLoadState('networkidle')
      await page.keyboard.press('j')
      await page.keyboard.press('x')
      await page.getByText('1 selected').waitFor()
      await context.setOffline(true)
      await page.getByRole('button', { name: 'Delete 1' }).click()
      await page.getByRole('button', { name: 'Delete discovered device' }).click()
      await page
        .getByText(/is still there/)
        .first()
        .waitFor()
      await page.getByText(AWAY).first().waitFor()
      await row.first().waitFor()
      await context.setOffline(false)
      await page.getByText(AWAY).first().waitFor({ state: 'detached' })
    },
    { as: 'admin' },
  ),
)

test('selected devices are deleted by one request', () =>
  it.visit(
    async ({ page, requests, open }) => {
      await open(`/discovered-devices?network=${network}`)
      await page
        .getByRole('row', { name: /host-7/ })
        .first()
        .waitFor()
      await page.getByLabel('Select all that match').click()
      await page.getByRole('button', { name: `Delete ${HOSTS}` }).click()
      await page.getByRole('dialog').getByRole('textbox').fill(String(HOSTS))
      await page
        .getByRole('dialog')
        .getByRole('button', { name: `Delete ${HOSTS}` })
        .click()
      await page.getByText(`Deleted ${HOSTS} discovered devices`).waitFor()
      await eventually(async () => (await it.plat.api.discovery.list({ network_id: network })).length, 0)
      expect(requests.filter((one) => one.includes('/api/discovery/devices/'))).toEqual([
        'POST /api/discovery/devices/delete',
      ])
    },
    { as: 'admin' },
  ))
