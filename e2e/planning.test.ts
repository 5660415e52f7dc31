/** Planning: subnets are allocated, split and merged, with the keyboard and on the tab Space of a network. */
import { expect, test } from 'bun:test'
import { axeFindings, eventually, world } from './harness.ts'

const it = world({})
const as = 'admin'

test('a subnet is allocated in the tree by the keyboard only, and networks are split and merged', async () => {
  const { api } = it.plat
  const outer = await api.networks.create({ name: 'outer', subnet: '1.0.0.0/16' })
  await api.networks.create({ name: 'first', subnet: '1.0.0.0/24' })
  await it.visit(
    async ({ page, open }) => {
      await open('/networks')
      const tree = page.getByRole('treegrid', { name: 'Networks' })
      // The estate of the server is behind it, and folds it.
      await tree.getByText('outer').waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('a')
      const dialog = page.getByRole('dialog', { name: 'Allocate a subnet of outer' })
      await dialog.getByText('1.0.1.0/24').waitFor()
      expect(await dialog.getByText('addresses each').textContent()).toContain('255 left')
      expect(await axeFindings(page)).toEqual([])
      // The slider has the focus.
      await page.keyboard.press('ArrowLeft')
      await dialog.getByText('1.0.2.0/23').waitFor()
      await page.locator('[data-marked]').first().waitFor()
      await page.keyboard.press('Tab')
      await page.keyboard.type('second')
      await page.keyboard.press('Enter')
      await page.getByText('Created second').waitFor()
      await tree.getByText('second').waitFor()

      await open(`/networks/${outer.id}?tab=space`)
      const parts = page.getByRole('list', { name: 'Networks and free blocks' })
      await parts.getByRole('link', { name: '1.0.2.0/23' }).waitFor()
      expect(await axeFindings(page)).toEqual([])
      await parts.getByRole('button', { name: '1.0.1.0/24 free' }).click()
      const inBlock = page.getByRole('dialog')
      await inBlock.getByLabel('Name').fill('third')
      await inBlock.getByRole('button', { name: 'Allocate' }).click()
      await page.getByText('Created third').waitFor()
      await parts.getByText('third').waitFor()

      const [second] = await api.networks.list({ name: 'second' })
      await open(`/networks/${second?.id}?new=split`)
      const split = page.getByRole('dialog', { name: 'Split second' })
      await split.getByText('Creates 2 networks').waitFor()
      await split.getByRole('button', { name: 'Split' }).click()
      await page.getByText('Split second into 2 networks').waitFor()

      await open('/networks')
      for (const name of ['first', 'third']) await page.getByLabel(`Select ${name}`).click()
      await page.keyboard.press('m')
      const merge = page.getByRole('dialog', { name: 'Merge 2 networks' })
      await merge.getByText('1.0.0.0/23').waitFor()
      await merge.getByRole('button', { name: 'Merge' }).click()
      await page.getByText('Merged into first').waitFor()
      const [first] = await api.networks.list({ name: 'first' })
      expect(first?.subnet).toBe('1.0.0.0/23')

      await open(`/networks/${first?.id}?edit=${first?.id}`)
      const form = page.getByRole('dialog', { name: 'Edit first' })
      const effect = form.getByRole('status', { name: 'Effect on the subnet' })
      await form.getByLabel('Subnet · required').fill('1.0.0.0/21')
      await effect.getByText('1.0.2.0/23 second, with 2 networks in it').waitFor()
      expect(await effect.textContent()).toEndWith('1.0.4.0/22 free')
      expect(await axeFindings(page)).toEqual([])
      await form.getByLabel('Subnet · required').fill('1.0.0.0/23')
      await eventually(() => effect.textContent(), '')
    },
    { as },
  )
})
