/** All menus of all pages, open, without a violation of WCAG 2.2 AA or of a best practice. */
import { expect, test } from 'bun:test'
import type { Locator } from 'playwright-core'
import { takeOneIn } from '../testing/cases.ts'
import { PEOPLE, seedAccess } from './access-seed.ts'
import { axeFindings, world } from './harness.ts'

const it = world({ devices: 60, env: PEOPLE })

let seeded: Promise<readonly string[]> | undefined
const paths = async (): Promise<readonly string[]> => {
  const { user } = await seedAccess(it.plat)
  const [[device], [network], [pool], [datacenter]] = await Promise.all([
    it.plat.api.devices.list({ limit: 1 }),
    it.plat.api.networks.list({ limit: 1 }),
    it.plat.api.pools.all({ limit: 1 }),
    it.plat.api.datacenters.list({ limit: 1 }),
  ])
  return [
    ...['/', '/devices', '/devices?new=1', `/devices/${device?.id}`, '/networks', `/networks/${network?.id}`],
    ...['/pools', `/pools/${pool?.id}`, '/datacenters', `/datacenters/${datacenter?.id}`, '/reservations'],
    ...['/users', `/users/${user}`, '/roles', '/roles/role-operator', '/keys', '/credentials', '/audit'],
    ...['/history', '/history/diff'],
  ]
}

const isOfEvery = async (trigger: Locator): Promise<boolean> =>
  /^(Help|admin)$/.test((await trigger.getAttribute('title')) ?? '')

const PAGES = 20

test.each(
  takeOneIn(
    5,
    Array.from({ length: PAGES }, (_, index) => index),
  ),
)('page %d', async (index) => {
  seeded ??= paths()
  const path = (await seeded)[index]
  if (path === undefined) throw new Error('there is a path for every page')
  await it.visit(
    async ({ page, openWhole }) => {
      await openWhole(path)
      // Only the first row stands for the menus of all rows.
      const triggers = page.locator(
        '[aria-haspopup=menu]:not([role=gridcell] *), [aria-rowindex="2"] [aria-haspopup=menu]',
      )
      const scope = path.includes('new=1') ? page.getByRole('dialog').locator(triggers) : triggers
      await scope.first().waitFor()
      const count = await scope.count()
      for (let i = 0; i < count; i++) {
        if (await scope.nth(i).isDisabled()) continue
        // Menus that every page has are tested on one page.
        if (path !== '/' && (await isOfEvery(scope.nth(i)))) continue
        await scope.nth(i).click()
        await page.getByRole('menu').waitFor()
        const name = (await scope.nth(i).getAttribute('aria-label')) ?? (await scope.nth(i).textContent())
        expect([path, name, await axeFindings(page, 'menu')]).toEqual([path, name, []])
        await page.keyboard.press('Escape')
        await page.getByRole('menu').waitFor({ state: 'detached' })
      }
    },
    { as: 'admin' },
  )
})
