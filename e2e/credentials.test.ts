/** Credentials: secrets are entered, marked as stored, and never shown. */
import { expect, test } from 'bun:test'
import { PEOPLE } from './access-seed.ts'
import { choose, world } from './harness.ts'

const it = world({ devices: 60, env: PEOPLE })
const as = 'admin'

test('a credential is created, changed without its secret, and deleted', () =>
  it.visit(
    async ({ page, open }) => {
      const [device] = await it.plat.api.devices.list({ limit: 1 })
      await open('/credentials')
      await page.getByRole('button', { name: 'New credential' }).first().click()
      await page.getByLabel('Name · required', { exact: true }).fill('jump host')
      await page.getByLabel('User name · required').fill('root')
      await page.getByLabel('Password', { exact: true }).fill('never to be seen')
      await choose(page.getByLabel('Device', { exact: true }), device?.name ?? '')
      await page.getByRole('button', { name: 'Create credential' }).click()
      await page.getByRole('link', { name: 'jump host' }).click()
      await page.getByText("Stored; it can't be shown.").waitFor()
      await page.getByLabel('User name · required').fill('admin')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved jump host').waitFor()
      const [saved] = await it.plat.api.credentials.list({ name: 'jump host' })
      expect(saved).toMatchObject({ username: 'admin', has_secret: true, device_id: device?.id ?? '' })
      expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('never to be seen')
      await page.getByRole('button', { name: 'Actions for jump host' }).click()
      await page.getByRole('menuitem', { name: 'Delete credential' }).click()
      await page.getByRole('button', { name: 'Delete credential' }).click()
      await page.getByText('No device credentials yet').waitFor()
    },
    { as },
  ))

test('another network asks for the secret again', async () => {
  const { id } = await it.plat.api.credentials.create({ name: 'moved', type: 'snmp_v2c', community: 'of the old one' })
  const [network] = await it.plat.api.networks.list({ limit: 1 })
  await it.visit(
    async ({ page, open }) => {
      await open(`/credentials?edit=${id}`)
      await page.getByText("Stored; it can't be shown.").waitFor()
      await choose(page.getByLabel('Network'), network?.name ?? '')
      await page.getByText('Enter it again for another device or network').waitFor()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('is needed again, because the credential gets another device or network').waitFor()
      await page.getByLabel('Community').fill('of the new one')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved moved').waitFor()
      await it.plat.api.credentials.delete({ id })
    },
    { as, expected: [`400 /api/credentials/${id}`] },
  )
})

test('each type has the fields that belong to it', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/credentials?new=1')
      await page.getByLabel('Name · required', { exact: true }).fill('core')
      await page.getByLabel('Type').selectOption('snmp_v2c')
      expect(await page.getByLabel('User name · required').count()).toBe(0)
      await page.getByRole('button', { name: 'Create credential' }).click()
      await page.getByText('is required for the type snmp_v2c').waitFor()
      await page.getByLabel('Type').selectOption('snmp_v3')
      await page.getByLabel('Privacy', { exact: true }).selectOption('none')
      expect(await page.getByLabel('Privacy password').count()).toBe(0)
      await page.getByLabel('User name · required').fill('monitor')
      await page.getByLabel('Authentication password').fill('eight letters')
      await page.getByRole('button', { name: 'Create credential' }).click()
      await page.getByText('Created core').waitFor()
      const [made] = await it.plat.api.credentials.list({ name: 'core' })
      expect(made).toMatchObject({ type: 'snmp_v3', auth_protocol: 'SHA256', priv_protocol: 'none', has_secret: true })
    },
    { as, expected: ['400 /api/credentials'] },
  ))

test('a viewer sees them and changes nothing', async () => {
  const { id } = await it.plat.api.credentials.create({
    name: 'seen',
    type: 'ssh_password',
    username: 'root',
    password: 'never to be seen',
  })
  await it.visit(
    async ({ page, open }) => {
      await open(`/credentials?edit=${id}`)
      const save = page.getByRole('button', { name: 'Save' })
      await save.waitFor()
      expect(await save.getAttribute('aria-disabled')).toBe('true')
      expect(await page.getByLabel('User name · required').isDisabled()).toBe(true)
      await save.focus()
      await page.getByText('Needs the permission credentials:update').waitFor()
      expect(await page.content()).not.toContain('never to be seen')
    },
    { as: 'viewer' },
  )
})
