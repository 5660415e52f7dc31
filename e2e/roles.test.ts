/** Roles: created in the matrix, changed and deleted. Built-in roles stay as they are. */
import { expect, test } from 'bun:test'
import { world } from './harness.ts'

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

test('a role begins with what another one holds', () =>
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
  ))

test('the arrows move through the matrix', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/roles?new=1')
      await page.getByRole('checkbox', { name: 'audit:read' }).focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press(' ')
      expect(await page.getByRole('checkbox', { name: 'conflicts:list' }).isChecked()).toBe(true)
    },
    { as },
  ))

test('a role that comes with Plat can only be read', () =>
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
  ))

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
