/** Kinds: one is defined and filled by the keyboard, listed as any other, with fields, tree, history and the objects that name it. */
import { expect, test } from 'bun:test'
import { choose, world } from './harness.ts'
import { expectReadableInBothThemes } from './readable.ts'

const it = world({ devices: 20 })
const as = 'admin'

test('an estate without kinds shows and requests none', () =>
  it.visit(
    async ({ page, openWhole, requests }) => {
      await openWhole('/devices')
      const main = page.getByRole('navigation', { name: 'Main' })
      expect(await main.getByText('Kinds').count()).toBe(0)
      expect(requests.filter((line) => /kind|objects/.test(line))).toEqual([])
    },
    { as },
  ))

test('a kind is defined, and its first object made with three values, by the keyboard in at most 15 actions', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/kinds')
      await page.getByText('No kinds yet').waitFor()
      await expectReadableInBothThemes(page)
      let actions = 0
      const press = async (key: string) => {
        actions++
        await page.keyboard.press(key)
      }
      const type = async (text: string) => {
        actions++
        await page.keyboard.type(text)
      }
      await press('c')
      const drawer = page.getByRole('dialog', { name: 'New kind' })
      await drawer.getByLabel('Name · required').first().waitFor()
      await type('Circuits')
      await drawer.getByText('New circuit, /kinds/circuits').waitFor()
      await press('Enter')
      await type('Provider, Commit, Installed')
      await drawer.locator('section').getByLabel('Installed').waitFor()
      await press('Control+Enter')
      await page.getByRole('heading', { level: 1, name: 'Circuits' }).waitFor()
      const button = page.getByRole('button', { name: 'New circuit' }).first()
      await page.locator('button:focus', { hasText: 'New circuit' }).waitFor()
      await press('Enter')
      const form = page.getByRole('dialog', { name: 'New circuit' })
      await form.getByLabel('Provider').waitFor()
      await type('CID-1')
      await press('Tab')
      await type('Example Carrier')
      await press('Tab')
      await type('1000')
      await press('Tab')
      await type('2026-01-31')
      await press('Control+Enter')
      await form.waitFor({ state: 'detached' })
      await page.getByRole('row', { name: /CID-1.*Example Carrier.*1000/ }).waitFor()
      expect(actions).toBeLessThanOrEqual(15)
      await button.waitFor()
      const [made] = await it.plat.api.objects.list({ kind_id: 'circuits' })
      expect(made).toMatchObject({
        name: 'CID-1',
        custom: { provider: 'Example Carrier', commit: '1000', installed: '2026-01-31' },
      })
      await expectReadableInBothThemes(page)
    },
    { as },
  ))

test('the fields of a new kind are moved by Alt and the arrows, and a refusal stands at its row', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/kinds?new=1')
      const drawer = page.getByRole('dialog', { name: 'New kind' })
      const label = (number: number) => drawer.getByLabel(`Label of field ${number}`)
      await drawer.getByLabel('Name · required').first().fill('Circuits')
      await page.keyboard.press('Enter')
      await page.keyboard.type('Supplier, State')
      await page.keyboard.press('Enter')
      expect([await label(1).inputValue(), await label(2).inputValue()]).toEqual(['Supplier', 'State'])
      await label(2).focus()
      await page.keyboard.press('Alt+ArrowUp')
      expect([await label(1).inputValue(), await label(2).inputValue()]).toEqual(['State', 'Supplier'])
      expect(await page.evaluate("document.activeElement?.getAttribute('aria-label')")).toBe('Label of field 1')
      await page.keyboard.press('Alt+ArrowDown')
      expect(await page.evaluate("document.activeElement?.getAttribute('aria-label')")).toBe('Label of field 2')
      await page.keyboard.press('Alt+ArrowUp')
      await drawer.getByLabel('Type of field 1').selectOption({ label: 'Choice' })
      await page.keyboard.press('Control+Enter')
      // The name is that of another kind.
      await drawer.locator('[aria-invalid=true]').first().waitFor()
      await expectReadableInBothThemes(page)
      await drawer.getByLabel('Name · required').first().fill('Agreements')
      await page.keyboard.press('Control+Enter')
      await drawer.getByText(/^choices/).waitFor()
      expect(await label(1).getAttribute('aria-invalid')).toBe('true')
      await expectReadableInBothThemes(page)
      await drawer.getByLabel('Choices of field 1').fill('open, signed')
      await page.keyboard.press('Control+Enter')
      await page.getByRole('heading', { level: 1, name: 'Agreements' }).waitFor()
      const fields = await it.plat.api.customFields.list({ resource: 'agreements' })
      expect(fields.map(({ name, type }) => [name, type])).toEqual([
        ['state', 'choice'],
        ['supplier', 'text'],
      ])
    },
    { as, expected: ['409 /api/kinds', '400 /api/kinds'] },
  ))

