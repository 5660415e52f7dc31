import { describe, expect, test } from 'bun:test'
import { people } from '../../../testing/estates/people.ts'
import { engines } from '../../../testing/servers/servers.ts'

describe.each(engines())('the counts of scopes on %s', (dialect) => {
  const all = people(dialect)

  const make = async (path: string, body: object): Promise<string> => {
    const { status, body: made } = await all.admin.ask(`POST /api/${path}`, body)
    expect([path, status]).toEqual([path, 201])
    return (made as { id: string }).id
  }

  test('are the same in the list and of one scope, also where scopes overlap and where nothing is in one', async () => {
    const datacenter_id = await make('datacenters', { name: 'Amsterdam' })
    await make('networks', { name: 'lan', subnet: '10.7.0.0/24', datacenter_id })
    await make('devices', { name: 'in both', datacenter_id, tags: ['edge'] })
    await make('devices', { name: 'by tag', tags: ['edge'] })
    const site = await make('scopes', { name: 'site', datacenter_ids: [datacenter_id] })
    const edge = await make('scopes', { name: 'edge', tags: ['edge'] })
    const none = await make('scopes', { name: 'none' })
    const { body } = await all.admin.ask('GET /api/scopes?include=counts')
    const listed = new Map((body as { id: string; counts: object }[]).map(({ id, counts }) => [id, counts]))
    expect(listed.get(site)).toEqual({ datacenters: 1, networks: 1, pools: 0, devices: 1 })
    expect(listed.get(edge)).toEqual({ datacenters: 0, networks: 0, pools: 0, devices: 2 })
    expect(listed.get(none)).toEqual({ datacenters: 0, networks: 0, pools: 0, devices: 0 })
    for (const [id, counts] of listed)
      expect((await all.admin.ask(`GET /api/scopes/${id}/counts`)).body).toEqual(counts)
    const plain = (await all.admin.ask('GET /api/scopes')).body as object[]
    expect(plain.some((scope) => 'counts' in scope)).toBe(false)
  })

  test('the counts of scopes are the present ones, whatever the ETag of the list was', async () => {
    await make('scopes', { name: 'tagged', tags: ['late'] })
    const path = 'GET /api/scopes?include=counts&name=tagged'
    const before = await all.admin.ask(path)
    await make('devices', { name: 'late', tags: ['late'] })
    const after = await all.admin.ask(path)
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
    expect(after.body).toMatchObject([{ counts: { devices: 1 } }])
  })
})
