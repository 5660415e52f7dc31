// Names in composed and decomposed letters, names without a visible character, and the natural order on every surface.
import { describe, expect, test } from 'bun:test'
import { alreadyExists, inventory, refusal } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { toNameKey } from '../../net/name-order.ts'

const DECOMPOSED = 'Zu\u0308rich'
const COMPOSED = 'Z\u00fcrich'

describe.each(engines())('names on %s', (dialect) => {
  const inv = inventory(dialect)

  test('a name is stored with composed letters, whichever form is sent', async () => {
    const { api } = inv
    const dc = await api.datacenters.create({ name: DECOMPOSED })
    const device = await api.devices.create({ name: `${DECOMPOSED} 1`, tags: [DECOMPOSED], datacenter_id: dc.id })
    expect([dc.name, device.name, device.tags]).toEqual([COMPOSED, `${COMPOSED} 1`, [COMPOSED]])
    for (const text of [DECOMPOSED, COMPOSED]) {
      const found = await inv.ask(`GET /api/devices?q=${encodeURIComponent(text.toUpperCase())}`)
      expect(found.total).toBe('1')
      expect((await inv.ask(`GET /api/datacenters?name=${encodeURIComponent(text)}`)).total).toBe('1')
      expect((await inv.ask(`GET /api/devices?tags=${encodeURIComponent(text)}`)).total).toBe('1')
    }
  })

  test('the interface of an address has the name of its port, whichever form is sent', async () => {
    const { api } = inv
    const addresses = [{ ip: '192.0.2.7', interface: `${DECOMPOSED} 0` }]
    const device = await api.devices.create({ name: 'with a port', addresses })
    const port = await api.ports.create({ device_id: device.id, name: `${COMPOSED} 0` })
    expect(device.addresses[0]?.interface).toBe(port.name)
  })

  test('the two forms of a name are one name where names are unique', async () => {
    const { api } = inv
    await api.spaces.create({ name: 'Caf\u00e9' })
    expect(await inv.ask('POST /api/spaces', { name: 'CAFE\u0301' })).toMatchObject(alreadyExists)
  })

  test.each(['\u200b', '\u00ad', '\u2060\ufeff', '\u3164', '\u2800', '\u0007', '\u{e0041}', ' \u200b '])(
    'a name of %j alone is refused with its field',
    async (name) => {
      for (const path of ['/api/devices', '/api/datacenters', '/api/racks', '/api/roles']) {
        const answer = await inv.ask(`POST ${path}`, { name })
        expect(answer).toMatchObject(refusal('name'))
        expect(JSON.stringify(answer.body)).toContain('must have a visible character')
      }
      expect(await inv.ask('POST /api/devices', { name: 'a', tags: [name] })).toMatchObject(refusal('tags[0]'))
    },
  )

  test('a stored name with decomposed letters stays until its object is written, and is found in both forms', async () => {
    const { api } = inv
    const { id } = await api.racks.create({ name: 'rack' })
    const stored = 'Ra\u0308ck'
    await inv.app.db.write(({ db }) =>
      db
        .updateTable('racks')
        .set({ name: stored, name_key: toNameKey(stored) })
        .where('id', '=', id)
        .execute(),
    )
    for (const text of ['r\u00e4ck', 'ra\u0308ck'])
      expect((await inv.ask(`GET /api/racks?name=${encodeURIComponent(text)}`)).body).toMatchObject([
        { id, name: stored },
      ])
    expect((await api.racks.update({ id, description: 'changed' })).name).toBe('R\u00e4ck')
  })

  test('the tree, racks, tags and the search sort names by their numbers', async () => {
    const { api } = inv
    const names = ['sw10', 'sw2', 'sw1', 'sw\u00e4']
    for (const name of names) {
      await api.networks.create({ name, subnet: '10.9.0.0/16' })
      await api.racks.create({ name })
      await api.devices.create({ name, tags: ['order'] })
    }
    const sorted = ['sw1', 'sw2', 'sw10', 'sw\u00e4']
    const listNames = async (path: string) =>
      ((await inv.ask(`GET ${path}`)).body as { name: string }[])
        .map(({ name }) => name)
        .filter((name) => names.includes(name))
    for (const path of [
      '/api/networks',
      '/api/racks',
      '/api/devices?tags=order',
      '/api/devices?sort=name',
      '/api/devices?q=sw',
    ])
      expect(await listNames(path)).toEqual(sorted)
    expect(await listNames('/api/devices?sort=-name')).toEqual(sorted.toReversed())
    const pages = [
      await listNames('/api/devices?tags=order&limit=2'),
      await listNames('/api/devices?tags=order&limit=2&offset=2'),
    ]
    expect(pages.flat()).toEqual(sorted)
    const { body } = await inv.ask('GET /api/search?q=sw')
    const found =
      (body as { results?: { type: string; name: string }[] }).results ?? (body as { type: string; name: string }[])
    for (const type of ['network', 'device'])
      expect(found.filter((one) => one.type === type).map(({ name }) => name)).toEqual(sorted)
  })

  test('a list of the past is in natural order', async () => {
    const { api } = inv
    const made = await Promise.all(
      ['then10', 'then2', 'then\u00e4'].map((name) => api.devices.create({ name, tags: ['then'] })),
    )
    const last = await inv.admin.request('POST', '/api/vlans', { vlan_id: 1, name: 'a moment' })
    const moment = last.headers.get('x-change-id')
    for (const { id } of made) await api.devices.update({ id, tags: [], name: 'other' })
    const { body } = await inv.ask(`GET /api/devices?tags=then&as_of=${moment}`)
    expect((body as { name: string }[]).map(({ name }) => name)).toEqual(['then2', 'then10', 'then\u00e4'])
  })

  test('answers, exports and the history have no collation key', async () => {
    const { api } = inv
    const { id } = await api.racks.create({ name: 'shown 1' })
    await api.racks.update({ id, description: 'twice' })
    const texts = await Promise.all(
      ['/api/racks', `/api/racks/${id}`, '/api/estate/export?format=json', '/api/history', '/api/devices'].map(
        async (path) => JSON.stringify((await inv.ask(`GET ${path}`)).body),
      ),
    )
    for (const text of texts) expect(text).not.toMatch(/name_order|sort_key|order_key|\\u0001/)
  })
})
