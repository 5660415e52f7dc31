/** The account page: an API key that is shown once, and sessions that can be ended. */
import { expect, test } from 'bun:test'
import { PASSWORD } from '../testing/estates/identities.ts'
import { world } from './harness.ts'

const it = world({ devices: 0, env: { ENCRYPTION_KEY: 'e1'.repeat(32) } })

test('a new key is shown once, and its dialog closes only after "I have saved it"', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/account')
      await page.getByRole('button', { name: 'New key' }).click()
      await page.getByLabel('Name · required').fill('ansible')
      await page.getByRole('button', { name: 'Create key' }).click()
      const shown = page.getByRole('dialog', { name: 'The key “ansible”' })
      const key = (await shown.locator('code').textContent()) ?? ''
      await page.keyboard.press('Escape')
      expect(await shown.isVisible()).toBe(true)
      await shown.getByLabel('I have saved it').click()
      await shown.getByRole('button', { name: 'Done' }).click()
      await shown.waitFor({ state: 'detached' })
      expect(await page.content()).not.toContain(key)
      const me = await fetch(`${it.plat.url}/api/auth/me`, { headers: { authorization: `Bearer ${key}` } })
      expect(me.status).toBe(200)
    },
    { as: 'operator' },
  ))

test('a sign-in again knows the user, and begins with the password', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/account')
      const created_at = new Date(Date.now() - 3_600_000).toISOString()
      await it.plat.write(({ db }) => db.updateTable('sessions').set({ created_at }).execute())
      await page.getByRole('button', { name: 'Add an authenticator app' }).click()
      const dialog = page.getByRole('dialog', { name: 'Sign in again' })
      const name = dialog.getByLabel('User name')
      await name.waitFor()
      expect(await name.inputValue()).toBe('operator')
      expect(await name.getAttribute('autocomplete')).toBe('username')
      await page.keyboard.type(PASSWORD)
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'New authenticator app' }).waitFor()
    },
    { as: 'operator', expected: ['403 /api/auth/'] },
  ))

test('an empty inventory says what to begin with', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices')
      await page.getByText('No devices yet').waitFor()
      await open('/networks')
      await page.getByText('No networks yet').waitFor()
    },
    { as: 'admin' },
  ))
