// Filters by a reference to an object that has others below it: they take these along, in all lists, now and in the past.
import { beforeAll, describe, expect, test } from 'bun:test'
import { inventory } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'

type Named = { readonly id: string; readonly name: string }

describe.each(engines())('a filter by an object with others below it on %s', (dialect) => {
  const inv = inventory(dialect)
  const makeTenant = async (name: string, parent_id?: string): Promise<string> =>
    (await inv.api.objects.create({ kind_id: 'tenants', name, parent_id: parent_id ?? null })).id
  const listNames = async (query: string): Promise<string[]> => {
    const { body } = await inv.ask(`GET /api/${query}`)
    return (body as Named[]).map(({ name }) => name)
  }
  let holding = ''
  let company = ''
  let team = ''

  beforeAll(async () => {
    await inv.api.kinds.create({ name: 'Tenants', nested: true })
    await inv.api.kinds.create({ name: 'Circuits' })
    for (const resource of ['devices', 'racks', 'circuits'])
      await inv.api.customFields.create({ resource, name: 'tenant', type: 'reference', reference_to: 'tenants' })
    await inv.api.customFields.create({
      ...{ resource: 'devices', name: 'users', type: 'reference', reference_to: 'tenants', multiple: true },
    })
    holding = await makeTenant('holding')
    company = await makeTenant('company', holding)
    team = await makeTenant('team', company)
    const stranger = await makeTenant('stranger')
    for (const [name, tenant] of Object.entries({ holding, company, team, stranger })) {
      await inv.api.devices.create({ name, custom: { tenant, users: [holding, tenant] } })
      await inv.api.racks.create({ name, custom: { tenant } })
      await inv.api.objects.create({ kind_id: 'circuits', name, custom: { tenant } })
    }
  })

  test('the objects of those below are in the list, each once', async () => {
    for (const list of ['devices?', 'racks?', 'objects?kind_id=circuits&'])
      expect([list, await listNames(`${list}custom.tenant=${company}`)]).toEqual([list, ['company', 'team']])
    expect(await listNames(`racks?custom.tenant=${team}`)).toEqual(['team'])
    const { body, total } = await inv.ask(`GET /api/devices?custom.users=${holding}&limit=3`)
    expect((body as Named[]).map(({ name }) => name)).toEqual(['company', 'holding', 'stranger'])
    expect(total).toBe('4')
    expect(await listNames('devices?custom.tenant=unknown')).toEqual([])
  })

  test('together with another order, the list has the same objects', async () => {
    expect(await listNames(`devices?custom.tenant=${company}&sort=-name`)).toEqual(['team', 'company'])
    expect((await listNames(`racks?custom.tenant=${holding}&sort=custom.tenant`)).toSorted()).toEqual([
      'company',
      'holding',
      'team',
    ])
  })

  test('an object that moves below another one changes the list and its ETag, and the past keeps the list of then', async () => {
    const moving = await makeTenant('moving')
    await inv.api.devices.create({ name: 'moving', custom: { tenant: moving } })
    const made = await inv.admin.request('POST', '/api/racks', { name: 'moving', custom: { tenant: moving } })
    const then = made.headers.get('x-change-id') ?? ''
    const paths = [`devices?custom.tenant=${company}`, `racks?custom.tenant=${company}`]
    const before = await Promise.all(paths.map((path) => inv.ask(`GET /api/${path}`)))
    await inv.ask(`PUT /api/objects/${moving}`, { parent_id: team })
    for (const [at, path] of paths.entries()) {
      const after = await inv.ask(`GET /api/${path}`)
      expect((after.body as Named[]).map(({ name }) => name)).toEqual(['company', 'moving', 'team'])
      expect(after.etag).not.toBe(before[at]?.etag ?? '')
      expect(await listNames(`${path}&as_of=${then}`)).toEqual(['company', 'team'])
      expect(await listNames(`${path}&as_of=0s`)).toEqual(['company', 'moving', 'team'])
    }
  })
})
