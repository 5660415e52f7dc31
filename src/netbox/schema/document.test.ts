// The OpenAPI document of the NetBox API names what is served: its paths, parameters and fields.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type Door, openDoor } from '../../../testing/netbox/door.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { REGISTERED } from '../endpoints/registry.ts'

const Parameter = z.object({ in: z.string(), name: z.string(), schema: z.looseObject({ type: z.string() }) })
const Operation = z.looseObject({
  operationId: z.string(),
  parameters: z.array(Parameter).default([]),
  responses: z.record(z.string(), z.unknown()),
})
const Properties = z.looseObject({ properties: z.record(z.string(), z.looseObject({})).default({}) })
const OpenApi = z.object({
  openapi: z.literal('3.0.3'),
  info: z.object({ title: z.string(), version: z.literal('4.5.10') }),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), Properties), securitySchemes: z.looseObject({}) }),
})

const List = z.object({ results: z.array(z.looseObject({ id: z.number() })) })

describe.each(onSqlite())('the document', (dialect) => {
  let door: Door
  let document: z.infer<typeof OpenApi>
  beforeAll(async () => {
    door = await openDoor(dialect, { NETBOX_API_HOSTS: 'netbox.example.com' })
    const { api } = door
    const site = await api.datacenters.create({ name: 'Zürich' })
    await api.networks.create({ name: 'lan', subnet: '10.0.0.0/24', datacenter_id: site.id, vlan_id: 7 })
    await api.racks.create({ name: 'R1', datacenter_id: site.id })
    await api.devices.create({ name: 'one', role: 'Core', os: 'IOS', tags: ['prod'], addresses: [{ ip: '10.0.0.5' }] })
    await api.devices.create({ name: 'machine', tags: ['vm'] })
    document = OpenApi.parse((await door.get('schema/?format=json')).body)
  })
  afterAll(() => door.close())

  const parametersOf = (path: string): string[] =>
    document.paths[`/netbox/api/${path}/`]?.get?.parameters.map(({ name }) => name) ?? []

  test('needs a key', async () => {
    const answer = await door.app.plat.fetch(new Request('http://localhost/netbox/api/schema/'), {
      peer: () => '192.0.2.9',
    })
    expect(answer.status).toBe(403)
  })

  test('has the paths below the base path, and on a host of the API below its root', async () => {
    expect(Object.keys(document.paths)).toContain('/netbox/api/dcim/devices/{id}/')
    const { key } = await door.app.as('admin')
    const headers = { Host: 'netbox.example.com', Authorization: `Token ${key}` }
    const request = new Request('http://localhost/api/schema/', { headers })
    const answer = await door.app.plat.fetch(request, { peer: () => '192.0.2.9' })
    const { paths } = OpenApi.parse(await answer.json())
    const strip = (all: object) => Object.keys(all).map((path) => path.replace('/netbox', ''))
    expect(strip(paths)).toEqual(strip(document.paths))
    expect(Object.keys(paths)).toContain('/api/dcim/devices/')
  })

  test.each(['dcim/devices', 'virtualization/virtual-machines'])(
    '%s has the parameters of inventory plugins',
    (path) => {
      const wanted = [
        'name',
        'name__ic',
        'site',
        'site__n',
        'role',
        'tag',
        'status',
        'has_primary_ip',
        'tenant',
        'q',
        'limit',
      ]
      expect(parametersOf(path)).toEqual(expect.arrayContaining(wanted))
    },
  )

  test('refers only to schemas that it has', () => {
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name,
    )
    expect(references.length).toBeGreaterThan(100)
    expect(references.filter((name) => !Object.hasOwn(document.components.schemas, name ?? ''))).toEqual([])
  })

  test('has an operation once by its name', () => {
    const ids = Object.values(document.paths).flatMap((one) => Object.values(one).map(({ operationId }) => operationId))
    expect(ids.length).toBe(new Set(ids).size)
  })

  test.each(REGISTERED.map(({ path }) => path))('%s serves each parameter of the document', async (path) => {
    const query = new URLSearchParams(parametersOf(path).map((name): [string, string] => [name, '']))
    const { body } = await door.get(`${path}/?${query}`)
    expect(JSON.stringify(body)).not.toContain('is no filter')
    const refused = await door.get(`${path}/?no_such_filter=1`)
    expect(JSON.stringify(refused.body)).toContain('is no filter')
  })

  test.each(REGISTERED.map(({ path }) => path))('%s answers the fields of the document', async (path) => {
    const [schema] = Object.entries(document.components.schemas).flatMap(([name, one]) =>
      JSON.stringify(document.paths[`/netbox/api/${path}/{id}/`]?.get?.responses['200']).includes(`/${name}"`)
        ? [one]
        : [],
    )
    const fields = Object.keys(schema?.properties ?? {})
    expect(fields).toContain('url')
    const { results } = List.parse((await door.get(`${path}/?limit=1`)).body)
    expect(results.map((one) => Object.keys(one).sort())).toEqual(results.map(() => fields.toSorted()))
  })

  test('a body has the fields that are written, and those that a create needs', () => {
    const { SiteRequest, PatchedSiteRequest, Site } = document.components.schemas
    expect(SiteRequest).toMatchObject({
      required: ['name', 'slug'],
      properties: { status: { type: 'string', enum: expect.arrayContaining(['active']) } },
    })
    expect(PatchedSiteRequest).not.toHaveProperty('required')
    expect(Object.keys(SiteRequest?.properties ?? {})).not.toContain('device_count')
    expect(Site?.properties).toMatchObject({
      device_count: { type: 'integer', readOnly: true },
      region: { nullable: true, allOf: [{ $ref: '#/components/schemas/BriefRegion' }] },
    })
  })

  test('stands once in the document of Plat', async () => {
    const { request } = await door.app.as('admin')
    const { paths } = z
      .object({
        paths: z.record(
          z.string(),
          z.looseObject({ get: z.looseObject({ responses: z.object({}).loose() }).optional() }),
        ),
      })
      .parse(await (await request('GET', '/api/openapi.json')).json())
    expect(Object.keys(paths).filter((path) => path.startsWith('/netbox'))).toEqual(['/netbox/api/schema'])
    // A caller without a key gets 403, as from NetBox.
    const statuses = Object.keys(paths['/netbox/api/schema']?.get?.responses ?? {})
    expect([statuses.includes('401'), statuses.includes('403')]).toEqual([false, true])
  })
})
