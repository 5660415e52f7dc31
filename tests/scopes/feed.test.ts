// The live feed of a caller with a role in one scope: the events of its part, until its rights or the scopes change.
import { describe, expect, test } from 'bun:test'
import { isInScopes } from '../../src/resource/facts.ts'
import { toKind } from '../../src/resource/nouns.ts'
import { buildTextChange, createExamples } from '../../testing/estates/examples.ts'
import { KINDS } from '../../testing/estates/kinds.ts'
import { type Person, people } from '../../testing/estates/people.ts'
import { follow, type Heard } from '../../testing/feed.ts'
import { makeInHalf, type Where } from '../../testing/hostile/half-writes.ts'
import { expectNothingHidden, halves } from '../../testing/hostile/halves.ts'
import { onSqlite } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

/** The kinds with objects that a role in a scope creates and deletes. */
const HEARD = KINDS.filter(({ resource, facts }) => isInScopes(facts) && resource !== 'datacenters')

/** The object of an event. */
const dataOf = ({ data }: Heard) => data.data as Readonly<Record<string, unknown>>

describe.each(onSqlite())('the feed of a scoped caller on %s', (dialect) => {
  const all = people(dialect)
  const estate = halves(all)
  const listen = ({ key }: Pick<Person, 'key'>, query = '', last?: string) =>
    follow(
      {
        request: (method, path, _, headers = {}) =>
          all.app.request(path, { method, headers: { ...headers, Authorization: `Bearer ${key}` } }),
      },
      query,
      last === undefined ? {} : { 'Last-Event-ID': last },
    )
  const id = async (http: string, body?: object): Promise<string> => {
    const answer = await all.admin.ask(http, body)
    expect([http, answer.status < 300, answer.body]).toEqual([http, true, answer.body])
    return (answer.body as { id?: string } | undefined)?.id ?? ''
  }

  const numbers: Record<string, number> = {}
  /** Creates, changes and deletes an object of each kind that a scope contains. */
  const changeKinds = async (where: Where) => {
    const made: [path: string, id: string][] = []
    for (const { resource, facts, path } of HEARD) {
      const one = await makeInHalf(where, resource)
      await id(`PUT ${path}/${one}`, buildTextChange(facts, 'heard'))
      made.push([path, one])
    }
    for (const [path, one] of made.reverse()) await id(`DELETE ${path}/${one}`)
  }

  /** Changes something of each kind in both halves, omega first. */
  const change = async () => {
    const { own, other } = await estate()
    for (const [half, word, n] of [
      [other, 'omega', 2],
      [own, 'alpha', 1],
    ] as const) {
      const counts = new Map<string, number>()
      await changeKinds({
        ...{ ids: half, n, put: (path, body) => all.admin.ask(`PUT /api/${path}`, body) },
        build: (resource) => createExamples(half, numbers, () => word).build(resource),
        make: (path, body) => id(`POST /api/${path}`, body),
        count: (kind) => {
          counts.set(kind, (counts.get(kind) ?? 0) + 1)
          return counts.get(kind) ?? 0
        },
      })
      const inDatacenter = { name: `${word} heard`, datacenter_id: half.datacenters }
      const device = await id('POST /api/devices', { ...inDatacenter, addresses: [{ ip: `10.${n}.0.201` }] })
      const network = await id('POST /api/networks', { ...inDatacenter, subnet: `10.${n}.8.0/24` })
      const hosts = [{ ip: `10.${n}.8.7`, mac_address: `00:00:0c:00:0${n}:99`, hostname: `${word}-heard` }]
      await id(`POST /api/discovery/networks/${network}/results`, { hosts })
      const tight = { name: `${word} tight`, start_ip: `10.${n}.8.10`, end_ip: `10.${n}.8.10` }
      await id(`POST /api/networks/${network}/pools`, tight)
      await id(`POST /api/devices/${device}/relationships`, { child_id: half.child, type: 'connected_to', notes: word })
      await id(`PUT /api/datacenters/${half.datacenters}`, { description: word })
      await id('POST /api/devices', {
        ...{ ...inDatacenter, name: `${word} last` },
        addresses: [{ ip: `10.${n}.8.10` }],
      })
      await id(`DELETE /api/devices/${device}`)
    }
    // Both halves share an address.
    await id('POST /api/devices', {
      name: 'omega twin',
      datacenter_id: other.datacenters,
      addresses: [{ ip: '10.1.0.11' }],
    })
    await id('POST /api/device-types', { manufacturer: 'm', model: 'last' })
  }

  const OWN: readonly string[] = [
    ...HEARD.flatMap(({ resource }) =>
      ['created', 'updated', 'deleted'].map((verb) => `${toKind(resource).replaceAll('-', '_')}.${verb}`),
    ),
    ...['relationship.created', 'datacenter.updated'],
    ...['discovery.device_found', 'discovery.completed', 'pool.utilization_high', 'conflict.detected'],
    'device_type.created',
  ]

  test('has the events of the part, live and after a reconnect', async () => {
    const made = await estate()
    const start = await listen(made.ada)
    await start.opened()
    const narrow = await listen(made.narrow)
    await narrow.opened()
    const whole = await listen(all.admin)
    await whole.opened()
    await change()
    const [first] = await whole.hears(1)
    const ended = (one: typeof start) =>
      until('the last event', () => {
        const heard = one.heard()
        return heard.some(({ event }) => event === 'device_type.created') ? heard : undefined
      })
    const heard = await ended(start)
    expect(new Set(heard.map(({ event }) => event))).toEqual(new Set(OWN))
    const text = JSON.stringify(heard)
    expectNothingHidden(made, 'the feed', text)
    expect(heard.filter(({ event }) => event === 'device.created').map((one) => dataOf(one).name)).toEqual([
      ...['device 1', 'alpha heard', 'alpha last'],
    ])
    const conflict = heard.find(({ event }) => event === 'conflict.detected')
    expect(conflict && dataOf(conflict)).toMatchObject({
      device_ids: [made.own.devices],
      description: 'Devices inside and outside of your part of the inventory have the address 10.1.0.11',
    })
    const shown = await made.ada.ask(`GET /api/conflicts/${conflict && dataOf(conflict).id}`)
    expect(shown.body).toEqual(conflict && dataOf(conflict))
    expect(await ended(narrow)).toEqual(heard)
    expect((await ended(whole)).length).toBeGreaterThan(2 * heard.length - 5)
    // Deleted objects are not known any more: an event of a port of a deleted device, and of a deleted object's place.
    const again = await listen(made.ada, '', String((first?.id ?? 1) - 1))
    const replayed = await ended(again)
    const ids = new Set(heard.map(({ id: seq }) => seq))
    expect(replayed.filter(({ id: seq }) => !ids.has(seq))).toEqual([])
    expectNothingHidden(made, 'the replay', JSON.stringify(replayed))
    expect(replayed.filter(({ event }) => event.startsWith('device.'))).toEqual(
      heard.filter(({ event }) => event.startsWith('device.')),
    )
    for (const one of [start, narrow, whole, again]) await one.stop()
  }, 60_000)

  test('ends with a change of a grant, a group, a role or a scope, and not of another', async () => {
    const { scope } = await estate()
    const { id: role, name } = await all.role('events:read', 'devices:read')
    const group = await id('POST /api/groups', { name: 'listeners' })
    const bea = await all.person()
    const grant = await id('POST /api/grants', { role_id: role, user_id: bea.id, scope_id: scope })
    await id(`POST /api/groups/${group}/members`, { user_id: bea.id })
    const others = await listen(all.admin)
    await others.opened()
    const endsBy = async (http: string, body?: object) => {
      const feed = await listen(bea)
      await feed.opened()
      await id(http, body)
      const at = performance.now()
      await feed.isOver()
      expect([http, performance.now() - at < 1000]).toEqual([http, true])
    }
    await endsBy(`PUT /api/scopes/${scope}`, { tags: ['more'] })
    await endsBy('POST /api/grants', { role_id: 'viewer', group_id: group, scope_id: scope })
    await endsBy(`DELETE /api/groups/${group}/members/${bea.id}`)
    await endsBy(`PUT /api/roles/${role}`, { name, permissions: ['events:read', 'devices:read', 'networks:read'] })
    await endsBy(`DELETE /api/grants/${grant}`)
    expect((await bea.ask('GET /api/events')).status).toBe(403)
    await id('POST /api/devices', { name: 'still heard' })
    await until('the event', () => others.heard().some((one) => dataOf(one).name === 'still heard') || undefined)
    await others.stop()
    await id(`PUT /api/scopes/${scope}`, { tags: [] })
  }, 60_000)
})
