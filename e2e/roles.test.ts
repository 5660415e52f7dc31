/**
 * Roles: created in the matrix, changed and deleted. Built-in roles stay as they are. Groups: created, with roles and members; the
 * rights of members are shown with their source. Scopes: created from datacenters, subnets and tags, with grants.
 */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { choose, world } from './harness.ts'

const it = world({ devices: 0 })
const as = 'admin'

test('a role is created from permissions, changed and deleted', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/roles')
      await page.getByRole('button', { name: 'New role' }).click()
      await page.getByLabel('Name · required').fill('netops')
      await page.getByRole('button', { name: 'devices: all' }).click()
      await page.getByRole('checkbox', { name: 'networks:list' }).check()
      await page.getByText('6 permissions chosen').waitFor()
      await page.getByRole('button', { name: 'Create role' }).click()
      await page.getByRole('link', { name: 'netops' }).click()
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByRole('checkbox', { name: 'devices:delete' }).uncheck()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Holds 5 permissions').waitFor()
      const [role] = await it.plat.api.roles.list({ name: 'netops' })
      expect(role?.permissions).toEqual([
        'devices:create',
        'devices:list',
        'devices:read',
        'devices:update',
        'networks:list',
      ])
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByText('0 users will lose it').waitFor()
      await page.getByRole('button', { name: 'Delete role' }).click()
      await page.getByRole('heading', { level: 1, name: 'Roles' }).waitFor()
      expect(await it.plat.api.roles.list({ name: 'netops' })).toEqual([])
    },
    { as },
  ))

testAll('a role begins with what another one holds', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/roles?new=1')
      await page.getByLabel('Name · required').fill('viewer')
      await page.getByRole('button', { name: 'viewer', exact: true }).click()
      expect(await page.getByRole('checkbox', { name: 'devices:list' }).isChecked()).toBe(true)
      expect(await page.getByRole('checkbox', { name: 'devices:create' }).isChecked()).toBe(false)
      await page.getByRole('button', { name: 'Create role' }).click()
      await page.getByText('is the name of another role').waitFor()
    },
    { as, expected: ['409 /api/roles'] },
  ),
)

testAll('the arrows move through the matrix', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/roles?new=1')
      await page.getByRole('checkbox', { name: 'audit:read' }).focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press(' ')
      expect(await page.getByRole('checkbox', { name: 'cables:list' }).isChecked()).toBe(true)
    },
    { as },
  ),
)

testAll('a role that comes with Plat can only be read', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/roles/role-viewer')
      await page.getByText('devices:list: yes').waitFor({ state: 'attached' })
      const edit = page.getByRole('button', { name: 'Edit' })
      expect(await edit.getAttribute('aria-disabled')).toBe('true')
      await edit.focus()
      await page.getByText('viewer is a system role and cannot be changed').waitFor()
      await open('/roles')
      await page.getByRole('grid', { name: 'Roles' }).waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('#')
      await page.getByText('admin is a system role and cannot be changed').waitFor()
    },
    { as },
  ),
)

test('a user who may not see roles sees the name of the permission', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/roles')
      await page.getByText('roles:list').waitFor()
      await open('/roles/role-admin')
      await page.getByText('roles:read').waitFor()
    },
    { as: 'viewer' },
  ))

const PASSWORD = 'correct horse battery'

const makeUser = (username: string, roles: string[] = []) =>
  it.plat.api.users.create({ username, password: PASSWORD, roles })

const grantTo = async (page: Page, name: string): Promise<void> => {
  await choose(page.getByLabel('User or group · required'), name)
  await page.getByRole('button', { name: 'Grant', exact: true }).click()
}