/** A kind of circuits beside one of carriers, with the fields of each type of control. */
const seed = async () => {
  const { api } = it.plat
  const [known] = (await api.kinds.list({})).filter(({ id }) => id === 'lines')
  if (!known) {
    await api.kinds.create({ name: 'Carriers', icon: 'building-2' })
    await api.kinds.create({
      ...{ name: 'Lines', icon: 'route', located: true, description: 'Lines between two places' },
      fields: [
        { name: 'carrier', label: 'Carrier', type: 'reference', reference_to: 'carriers' },
        { name: 'status', label: 'Status', type: 'choice', choices: ['active', 'offline'] },
        { name: 'number', label: 'Number', type: 'integer', unique: true, minimum: 7 },
        { name: 'reason', label: 'Reason', type: 'text', only_for: { field: 'custom.status', values: ['offline'] } },
      ],
    })
    await api.objects.create({ kind_id: 'carriers', name: 'Nordic Fiber' })
  }
  return api
}

test('an object is made with a reference to another kind, a next free number, and a field that appears with its condition', async () => {
  const api = await seed()
  await it.visit(
    async ({ page, open }) => {
      await open('/kinds/lines')
      await page.getByText('Lines between two places').first().waitFor()
      await page.getByRole('button', { name: 'New line' }).first().click()
      const form = page.getByRole('dialog', { name: 'New line' })
      await form.getByLabel('Name · required').fill('L-1')
      await choose(form.getByRole('combobox', { name: 'Carrier' }), 'Nordic Fiber')
      expect(await form.getByLabel('Reason').count()).toBe(0)
      await form.getByLabel('Status').selectOption('offline')
      await form.getByLabel('Reason').fill('cut')
      await form.getByRole('button', { name: 'Next free' }).click()
      await expectReadableInBothThemes(page)
      await form.getByRole('button', { name: 'Create line' }).click()
      await page.getByRole('row', { name: /L-1.*Nordic Fiber.*offline.*7/ }).waitFor()
      await page.getByRole('link', { name: 'L-1' }).click()
      await page.getByRole('heading', { level: 1, name: 'L-1' }).waitFor()
      await page.getByRole('link', { name: 'Nordic Fiber' }).click()
      await page.getByRole('heading', { level: 1, name: 'Nordic Fiber' }).waitFor()
      await expectReadableInBothThemes(page)
    },
    { as },
  )
  expect(await api.objects.list({ kind_id: 'lines' })).toMatchObject([
    { name: 'L-1', custom: { status: 'offline', number: 7, reason: 'cut' } },
  ])
})

test('the last heading of a list adds a field, and its column stands at once', async () => {
  await seed()
  await it.visit(
    async ({ page, open }) => {
      await open('/kinds/lines')
      await page.getByRole('button', { name: 'Add a field' }).click()
      const form = page.getByRole('dialog', { name: 'New field' })
      await form.getByLabel('Label · required').fill('Monthly cost')
      await expectReadableInBothThemes(page)
      await form.getByRole('button', { name: 'Create field' }).click()
      await page.getByRole('columnheader', { name: 'Monthly cost' }).waitFor()
      await page.getByRole('link', { name: 'Definition' }).click()
      await page.getByRole('button', { name: 'Monthly cost monthly_cost' }).waitFor()
    },
    { as },
  )
})

