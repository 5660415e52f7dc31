// Objects of kinds in the search and in a lookup: by name, description, searchable values and addresses, of several kinds.
import { beforeAll, describe, expect, test } from 'bun:test'
import { inventory } from '../../../testing/estates/inventory.ts'
import { type People, people } from '../../../testing/estates/people.ts'
import { engines, onSqlite } from '../../../testing/servers/servers.ts'
import type { SearchResult } from './api.ts'

describe.each(engines())('objects of kinds in a search on %s', (dialect) => {
  const inv = inventory(dialect)
  const search = async (q: string, as_of?: string): Promise<SearchResult[]> =>
    (await inv.api.search.all({ q, ...(as_of && { as_of }) } as never)).results
  const find = async (q: string, as_of?: string): Promise<string[]> =>
    (await search(q, as_of)).map(({ kind_id, name, field, match }) => `${kind_id} ${name}: ${field} ${match}`)
  const lookup = async (query: string, as_of = '') => {
    const { body } = await inv.ask(`GET /api/lookup/${query}${as_of && `?as_of=${as_of}`}`)
    return (body as { objects?: unknown }).objects
  }
  const ids: Record<string, string> = {}
  let then = ''

  beforeAll(async () => {
    await inv.api.kinds.create({
      name: 'Circuits',
      fields: [
        { name: 'carrier', type: 'text', searchable: true },
        { name: 'secret', type: 'text' },
        { name: 'peers', type: 'ip', multiple: true },
      ],
    } as never)
    await inv.api.kinds.create({
      name: 'BGP peers',
      fields: [
        { name: 'carrier', type: 'text' },
        { name: 'peers', type: 'ip' },
      ],
    } as never)
    await inv.api.kinds.create({ name: 'Notes' })
    const make = async (kind_id: string, name: string, custom: object = {}, description = '') => {
      ids[name] = (await inv.api.objects.create({ kind_id, name, description, custom } as never)).id
    }
    await make('circuits', 'CID-4711', { carrier: 'Umbral', secret: 'hush', peers: ['192.0.2.9', '2001:db8::1'] })
    await make('bgp-peers', 'Peer Umbral', { carrier: 'Umbrella' }, 'toward the exchange')
    await make('bgp-peers', 'upstream', { peers: '192.0.2.90' })
    await make('notes', 'no values', {}, 'exchange of keys')
    const made = await inv.admin.request('PUT', `/api/objects/${ids['no values']}`, {
      description: 'exchange of spares',
    })
    then = made.headers.get('x-change-id') ?? ''
  })

  test('a result has the type object, the kind, and the field in which the text was found', async () => {
    expect(await search('cid-47')).toEqual([
      {
        type: 'object',
        id: ids['CID-4711'] ?? '',
        name: 'CID-4711',
        match: 'CID-4711',
        field: 'name',
        kind_id: 'circuits',
      },
    ])
  })

  test('one text finds objects of several kinds, the names before the values', async () => {
    expect(await find('exchange')).toEqual([
      'notes no values: description exchange of spares',
      'bgp-peers Peer Umbral: description toward the exchange',
    ])
    expect(await find('umbral')).toEqual([
      'circuits CID-4711: custom.carrier Umbral',
      'bgp-peers Peer Umbral: name Peer Umbral',
    ])
  })

  test('a value is found only if its field is searchable in the kind of the object', async () => {
    expect(await find('umbrella')).toEqual([])
    expect(await find('hush')).toEqual([])
    // The name of a field is no value.
    expect(await find('carrier')).toEqual([])
  })

  test.each(['192.0.2.9', '2001:DB8:0:0::1', '2001:db8::1', '2001:0db8:0000::0001'])(
    'the address %s is found in any notation, and not within a longer one',
    async (q) => {
      expect((await search(q)).map(({ name }) => name)).toEqual(['CID-4711'])
    },
  )

  test('a lookup names the objects that have the address as a value, and their kinds', async () => {
    const object = (name: string, kind_id: string) => ({
      resource: 'objects',
      kind_id,
      id: ids[name],
      name,
      field: 'custom.peers',
    })
    expect(await lookup('192.0.2.9')).toEqual([object('CID-4711', 'circuits')])
    expect(await lookup('2001:db8:0::1')).toEqual([object('CID-4711', 'circuits')])
    expect(await lookup('192.0.2.90')).toEqual([object('upstream', 'bgp-peers')])
    expect(await lookup('192.0.2.91')).toBeUndefined()
  })

  test('the past has the names, descriptions and values of then', async () => {
    await inv.ask(`PUT /api/objects/${ids['no values']}`, { name: 'renamed', description: 'later' })
    await inv.ask(`PUT /api/objects/${ids['CID-4711']}`, { custom: { peers: null } })
    expect(await find('exchange of', then)).toEqual(['notes no values: description exchange of spares'])
    expect(await find('exchange of')).toEqual([])
    expect(await find('cid-4711', then)).toEqual(['circuits CID-4711: name CID-4711'])
    // Both kinds have a field of this name.
    expect(await lookup('192.0.2.9', then)).toEqual([
      { resource: 'objects', kind_id: 'circuits', id: ids['CID-4711'], name: 'CID-4711', field: 'custom.peers' },
    ])
    expect(await lookup('192.0.2.9')).toBeUndefined()
  })

  test('a name is found among more objects than the index reads for the values of others', async () => {
    const operations = Array.from({ length: 300 }, (_, n) => ({
      op: 'create',
      object: { kind_id: 'circuits', name: `filler ${n}`, custom: { secret: 'needle' } },
    }))
    await inv.ask('POST /api/objects/bulk', { operations })
    await inv.api.objects.create({ kind_id: 'notes', name: 'a needle' })
    expect(await find('needle')).toEqual(['notes a needle: name a needle'])
  })
})

describe.each(onSqlite())('objects of kinds for callers with few rights on %s', (dialect) => {
  const all: People = people(dialect)

  test('a caller who may not list objects finds none by search or lookup', async () => {
    await all.admin.ask('POST /api/kinds', { name: 'Peers', fields: [{ name: 'ip', type: 'ip' }] })
    await all.admin.ask('POST /api/objects', { kind_id: 'peers', name: 'hidden', custom: { ip: '192.0.2.7' } })
    const texts = async (...permissions: string[]) => {
      const { ask } = await all.person({ permissions: ['search:read', ...permissions] })
      const answers = [await ask('GET /api/search?q=hidden'), await ask('GET /api/lookup/192.0.2.7')]
      return answers.map(({ status, body }) => `${status} ${JSON.stringify(body).includes('hidden')}`)
    }
    expect(await texts('objects:list')).toEqual(['200 true', '200 true'])
    expect(await texts('kinds:list', 'objects:read', 'networks:list')).toEqual(['200 false', '200 false'])
  })
})
