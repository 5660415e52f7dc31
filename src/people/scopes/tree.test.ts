// Scopes that name a datacenter hold the datacenters below it, with what is in them, and a caller does not widen its reach by moving one.
import { describe, expect, test } from 'bun:test'
import { people } from '../../../testing/estates/people.ts'
import { engines } from '../../../testing/servers/servers.ts'

describe.each(engines())('a scope of a datacenter with others below it on %s', (dialect) => {
  const all = people(dialect)
  const make = async (noun: string, body: object): Promise<string> => {
    const answer = await all.admin.ask(`POST /api/${noun}`, body)
    expect([noun, answer.status, answer.body]).toEqual([noun, 201, expect.anything()])
    return (answer.body as { id: string }).id
  }
  const datacenter = (name: string, parent_id?: string) =>
    make('datacenters', { name, ...(parent_id && { parent_id }) })
  const personIn = async (role_id: string, ...datacenter_ids: string[]) => {
    const person = await all.person()
    const scope_id = await make('scopes', { name: crypto.randomUUID(), datacenter_ids })
    await make('grants', { role_id, user_id: person.id, scope_id })
    return person
  }
  /** Returns a region with a site with a room, in which there is one object of each resource, and a place beside. */
  const makeTree = async (n: number) => {
    const region = await datacenter(`region ${n}`)
    const site = await datacenter(`site ${n}`, region)
    const room = await datacenter(`room ${n}`, site)
    const beside = await datacenter(`beside ${n}`)
    const network = await make('networks', { name: 'n', subnet: `10.${n}.0.0/24`, datacenter_id: room })
    const pool = await make(`networks/${network}/pools`, {
      name: 'p',
      start_ip: `10.${n}.0.10`,
      end_ip: `10.${n}.0.20`,
    })
    const objects = {
      networks: network,
      pools: pool,
      reservations: await make(`pools/${pool}/reservations`, { ip_address: `10.${n}.0.11` }),
      racks: await make('racks', { name: 'r', datacenter_id: room }),
      vlans: await make('vlans', { vlan_id: n, name: 'v', datacenter_id: room }),
      devices: await make('devices', { name: 'd', datacenter_id: room }),
      datacenters: room,
    }
    return { region, site, room, beside, objects }
  }
  type Seeing = Awaited<ReturnType<typeof personIn>>
  const statuses = async (person: Seeing, objects: Readonly<Record<string, string>>) =>
    new Set(
      await Promise.all(
        Object.entries(objects).map(async ([noun, id]) => (await person.ask(`GET /api/${noun}/${id}`)).status),
      ),
    )

  test('all objects below come into it and leave it with their datacenter', async () => {
    const { region, site, room, beside, objects } = await makeTree(101)
    const ada = await personIn('viewer', region)
    expect(await statuses(ada, objects)).toEqual(new Set([200]))
    expect((await ada.ask(`GET /api/devices?datacenter_id=${region}`)).body).toMatchObject([{ name: 'd' }])
    await all.admin.ask(`PUT /api/datacenters/${site}`, { parent_id: beside })
    expect(await statuses(ada, objects)).toEqual(new Set([404]))
    await all.admin.ask(`PUT /api/datacenters/${room}`, { parent_id: region })
    expect(await statuses(ada, objects)).toEqual(new Set([200]))
    // The room moves to the top with the region.
    await all.admin.ask(`DELETE /api/datacenters/${region}`)
    expect(await statuses(ada, objects)).toEqual(new Set([404]))
  })

  test('a new datacenter and its objects are in the scope of those above', async () => {
    const { region, site, beside } = await makeTree(102)
    const ada = await personIn('admin', region)
    const made = await ada.ask('POST /api/datacenters', { name: 'own', parent_id: site })
    expect(made).toMatchObject({ status: 201, body: { parent_id: site } })
    const { id } = made.body as { id: string }
    expect(await ada.ask('POST /api/devices', { name: 'own', datacenter_id: id })).toMatchObject({ status: 201 })
    expect(await ada.ask('POST /api/datacenters', { name: 'at the top' })).toMatchObject({ status: 403 })
    expect(await ada.ask('POST /api/datacenters', { name: 'hidden', parent_id: beside })).toMatchObject({ status: 400 })
    expect(await ada.ask('POST /api/devices', { name: 'd', datacenter_id: beside })).toMatchObject({ status: 400 })
    expect(await ada.ask(`DELETE /api/datacenters/${id}`)).toMatchObject({ status: 204 })
  })

  test('a caller with rights in scopes moves a datacenter only inside its scopes', async () => {
    const { region, site, room, beside } = await makeTree(103)
    const ada = await personIn('admin', region)
    const move = (person: Seeing, id: string, parent_id: string | null) =>
      person.ask(`PUT /api/datacenters/${id}`, { parent_id })
    expect(await move(ada, room, region)).toMatchObject({ status: 200 })
    expect(await move(ada, room, site)).toMatchObject({ status: 200 })
    expect(await move(ada, room, null)).toMatchObject({ status: 403 })
    expect(await move(ada, room, beside)).toMatchObject({ status: 400 })
    expect(await move(ada, beside, region)).toMatchObject({ status: 404 })
    // She may change the room, but only list devices in the other scope.
    const bea = await personIn('viewer', beside)
    await make('grants', {
      role_id: (await all.role('datacenters:list', 'datacenters:read', 'datacenters:update')).id,
      user_id: bea.id,
    })
    expect((await bea.ask('GET /api/devices')).body).toEqual([])
    expect(await move(bea, room, beside)).toMatchObject({
      ...{ status: 403, body: { details: [{ field: 'parent_id' }] } },
    })
    expect((await bea.ask('GET /api/devices')).body).toEqual([])
    expect(await move(bea, beside, region)).toMatchObject({ status: 403 })
    expect(await move(all.admin, room, beside)).toMatchObject({ status: 200 })
    expect((await bea.ask('GET /api/devices')).body).toHaveLength(1)
  })

  test('a datacenter that is made again by the id of a deleted one is in no scope', async () => {
    const { region } = await makeTree(104)
    const ada = await personIn('viewer', region)
    const make104 = (parent_id: string | null) =>
      all.admin.ask('POST /api/datacenters', { id: 'again', name: 'x', parent_id })
    expect(await make104(region)).toMatchObject({ status: 201 })
    expect(await ada.ask('GET /api/datacenters/again')).toMatchObject({ status: 200 })
    await all.admin.ask('DELETE /api/datacenters/again')
    expect(await make104(null)).toMatchObject({ status: 201 })
    expect(await ada.ask('GET /api/datacenters/again')).toMatchObject({ status: 404 })
    expect(await all.admin.ask('POST /api/devices', { name: 'x', datacenter_id: 'again' })).toMatchObject({
      status: 201,
    })
    expect((await ada.ask('GET /api/devices')).body).toMatchObject([{ name: 'd' }])
  })

  test('devices that are made while their datacenter moves are in the scopes of its new place', async () => {
    const { region, site, room, beside } = await makeTree(105)
    const ada = await personIn('viewer', region)
    await Promise.all([
      ...Array.from({ length: 12 }, (_, i) => make('devices', { name: `at once ${i}`, datacenter_id: room })),
      all.admin.ask(`PUT /api/datacenters/${site}`, { parent_id: beside }),
      ...Array.from({ length: 12 }, (_, i) => make('devices', { name: `later ${i}`, datacenter_id: room })),
    ])
    expect((await ada.ask('GET /api/devices')).body).toEqual([])
    await all.admin.ask(`PUT /api/datacenters/${site}`, { parent_id: region })
    expect((await ada.ask('GET /api/devices')).body).toHaveLength(25)
  })
})
