// The global search: by word, by address and by block, over every kind of object.
import { beforeAll, describe, expect, test } from 'bun:test'
import { ask, failure, forbidden, inventory, refusal } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { MAX_RESULTS_PER_TYPE } from './api.ts'

describe.each(engines())('the search of everything on %s', (dialect) => {
  const inv = inventory(dialect)
  const search = (q: string) => inv.ask(`GET /api/search?q=${encodeURIComponent(q)}`)
  const find = async (q: string) => {
    const { results } = await inv.api.search.all({ q })
    return results.map(({ type, name, field, match }) => `${type} ${name}: ${field} ${match}`)
  }

  beforeAll(async () => {
    const { api } = inv
    await api.datacenters.create({ name: 'Nürnberg', location: 'Süd 50%', description: 'main site' })
    const { id: network_id } = await api.networks.create({
      name: 'Office LAN',
      subnet: '10.0.0.0/16',
      description: 'floor 2',
    })
    await api.networks.create({ name: 'Printers', subnet: '10.0.1.0/24' })
    await api.networks.create({ name: 'Lab', subnet: '2001:db8::/48' })
    const range = { start_ip: '10.0.1.10', end_ip: '10.0.1.20' }
    await api.pools.create({ ...range, network_id, name: 'DHCP', tags: ['guest wifi'], description: 'visitors' })
    await api.devices.create({
      name: 'printer-1',
      addresses: [{ ip: '10.0.1.15' }],
      description: 'second floor',
      tags: ['Office'],
    })
    await api.devices.create({ name: 'lab-1', addresses: [{ ip: '2001:db8::15' }], domains: ['lab.example.com'] })
  })

  test('a result has the type, the id, the name, and the value that was found with its field', async () => {
    const [datacenter] = await inv.api.datacenters.list()
    expect((await search('nürnberg')).body).toEqual({
      results: [
        {
          type: 'datacenter',
          id: datacenter?.id,
          name: 'Nürnberg',
          match: 'Nürnberg',
          field: 'name',
          detail: 'Süd 50%',
        },
      ],
    })
  })

  test.each([
    ['NÜRN', ['datacenter Nürnberg: name Nürnberg']],
    ['site', ['datacenter Nürnberg: description main site']],
    ['50%', ['datacenter Nürnberg: location Süd 50%']],
    ['office', ['network Office LAN: name Office LAN', 'device printer-1: tags Office']],
    ['floor', ['network Office LAN: description floor 2', 'device printer-1: description second floor']],
    ['guest wifi', ['pool DHCP: tags guest wifi']],
    ['Visitors DHCP', ['pool DHCP: description visitors']],
    ['lab.example', ['device lab-1: domains lab.example.com']],
    ['printer', ['network Printers: name Printers', 'device printer-1: name printer-1']],
    ['office nowhere', []],
    ['_', []],
    ["'", []],
    ['"', []],
  ])('finds by words: %s', async (q, found) => {
    expect(await find(q)).toEqual(found)
  })

  test.each([
    [
      '10.0.1.15',
      [
        'network Printers: subnet 10.0.1.0/24',
        'network Office LAN: subnet 10.0.0.0/16',
        'pool DHCP: start_ip 10.0.1.10 - 10.0.1.20',
        'device printer-1: addresses.ip 10.0.1.15',
      ],
    ],
    ['10.0.2.1', ['network Office LAN: subnet 10.0.0.0/16']],
    [
      '10.0.1.0/24',
      [
        'network Printers: subnet 10.0.1.0/24',
        'network Office LAN: subnet 10.0.0.0/16',
        'pool DHCP: start_ip 10.0.1.10 - 10.0.1.20',
        'device printer-1: addresses.ip 10.0.1.15',
      ],
    ],
    ['2001:DB8:0:0::0015', ['network Lab: subnet 2001:db8::/48', 'device lab-1: addresses.ip 2001:db8::15']],
    ['2001:db8::/32', ['network Lab: subnet 2001:db8::/48', 'device lab-1: addresses.ip 2001:db8::15']],
    ['192.168.0.0/16', []],
  ])('finds by address and block: %s', async (q, found) => {
    expect(await find(q)).toEqual(found)
  })

  test('finds changed objects, and no deleted ones', async () => {
    const { api } = inv
    const { id: network_id } = await api.networks.create({ name: 'Wanderer', subnet: '10.77.0.0/16' })
    const range = { start_ip: '10.77.0.1', end_ip: '10.77.0.9' }
    const { id } = await api.pools.create({ ...range, network_id, name: 'Wandering', tags: ['nomad'] })
    expect(await find('wander')).toEqual(['network Wanderer: name Wanderer', 'pool Wandering: name Wandering'])
    await api.networks.update({ id: network_id, name: 'Settler' })
    await api.pools.update({ id, tags: ['settled'] })
    expect(await find('wander')).toEqual(['pool Wandering: name Wandering'])
    expect(await find('settle')).toEqual(['network Settler: name Settler', 'pool Wandering: tags settled'])
    expect(await find('nomad')).toEqual([])
    await api.networks.delete({ id: network_id })
    expect(await find('settle')).toEqual([])
  })

  test('is of 1 to 256 characters that are not all blank', async () => {
    expect(await search('x'.repeat(256))).toMatchObject({ status: 200, body: { results: [] } })
    for (const bad of ['x'.repeat(257), '', ' ', '\t\n', 'a\u0000b'])
      expect(await search(bad)).toMatchObject(refusal('q'))
    expect(await inv.ask('GET /api/search')).toMatchObject(refusal('q'))
  })

  test('answers with the best of each type, and no more than a page of them', async () => {
    const operations = Array.from({ length: MAX_RESULTS_PER_TYPE + 5 }, (_, i) => ({
      op: 'create' as const,
      device: { name: `crowd ${String(i).padStart(3, '0')}` },
    }))
    await inv.api.devices.bulk({ operations })
    const found = await find('crowd')
    expect(found).toHaveLength(MAX_RESULTS_PER_TYPE)
    expect(found[0]).toBe('device crowd 000: name crowd 000')
  })

  test('needs search:read', async () => {
    expect(await ask(await inv.app.as('viewer'), 'GET /api/search?q=lab')).toMatchObject({ status: 200 })
    expect(await ask(await inv.app.as(['devices:list']), 'GET /api/search?q=lab')).toMatchObject(forbidden)
    expect(await ask({ request: inv.app.guest }, 'GET /api/search?q=lab')).toMatchObject(failure(401, 'UNAUTHORIZED'))
  })
})
