// The tree of datacenters: its rules, and the filters that take the datacenters below along.
import { describe, expect, test } from 'bun:test'
import { inventory, refusal } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'

type Named = { readonly id: string; readonly name: string; readonly parent_id?: string }

describe.each(engines())('the tree of datacenters on %s', (dialect) => {
  const inv = inventory(dialect)
  const make = async (name: string, parent_id?: string) =>
    (await inv.ask('POST /api/datacenters', { name, ...(parent_id && { parent_id }) })).body as Named
  const put = (id: string, body: object) => inv.ask(`PUT /api/datacenters/${id}`, body)
  const names = async (query: string) => ((await inv.ask(`GET /api/${query}`)).body as Named[]).map(({ name }) => name)
  /** Returns a region with two sites, one of which has a room. */
  const makeTree = async (word: string) => {
    const region = await make(`${word} region`)
    const site = await make(`${word} site`, region.id)
    const other = await make(`${word} other site`, region.id)
    const room = await make(`${word} room`, site.id)
    return { region, site, other, room }
  }

  test('a datacenter without a parent has the fields of before', async () => {
    const plain = await make('plain')
    expect(Object.keys(plain)).toEqual([
      'id',
      'name',
      'location',
      'description',
      'refs',
      'managed_by',
      'created_at',
      'updated_at',
    ])
    inv.advance(1000)
    for (const parent_id of [null, '']) expect((await put(plain.id, { parent_id })).body).toEqual(plain)
    expect(await inv.api.histories.datacenter({ id: plain.id })).toHaveLength(1)
  })

  test('a parent is set, changed and cleared, and stands before the values of custom fields', async () => {
    await inv.api.customFields.create({ resource: 'datacenters', name: 'tier', type: 'text' })
    const [a, b] = [await make('a'), await make('b')]
    const { body } = await inv.ask('POST /api/datacenters', { name: 'c', custom: { tier: '3' } })
    const { id } = body as Named
    const set = await put(id, { parent_id: a.id })
    expect(set).toMatchObject({ status: 200, body: { parent_id: a.id } })
    expect(Object.keys(set.body as object).slice(-2)).toEqual(['parent_id', 'custom'])
    expect((await inv.ask(`GET /api/datacenters/${id}`)).body).toEqual(set.body)
    expect((await put(id, { parent_id: b.id })).body).toMatchObject({ parent_id: b.id })
    const cleared = await put(id, { parent_id: null })
    expect(Object.keys(cleared.body as object)).not.toContain('parent_id')
  })

  test('a parent that is unknown, the datacenter itself or below it is refused on parent_id', async () => {
    const { region, site, room } = await makeTree('refused')
    expect(await inv.ask('POST /api/datacenters', { name: 'x', parent_id: 'none' })).toMatchObject(refusal('parent_id'))
    for (const parent_id of ['none', region.id, site.id, room.id])
      expect(await put(region.id, { parent_id })).toMatchObject(refusal('parent_id'))
  })

  test('there are at most 20 levels, also where a tree moves below another one', async () => {
    let last = await make('level 1')
    const levels = [last]
    for (let level = 2; level <= 20; level++) {
      last = await make(`level ${level}`, last.id)
      levels.push(last)
    }
    expect(await inv.ask('POST /api/datacenters', { name: 'level 21', parent_id: last.id })).toMatchObject(
      refusal('parent_id'),
    )
    const top = await make('top')
    const below = await make('below', top.id)
    expect(await put(top.id, { parent_id: levels[18]?.id })).toMatchObject(refusal('parent_id'))
    expect(await put(top.id, { parent_id: levels[17]?.id })).toMatchObject({ status: 200 })
    expect(await names(`datacenters?within=${levels[17]?.id}`)).toEqual([
      'below',
      'level 18',
      'level 19',
      'level 20',
      'top',
    ])
    expect(below.parent_id).toBe(top.id)
  })

  test('a list has those directly below, those at the top, or all within', async () => {
    const { region, site } = await makeTree('listed')
    expect(await names(`datacenters?parent_id=${region.id}`)).toEqual(['listed other site', 'listed site'])
    expect(await names(`datacenters?within=${site.id}`)).toEqual(['listed room', 'listed site'])
    expect(await names(`datacenters?within=${region.id}&name=room`)).toEqual(['listed room'])
    const top = await names('datacenters?parent_id=')
    expect(top).toContain('listed region')
    expect(top).not.toContain('listed site')
    expect(await names('datacenters?within=none')).toEqual([])
  })

  test('a deleted datacenter leaves those below it to its parent, and undo brings it back', async () => {
    const { region, site, room } = await makeTree('deleted')
    const deleted = await inv.admin.request('DELETE', `/api/datacenters/${site.id}`)
    expect(deleted.status).toBe(204)
    expect((await inv.ask(`GET /api/datacenters/${room.id}`)).body).toMatchObject({ parent_id: region.id })
    await inv.admin.request('DELETE', `/api/datacenters/${region.id}`)
    expect((await inv.ask(`GET /api/datacenters/${room.id}`)).body).not.toHaveProperty('parent_id')
    const second = await make('deleted again', room.id)
    const again = await inv.admin.request('DELETE', `/api/datacenters/${room.id}`)
    await inv.api.history.undo({ id: again.headers.get('x-change-id') ?? '' })
    expect((await inv.ask(`GET /api/datacenters/${second.id}`)).body).toMatchObject({ parent_id: room.id })
  })

  test('a filter by a datacenter takes the objects below it, now and in the past', async () => {
    const { region, site, other, room } = await makeTree('filtered')
    let subnet = dialect === 'sqlite' ? 1 : 2
    for (const [word, datacenter_id] of [
      ['region', region.id],
      ['room', room.id],
      ['other', other.id],
    ] as const) {
      await inv.api.devices.create({ name: `device ${word}`, datacenter_id, tags: ['tree'] })
      await inv.api.networks.create({ name: `network ${word}`, subnet: `10.77.${subnet++}.0/24`, datacenter_id })
      await inv.api.racks.create({ name: `rack ${word}`, datacenter_id })
      await inv.api.vlans.create({ name: `vlan ${word}`, vlan_id: 700, datacenter_id })
    }
    const moved = await put(site.id, { parent_id: other.id })
    for (const noun of ['device', 'network', 'rack', 'vlan']) {
      const list = (id: string, more = '') => names(`${noun}s?datacenter_id=${id}${more}`)
      expect(await list(region.id)).toEqual([`${noun} other`, `${noun} region`, `${noun} room`])
      expect(await list(site.id)).toEqual([`${noun} room`])
      expect(await list(other.id)).toEqual([`${noun} other`, `${noun} room`])
      expect(await list(region.id, '&limit=2&offset=1')).toEqual([`${noun} region`, `${noun} room`])
    }
    expect(await names(`datacenters/${other.id}/devices`)).toEqual(['device other', 'device room'])
    expect(await names(`devices?datacenter_id=${other.id}&tags=tree&sort=-name`)).toEqual([
      'device room',
      'device other',
    ])
    expect(await names(`devices?datacenter_id=${other.id}&sort=-created_at`)).toEqual(['device other', 'device room'])
    expect(await names(`devices?datacenter_id=${other.id}&q=room`)).toEqual(['device room'])
    const before = `as_of=${(await inv.api.histories.datacenter({ id: site.id })).at(-1)?.change_id}`
    expect(moved.status).toBe(200)
    await put(site.id, { parent_id: null })
    expect(await names(`devices?datacenter_id=${other.id}`)).toEqual(['device other'])
    expect(await names(`datacenters?within=${region.id}&${before}`)).toEqual(['filtered region', 'filtered site'])
  })

  test('the ETag of a filtered list changes with the tree', async () => {
    const { region, site } = await makeTree('etag')
    const path = `GET /api/devices?datacenter_id=${region.id}`
    const { etag } = await inv.ask(path)
    expect((await inv.ask(path)).etag).toBe(etag)
    await put(site.id, { parent_id: null })
    expect((await inv.ask(path)).etag).not.toBe(etag)
  })

  test('of many devices, the first of a region come in the order of names', async () => {
    const { region, room, other } = await makeTree('many')
    const operations = Array.from({ length: 600 }, (_, i) => ({
      op: 'create' as const,
      device: { name: `many ${String(i).padStart(3, '0')}`, datacenter_id: [room.id, other.id, null][i % 3] ?? null },
    }))
    expect((await inv.ask('POST /api/devices/bulk', { operations })).status).toBe(200)
    const path = `GET /api/devices?datacenter_id=${region.id}&limit=3&offset=1`
    const { body, total } = await inv.ask(path)
    expect([(body as Named[]).map(({ name }) => name), total]).toEqual([['many 001', 'many 003', 'many 004'], '400'])
  })

  test('a network belongs to the VLANs of its datacenter, else of the nearest above that has one', async () => {
    const { region, site, room } = await makeTree('vlan')
    const vlan = (datacenter_id: string | null) =>
      inv.api.vlans.create({ vlan_id: 800, name: `of ${datacenter_id}`, datacenter_id })
    const [common, ofRegion] = [await vlan(null), await vlan(region.id)]
    const network = await inv.api.networks.create({
      ...{ name: 'n', subnet: '10.78.0.0/24', vlan_id: 800, datacenter_id: room.id },
    })
    const networksOf = async (id: string) => (await inv.api.vlans.get({ id })).network_ids
    expect([await networksOf(common.id), await networksOf(ofRegion.id)]).toEqual([[], [network.id]])
    const ofSite = await vlan(site.id)
    expect([await networksOf(ofRegion.id), await networksOf(ofSite.id)]).toEqual([[], [network.id]])
    const list = await inv.ask('GET /api/vlans?vlan_id=800')
    await put(room.id, { parent_id: region.id })
    expect([await networksOf(ofRegion.id), await networksOf(ofSite.id)]).toEqual([[network.id], []])
    expect((await inv.ask('GET /api/vlans?vlan_id=800')).etag).not.toBe(list.etag)
    await put(region.id, { parent_id: null })
    await put(room.id, { parent_id: null })
    expect(await networksOf(common.id)).toEqual([network.id])
  })

  test('a device in a rack below its datacenter gets the datacenter of the rack', async () => {
    const { region, room, other } = await makeTree('rack')
    const rack = await inv.api.racks.create({ name: 'r', datacenter_id: room.id })
    const mount = { rack_id: rack.id, position: 1 }
    const made = await inv.ask('POST /api/devices', { name: 'm', datacenter_id: region.id, mount })
    expect(made).toMatchObject({ status: 201, body: { datacenter_id: room.id } })
    const { id } = made.body as Named
    const moved = await inv.ask(`PUT /api/devices/${id}`, { datacenter_id: region.id, os: 'x' })
    expect(moved).toMatchObject({ status: 200, body: { datacenter_id: room.id, os: 'x' } })
    expect(await inv.ask(`PUT /api/devices/${id}`, { datacenter_id: other.id })).toMatchObject(refusal('mount.rack_id'))
  })

  test('an estate document and an import name parents that are later rows', async () => {
    const datacenters = [
      { name: 'doc room', parent: 'doc site' },
      { name: 'doc site', parent: 'doc region' },
      { name: 'doc region' },
    ]
    const document = { managed_by: 'tree', prune: true, datacenters }
    const counts = (answer: { readonly body: unknown }) =>
      (answer.body as { counts: Record<string, object> }).counts.datacenters
    expect(counts(await inv.ask('POST /api/estate/apply', document))).toMatchObject({ created: 3 })
    expect(counts(await inv.ask('POST /api/estate/apply', document))).toMatchObject({ unchanged: 3 })
    const exported = await (await inv.admin.request('GET', '/api/estate/export?managed_by=tree')).json()
    expect(exported).toMatchObject({
      datacenters: [
        { name: 'doc region' },
        { name: 'doc room', parent: 'doc site' },
        { name: 'doc site', parent: 'doc region' },
      ],
    })
    const rows = [
      { id: 'i-room', name: 'i room', parent_id: 'i-site' },
      { id: 'i-site', name: 'i site', parent_id: 'i-region' },
      { id: 'i-region', name: 'i region' },
    ]
    const load = async () => (await inv.admin.request('POST', '/api/estate/import?resource=datacenters', rows)).text()
    expect(await load()).toContain('"created":3,"updated":0,"unchanged":0,"failed":0')
    expect(await names('datacenters?within=i-region')).toEqual(['i region', 'i room', 'i site'])
    const pruned = await inv.ask('POST /api/estate/apply', { ...document, datacenters: [{ name: 'doc region' }] })
    expect(counts(pruned)).toMatchObject({ deleted: 2 })
  })

  test('two that move below each other at once do not make a circle', async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await make(`circle a${round}`), await make(`circle b${round}`)]
      const answers = await Promise.all([put(a.id, { parent_id: b.id }), put(b.id, { parent_id: a.id })])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    }
  })
})
