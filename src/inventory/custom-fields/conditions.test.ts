// The condition of a custom field: what it may name, to which objects the field applies, renames and deletions of the named field.
import { beforeAll, describe, expect, test } from 'bun:test'
import { inventory } from '../../../testing/estates/inventory.ts'
import { runCommand } from '../../../testing/run-command.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { CustomField } from '../../resource/custom/schema.ts'

type Body = { readonly details?: readonly { readonly field: string; readonly message: string }[] }

describe.each(engines())('the condition of a custom field on %s', (dialect) => {
  const inv = inventory(dialect)
  const define = (body: object) => inv.ask('POST /api/custom-fields', { type: 'text', ...body })
  const made = async (body: object): Promise<CustomField> => {
    const answer = await define(body)
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
    return answer.body as CustomField
  }
  const get = async (id: string) => (await inv.ask(`GET /api/custom-fields/${id}`)).body as CustomField
  const change = (id: string, body: object) => inv.ask(`PUT /api/custom-fields/${id}`, body)
  const listFields = ({ status, body }: { status: number; body: unknown }) => [
    status,
    ...((body as Body).details ?? []).map(({ field }) => field),
  ]
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    const field = async (body: { readonly name: string } & Record<string, unknown>) => {
      ids[body.name] = (await made(body)).id
    }
    await field({ resource: 'devices', name: 'tier', type: 'choice', choices: ['Gold', 'Silver', 'Lead'] })
    await field({ resource: 'devices', name: 'leased', type: 'boolean' })
    await field({ resource: 'devices', name: 'note' })
    const only = (on: string, ...values: string[]) => ({ only_for: { field: on, values } })
    await field({ resource: 'devices', name: 'stack', ...only('tags', 'Switch', 'router'), unique: true })
    await field({ resource: 'devices', name: 'sla', required: true, ...only('custom.tier', 'gold') })
    await field({
      resource: 'devices',
      name: 'ends',
      type: 'date',
      default: '2030-01-01',
      ...only('custom.leased', 'true'),
    })
    await field({ resource: 'ports', name: 'volts', type: 'integer', ...only('kind', 'power') })
    await field({ resource: 'addresses', name: 'vid', type: 'integer', ...only('interface', 'eth0') })
  })

  test('is sent only with a value, in the form in which it was given', async () => {
    expect(await get(ids.stack ?? '')).toMatchObject({ only_for: { field: 'tags', values: ['Switch', 'router'] } })
    expect(await get(ids.note ?? '')).not.toHaveProperty('only_for')
  })

  test.each([
    ['an unknown field', { field: 'colour', values: ['x'] }, 'only_for.field'],
    ['a number', { field: 'addresses', values: ['x'] }, 'only_for.field'],
    ['an unknown custom field', { field: 'custom.none', values: ['x'] }, 'only_for.field'],
    ['a custom field of texts', { field: 'custom.note', values: ['x'] }, 'only_for.field'],
    ['itself', { field: 'custom.fresh', values: ['x'] }, 'only_for.field'],
    ['a custom field with a condition', { field: 'custom.ends', values: ['x'] }, 'only_for.field'],
    ['an unknown choice', { field: 'custom.tier', values: ['Gold', 'Tin'] }, 'only_for.values[1]'],
    ['an unknown status', { field: 'status', values: ['broken'] }, 'only_for.values[0]'],
    ['no boolean', { field: 'custom.leased', values: ['yes'] }, 'only_for.values[0]'],
    ['no values', { field: 'tags', values: [] }, 'only_for.values'],
    ['too many values', { field: 'tags', values: Array.from({ length: 51 }, (_, i) => `${i}`) }, 'only_for.values'],
    ['a long value', { field: 'tags', values: ['x'.repeat(129)] }, 'only_for.values[0]'],
    ['a blank value', { field: 'tags', values: [' '] }, 'only_for.values[0]'],
  ])('is refused with %s', async (_, only_for, field) => {
    expect(listFields(await define({ resource: 'devices', name: 'fresh', only_for }))).toEqual([400, field])
  })

  test('refuses a value that is set where it does not hold after the write', async () => {
    const refused = await inv.ask('POST /api/devices', { name: 'a', tags: ['server'], custom: { stack: 's' } })
    expect(refused).toMatchObject({
      status: 400,
      body: { details: [{ field: 'custom.stack', message: 'applies only where tags is Switch or router' }] },
    })
    const { id } = await inv.api.devices.create({
      name: 'a',
      tags: ['server', 'SWITCH'],
      custom: { stack: 's' },
    } as never)
    const put = (body: object) => inv.ask(`PUT /api/devices/${id}`, body)
    expect((await put({ remove_tags: ['SWITCH'], custom: { stack: 't' } })).status).toBe(400)
    expect((await put({ tags: ['router'], custom: { stack: 't' } })).status).toBe(200)
    expect(await put({ tags: [], custom: { stack: 't' } })).toMatchObject({
      status: 200,
      body: { custom: { stack: 't' } },
    })
    expect((await put({ custom: { stack: 'u' } })).status).toBe(400)
    expect((await put({ custom: { stack: null } })).body).not.toHaveProperty('custom')
    expect((await put({ custom: { stack: 't' } })).status).toBe(400)
    expect((await put({ add_tags: ['switch'], custom: { stack: 't' } })).status).toBe(200)
  })

  test('makes required and default count only where it holds', async () => {
    const create = (name: string, custom?: object) => inv.ask('POST /api/devices', { name, ...(custom && { custom }) })
    expect(await create('bare')).toMatchObject({ status: 201, body: expect.not.objectContaining({ custom: {} }) })
    expect(listFields(await create('gold', { tier: 'Gold' }))).toEqual([400, 'custom.sla'])
    const gold = await create('gold', { sla: '4h', tier: 'Gold' })
    expect(gold).toMatchObject({ status: 201, body: { custom: { sla: '4h', tier: 'Gold' } } })
    expect((await create('leased', { leased: true })).body).toMatchObject({ custom: { ends: '2030-01-01' } })
    expect((await create('owned', { leased: false })).body).toMatchObject({ custom: { leased: false } })
    const { id } = gold.body as { id: string }
    expect(listFields(await inv.ask(`PUT /api/devices/${id}`, { custom: { sla: null } }))).toEqual([400, 'custom.sla'])
    const without = await inv.ask(`PUT /api/devices/${id}`, { custom: { sla: null, tier: 'Lead' } })
    expect(without).toMatchObject({ status: 200, body: { custom: { tier: 'Lead' } } })
  })

  test('holds for ports by their kind, and for addresses by their interface', async () => {
    const addresses = (port: string) => [{ ip: '10.0.0.1', interface: port, custom: { vid: 5 } }]
    const refused = await inv.ask('POST /api/devices', { name: 'p', addresses: addresses('eth1') })
    expect(listFields(refused)).toEqual([400, 'addresses[0].custom.vid'])
    const { id: device_id } = await inv.api.devices.create({ name: 'p', addresses: addresses('ETH0') } as never)
    const port = (kind: string) =>
      inv.ask(`POST /api/devices/${device_id}/ports`, { name: kind, kind, custom: { volts: 230 } })
    expect(listFields(await port('console'))).toEqual([400, 'custom.volts'])
    expect((await port('power')).status).toBe(201)
  })

  test('follows a rename of the named field and of its choices', async () => {
    const renamed = await change(ids.tier ?? '', { name: 'level', rename_choices: { Gold: 'Platinum' } })
    expect(renamed.status).toBe(200)
    expect((await get(ids.sla ?? '')).only_for).toEqual({ field: 'custom.level', values: ['Platinum'] })
    const body = { name: 'plat', custom: { level: 'Platinum', sla: '1h' } }
    expect((await inv.ask('POST /api/devices', body)).status).toBe(201)
    expect((await change(ids.tier ?? '', { name: 'tier', rename_choices: { Platinum: 'Gold' } })).status).toBe(200)
    expect((await get(ids.sla ?? '')).only_for).toEqual({ field: 'custom.tier', values: ['Gold'] })
  })

  test('excludes the deletion of the named field, also with force, and changes by which it could not be named', async () => {
    const { id } = await made({ resource: 'racks', name: 'usage', type: 'choice', choices: ['a', 'b', 'c'] })
    const dependent = await made({
      resource: 'racks',
      name: 'more',
      only_for: { field: 'custom.usage', values: ['A'] },
    })
    for (const query of ['', '?force=true'])
      expect(await inv.ask(`DELETE /api/custom-fields/${id}${query}`)).toMatchObject({
        status: 409,
        body: { code: 'IN_USE' },
      })
    expect(listFields(await change(id, { choices: ['b', 'c'] }))).toEqual([400, 'choices'])
    expect((await change(id, { choices: ['a', 'b'] })).status).toBe(200)
    expect(listFields(await change(id, { type: 'text', choices: [] }))).toEqual([400, 'type'])
    expect(listFields(await change(id, { resource: 'ports' }))).toContain('resource')
    const chained = await change(id, { only_for: { field: 'name', values: ['x'] } })
    expect(listFields(chained)).toEqual([400, 'only_for'])
    expect((await change(dependent.id, { only_for: null })).body).not.toHaveProperty('only_for')
    expect((await inv.ask(`DELETE /api/custom-fields/${id}`)).status).toBe(204)
  })

  test('is described in the document of the API', async () => {
    const { body } = await inv.ask('GET /api/openapi.json')
    expect(JSON.stringify(body)).toContain('Applies only where kind is power')
  })

  test('is given on the command line', async () => {
    const { app, admin } = inv
    const only = ['--only-for', 'field=location,values=lab,values=roof']
    const argv = ['custom-field', 'create', 'racks', 'cli', 'text', ...only]
    const made = await runCommand({ app, key: admin.key }, { argv })
    expect([made.code, made.err]).toEqual([0, ''])
    const [field] = (await inv.api.customFields.list({ resource: 'racks' })).filter(({ name }) => name === 'cli')
    expect(field?.only_for).toEqual({ field: 'location', values: ['lab', 'roof'] })
  })

  test('is shown in the past, and undone', async () => {
    const field = await made({ resource: 'vlans', name: 'area', only_for: { field: 'group', values: ['east'] } })
    const before = (await inv.api.history.list({ limit: 1 }))[0]?.id ?? ''
    await change(field.id, { only_for: { field: 'group', values: ['west'] } })
    const latest = (await inv.api.history.list({ limit: 1 }))[0]?.id ?? ''
    const past = await inv.ask(`GET /api/custom-fields/${field.id}?as_of=${before}`)
    expect(past.body).toMatchObject({ only_for: { field: 'group', values: ['east'] } })
    const listed = await inv.ask(`GET /api/custom-fields?resource=vlans&as_of=${before}`)
    expect(listed.body).toMatchObject([{ only_for: { field: 'group', values: ['east'] } }])
    expect((await inv.ask(`POST /api/history/${latest}/undo`, {})).status).toBe(200)
    expect((await get(field.id)).only_for).toEqual({ field: 'group', values: ['east'] })
  })

  test('is applied in any order of the rows, exported in an order that can be applied, and pruned', async () => {
    const rows = [
      { resource: 'cables', name: 'depth', only_for: { field: 'custom.zone', values: ['a'] } },
      { resource: 'cables', name: 'zone', type: 'choice', choices: ['a'] },
    ].map((row) => ({ type: 'text', ...row }))
    const apply = (fields: readonly object[], more = {}) =>
      inv.ask('POST /api/estate/apply', { managed_by: 'conditions', 'custom-fields': fields, ...more })
    expect(await apply(rows)).toMatchObject({ status: 200, body: { changed: true } })
    expect(await apply(rows)).toMatchObject({ status: 200, body: { changed: false } })
    const { body } = await inv.ask('GET /api/estate/export?managed_by=conditions')
    const exported = (body as { 'custom-fields': { name: string; only_for?: object }[] })['custom-fields']
    expect(exported.map(({ name, only_for }) => [name, only_for])).toEqual([
      ['zone', undefined],
      ['depth', { field: 'custom.zone', values: ['a'] }],
    ])
    expect(await apply([], { prune: true, allow_empty: true })).toMatchObject({ status: 200, body: { changed: true } })
    expect((await inv.ask('GET /api/custom-fields?resource=cables')).body).toEqual([])
  })

  test('leaves a value that does not apply to the parts of a split network out of them', async () => {
    await made({ resource: 'networks', name: 'use', only_for: { field: 'description', values: ['office'] } })
    const network = { name: 'n', subnet: '10.9.0.0/24', description: 'office', custom: { use: 'x' } }
    const { id } = await inv.api.networks.create(network as never)
    const split = await inv.ask(`POST /api/networks/${id}/split`, { prefix_length: 25 })
    expect(split.status).toBe(201)
    const { networks } = split.body as { networks: object[] }
    expect(networks).toHaveLength(2)
    expect(JSON.stringify(networks)).not.toContain('"use"')
  })
})
