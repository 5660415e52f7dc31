/** API keys of all users: listed with permission, created for others, shown once, limited, rotated, deleted. */
import { expect, test } from 'bun:test'
import { axeFindings, choose, world } from './harness.ts'

const it = world({ devices: 0 })

test('an API key for another user is created, shown once, and deleted by the keyboard only', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/keys')
      await page.getByRole('grid', { name: 'API keys' }).waitFor()
      await page.keyboard.press('c')
      await page.getByLabel('Name · required').waitFor()
      await page.keyboard.type('nightly')
      await choose(page.getByLabel('Owner'), 'viewer')
      await page.getByRole('button', { name: 'Create key' }).press('Enter')
      const shown = page.getByRole('dialog', { name: 'The key “nightly”' })
      const key = (await shown.locator('code').textContent()) ?? ''
      const me = await fetch(`${it.plat.url}/api/auth/me`, { headers: { authorization: `Bearer ${key}` } })
      expect(((await me.json()) as { username: string }).username).toBe('viewer')
      await shown.getByLabel('I have saved it').press(' ')
      await shown.getByRole('button', { name: 'Done' }).press('Enter')
      await shown.waitFor({ state: 'detached' })
      expect(await page.content()).not.toContain(key)
      await page.getByRole('combobox', { name: 'Filter' }).fill('owner:viewer')
      await page
        .getByText(/^1 of \d+ keys$/)
        .first()
        .waitFor()
      await page.keyboard.press('Enter')
      await page.keyboard.press('j')
      await page.keyboard.press('#')
      await page.getByRole('button', { name: 'Delete key' }).press('Enter')
      await page.getByText('The key “nightly” is deleted').waitFor()
      const after = await fetch(`${it.plat.url}/api/auth/me`, { headers: { authorization: `Bearer ${key}` } })
      expect(after.status).toBe(401)
    },
    { as: 'admin' },
  ))

test('a key with limits is created, shows them, and is rotated', () =>
  it.visit(
    async ({ page, open }) => {
      const saved = async (name: string) => {
        const shown = page.getByRole('dialog', { name: `The key “${name}”` })
        const key = (await shown.locator('code').textContent()) ?? ''
        await shown.getByLabel('I have saved it').click()
        await shown.getByRole('button', { name: 'Done' }).click()
        await shown.waitFor({ state: 'detached' })
        return key
      }
      const status = async (path: string, key: string) =>
        (await fetch(`${it.plat.url}${path}`, { headers: { authorization: `Bearer ${key}` } })).status
      await open('/account')
      await page.getByRole('button', { name: 'New key' }).click()
      await page.getByLabel('Name · required').fill('narrow')
      await page.getByLabel('Addresses').fill('127.0.0.0/8, ::1 10.0.0.0/33')
      await page.getByLabel('Permissions', { exact: true }).selectOption({ label: 'Some permissions' })
      await page.getByLabel('devices:list').check()
      await page.getByText('1 permission chosen').waitFor()
      expect(await axeFindings(page)).toEqual([])
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByText('10.0.0.0/33 must be an IPv4 or IPv6 address').waitFor()
      await page.getByLabel('Addresses').fill('127.0.0.0/8, ::1')
      await page.getByRole('button', { name: 'Create key' }).click()
      const key = await saved('narrow')
      await page.getByText('only devices:list, from 127.0.0.0/8, ::1/128').waitFor()
      expect([await status('/api/devices', key), await status('/api/networks', key)]).toEqual([200, 403])
      await page.getByRole('button', { name: 'Rotate the key narrow' }).waitFor()
      await open('/keys')
      await page.getByText('only devices:list').waitFor()
      await page.getByRole('button', { name: 'Actions for narrow' }).click()
      await page.getByRole('menuitem', { name: 'Rotate' }).click()
      await page.getByRole('button', { name: 'Rotate key' }).click()
      const renewed = await saved('narrow')
      expect(renewed).not.toBe(key)
      expect([await status('/api/devices', key), await status('/api/devices', renewed)]).toEqual([200, 200])
    },
    { as: 'operator', expected: ['400 /api/keys'] },
  ))

test('a viewer sees and creates only own keys', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/keys')
      await page.getByText('You see your own keys.').waitFor()
      await page.getByText('No API keys yet').waitFor()
      await page.getByRole('button', { name: 'New key' }).first().click()
      await page.getByLabel('Name · required').fill('mine')
      expect(await page.getByLabel('Owner').count()).toBe(0)
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('dialog', { name: 'The key “mine”' }).waitFor()
    },
    { as: 'viewer' },
  ))

test('a new key is shown with the lines for Ansible, Terraform and pynetbox, and a key of a feed without them', () =>
  it.visit(
    async ({ page, open }) => {
      const make = async (name: string) => {
        await page.getByRole('button', { name: 'New key' }).click()
        await page.getByLabel('Name · required').fill(name)
        await page.getByRole('button', { name: 'Create key' }).click()
        return page.getByRole('dialog', { name: `The key “${name}”` })
      }
      const { id } = await it.plat.api.feeds.create({ name: 'hosts', format: 'hosts' })
      await open('/account')
      const shown = await make('tools')
      const key = (await shown.locator('code').textContent()) ?? ''
      for (const [tool, line] of [
        ['Ansible', `api_endpoint: ${it.plat.url}/netbox\ntoken: ${key}`],
        ['Terraform', `server_url = "${it.plat.url}/netbox"\n  api_token  = "${key}"`],
        ['pynetbox', `nb = pynetbox.api("${it.plat.url}/netbox", token="${key}")`],
      ] as const) {
        await shown.getByText(tool, { exact: true }).click()
        await shown.getByRole('button', { name: `Copy the lines for ${tool}` }).waitFor()
        expect(await shown.locator('pre:visible').textContent()).toContain(line)
        expect(await axeFindings(page)).toEqual([])
      }
      await shown.getByLabel('I have saved it').click()
      await shown.getByRole('button', { name: 'Done' }).click()
      await shown.waitFor({ state: 'detached' })
      await open(`/feeds/${id}?tab=use`)
      const ofFeed = await make('reader')
      await ofFeed.locator('code').waitFor()
      expect(await ofFeed.getByText('Use with').count()).toBe(0)
    },
    { as: 'admin' },
  ))