test('a group gives a role to its members, and their page names the group', async () => {
  const { id } = await makeUser('ada', ['operator'])
  await it.visit(
    async ({ page, open }) => {
      await open('/groups')
      await page.getByText('No groups yet').waitFor()
      await page.getByRole('button', { name: 'New group' }).first().click()
      await page.getByLabel('Name · required').fill('on-call')
      await page.getByRole('button', { name: 'Create group' }).click()
      await page.getByRole('link', { name: 'on-call' }).click()
      await page.getByRole('button', { name: 'Add a role' }).click()
      await choose(page.getByLabel('Role', { exact: true }), 'viewer')
      await page.getByRole('button', { name: 'Add role', exact: true }).click()
      await page.getByText('Roles · 1').waitFor()
      await page.getByRole('link', { name: 'Members' }).click()
      await page.getByText('No members yet').waitFor()
      await page.keyboard.press('a')
      await page.getByLabel('Find a user').fill('ada')
      await page.getByRole('button', { name: 'Add ada' }).click()
      await page.getByRole('button', { name: 'Done' }).click()
      const members = page.getByRole('grid', { name: 'Members' })
      await members.getByText('added by hand').waitFor()
      await members.getByRole('link', { name: 'ada' }).click()
      await page.getByText('Roles · 2').waitFor()
      const lines = await page
        .getByRole('listitem')
        .filter({ hasText: /Granted / })
        .allInnerTexts()
      expect(lines.map((line) => line.split('\n').slice(0, 3).join(' '))).toEqual([
        'operator directly everywhere',
        'viewer Group on-call everywhere',
      ])
      await page.getByRole('link', { name: 'Permissions', exact: true }).click()
      await page.getByTitle('devices:list, by operator, viewer of the group on-call').waitFor()
      expect((await it.plat.api.users.get({ id })).roles).toEqual(['operator'])
    },
    { as },
  )
})

testAll('members leave and roles are revoked, and the page of a role shows who has it', async () => {
  const { id } = await it.plat.api.groups.create({ name: 'guests' })
  const { id: user_id } = await makeUser('grace')
  await it.plat.api.groups.add({ id, user_id })
  const { id: role } = await it.plat.api.roles.create({ name: 'looker', permissions: ['devices:list'] })
  await it.visit(
    async ({ page, open }) => {
      await open(`/roles/${role}`)
      await page.getByText('No user and no group has it.').waitFor()
      for (const name of ['guests', 'grace']) {
        await page.getByRole('button', { name: 'Grant it' }).click()
        await grantTo(page, name)
        await page.getByRole('dialog', { name: 'Grant the role looker' }).waitFor({ state: 'detached' })
      }
      await page.getByText('Who has it · 2').waitFor()
      await page.getByRole('button', { name: 'Revoke looker from the group guests' }).click()
      await page.getByRole('button', { name: 'Revoke', exact: true }).click()
      await page.getByText('Who has it · 1').waitFor()
      expect((await it.plat.api.grants.list({ role_id: role })).map(({ username }) => username)).toEqual(['grace'])
      await open(`/groups/${id}?tab=members`)
      await page.getByRole('grid', { name: 'Members' }).waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('#')
      await page.getByRole('button', { name: 'Remove', exact: true }).press('Enter')
      await page.getByText('No members yet').waitFor()
      expect(await it.plat.api.groups.members({ id })).toEqual([])
    },
    { as },
  )
})

test('a group is created, edited and deleted by the keyboard only; its errors are shown at their fields', () =>
  it.visit(
    async ({ page, open }) => {
      await it.plat.api.groups.create({ name: 'Taken' })
      await open('/')
      await page.keyboard.press('g')
      await page.keyboard.press('Shift+G')
      await page.getByRole('grid', { name: 'Groups' }).waitFor()
      await page.keyboard.press('c')
      const name = page.getByLabel('Name · required')
      await name.waitFor()
      await page.keyboard.type('taken')
      await page.keyboard.press('Enter')
      await page.getByText('is the name of another group').waitFor()
      await name.fill('keys-only')
      await page.keyboard.press('Enter')
      await page.getByText('Created keys-only').waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('keys-only')
      await page
        .getByText(/^1 of \d+ groups$/)
        .first()
        .waitFor()
      await page.keyboard.press('Enter')
      await page.keyboard.press('j')
      await page.keyboard.press('e')
      await page.getByLabel('Description').fill('Typed')
      await page.getByRole('button', { name: 'Save' }).press('Enter')
      await page.getByText('Saved keys-only').waitFor()
      await page.getByRole('dialog', { name: 'Edit keys-only' }).waitFor({ state: 'detached' })
      await page.keyboard.press('#')
      await page.getByRole('button', { name: 'Delete group' }).press('Enter')
      await page.getByText('Nothing matches “keys-only”').waitFor()
      expect(await it.plat.api.groups.list({ name: 'keys-only' })).toEqual([])
    },
    { as, expected: ['409 /api/groups'] },
  ))