test('a switch of a kind takes effect at once, and says why it stays', async () => {
  const api = await seed()
  const [place] = await api.datacenters.list({ limit: 1 })
  const line = await api.objects.create({ kind_id: 'lines', name: 'placed', datacenter_id: place?.id ?? '' })
  await it.visit(
    async ({ page, open }) => {
      await open('/kinds/lines?tab=definition')
      const located = page.getByRole('switch', { name: 'In a datacenter' })
      await located.click()
      await page.getByText('cannot be false while 1 object has a datacenter').waitFor()
      expect(await located.getAttribute('aria-checked')).toBe('true')
      await page.getByRole('switch', { name: 'In the sidebar' }).click()
      const main = page.getByRole('navigation', { name: 'Main' })
      await main.getByRole('link', { name: 'Lines' }).waitFor({ state: 'detached' })
      await page.getByRole('switch', { name: 'In the sidebar' }).click()
      await main.getByRole('link', { name: 'Lines' }).waitFor()
      await expectReadableInBothThemes(page)
    },
    { as, expected: ['400 /api/kinds/lines'] },
  )
  await api.objects.delete({ id: line.id })
})

test('objects of a nested kind are a tree, and a new one is made below another', async () => {
  const { api } = it.plat
  await api.kinds.create({ name: 'Companies', nested: true })
  const top = await api.objects.create({ kind_id: 'companies', name: 'Zeta' })
  await api.objects.create({ kind_id: 'companies', name: 'Alpha' })
  await it.visit(
    async ({ page, open }) => {
      await open(`/objects/${top.id}?tab=contains`)
      await page.getByRole('button', { name: 'New company here' }).click()
      const form = page.getByRole('dialog', { name: 'New company' })
      await form.getByLabel('Name · required').fill('Berlin')
      await form.getByRole('button', { name: 'Create company' }).click()
      await page.getByRole('row', { name: /Berlin/ }).waitFor()
      await expectReadableInBothThemes(page)
      await open('/kinds/companies')
      await page.getByRole('row', { name: /Level 2: Berlin/ }).waitFor()
      const names = await page.getByRole('grid').getByRole('link').allTextContents()
      expect(names).toEqual(['Alpha', 'Zeta', 'Berlin'])
      await page.getByRole('link', { name: 'Berlin' }).click()
      await page.getByRole('link', { name: 'Zeta' }).first().click()
      await page.getByRole('heading', { level: 1, name: 'Zeta' }).waitFor()
    },
    { as },
  )
})

test('the palette finds a kind, an object of it, and the action that makes one', async () => {
  const api = await seed()
  const { id } = await api.objects.create({ kind_id: 'lines', name: 'Sought-line' })
  await it.visit(
    async ({ page, open }) => {
      await open('/')
      const ask = async (text: string) => {
        await page.keyboard.press('Control+k')
        await page.getByRole('combobox', { name: 'Search or jump to' }).fill(text)
      }
      await ask('new line')
      await page.getByRole('option', { name: 'New line' }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'New line' }).waitFor()
      await page.keyboard.press('Escape')
      await ask('sought-line')
      await page.getByRole('option', { name: 'Sought-line' }).click()
      await page.waitForURL(`**/objects/${id}`)
      const main = page.getByRole('navigation', { name: 'Main' })
      await main.locator('[aria-current=page]', { hasText: 'Lines' }).waitFor()
    },
    { as },
  )
})

test('a view of a kind is saved, pinned, and counts its objects', async () => {
  await seed()
  await it.visit(
    async ({ page, open }) => {
      await open('/kinds/lines?q=status:offline')
      await page.getByRole('row', { name: /L-1/ }).waitFor()
      await page.getByRole('button', { name: 'Saved views' }).click()
      await page.getByRole('menuitem', { name: 'Save this view…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Save this view' })
      await dialog.getByLabel('Name').fill('Cut lines')
      await dialog.getByLabel('Pin to the menu').check()
      await dialog.getByRole('button', { name: 'Save view' }).click()
      await page.getByRole('list', { name: 'Pinned views' }).getByRole('link', { name: 'Cut lines' }).waitFor()
      await open('/')
      await page.getByRole('list', { name: 'Pinned views' }).getByRole('link', { name: 'Cut lines' }).click()
      await page.waitForURL('**/kinds/lines?q=status:offline')
      await page.getByRole('row', { name: /L-1/ }).waitFor()
    },
    { as },
  )
})

