/** Signing in, refusals, and the return to the earlier page. */
import { expect, test } from 'bun:test'
import { PASSWORD } from '../testing/estates/identities.ts'
import { world } from './harness.ts'

const { visit, plat } = (() => {
  const made = world({ devices: 30 })
  return { visit: made.visit, plat: () => made.plat }
})()

test('a visitor without a session signs in, and then gets the requested page', () =>
  visit(
    async ({ page, open }) => {
      await open('/devices?q=status:active')
      expect(new URL(page.url()).pathname).toBe('/login')
      await page.getByText('plat user reset-password admin').waitFor()
      await page.getByLabel('User name').fill('admin')
      await page.getByLabel('Password').fill('wrong')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('The user name or the password is wrong.').waitFor()
      expect(await page.getByLabel('Password').inputValue()).toBe('')
      await page.getByLabel('Password').fill(PASSWORD)
      await page.keyboard.press('Enter')
      await page.getByRole('grid', { name: 'Devices' }).waitFor()
      expect(new URL(page.url()).search).toBe('?q=status:active')
    },
    { expected: ['401 /api/auth/me', '401 /api/auth/login'] },
  ))

test('after signing out, nothing of the inventory is shown', () =>
  visit(
    async ({ page, open }) => {
      await open('/account')
      await page.getByRole('button', { name: 'admin' }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      // The user has signed in before.
      await page.waitForLoadState('networkidle')
      expect(await page.getByText('The first time?').count()).toBe(0)
      await page.goto('/account')
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    },
    { as: 'admin', expected: ['401 /api/auth/me'] },
  ))

test('a session that ends in mid-edit loses nothing', () =>
  visit(
    async ({ page, open }) => {
      await open('/devices?new=1')
      await page.getByLabel('Name · required').fill('draft-01')
      await plat().signOut('operator')
      await page.getByRole('button', { name: 'Create device' }).click()
      await page.getByText('Your session has ended.').waitFor()
      await page.getByLabel('User name').fill('operator')
      await page.getByLabel('Password').fill(PASSWORD)
      await page.keyboard.press('Enter')
      await page.getByText('Your unsaved changes are back.').waitFor()
      expect(await page.getByLabel('Name · required').inputValue()).toBe('draft-01')
    },
    { as: 'operator', expected: ['401 /api/'] },
  ))

test('a `next` parameter that leads to another site is ignored', () =>
  visit(async ({ page, open }) => {
    await open('/login?next=//example.com/x')
    await page.getByLabel('User name').fill('viewer')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(new URL(page.url()).origin).toBe(plat().url)
  }))
