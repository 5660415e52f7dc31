/** Long names in lists: cut only where the column has no room. */
import { expect, test } from 'bun:test'
import { world } from './harness.ts'

const it = world({ devices: 0 })
const as = 'admin'

test('a long name is whole where its column has room: behind an icon, and in the tree', async () => {
  const { api } = it.plat
  const kind = await api.kinds.create({ name: 'Provider networks', nested: true })
  const above = await api.objects.create({ kind_id: kind.id, name: 'Carriers of the north' })
  await api.objects.create({ kind_id: kind.id, name: 'Carriers of the north west', parent_id: above.id })
  const region = await api.datacenters.create({ name: 'Europe, north and west' })
  await api.datacenters.create({ name: 'Building of the north', parent_id: region.id })
  const subnets = ['2001:db8:1200::/40', '2001:db8:1234:5678::/64'] as const
  for (const subnet of subnets) await api.networks.create({ subnet, name: subnet })
  await it.visit(
    async ({ page, open }) => {
      const expectWhole = async (name: string) => {
        const link = page.getByRole('row').getByRole('link', { name, exact: true })
        expect(await link.innerText()).toBe(name)
        // Its first part is cut if it has not the width of its text, and the row is one line high.
        expect(
          await link.evaluate((a) => {
            const first = a.querySelector('span > span')
            const row = a.closest('[role="row"]')?.getBoundingClientRect()
            const box = a.getBoundingClientRect()
            return {
              isCut: first !== null && first.scrollWidth > first.clientWidth,
              isInRow: row !== undefined && box.top >= row.top && box.bottom <= row.bottom,
            }
          }),
        ).toEqual({ isCut: false, isInRow: true })
        return await link.boundingBox()
      }
      const expectBelow = async (above: string, below: string) => {
        const first = await expectWhole(above)
        const second = await expectWhole(below)
        expect(second?.x).toBeGreaterThan(first?.x ?? Number.POSITIVE_INFINITY)
      }
      await open('/kinds')
      await expectWhole('Provider networks')
      await open(`/kinds/${kind.id}`)
      await expectBelow('Carriers of the north', 'Carriers of the north west')
      await open('/datacenters')
      await expectBelow('Europe, north and west', 'Building of the north')
      await open('/networks')
      await expectBelow(...subnets)
    },
    { as },
  )
})
