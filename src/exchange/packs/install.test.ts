// Packs on a server: installation, what of users stays, removal, undo, dry run and permissions.
import { describe, expect, test } from 'bun:test'
import { failure, forbidden, inventory, missing } from '../../../testing/estates/inventory.ts'
import { engines, onSqlite } from '../../../testing/servers/servers.ts'
import { PACK_NAMES } from './names.ts'

type Inventory = ReturnType<typeof inventory>
type Row = Readonly<Record<string, unknown>>
type Shown = { readonly name: string; readonly installed: number | null; readonly kinds: string[]; readonly objects: number }

/** Returns the kinds and fields, without times. */
const readDefinitions = async ({ ask }: Inventory): Promise<Row[]> => {
  const lists = [await ask('GET /api/kinds'), await ask('GET /api/custom-fields')]
  return lists.flatMap(({ body }) =>
    (body as Row[]).map(({ created_at: _, updated_at: __, id, ...row }) => (row.resource === undefined ? { id, ...row } : row)),
  )
}

describe.each(engines())('a pack on %s', (dialect) => {
  const inv = inventory(dialect)
  const install = (name: string, query = '') => inv.ask(`POST /api/packs/${name}/install${query}`)
  const uninstall = (name: string, query = '') => inv.ask(`DELETE /api/packs/${name}${query}`)
  const show = async (name: string) => (await inv.ask(`GET /api/packs/${name}`)).body as Shown

  test('is installed with its owner, in one change, once', async () => {
    expect(await inv.ask('GET /api/packs/none')).toMatchObject(missing)
    expect(await install('none')).toMatchObject(missing)
    const first = await install('circuits', '?dry_run=true')
    expect(first.status).toBe(200)
    expect(await inv.api.kinds.list({})).toEqual([])
    const made = await install('circuits')
    expect(made).toMatchObject({ status: 200, body: { name: 'circuits', version: 1, from: null, created: 27, kept: [] } })
    expect(new Set((await readDefinitions(inv)).map(({ managed_by }) => managed_by))).toEqual(new Set(['pack/circuits@1']))
    const before = await readDefinitions(inv)
    expect((await install('circuits')).body).toMatchObject({ from: 1, version: 1, created: 0, updated: 0, removed: 0, kept: [] })
    expect(await readDefinitions(inv)).toEqual(before)
    const [change] = await inv.api.history.list({ limit: 1 })
    expect(change).toMatchObject({ operation: 'packs.install' })
  })

  test('is listed with what it has, and what is installed', async () => {
    await inv.api.objects.create({ kind_id: 'providers', name: 'Carrier' })
    const { body } = await inv.ask('GET /api/packs')
    expect((body as Shown[]).map(({ name }) => name)).toEqual([...PACK_NAMES])
    expect(await show('circuits')).toMatchObject({ installed: 1, version: 1, kinds: ['providers', 'provider-networks', 'circuits'], fields: 24, objects: 1 })
    expect(await show('tenancy')).toMatchObject({ installed: null, objects: 0 })
  })

  test('stays while it is used, and goes without a trace', async () => {
    const [carrier] = await inv.api.objects.list({})
    const used = await uninstall('circuits')
    expect(used).toMatchObject(failure(409, 'IN_USE'))
    expect(used.body).toMatchObject({ error: 'The pack "circuits" is in use: the kind "Providers" has 1 object' })
    await inv.api.objects.delete({ id: carrier?.id ?? '' })
    const own = await inv.api.customFields.create({ resource: 'devices', name: 'carrier', type: 'reference', reference_to: 'providers' })
    expect((await uninstall('circuits')).body).toMatchObject({
      error: 'The pack "circuits" is in use: the custom field devices.carrier refers to the kind providers',
    })
    await inv.api.customFields.delete({ id: own.id })
    expect((await uninstall('circuits', '?dry_run=true')).status).toBe(200)
    const before = await readDefinitions(inv)
    expect((await uninstall('circuits')).status).toBe(204)
    expect(await readDefinitions(inv)).toEqual([])
    expect(await uninstall('circuits')).toMatchObject(missing)
    const [change] = await inv.api.history.list({ limit: 1 })
    expect((await inv.ask(`POST /api/history/${change?.id}/undo`)).status).toBe(200)
    expect(await readDefinitions(inv)).toEqual(before)
  })

  test('leaves out fields of kinds that are not there, and makes them with the pack that has the kinds', async () => {
    await uninstall('circuits')
    await install('tenancy')
    const resources = async () =>
      (await inv.api.customFields.list({})).filter(({ name }) => name === 'tenant').map(({ resource }) => resource)
    expect(await resources()).not.toContain('circuits')
    const { body } = await install('circuits')
    expect(body).toMatchObject({ created: 28 })
    expect(await resources()).toContain('circuits')
    const [tenant] = (await inv.api.customFields.list({ resource: 'circuits' })).filter(({ name }) => name === 'tenant')
    expect(tenant?.managed_by).toBe('pack/tenancy@1')
    expect((await uninstall('circuits')).status).toBe(204)
    expect((await show('tenancy')).installed).toBe(1)
  })
})