test('the history of an object has the labels of its fields', async () => {
  const api = await seed()
  const [line] = await api.objects.list({ kind_id: 'lines', name: 'L-1' })
  await api.objects.update({ id: line?.id ?? '', custom: { reason: 'digger' } })
  await it.visit(
    async ({ page, open }) => {
      await open(`/objects/${line?.id}?tab=history`)
      await page.getByText('Reason').first().waitFor()
      await page.getByText('digger').first().waitFor()
      await expectReadableInBothThemes(page)
      await open('/kinds/lines?tab=history')
      await page.getByText('created').first().waitFor()
      await expectReadableInBothThemes(page)
    },
    { as },
  )
})

test('kinds are reached from the page of custom fields, and each page of theirs fits a phone', async () => {
  const api = await seed()
  const [line] = await api.objects.list({ kind_id: 'lines', limit: 1 })
  await it.visit(
    async ({ page, open, openWhole }) => {
      await open('/custom-fields')
      await page.getByRole('link', { name: 'Kinds and packs' }).click()
      await page.getByRole('heading', { level: 1, name: 'Kinds' }).waitFor()
      for (const path of [
        ...['/kinds', '/kinds?new=1', '/kinds/lines', '/kinds/lines?tab=definition', '/kinds/lines?new=1'],
        ...[`/objects/${line?.id}`, `/objects/${line?.id}?edit=${line?.id}`],
      ]) {
        await openWhole(path)
        await expectReadableInBothThemes(page)
      }
      await open('/')
      await page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: 'More' }).click()
      await page.getByRole('dialog', { name: 'More' }).getByRole('link', { name: 'Lines', exact: true }).click()
      await page.getByRole('heading', { level: 1, name: 'Lines' }).waitFor()
    },
    { as, width: 390, height: 844 },
  )
})

test('a viewer reads kinds and objects, and their controls are disabled', async () => {
  await seed()
  await it.visit(
    async ({ page, open }) => {
      await open('/kinds/lines')
      await page.getByRole('row', { name: /L-1/ }).waitFor()
      expect(await page.getByRole('button', { name: 'Add a field' }).count()).toBe(0)
      const create = page.getByRole('button', { name: 'New line' }).first()
      expect(await create.getAttribute('aria-disabled')).toBe('true')
      await open('/kinds/lines?tab=definition')
      expect(await page.getByRole('switch', { name: 'Nested' }).getAttribute('aria-disabled')).toBe('true')
    },
    { as: 'viewer' },
  )
})

test('a moment of the past shows the objects that were there, and nothing changes them', async () => {
  const api = await seed()
  const { id } = await api.objects.create({ kind_id: 'lines', name: 'gone-line', custom: { status: 'active' } })
  const [change] = await api.history.list({ limit: 1, kind: 'object' })
  await api.objects.delete({ id })
  await it.visit(
    async ({ page, open, openWhole }) => {
      await open('/kinds/lines')
      await page.getByRole('row', { name: /L-1/ }).waitFor()
      expect(await page.getByRole('row', { name: /gone-line/ }).count()).toBe(0)
      await openWhole(`/kinds/lines?as_of=${change?.id}`)
      await page.getByRole('row', { name: /gone-line.*active/ }).waitFor()
      expect(await page.getByRole('button', { name: 'Add a field' }).count()).toBe(0)
      await openWhole(`/objects/${id}?as_of=${change?.id}`)
      await page.getByRole('heading', { level: 1, name: 'gone-line' }).waitFor()
      await expectReadableInBothThemes(page)
    },
    { as },
  )
})

test('a kind with objects stays, and one without is deleted with its fields', async () => {
  const { api } = it.plat
  await api.kinds.create({ name: 'Spare', fields: [{ name: 'a', label: 'A', type: 'text' }] })
  const { id } = await api.objects.create({ kind_id: 'spare', name: 'one' })
  await it.visit(
    async ({ page, open }) => {
      const remove = async () => {
        await page.getByRole('button', { name: 'More' }).first().click()
        await page.getByRole('menuitem', { name: 'Delete kind' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Delete kind' }).click()
        await page.getByRole('heading', { level: 1, name: 'Kinds' }).waitFor()
      }
      await open('/kinds/spare?tab=definition')
      await remove()
      await page.getByText('Spare is still there').waitFor()
      await api.objects.delete({ id })
      await open('/kinds/spare?tab=definition')
      await remove()
      await page.getByText('Deleted Spare').waitFor()
    },
    { as, expected: ['409 /api/kinds/spare', '404 /api/kinds/spare'] },
  )
  expect(await api.customFields.list({ resource: 'spare' })).toEqual([])
})
