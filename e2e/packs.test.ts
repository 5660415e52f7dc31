/** Packs: installed from the empty page with a preview, named at what they brought, uninstalled; and the objects that name another. */
import { expect, test } from 'bun:test'
import { choose, world } from './harness.ts'
import { expectReadableInBothThemes } from './readable.ts'

const it = world({ devices: 20 })
const as = 'admin'

test('a pack is installed from the empty page after a preview, and its kinds stand in the sidebar', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/kinds')
      await page.getByRole('heading', { name: 'Install a pack' }).waitFor()
      await expectReadableInBothThemes(page)
      await page.getByRole('button', { name: 'Install Tenancy' }).click()
      const dialog = page.getByRole('dialog', { name: 'Install Tenancy?' })
      await dialog
        .getByText(/created/i)
        .first()
        .waitFor()
      await expectReadableInBothThemes(page)
      await dialog.getByRole('button', { name: 'Install', exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
      const main = page.getByRole('navigation', { name: 'Main' })
      await main.getByRole('link', { name: 'Tenants' }).click()
      await page.getByRole('button', { name: 'New tenant' }).first().waitFor()
      await page.getByRole('link', { name: 'Definition' }).click()
      await page.getByText('From the pack tenancy; your changes stay.').first().waitFor()
      await expectReadableInBothThemes(page)
    },
    { as },
  ))

test('the objects that name another are counted on its page, and opened in place', async () => {
  const { api } = it.plat
  const acme = await api.objects.create({ kind_id: 'tenants', name: 'Acme' })
  const [device] = await api.devices.list({ limit: 1 })
  await api.devices.update({ id: device?.id ?? '', custom: { tenant: acme.id } })
  await it.visit(
    async ({ page, open }) => {
      await open(`/objects/${acme.id}`)
      await page.getByRole('link', { name: 'All related' }).click()
      await page.getByRole('button', { name: /Devices Tenant 1/ }).click()
      await page.getByRole('link', { name: device?.name ?? '' }).waitFor()
      await expectReadableInBothThemes(page)
      await page.getByRole('link', { name: '1 in Devices' }).click()
      await page.getByRole('row', { name: new RegExp(device?.name ?? '') }).waitFor()
      await open(`/devices/${device?.id}`)
      await page.getByRole('link', { name: 'Acme' }).first().click()
      await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor()
    },
    { as },
  )
})

test('a device has the tab of related objects once a field refers to devices', async () => {
  const { api } = it.plat
  await api.kinds.create({
    name: 'Spares',
    fields: [{ name: 'of', label: 'Spare of', type: 'reference', reference_to: 'devices' }],
  })
  const [device] = await api.devices.list({ limit: 1 })
  const spare = await api.objects.create({ kind_id: 'spares', name: 'PSU', custom: { of: device?.id ?? '' } })
  await it.visit(
    async ({ page, open }) => {
      await open(`/devices/${device?.id}?tab=related`)
      await page.getByRole('button', { name: /Spares Spare of 1/ }).click()
      await page.getByRole('link', { name: 'PSU' }).click()
      await page.waitForURL(`**/objects/${spare.id}`)
    },
    { as },
  )
})

test('a pack in use tells why it stays, and goes with its kinds once nothing uses it', async () => {
  const { api } = it.plat
  await it.visit(
    async ({ page, open }) => {
      await open('/kinds?tab=packs')
      const button = page.getByRole('button', { name: 'Uninstall Tenancy' })
      await button.waitFor()
      expect(await button.getAttribute('aria-disabled')).toBe('true')
      await expectReadableInBothThemes(page)
      for (const { id } of await api.objects.list({ kind_id: 'tenants' })) await api.objects.delete({ id })
      await open('/kinds?tab=packs')
      await button.click()
      const dialog = page.getByRole('dialog', { name: 'Uninstall Tenancy?' })
      await dialog
        .getByText(/deleted/i)
        .first()
        .waitFor()
      await dialog.getByRole('button', { name: 'Uninstall', exact: true }).click()
      await page.getByRole('button', { name: 'Install Tenancy' }).waitFor()
    },
    { as },
  )
  expect((await api.kinds.list({})).map(({ id }) => id)).toEqual(['spares'])
})

test('a scope names kinds, once there are some', async () => {
  const { api } = it.plat
  await it.visit(
    async ({ page, open }) => {
      await open('/scopes?new=1')
      const form = page.getByRole('dialog', { name: 'New scope' })
      await form.getByLabel('Name · required').fill('Spares only')
      await choose(form.getByRole('combobox', { name: 'Kinds' }), 'Spares')
      await expectReadableInBothThemes(page)
      await form.getByRole('button', { name: 'Create scope' }).click()
      await form.waitFor({ state: 'detached' })
    },
    { as },
  )
  const [scope] = await api.scopes.list({})
  expect(scope).toMatchObject({ name: 'Spares only', kind_ids: ['spares'] })
})