test('the last admin keeps the role that a group gives', async () => {
  const { id } = await it.plat.api.groups.create({ name: 'admins' })
  const [admin] = await it.plat.api.users.list({ username: 'admin' })
  await it.plat.api.groups.add({ id, user_id: admin?.id ?? '' })
  await it.plat.api.grants.create({ role_id: 'admin', group_id: id })
  await it.plat.api.users.revokeRole({ user_id: admin?.id ?? '', role_id: 'role-admin' })
  await it.visit(
    async ({ page, open }) => {
      await open(`/groups/${id}`)
      await page.getByRole('button', { name: 'Revoke admin' }).click()
      const dialog = page.getByRole('dialog', { name: 'Revoke admin from the group admins?' })
      await dialog.getByRole('button', { name: 'Revoke' }).click()
      await dialog.getByText('This is the last active admin').waitFor()
    },
    { as, expected: ['409 /api/grants'] },
  )
  await it.plat.api.users.grantRole({ user_id: admin?.id ?? '', role_id: 'role-admin' })
})

test('a role is granted in a scope and revoked; the errors of the scope are shown at their fields', async () => {
  await it.plat.api.datacenters.create({ name: 'Amsterdam' })
  const { id } = await makeUser('linus')
  await it.visit(
    async ({ page, open }) => {
      await open('/scopes')
      await page.getByText('No scopes yet').waitFor()
      await page.keyboard.press('c')
      await page.getByLabel('Name · required').fill('campus')
      await choose(page.getByLabel('Datacenters', { exact: true }), 'Amsterdam')
      await page.getByLabel('Subnets').fill('10.20.0.0/16\n10.0.0.300/24')
      await page.getByLabel('Tags').fill('campus, lab')
      await page.getByRole('button', { name: 'Create scope' }).click()
      await page.getByText('10.0.0.300/24 must be an IPv4 or IPv6 network').waitFor()
      await page.getByLabel('Subnets').fill('10.20.0.0/16')
      await page.getByRole('button', { name: 'Create scope' }).click()
      await page.getByRole('link', { name: 'campus' }).click()
      const counted = page.locator('section').filter({ hasText: 'Datacenters in it' })
      await counted.getByText('1', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Grant a role' }).click()
      await choose(page.getByLabel('Role', { exact: true }), 'operator')
      await grantTo(page, 'linus')
      await page.getByText('Who has a role in it · 1').waitFor()
      await page.getByRole('link', { name: 'linus', exact: true }).click()
      await page.getByText('Roles · 1').waitFor()
      const [grant] = await it.plat.api.grants.list({ user_id: id })
      expect([grant?.role, grant?.scope]).toEqual(['operator', 'campus'])
      await page.getByRole('button', { name: 'Revoke operator in campus from linus' }).click()
      await page.getByRole('button', { name: 'Revoke', exact: true }).click()
      await page.getByText('Roles · 0').waitFor()
    },
    { as, expected: ['400 /api/scopes'] },
  )
  const [scope] = await it.plat.api.scopes.list()
  expect([scope?.subnets, scope?.tags, scope?.datacenter_ids.length]).toEqual([['10.20.0.0/16'], ['campus', 'lab'], 1])
  await it.visit(
    async ({ page, open }) => {
      await open(`/scopes/${scope?.id}`)
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByRole('button', { name: 'Remove Amsterdam' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved campus').waitFor()
      expect((await it.plat.api.scopes.get({ id: scope?.id ?? '' })).datacenter_ids).toEqual([])
      await page.getByRole('dialog', { name: 'Edit campus' }).waitFor({ state: 'detached' })
      await page.keyboard.press('#')
      await page.getByRole('button', { name: 'Delete scope' }).click()
      await page.getByText('No scopes yet').waitFor()
    },
    { as },
  )
})

test('a user who may not see groups and scopes sees the names of the permissions', () =>
  it.visit(
    async ({ page, open, requests }) => {
      await open('/groups')
      await page.getByText('groups:list').waitFor()
      await open('/groups/anything')
      await page.getByText('groups:read').waitFor()
      await open('/scopes')
      await page.getByText('scopes:list').waitFor()
      await open('/scopes/anything')
      await page.getByText('scopes:read').waitFor()
      expect(requests.filter((line) => /groups|grants|scopes/.test(line) && line.includes('/api/'))).toEqual([])
    },
    { as: 'viewer' },
  ))
