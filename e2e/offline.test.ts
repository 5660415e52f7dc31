/** An unreachable server: a banner appears, loaded data stays, and requests continue when the server is back. */
import { expect, test } from 'bun:test'
import { testAll } from '../testing/cases.ts'
import { world } from './harness.ts'

const it = world({ devices: 60 })
const AWAY = 'The server does not answer.'

test('without a connection, loaded content stays and requested content loads later', () =>
  it.visit(
    async ({ page, context, open }) => {
      await open('/reservations')
      await page.getByRole('grid').waitFor()
      await context.setOffline(true)
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Pools' }).click()
      await page.getByText(AWAY).first().waitFor()
      await page.goBack()
      await page.getByRole('grid', { name: 'Reservations' }).getByRole('row').nth(1).waitFor()
      await context.setOffline(false)
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Pools' }).click()
      await page.getByRole('grid', { name: 'Pools' }).getByRole('row').nth(1).waitFor()
    },
    { as: 'admin' },
  ))

test('a restart: the rows stay, a change that could not be sent can be sent again, and the banner goes', () =>
  it.visit(
    async ({ page, open }) => {
      const { id } = await it.plat.api.datacenters.create({ name: 'Restarted' })
      await open('/datacenters')
      await page.getByRole('link', { name: 'Restarted' }).waitFor()
      await page.goto(`/datacenters?edit=${id}`)
      await page.getByLabel('Location').fill('Row 7')
      await it.plat.restart(async () => {
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText(AWAY).first().waitFor()
        await page.getByRole('dialog').getByRole('alert').waitFor()
        expect(await page.getByLabel('Location').inputValue()).toBe('Row 7')
        await page.getByText('Restarted').first().waitFor()
      })
      await page.getByText(AWAY).waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved Restarted').waitFor()
      expect((await it.plat.api.datacenters.get({ id })).location).toBe('Row 7')
    },
    { as: 'admin' },
  ))

testAll('the devices stay to be sorted and filtered, and say from when they are', () =>
  it.visit(
    async ({ page, context, open }) => {
      await open('/devices')
      await page.getByRole('grid', { name: 'Pools' }).getByRole('row').nth(1).waitFor()
      await page.waitForLoadState('networkidle')
      await context.setOffline(true)
      await page.getByRole('combobox', { name: 'Filter' }).fill('status:active')
      await page
        .getByText(/^\d+ of 60 devices$/)
        .first()
        .waitFor()
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Pools' }).click()
      await page.getByText(AWAY).first().waitFor()
      await page.goBack()
      await page.getByRole('grid', { name: 'Pools' }).getByRole('row').nth(1).waitFor()
    },
    { as: 'admin' },
  ),
)
