/**
 * The pages of access and the audit log in both themes: no WCAG 2.2 AA violation, and no page wider than the window.
 */
import { expect, test } from 'bun:test'
import { takeOneIn, testAll } from '../testing/cases.ts'
import { PEOPLE, seedAccess } from './access-seed.ts'
import { countRequests, world } from './harness.ts'
import { expectReadable } from './readable.ts'

const it = world({ devices: 60, env: PEOPLE })

type Ids = Awaited<ReturnType<typeof seedAccess>>
let seeded: Promise<Ids> | undefined
const idsOf = (): Promise<Ids> => {
  seeded ??= seedAccess(it.plat)
  return seeded
}

const PAGES: readonly (readonly [string, (ids: Ids) => string])[] = [
  ['users', () => '/users'],
  ['users, none', () => '/users?q=nothing-like-this'],
  ['new user', () => '/users?new=1'],
  ['user', ({ user }) => `/users/${user}`],
  ['permissions of a user', ({ user }) => `/users/${user}?tab=permissions`],
  ['groups of a user', ({ user }) => `/users/${user}?tab=groups`],
  ['sessions and keys of a user', ({ admin }) => `/users/${admin}?tab=access`],
  ['groups', () => '/groups'],
  ['group', ({ group }) => `/groups/${group}`],
  ['members of a group', ({ group }) => `/groups/${group}?tab=members`],
  ['scopes', () => '/scopes'],
  ['scope', ({ scope }) => `/scopes/${scope}`],
  ['scope as it is changed', ({ scope }) => `/scopes/${scope}?edit=${scope}`],
  ['roles', () => '/roles'],
  ['role', () => '/roles/role-operator'],
  ['role as it is changed', ({ role }) => `/roles/${role}?edit=${role}`],
  ['keys', () => '/keys'],
  ['new key', () => '/keys?new=1'],
  ['credentials', () => '/credentials'],
  ['credential', ({ credential }) => `/credentials?edit=${credential}`],
  ['new credential', () => '/credentials?new=1'],
  ['audit log', () => '/audit'],
  ['audit log, between', () => '/audit?action=update&from=2026-01-01T00:00:00Z'],
  ['audit log, none', () => '/audit?resource_id=nothing'],
  ['entry', ({ entry }) => `/audit?entry=${entry}`],
  ['entry with a secret', ({ secretEntry }) => `/audit?entry=${secretEntry}`],
  ['entry that was cut', ({ cutEntry }) => `/audit?entry=${cutEntry}`],
]

test.each(takeOneIn(3, PAGES))('%s', async (_, pathOf) => {
  const path = pathOf(await idsOf())
  await it.visit(
    async ({ page, requests, openWhole }) => {
      await openWhole(path)
      expect(countRequests(requests)).toBeLessThanOrEqual(12)
      await expectReadable(page)
    },
    { as: 'admin' },
  )
})

testAll('on a phone the pages of access are in the account menu', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      await page.getByRole('button', { name: 'admin' }).click()
      await page.getByRole('menuitem', { name: 'Audit log' }).click()
      await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
    },
    { as: 'admin', width: 390, height: 844 },
  ),
)

testAll('on a phone the row of a key does not break its words', async () => {
  const { user } = await idsOf()
  await it.visit(
    async ({ page, openWhole }) => {
      await openWhole(`/users/${user}?tab=access`)
      const name = await page.getByText('ansible', { exact: true }).boundingBox()
      const used = await page.getByText('Never used').boundingBox()
      expect([name?.height, used?.height].map((height) => (height ?? 99) < 30)).toEqual([true, true])
    },
    { as: 'admin', width: 390, height: 844 },
  )
})

const LISTS = [
  ['/users', '**/api/users'],
  ['/groups', '**/api/groups'],
  ['/roles', '**/api/roles'],
  ['/keys', '**/api/keys'],
  ['/credentials', '**/api/credentials'],
  ['/audit', '**/api/audit?*'],
] as const

test.each(takeOneIn(6, LISTS))('%s while it loads, when it fails, and when it is loaded', (path, api) =>
  it.visit(
    async ({ page, open }) => {
      await idsOf()
      const { promise: shown, resolve: isShown } = Promise.withResolvers<void>()
      let isBroken = true
      await page.route(api, async (route) => {
        if (!isBroken) return route.continue()
        await shown
        await route.fulfill({ status: 500, json: { code: 'INTERNAL_ERROR', error: 'Something broke' } })
      })
      await open(path)
      await page.getByRole('status', { name: 'Loading' }).waitFor()
      isShown()
      await page.getByText('Something broke').waitFor()
      isBroken = false
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('grid').getByRole('row').nth(1).waitFor()
    },
    { as: 'admin', expected: ['500 /api/'] },
  ),
)

test("a save over another user's change is refused", async () => {
  const { role: id } = await idsOf()
  await it.visit(
    async ({ page, open }) => {
      await open(`/roles/${id}?edit=${id}`)
      await page.getByRole('checkbox', { name: 'devices:create' }).check()
      await it.plat.api.roles.update({ id, description: 'theirs' })
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Changed by someone since you opened it.').waitFor()
      await page.getByRole('button', { name: 'Keep my changes' }).click()
      await page.getByText('Changed by someone since you opened it.').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved auditor').waitFor()
      const saved = await it.plat.api.roles.get({ id })
      expect([saved.description, saved.permissions.includes('devices:create')]).toEqual(['theirs', true])
    },
    { as: 'admin', expected: ['412 /api/roles/'] },
  )
})
