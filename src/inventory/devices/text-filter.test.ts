// The list of devices narrowed by a text: it has the devices that a search finds, but always in the order of names.

import { beforeAll, describe, expect, test } from 'bun:test'
import { fieldsOf, inventory, refusal } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { compareNames } from '../../net/name-order.ts'

const TEXTS = ['web', 'WEB rack', '10.0.0.', '10.0.0.0/24', '2001:DB8:0::1', '2001:db8::/32', '52-54-00-00-00-01', 'no']

describe.each(engines())('the list of devices by a text on %s', (dialect) => {
  const inv = inventory(dialect)
  const list = async (query: string) => {
    const answer = await inv.ask(`GET /api/devices?${query}`)
    expect([query, answer.status]).toEqual([query, 200])
    const found = answer.body as readonly { readonly id: string; readonly name: string }[]
    return { ids: found.map(({ id }) => id), names: found.map(({ name }) => name), total: Number(answer.total) }
  }

  beforeAll(async () => {
    const { api } = inv
    await api.devices.create({ name: 'b', tags: ['web'], status: 'planned', addresses: [{ ip: '10.0.0.9' }] })
    inv.advance(1)
    await api.devices.create({ name: 'Web', location: 'rack 1', addresses: [{ ip: '10.0.0.10' }] })
    inv.advance(1)
    await api.devices.create({ name: 'a', description: 'web 10.0.0.x', addresses: [{ ip: '2001:db8::1' }] })
    const port = await api.devices.create({ name: 'c', location: 'Rack of WEB servers' })
    await api.ports.create({ device_id: port.id, name: 'eth0', type: '1000base-t', mac_address: '52:54:00:00:00:01' })
    // Names are not unique: equal ones are in the order of their ids.
    for (let i = 0; i < 5; i++) await api.devices.create({ name: 'twin', tags: ['web'] })
    inv.advance(1000)
  })

  test.each(TEXTS)('finds what the search for %p finds, by name', async (text) => {
    const q = encodeURIComponent(text)
    const { ids, names, total } = await list(`q=${q}`)
    const searched = await inv.api.devices.search({ q: text })
    expect(ids.toSorted()).toEqual(searched.map(({ id }) => id).toSorted())
    expect([names, total]).toEqual([names.toSorted(compareNames), ids.length])
    const [change] = await inv.api.history.list({ limit: 1 })
    const then = await list(`q=${q}&as_of=${change?.id}`)
    expect(then.ids).toEqual(ids)
  })

  test('the list is in reverse with -name, equal names too, and its pages are the pages of the whole', async () => {
    for (const query of ['q=web', '']) {
      const { ids } = await list(query)
      expect((await list(`${query}&sort=-name`)).ids).toEqual(ids.toReversed())
      const pages: string[] = []
      for (let offset = 0; offset < ids.length; offset += 2)
        pages.push(...(await list(`${query}&sort=-name&limit=2&offset=${offset}`)).ids)
      expect(pages).toEqual(ids.toReversed())
    }
  })

  test('goes together with the other filters and orders', async () => {
    expect((await list('q=web&status=planned')).names).toEqual(['b'])
    expect((await list('q=web&tags=web&limit=2')).names).toEqual(['b', 'twin'])
    expect((await list('q=web&sort=created_at&limit=3')).names).toEqual(['b', 'Web', 'a'])
    expect((await list('q=10.0.0.0/24&sort=-updated_at')).total).toBe(2)
  })

  test('is not sent again as long as nothing has changed', async () => {
    const asked = 'GET /api/devices?q=web&sort=-name&limit=2'
    const { etag } = await inv.ask(asked)
    const again = () => inv.ask(asked, undefined, { 'If-None-Match': etag ?? '' })
    expect((await again()).status).toBe(304)
    await inv.api.devices.create({ name: 'zz', tags: ['web'] })
    expect(await again()).toMatchObject({ status: 200, total: '10' })
  })

  test('refuses a blank or long text and another order, and names the field', async () => {
    for (const q of ['', '%20', 'x'.repeat(257)])
      expect(await inv.ask(`GET /api/devices?q=${q}`)).toMatchObject(refusal('q'))
    for (const sort of ['', 'names', '--name', 'name,id'])
      expect(fieldsOf(await inv.ask(`GET /api/devices?q=web&sort=${sort}`))).toEqual(['sort'])
  })
})
