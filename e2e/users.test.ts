/**
 * Users: created with a password that is shown once, given roles, deactivated, and protected from locking out all
 * admins.
 */
import { expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { PEOPLE } from './access-seed.ts'
import { axeFindings, choose, world } from './harness.ts'

const it = world({ devices: 0, env: PEOPLE })
const as = 'admin'
const PASSWORD = 'correct horse battery'

const makeUser = (username: string, roles: string[] = []) =>
  it.plat.api.users.create({ username, password: PASSWORD, roles })

test('a user is made with a password that is shown once, and may sign in with it', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/users')
      await page.getByRole('button', { name: 'New user' }).click()
      await page.getByLabel('User name · required').fill('ada')
      await page.getByRole('button', { name: 'Generate' }).click()
      await choose(page.getByLabel('Role'), 'viewer')
      await page.getByRole('button', { name: 'Create user' }).click()
      const shown = page.getByRole('dialog', { name: 'The password of ada' })
      const password = (await shown.locator('code').textContent()) ?? ''
      await page.keyboard.press('Escape')
      expect(await shown.isVisible()).toBe(true)
      await shown.getByLabel('I have saved it').click()
      await shown.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('link', { name: 'ada', exact: true }).waitFor()
      const signIn = await fetch(`${it.plat.url}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'X-Requested-With': 'XMLHttpRequest' },
        body: JSON.stringify({ username: 'ada', password }),
      })
      expect(signIn.status).toBe(200)
      expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(password)
    },
    { as },
  ))

testAll('an error of the server on a new user is shown at its field', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/users?new=1')
      await page.getByLabel('User name · required').fill('ADMIN')
      await page.getByLabel('Password · required').fill(PASSWORD)
      await page.getByRole('button', { name: 'Create user' }).click()
      await page.getByText('is the name of another user').waitFor()
      await page.getByLabel('Password · required').fill('short')
      await page.getByRole('button', { name: 'Create user' }).click()
      await page.getByText('The password must have at least 8 characters').waitFor()
    },
    { as, expected: ['409 /api/users', '400 /api/users'] },
  ),
)

const addRole = async (page: Page, role: string, where?: string): Promise<void> => {
  await page.getByRole('button', { name: 'Add a role' }).click()
  await choose(page.getByLabel('Role', { exact: true }), role)
  if (where !== undefined) await choose(page.getByLabel('Where'), where)
  await page.getByRole('button', { name: 'Add role', exact: true }).click()
}

/** Counts the clicks of a visit; a choice in a list is two. */
const createClicks = () => {
  let count = 0
  return {
    click: async (on: Locator) => {
      count += 1
      await on.click()
    },
    select: async (on: Locator, text: string) => {
      count += 2
      await on.click()
      await on.page().getByRole('option', { name: text }).click()
    },
    count: () => count,
  }
}

test('a user of one site is made on one page with at most 7 clicks', async () => {
  const { id: scope_id } = await it.plat.api.scopes.create({ name: 'Frankfurt', tags: ['fra'] })
  await it.visit(
    async ({ page, open }) => {
      const { click, select, count } = createClicks()
      await open('/users')
      await click(page.getByRole('button', { name: 'New user' }))
      await page.getByLabel('User name · required').waitFor()
      await page.keyboard.type('fritz')
      await click(page.getByLabel('Password · required'))
      await page.keyboard.type(PASSWORD)
      await select(page.getByLabel('Role'), 'viewer')
      await select(page.getByLabel('Where'), 'Frankfurt')
      expect(await axeFindings(page)).toEqual([])
      await click(page.getByRole('button', { name: 'Create user' }))
      await page.getByText('Created fritz').waitFor()
      expect(count()).toBeLessThanOrEqual(7)
      expect(new URL(page.url()).pathname).toBe('/users')
      const [fritz] = await it.plat.api.users.list({ username: 'fritz' })
      const grants = await it.plat.api.grants.list({ user_id: fritz?.id ?? '' })
      expect(grants.map((grant) => [grant.role, grant.scope_id])).toEqual([['viewer', scope_id]])
    },
    { as },
  )
})

test('a user becomes admin only after a question, and a grant is taken back by Undo', async () => {
  const { id } = await makeUser('otto')
  const listRoles = async () => (await it.plat.api.users.get({ id })).roles
  await it.visit(
    async ({ page, open }) => {
      await open(`/users/${id}`)
      await addRole(page, 'admin')
      const question = page.getByRole('dialog', { name: 'Make otto an administrator of everything?' })
      await question.waitFor()
      expect(await axeFindings(page)).toEqual([])
      await question.getByRole('button', { name: 'Cancel' }).click()
      expect(await listRoles()).toEqual([])
      await page.getByRole('button', { name: 'Add role', exact: true }).click()
      await question.getByRole('button', { name: 'Make administrator' }).click()
      await page.getByText('Granted admin to otto').waitFor()
      expect(await listRoles()).toEqual(['admin'])
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Revoked admin from otto').waitFor()
      expect(await listRoles()).toEqual([])
      await open('/users?new=1')
      await page.getByLabel('User name · required').fill('anna')
      await page.getByLabel('Password · required').fill(PASSWORD)
      await choose(page.getByLabel('Role'), 'admin')
      await page.getByRole('button', { name: 'Create user' }).click()
      await page.getByRole('dialog', { name: 'Make anna an administrator of everything?' }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByText('The user is not created yet').waitFor()
      expect(await it.plat.api.users.list({ username: 'anna' })).toEqual([])
      await page.getByRole('button', { name: 'Create user' }).click()
      await page.getByRole('button', { name: 'Make administrator' }).click()
      await page.getByText('Created anna').waitFor()
      expect((await it.plat.api.users.list({ username: 'anna' })).map(({ roles }) => roles)).toEqual([['admin']])
    },
    { as },
  )
  for (const { id: anna } of await it.plat.api.users.list({ username: 'anna' }))
    await it.plat.api.users.delete({ id: anna })
})

test('roles are granted and revoked, and the resulting permissions are shown', async () => {
  const { id } = await makeUser('grace')
  await it.visit(
    async ({ page, open }) => {
      await open(`/users/${id}`)
      await addRole(page, 'viewer')
      await page.getByText('Granted viewer to grace').waitFor()
      expect((await it.plat.api.users.get({ id })).roles).toEqual(['viewer'])
      await page.getByRole('link', { name: 'Permissions', exact: true }).click()
      const matrix = page.getByRole('table', { name: 'What grace may do' })
      await matrix.getByText('devices:list: yes').waitFor()
      await matrix.getByText('devices:create: no').waitFor()
      await page.getByRole('link', { name: 'Overview', exact: true }).last().click()
      await page.getByRole('button', { name: 'Revoke viewer from grace' }).click()
      await page.getByRole('button', { name: 'Revoke', exact: true }).click()
      await page.getByText('Roles · 0').waitFor()
      expect((await it.plat.api.users.get({ id })).roles).toEqual([])
      await page.getByRole('button', { name: 'Undo' }).first().click()
      await page.getByText('Roles · 1').waitFor()
      expect((await it.plat.api.users.get({ id })).roles).toEqual(['viewer'])
    },
    { as },
  )
})

test('the last admin cannot be demoted, and the page says why', () =>
  it.visit(
    async ({ page, open }) => {
      const [admin] = await it.plat.api.users.list({ username: 'admin' })
      await open(`/users/${admin?.id}`)
      await page.getByRole('button', { name: 'Revoke admin from admin' }).click()
      await page.getByRole('button', { name: 'Revoke', exact: true }).click()
      await page.getByRole('alert').getByText('This is the last active admin').waitFor()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Deactivate' }).click()
      const dialog = page.getByRole('dialog', { name: 'Deactivate admin?' })
      await dialog.getByRole('button', { name: 'Deactivate' }).click()
      await dialog.getByText('This is the last active admin').waitFor()
    },
    { as, expected: ['409 /api/users', '409 /api/grants'] },
  ))

testAll('a user is switched off and on, and gets a new password', async () => {
  const { id } = await makeUser('linus', ['viewer'])
  await it.visit(
    async ({ page, open }) => {
      await open('/users')
      const act = async (name: string) => {
        await page.getByRole('button', { name: 'Actions for linus' }).click()
        await page.getByRole('menuitem', { name }).click()
      }
      await act('Deactivate')
      await page.getByRole('button', { name: 'Deactivate' }).click()
      await page.getByText('linus is out').waitFor()
      await act('Activate')
      await page.getByRole('button', { name: 'Activate' }).click()
      await page.getByText('linus may sign in again').waitFor()
      expect((await it.plat.api.users.get({ id })).is_active).toBe(true)
      await act('Set a new password')
      await page.getByRole('button', { name: 'Generate' }).click()
      await page.getByRole('button', { name: 'Set password' }).click()
      await page.getByRole('dialog', { name: 'The password of linus' }).waitFor()
    },
    { as },
  )
})

testAll('sessions of others are ended, and keys are made for them', () =>
  it.visit(
    async ({ page, open }) => {
      await it.plat.signIn('viewer')
      const [viewer] = await it.plat.api.users.list({ username: 'viewer' })
      await open(`/users/${viewer?.id}?tab=access`)
      await page.getByRole('button', { name: 'End', exact: true }).first().click()
      await page.getByText('That session is ended').waitFor()
      await page.getByRole('button', { name: 'New key' }).click()
      await page.getByLabel('Name · required').fill('for-viewer')
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('dialog', { name: 'The key “for-viewer”' }).waitFor()
      const keys = await it.plat.api.keys.list({ user_id: viewer?.id ?? '' })
      expect(keys.map(({ name }) => name)).toEqual(['for-viewer'])
    },
    { as },
  ),
)

test('a user is created, found, edited and deleted by the keyboard only', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/users')
      await page.getByRole('grid', { name: 'Users' }).waitFor()
      await page.keyboard.press('c')
      await page.getByLabel('User name · required').waitFor()
      await page.keyboard.type('keys-only')
      await page.keyboard.press('Tab')
      await page.keyboard.type(PASSWORD)
      await page.keyboard.press('Enter')
      // A typed password is not shown again.
      await page.getByText('Created keys-only').waitFor()
      await page.getByRole('dialog', { name: 'New user' }).waitFor({ state: 'detached' })
      await page.keyboard.press('/')
      await page.keyboard.type('keys-only')
      await page
        .getByText(/^1 of \d+ users$/)
        .first()
        .waitFor()
      await page.keyboard.press('Enter')
      await page.keyboard.press('j')
      await page.keyboard.press('e')
      await page.getByRole('heading', { name: 'Edit keys-only' }).waitFor()
      await page.getByLabel('Full name').fill('Keys Only')
      await page.keyboard.press('Enter')
      await page.getByText('Saved keys-only').waitFor()
      await page.getByRole('dialog', { name: 'Edit keys-only' }).waitFor({ state: 'detached' })
      await page.keyboard.press('#')
      await page.getByRole('button', { name: 'Delete user' }).press('Enter')
      await page.getByText('Nothing matches “keys-only”').waitFor()
      expect(await it.plat.api.users.list({ username: 'keys-only' })).toEqual([])
    },
    { as },
  ))

testAll('a user who may not see users sees the name of the permission', () =>
  it.visit(
    async ({ page, open, requests }) => {
      await open('/users')
      await page.getByText('users:list').waitFor()
      const button = page.getByRole('button', { name: 'New user' })
      expect(await button.getAttribute('aria-disabled')).toBe('true')
      await open('/users/anyone')
      await page.getByText('users:read').waitFor()
      expect(requests.filter((line) => line.includes('/api/users'))).toEqual([])
    },
    { as: 'viewer' },
  ),
)

test('a user cannot grant permissions that they do not hold', async () => {
  await it.plat.api.roles.create({
    name: 'clerk',
    permissions: [
      'users:list',
      'users:read',
      'users:create',
      'users:update',
      'roles:list',
      'roles:read',
      'apikeys:list',
    ],
  })
  // Until then the operator has only the role clerk.
  const [operator] = await it.plat.api.users.list({ username: 'operator' })
  await it.plat.api.users.update({ id: operator?.id ?? '', roles: ['clerk'] })
  await it.visit(
    async ({ page, open }) => {
      await open('/users?new=1')
      await choose(page.getByLabel('Role'), 'admin')
      await page.getByText('Holds permissions that you lack: apikeys:create').first().waitFor()
      const [boss] = await it.plat.api.users.list({ username: 'admin' })
      await open(`/users/${boss?.id}`)
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Deactivate' }).click()
      const dialog = page.getByRole('dialog', { name: 'Deactivate admin?' })
      await dialog.getByRole('button', { name: 'Deactivate' }).click()
      await dialog.getByText('has permissions that you lack').waitFor()
    },
    { as: 'operator', expected: ['403 /api/users'] },
  )
  await it.plat.api.users.update({ id: operator?.id ?? '', roles: ['operator'] })
})
