/** Address spaces: nothing shows them before there is one, and then lists, forms, badges and the palette do. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { choose, eventually, world } from './harness.ts'
import { expectReadableInBothThemes } from './readable.ts'

const it = world({ devices: 0 })
const as = 'admin'

const choiceOf = (page: Page) => page.getByRole('combobox', { name: 'Address space' })
const links = (page: Page) => page.getByRole('navigation', { name: 'Pages' })

test('an estate without spaces shows none and requests none; the first is made from the menu of the networks', async () => {
  await it.plat.api.networks.create({ name: 'office', subnet: '10.0.0.0/16' })
  await it.plat.api.networks.create({ name: 'floor 1', subnet: '10.0.1.0/24' })
  await it.visit(
    async ({ page, open, openWhole, requests }) => {
      for (const path of ['/devices?new=1', '/networks?new=1']) {
        await openWhole(path)
        const form = page.getByRole('dialog')
        await form.getByLabel('Name · required').waitFor()
        expect(await form.getByText('Address space').count()).toBe(0)
      }
      await page.keyboard.press('Escape')
      expect(requests.filter((one) => one.includes('spaces'))).toEqual([])
      await page.getByRole('button', { name: 'More about networks' }).click()
      await page.getByRole('menuitem', { name: 'Address spaces' }).click()
      await page.getByText('No address spaces yet').waitFor()
      await expectReadableInBothThemes(page)
      await page.getByRole('button', { name: 'New address space' }).last().click()
      await page.getByLabel('Name · required').fill('Lab')
      await page.getByRole('button', { name: 'Create address space' }).click()
      await page.getByText('Created Lab').waitFor()
      await links(page).getByRole('link', { name: 'Address spaces' }).waitFor()
      await expectReadableInBothThemes(page)
      await open('/networks')
      await choiceOf(page).waitFor()
    },
    { as },
  )
})

/** The rows that are no gaps: their level, and the text of the first cell behind the one that selects them. */
const rowsOf = async (page: Page): Promise<string> => {
  const rows = await page.getByRole('treegrid', { name: 'Networks' }).locator('[aria-level]').all()
  const texts = await Promise.all(
    rows.map(
      async (row) => `${await row.getAttribute('aria-level')} ${await row.getByRole('gridcell').nth(1).textContent()}`,
    ),
  )
  return texts.filter((text) => !text.includes(' free')).join('\n')
}

test('networks are grouped by space, and a gap is filled in its own', async () => {
  const [lab] = await it.plat.api.spaces.list()
  const space_id = lab?.id ?? ''
  await it.plat.api.networks.create({ name: 'bench', subnet: '10.0.0.0/16', space_id })
  await it.plat.api.networks.create({ name: 'bench 1', subnet: '10.0.1.0/24', space_id })
  await it.visit(
    async ({ page, open }) => {
      await open('/networks')
      const groups = [
        ...['1 Default space1', '2 10.0.0.0/16', '3 10.0.1.0/24'],
        ...['1 Lab1', '2 10.0.0.0/16 Address space Lab', '3 10.0.1.0/24 Address space Lab'],
      ]
      await eventually(() => rowsOf(page), groups.join('\n'))
      // Spaces and gaps cannot be selected.
      expect(await page.getByRole('checkbox', { name: /^Select (?!all)/ }).count()).toBe(4)
      await expectReadableInBothThemes(page)
      await page
        .getByRole('treegrid')
        .getByText(/free, /)
        .last()
        .click()
      await page.keyboard.press('c')
      const form = page.getByRole('dialog', { name: 'New network' })
      await eventually(() => form.getByLabel('Address space').inputValue(), 'Lab')
      await expectReadableInBothThemes(page)
      await form.getByLabel('Name · required').fill('bench 2')
      await form.getByRole('button', { name: 'Create network' }).click()
      await page.getByText('Created bench 2').waitFor()
      const [made] = await it.plat.api.networks.list({ name: 'bench 2' })
      expect(made?.space_id).toBe(space_id)
      await it.plat.api.networks.delete({ id: made?.id ?? '' })
      await choiceOf(page).selectOption('default')
      await eventually(() => rowsOf(page), '1 10.0.0.0/16\n2 10.0.1.0/24')
      await page.goBack()
      await page.reload()
      await open(`/networks?space=${space_id}&view=flat`)
      await page.getByRole('grid', { name: 'Networks' }).getByText('bench 1').waitFor()
      expect(await page.getByText('floor 1').count()).toBe(0)
      await page.setViewportSize({ width: 390, height: 844 })
      await expectReadableInBothThemes(page)
    },
    { as },
  )
})

