// A changed object is in scopes by its documents before and after, and by the objects that it belongs to.
import { describe, expect, test } from 'bun:test'
import { estateKernel } from '../../../testing/app/estate-kernel.ts'
import { type People, people } from '../../../testing/estates/people.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { findPlaces, type Places } from './places.ts'

type Document = Readonly<Record<string, unknown>>
type State = Document | undefined

const toItem = (kind: string, id: string, [before, after]: readonly [State, State]) => ({
  ...{ kind, id, change: before ? (after ? ('update' as const) : ('delete' as const)) : ('create' as const) },
  ...{ before: before && JSON.stringify({ id, ...before }), after: after && JSON.stringify({ id, ...after }) },
})

type Item = ReturnType<typeof toItem>

describe.each(engines())('places on %s', (dialect) => {
  const all: People = people(dialect)
  const find = (items: readonly Item[]): Promise<readonly Places[]> =>
    estateKernel(all.app.db).write((ctx) => findPlaces(ctx, items))
  const findOutside = (items: readonly Item[]): Promise<readonly Places[]> =>
    estateKernel(all.app.db).read((ctx) => findPlaces(ctx, items))
  const make = async (noun: string, body: object): Promise<string> => {
    const answer = await all.admin.ask(`POST /api/${noun}`, body)
    expect(answer).toMatchObject({ status: 201 })
    // The answer of the route.
    return (answer.body as { id: string }).id
  }
  const tagged = (tag: string): Document => ({ tags: [tag], addresses: [], datacenter_id: null })
  const network = (datacenter_id: string | null): Document => ({ datacenter_id, subnet: '10.7.0.0/24', space_id: null })
  const POOL = { tags: [], start_ip: '10.7.0.10', end_ip: '10.7.0.20' }
  const RESERVATION = { ip_address: '10.7.0.11' }
  const estate = { east: '', west: '', inEast: '', inWest: '', ofTag: '' }

  test('without scopes nothing is read, and nothing is in any', async () => {
    expect(await find([toItem('device', 'd', [undefined, tagged('lab')])])).toEqual([{ before: [], after: [] }])
  })

  test('a device that moves is in one scope before, and in another one after', async () => {
    estate.east = await make('datacenters', { name: 'East' })
    estate.west = await make('datacenters', { name: 'West' })
    estate.inEast = await make('scopes', { name: 'In east', datacenter_ids: [estate.east] })
    estate.inWest = await make('scopes', { name: 'In west', datacenter_ids: [estate.west] })
    estate.ofTag = await make('scopes', { name: 'Of tag', tags: ['lab'] })
    const device = { ...tagged('lab'), datacenter_id: estate.east }
    const moved = { ...tagged('none'), datacenter_id: estate.west }
    const items = [toItem('device', 'd', [device, moved])]
    const places = [{ before: [[estate.inEast, estate.ofTag].sort()], after: [[estate.inWest]] }]
    expect(await find(items)).toEqual(places)
    expect(await findOutside(items)).toEqual(places)
  })

  test('a new or deleted object has no place in the state without it', async () => {
    const found = await find([
      toItem('device', 'new', [undefined, tagged('lab')]),
      toItem('device', 'old', [tagged('lab'), undefined]),
    ])
    expect(found).toEqual([
      { before: [], after: [[estate.ofTag]] },
      { before: [[estate.ofTag]], after: [] },
    ])
  })

  test('a pool and its reservation inherit from a network that the same change moves', async () => {
    const items = [
      toItem('network', 'n', [network(estate.east), network(estate.west)]),
      toItem('pool', 'p', [undefined, { ...POOL, network_id: 'n' }]),
      toItem('reservation', 'r', [undefined, { ...RESERVATION, pool_id: 'p' }]),
    ]
    expect(await find(items)).toEqual([
      { before: [[estate.inEast]], after: [[estate.inWest]] },
      { before: [], after: [[estate.inWest]] },
      { before: [], after: [[estate.inWest]] },
    ])
  })

  test('objects that do not change count as they are', async () => {
    const network_id = await make('networks', { name: 'N', subnet: '10.8.0.0/24', datacenter_id: estate.east })
    const pool_id = await make(`networks/${network_id}/pools`, {
      name: 'P',
      start_ip: '10.8.0.10',
      end_ip: '10.8.0.20',
    })
    const items = [toItem('reservation', 'r', [{ ip_address: '10.8.0.11', pool_id }, undefined])]
    expect(await find(items)).toEqual([{ before: [[estate.inEast]], after: [] }])
    expect(await findOutside(items)).toEqual([{ before: [[estate.inEast]], after: [] }])
  })

  test('an object that follows others has a set of each of them', async () => {
    const device = await make('devices', {
      name: 'stays',
      addresses: [{ ip: '10.9.0.1' }],
      datacenter_id: estate.east,
      tags: ['lab'],
    })
    const relationship = { parent_id: device, child_id: 'd', type: 'hosts' }
    const items = [
      toItem('device', 'd', [undefined, { ...tagged('none'), datacenter_id: estate.west }]),
      toItem('relationship', `${device} d`, [undefined, relationship]),
    ]
    const [, found] = await find(items)
    expect(found?.before).toEqual([])
    expect(found?.after.toSorted()).toEqual([[estate.inEast, estate.ofTag].sort(), [estate.inWest]].toSorted())
  })

  test('an object that follows one that is gone is in no scope', async () => {
    const port = { device_id: 'gone', name: 'eth0' }
    expect(await find([toItem('port', 'p', [undefined, port])])).toEqual([{ before: [], after: [[]] }])
  })

  test('definitions have no set, and objects of other kinds an empty one', async () => {
    const found = await find([
      toItem('vlan', 'v', [undefined, { vlan_id: 1, name: 'v', datacenter_id: null }]),
      toItem('dns-record', 'd', [undefined, { name: 'd' }]),
      toItem('conflict', 'c', [undefined, { device_ids: [], network_ids: [] }]),
      toItem('device-type', 't', [undefined, { name: 't' }]),
    ])
    expect(found.map(({ after }) => after)).toEqual([[[]], [[]], [], []])
  })
})
