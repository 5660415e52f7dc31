/** The page System: the servers of the database, and the instances of Plat that use it. */
import { expect, test } from 'bun:test'
import { testAll } from '../testing/cases.ts'
import { axeFindings, eventually, world } from './harness.ts'
import { expectReadable } from './readable.ts'

const it = world({ devices: 0 })
const AWAY = 'The server does not answer.'

/** Three servers, of which one is behind and one belongs to another database. */
const CLUSTER = {
  engine: 'postgres',
  version: '15.18',
  size_bytes: 12_385_639,
  primary: 'db2:5432',
  timeline: 3,
  reads: 'standbys',
  commits_wait: true,
  hosts: [
    {
      host: 'db1:5432',
      role: 'standby',
      lag_bytes: 1_500_000,
      lag_ms: 12_000,
      answers: 0,
      message: 'is too far behind',
    },
    { host: 'db2:5432', role: 'primary', lag_bytes: null, lag_ms: null, answers: 1234, message: '' },
    { host: 'db3:5432', role: 'foreign', lag_bytes: null, lag_ms: null, answers: 0, message: 'it is another database' },
    { host: 'db4:5432', role: 'away', lag_bytes: null, lag_ms: null, answers: 0, message: 'does not answer: refused' },
  ],
  instances: [
    { name: 'web1:4711', version: '0.2.0', address: '192.0.2.1', since: '2026-01-01T00:00:00.000Z', is_this: true },
    { name: 'plat', version: '', address: '192.0.2.2', since: null, is_this: false },
  ],
}

test('the settings lead to it, and it shows the database and this instance', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click()
      await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'System' }).click()
      await page.getByRole('heading', { level: 1, name: 'System' }).waitFor()
      await page.getByText('SQLite 3.').waitFor()
      const instances = page.getByRole('region', { name: 'Instances' })
      await instances.getByText(`:${process.pid}`).waitFor()
      await instances.getByText('this one').waitFor()
      expect(await axeFindings(page)).toEqual([])
    },
    { as: 'viewer' },
  ))

test('each host has its role, its lag and the reason why it is not used', () =>
  it.visit(
    async ({ page, open }) => {
      await page.route('**/api/database', (route) => route.fulfill({ json: CLUSTER }))
      await open('/system')
      const hosts = page.getByRole('region', { name: 'Hosts' })
      await hosts.getByRole('row', { name: 'db1:5432 standby 1.5 MB 12 sec 0 is too far behind' }).waitFor()
      await hosts.getByRole('row', { name: 'db2:5432 primary – – 1,234' }).waitFor()
      await hosts.getByRole('row', { name: 'db3:5432 not used – – 0 it is another database' }).waitFor()
      await hosts.getByRole('row', { name: 'db4:5432 does not answer' }).waitFor()
      await page.getByText('wait for a standby, so that its promotion loses none').waitFor()
      await page.getByRole('region', { name: 'Instances' }).getByRole('row', { name: 'plat older' }).waitFor()
      await expectReadable(page)
    },
    { as: 'admin' },
  ))

testAll('it follows the database while it is shown', () =>
  it.visit(
    async ({ page, open }) => {
      let primary = 'db2:5432'
      await page.route('**/api/database', (route) => route.fulfill({ json: { ...CLUSTER, primary } }))
      await open('/system')
      await page.getByText('db2:5432').first().waitFor()
      primary = 'db9:5432'
      await page.getByText('db9:5432').waitFor()
    },
    { as: 'admin' },
  ),
)

test('without the permission the settings have no such page, and the page names what it needs', () =>
  it.visit(
    async ({ page, open, requests }) => {
      await page.route('**/api/auth/me', async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, json: { ...(await response.json()), permissions: ['devices:list'] } })
      })
      await open('/settings')
      const settings = page.getByRole('navigation', { name: 'Settings' })
      await settings.getByRole('link', { name: 'API keys' }).waitFor()
      expect(await settings.getByRole('link', { name: 'System' }).count()).toBe(0)
      await open('/system')
      await page.getByText('metrics:read').waitFor()
      expect(requests).not.toContain('GET /api/database')
    },
    { as: 'viewer' },
  ))

testAll('a database without a primary shows the banner of a server that does not answer, until it is back', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/system')
      await page.getByText('SQLite 3.').waitFor()
      const error = 'The database has no primary at the moment; try again in a moment'
      const answer = { status: 503, headers: { 'Retry-After': '1' }, json: { code: 'UNAVAILABLE', error, details: [] } }
      let isAway = true
      for (const path of ['**/api/**', '**/readyz'])
        await page.route(path, (route) => (isAway ? route.fulfill(answer) : route.continue()))
      await page.getByText(AWAY).waitFor()
      expect(await page.getByText('SQLite 3.').count()).toBe(1)
      isAway = false
      await page.getByText(AWAY).waitFor({ state: 'detached' })
      await eventually(() => page.getByText('SQLite 3.').count(), 1)
    },
    { as: 'admin', expected: ['503 /api/', '503 /readyz'] },
  ),
)

const WARNINGS = [
  {
    kind: 'a_rule',
    resource: 'networks',
    id: 'n1',
    name: 'the basement',
    message: 'Its maker could not create it today.',
  },
]

test('an administrator sees the warnings about stored objects, and a viewer asks for none', async () => {
  await it.visit(
    async ({ page, open }) => {
      await page.route('**/api/system/warnings', (route) => route.fulfill({ json: WARNINGS }))
      await open('/system')
      const warnings = page.getByRole('region', { name: 'Warnings' })
      await warnings.getByRole('row', { name: 'the basement networks Its maker could not create it today.' }).waitFor()
      expect(await axeFindings(page)).toEqual([])
    },
    { as: 'admin' },
  )
  await it.visit(
    async ({ page, open, requests }) => {
      await open('/system')
      await page.getByText('SQLite 3.').waitFor()
      expect(requests).not.toContain('GET /api/system/warnings')
    },
    { as: 'viewer' },
  )
})