testAll('devices, pools and conflicts are filtered by space; an address gets its space in the form', async () => {
  const { api } = it.plat
  const [lab] = await api.spaces.list()
  const space_id = lab?.id ?? ''
  const [bench] = await api.networks.list({ name: 'bench 1' })
  await api.pools.create({ network_id: bench?.id ?? '', name: 'dhcp', start_ip: '10.0.1.10', end_ip: '10.0.1.20' })
  for (const name of ['web', 'db'])
    await api.devices.create({ name: `${name}-lab`, addresses: [{ ip: '10.0.1.5', space_id }] })
  await it.visit(
    async ({ page, open }) => {
      await open('/devices?new=1')
      const form = page.getByRole('dialog', { name: 'New device' })
      await form.getByLabel('Name · required').fill('router')
      await form.getByRole('combobox', { name: 'Address 1' }).fill('10.0.1.1')
      await page.keyboard.press('Tab')
      await form.getByRole('button', { name: 'Add address' }).click()
      await page.keyboard.type('10.0.1.1')
      await page.keyboard.press('Tab')
      expect(await form.getByRole('combobox', { name: 'Address 2' }).inputValue()).toBe('10.0.1.1')
      await form.getByText('Details', { exact: true }).last().click()
      await choose(form.getByLabel('Address space').last(), 'Lab')
      await expectReadableInBothThemes(page)
      await form.getByRole('button', { name: 'Create device' }).click()
      await page.getByText('Created router').waitFor()
      const router = (await api.devices.list()).find(({ name }) => name === 'router')
      expect(router?.addresses.map((address) => address.space_id)).toEqual([undefined, space_id])
      const names = async () =>
        (await page.getByRole('grid', { name: 'Devices' }).getByRole('link').allTextContents()).join()
      await open('/devices')
      await eventually(names, 'db-lab,router,web-lab')
      await expectReadableInBothThemes(page)
      await choiceOf(page).selectOption('default')
      await eventually(names, 'router')
      await open(`/devices/${router?.id}?tab=addresses`)
      await page.getByRole('cell', { name: 'Address space Lab' }).waitFor()
      await open('/pools?space=default')
      await page.getByText('No pools in this address space').waitFor()
      await choiceOf(page).selectOption('Lab')
      await page.getByRole('grid', { name: 'Pools' }).getByText('Address space Lab').waitFor()
      await expectReadableInBothThemes(page)
      await open(`/conflicts?space=${space_id}`)
      await page.getByRole('grid', { name: 'Conflicts' }).getByRole('link', { name: '10.0.1.5' }).waitFor()
      await expectReadableInBothThemes(page)
      await choiceOf(page).selectOption('default')
      await page.getByText('No conflicts found').waitFor()
    },
    { as },
  )
})

testAll('the palette answers for each space that knows an address', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search or jump to' }).fill('10.0.1.5')
      const found = async () =>
        (await page.getByRole('option', { name: '10.0.1.5' }).allTextContents())
          .slice(0, 2)
          .map((text) => text.slice(0, 'Default space: 10.0.1.5'.length))
          .join()
      await eventually(found, 'Default space: 10.0.1.5,Lab: 2 devices have 10.')
      await page.getByRole('option', { name: 'bench 1 Address space Lab 10.0.1.0/24' }).waitFor()
      await page.getByRole('option', { name: 'floor 1 10.0.1.0/24' }).waitFor()
      await expectReadableInBothThemes(page)
      await page.getByRole('option', { name: /^Lab: / }).click()
      await page.getByRole('grid', { name: 'Devices' }).getByText('web-lab').waitFor()
      expect(await choiceOf(page).locator('option:checked').textContent()).toBe('Lab')
    },
    { as },
  ),
)
