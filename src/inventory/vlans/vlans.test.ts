// The rules of VLANs: their natural key, the networks that belong to them, and the deletion of their datacenter.
import { describe, expect, test } from 'bun:test'
import { alreadyExists, inventory } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import type { ObjectOf } from '../../resource/crud.ts'
import type { vlanFacts } from './resource.ts'

type Vlan = ObjectOf<typeof vlanFacts>

/** Mulberry32: the same numbers for the same seed. */
const randomOf = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

describe.each(onSqlite())('VLANs on %s', (dialect) => {
  const inv = inventory(dialect)
  const make = (body: object) => inv.ask('POST /api/vlans', body)
  const vlanIn = (answer: { readonly body: unknown }) => answer.body as Vlan

  test('have a number, a datacenter and a group that no other VLAN has, in any case', async () => {
    const [a, b] = [await inv.api.datacenters.create({ name: 'ua' }), await inv.api.datacenters.create({ name: 'ub' })]
    const places = [{}, { datacenter_id: a.id }, { datacenter_id: b.id }]
    for (const place of places)
      for (const group of ['', 'Ärger']) {
        expect((await make({ vlan_id: 30, name: 'x', group, ...place })).status).toBe(201)
        expect(await make({ vlan_id: 30, name: 'y', group: group.toLowerCase(), ...place })).toMatchObject(
          alreadyExists,
        )
      }
    const { id } = vlanIn(await make({ vlan_id: 31, name: 'z', group: 'ÄRGER' }))
    expect(await inv.ask(`PUT /api/vlans/${id}`, { vlan_id: 30 })).toMatchObject(alreadyExists)
    expect((await inv.ask(`PUT /api/vlans/${id}`, { group: 'ärger', name: 'own' })).status).toBe(200)
  })

  test('are made once by many callers at once', async () => {
    const { id } = await inv.api.datacenters.create({ name: 'race' })
    const at = { vlan_id: 40, datacenter_id: id }
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => make({ ...at, name: `r${i}`, group: i % 2 === 0 ? 'G' : 'g' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 409)])
    expect(await inv.api.vlans.list({ vlan_id: 40 })).toHaveLength(1)
  })

  test('are listed by number and name, filtered and in pages', async () => {
    const { id: dc } = await inv.api.datacenters.create({ name: 'listed' })
    for (const [vlan_id, name, group] of [
      [53, 'b', ''],
      [51, 'Zeta', 'East'],
      [51, 'alpha', 'west'],
      [52, '50%', ''],
    ] as const)
      await inv.api.vlans.create({ vlan_id, name, group, datacenter_id: dc })
    const named = async (query: string) => {
      const { body, total } = await inv.ask(`GET /api/vlans?datacenter_id=${dc}${query}`)
      return [(body as Vlan[]).map(({ name }) => name), total]
    }
    expect(await named('')).toEqual([['alpha', 'Zeta', '50%', 'b'], '4'])
    expect(await named('&vlan_id=51')).toEqual([['alpha', 'Zeta'], '2'])
    expect(await named('&group=EAST')).toEqual([['Zeta'], '1'])
    expect(await named('&group=eas')).toEqual([[], '0'])
    expect(await named('&name=ZE')).toEqual([['Zeta'], '1'])
    expect(await named('&name=%25')).toEqual([['50%'], '1'])
    expect(await named('&limit=2&offset=1')).toEqual([['Zeta', '50%'], '4'])
  })

  test('VLANs have the networks of their number in their datacenter, else the networks that no VLAN of a datacenter has', async () => {
    const random = randomOf(dialect === 'sqlite' ? 1 : 2)
    const centers: (string | null)[] = [null]
    for (const name of ['na', 'nb', 'nc']) centers.push((await inv.api.datacenters.create({ name })).id)
    const place = () => ({ vlan_id: 101 + random(3), datacenter_id: centers[random(centers.length)] ?? null })
    const mine = <T extends { readonly vlan_id: number | null }>(all: readonly T[]) =>
      all.filter(({ vlan_id }) => vlan_id !== null && vlan_id > 100 && vlan_id < 110)
    const check = async () => {
      const vlans = mine(await inv.api.vlans.list())
      const networks = mine(await inv.api.networks.list())
      for (const { id, vlan_id, datacenter_id, network_ids } of vlans) {
        const wanted = networks.filter((network) => {
          if (network.vlan_id !== vlan_id) return false
          const own = vlans.some((one) => one.vlan_id === vlan_id && one.datacenter_id === network.datacenter_id)
          return network.datacenter_id === null || own
            ? network.datacenter_id === datacenter_id
            : datacenter_id === null
        })
        const ids = wanted.map((network) => network.id)
        expect(network_ids).toEqual(ids)
        expect((await inv.api.vlans.get({ id })).network_ids).toEqual(ids)
      }
      const all = await inv.api.vlans.list({ vlan_id: 101 })
      const [second] = await inv.api.vlans.list({ vlan_id: 101, limit: 1, offset: 1 })
      expect(second).toEqual(all[1])
      return vlans
    }
    for (let step = 0; step < 40; step++) {
      const { vlan_id, datacenter_id } = place()
      const networks = mine(await inv.api.networks.list())
      const known = networks[random(networks.length)]
      const vlans = mine(await inv.api.vlans.list())
      const vlan = vlans[random(vlans.length)]
      const what = random(6)
      if (what < 2) await inv.api.networks.create({ name: `n${step}`, subnet: `10.9.${step}.0/24`, ...place() })
      else if (what === 2 && known) await inv.api.networks.update({ id: known.id, ...place() })
      else if (what === 3 && known) await inv.api.networks.update({ id: known.id, vlan_id: 0 })
      else if (what === 4 && vlan) await inv.api.vlans.delete({ id: vlan.id })
      else await make({ vlan_id, datacenter_id, name: `v${step}`, group: ['', 'g'][random(2)] })
      if (step % 5 === 0) await check()
    }
    expect((await check()).length).toBeGreaterThan(0)
  })

  test('are in use for callers who may list them', async () => {
    await inv.api.vlans.create({ vlan_id: 61, name: 'used' })
    const [viewer, other] = [await inv.app.as('viewer'), await inv.app.as(['networks:list'])]
    expect((await viewer.api.sessions.me()).in_use).toEqual(['vlans'])
    expect(Object.keys(await other.api.sessions.me())).not.toContain('in_use')

    // A scope shows the resources that it holds.
    const datacenter = await inv.api.datacenters.create({ name: 'in a scope' })
    const scope = await inv.api.scopes.create({ name: 'scope', datacenter_ids: [datacenter.id] })
    await inv.api.grants.create({ role_id: 'viewer', user_id: other.userId, scope_id: scope.id })
    expect(await other.api.sessions.me()).toMatchObject({ is_scoped: true })
    expect(Object.keys(await other.api.sessions.me())).not.toContain('in_use')
    await inv.api.vlans.create({ vlan_id: 62, name: 'in a scope', datacenter_id: datacenter.id })
    expect((await other.api.sessions.me()).in_use).toEqual(['vlans'])
  })

  test('change their ETag with their networks', async () => {
    const { id } = await inv.api.vlans.create({ vlan_id: 60, name: 'e' })
    const [one, list] = [await inv.ask(`GET /api/vlans/${id}`), await inv.ask('GET /api/vlans?vlan_id=60')]
    const network = await inv.api.networks.create({ name: 'e', subnet: '10.60.0.0/24', vlan_id: 60 })
    const [later, lists] = [await inv.ask(`GET /api/vlans/${id}`), await inv.ask('GET /api/vlans?vlan_id=60')]
    expect(later).toMatchObject({ body: { network_ids: [network.id] } })
    expect([later.etag === one.etag, lists.etag === list.etag]).toEqual([false, false])
    await inv.api.vlans.delete({ id })
    expect(await inv.api.networks.get({ id: network.id })).toEqual(network)
  })

  test('stay without a datacenter that is deleted; the group of a VLAN that would be equal to another one names it', async () => {
    const { id: dc } = await inv.api.datacenters.create({ name: 'Gone' })
    const vlan = (name: string, group: string, datacenter_id: string | null) =>
      inv.api.vlans.create({ vlan_id: 70, name, group, datacenter_id })
    const [plain, grouped, free] = [await vlan('1', '', dc), await vlan('2', 'B', dc), await vlan('3', 'c', dc)]
    const [common, taken] = [await vlan('4', '', null), await vlan('5', 'b', null)]
    await vlan('6', 'gone', null)
    const network = await inv.api.networks.create({ name: 'x', subnet: '10.70.0.0/24', vlan_id: 70, datacenter_id: dc })
    inv.advance(1000)
    const { id: hook } = await inv.api.webhooks.create({
      name: 'v',
      url: 'http://h.invalid/',
      events: ['vlan.updated'],
    })
    const deleted = await inv.admin.request('DELETE', `/api/datacenters/${dc}`)
    expect(deleted.status).toBe(204)
    const left = { datacenter_id: null, network_ids: [network.id], updated_at: inv.now() }
    const after = await inv.api.vlans.list({ vlan_id: 70 })
    expect(after.filter(({ id }) => [plain, grouped, free].some((one) => one.id === id))).toEqual([
      { ...plain, ...left, group: 'Gone 2' },
      { ...grouped, ...left, group: 'B (Gone)' },
      { ...free, ...left },
    ])
    const untouched = { network_ids: [network.id] }
    for (const one of [common, taken]) expect(await inv.api.vlans.get({ id: one.id })).toEqual({ ...one, ...untouched })
    const sent = await inv.api.webhooks.deliveries({ id: hook })
    expect(sent.map(({ event }) => event)).toEqual(['vlan.updated', 'vlan.updated', 'vlan.updated'])

    await inv.api.history.undo({ id: deleted.headers.get('x-change-id') ?? '' })
    const back = (await inv.api.vlans.list({ datacenter_id: dc })).map(({ id, group }) => ({ id, group }))
    expect(back).toEqual([plain, grouped, free].map(({ id, group }) => ({ id, group })))
  })

  test('have a history, a past and an undo', async () => {
    const made = await inv.admin.request('POST', '/api/vlans', { id: 'v-past', vlan_id: 80, name: 'Old', group: 'ÄX' })
    const body = { name: 'past', subnet: '10.80.0.0/24', vlan_id: 80 }
    const answer = await inv.admin.request('POST', '/api/networks', body)
    const network = (await answer.json()) as { readonly id: string }
    const as_of = answer.headers.get('x-change-id') ?? ''
    inv.advance(1000)
    await inv.api.networks.update({ id: network.id, vlan_id: 81 })
    await inv.api.vlans.update({ id: 'v-past', vlan_id: 81, name: 'New', group: '' })
    const then = { vlan_id: 80, name: 'Old', group: 'ÄX', network_ids: [network.id] }
    const asOf = async (path: string) => (await inv.ask(`GET /api/vlans${path}as_of=${as_of}`)).body
    expect(await asOf('/v-past?')).toMatchObject(then)
    expect(await asOf('?group=%C3%A4x&')).toMatchObject([then])
    const entries = await inv.api.histories.vlan({ id: 'v-past' })
    expect(entries.map(({ change }) => change)).toEqual(['update', 'create'])
    const gone = await inv.admin.request('DELETE', '/api/vlans/v-past')
    await inv.api.history.undo({ id: gone.headers.get('x-change-id') ?? '' })
    expect(await inv.api.vlans.get({ id: 'v-past' })).toMatchObject({ name: 'New', network_ids: [network.id] })
    await inv.api.history.undo({ id: entries[0]?.change_id ?? '' })
    expect(await inv.api.vlans.get({ id: 'v-past' })).toMatchObject({ vlan_id: 80, group: 'ÄX', network_ids: [] })
    expect(made.status).toBe(201)
  })

  test('mean the VLAN of their number, datacenter and group in an import and in an estate document', async () => {
    const apply = (body: object) => inv.ask('POST /api/estate/apply', body)
    const datacenters = [{ name: 'Doc' }]
    const vlans = [
      { vlan_id: 90, name: 'Common' },
      { vlan_id: 90, name: 'Own', datacenter: 'Doc', group: 'B', description: 'd' },
    ]
    const document = { managed_by: 'doc', prune: true, datacenters, vlans, networks: [] }
    const counts = (answer: { readonly body: unknown }) =>
      (answer.body as { counts: Record<string, object> }).counts.vlans
    expect(counts(await apply(document))).toMatchObject({ created: 2 })
    expect(counts(await apply(document))).toMatchObject({ unchanged: 2, created: 0 })
    const other = [{ vlan_id: 90, name: 'Renamed', group: 'b', datacenter: 'Doc' }]
    const applied = await apply({ ...document, vlans: other })
    expect(counts(applied)).toMatchObject({ updated: 1, deleted: 1, created: 0 })
    const [left] = await inv.api.vlans.list({ vlan_id: 90 })
    expect(left).toMatchObject({ name: 'Renamed', group: 'b', description: 'd' })

    const twice = await apply({ vlans: [...other, { ...other[0], group: 'B' }, { vlan_id: 0, name: 'x' }] })
    expect(twice).toMatchObject({ status: 400 })
    expect(JSON.stringify(twice.body)).toContain('is the same VLAN as vlans[0]')
    expect(JSON.stringify(twice.body)).toContain('vlans[2].vlan_id')

    const exported = await (await inv.admin.request('GET', '/api/estate/export?managed_by=doc')).json()
    expect(exported).toMatchObject({ vlans: [{ name: 'Renamed', vlan_id: 90, datacenter: 'Doc', group: 'b' }] })

    const rows = [
      { vlan_id: 90, name: 'Imported', datacenter_id: left?.datacenter_id, group: 'B', network_ids: [] },
      { vlan_id: 91, name: 'New' },
      { id: 'v-91', vlan_id: 91, name: 'By id', group: 'x' },
    ]
    const load = async (some: object[]) =>
      (await inv.admin.request('POST', '/api/estate/import?resource=vlans', some)).text()
    expect(await load(rows)).toContain('"created":2,"updated":1,"unchanged":0,"failed":0')
    inv.advance(1000)
    expect(await load(rows)).toContain('"created":0,"updated":0,"unchanged":3,"failed":0')
    expect(await load([{ vlan_id: 91, name: 'New', grup: '' }])).toContain('grup')
    expect(await load([{ id: 'v-92', vlan_id: 91, name: 'Taken' }])).toContain('ALREADY_EXISTS')
  })
})
