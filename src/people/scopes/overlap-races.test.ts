// Two scoped users lay networks over the same addresses at once, on PostgreSQL through two instances: only one of them can.
import { afterAll, describe, expect, test } from 'bun:test'
import { type Person, people } from '../../../testing/estates/people.ts'
import { type Instance, instanceBeside } from '../../../testing/servers/instances.ts'
import { engines } from '../../../testing/servers/servers.ts'

const ROUNDS = 15

describe.each(engines())('networks over the same addresses at once on %s', (dialect) => {
  const all = people(dialect)
  let other: Instance | undefined
  afterAll(() => other?.close())

  const make = async (path: string, body: object): Promise<string> => {
    const { status, body: answer } = await all.admin.ask(`POST /api/${path}`, body)
    expect([path, status, answer]).toEqual([path, 201, answer])
    return (answer as { id: string }).id
  }
  const writer = async (name: string) => {
    const datacenter_id = await make('datacenters', { name })
    const scope_id = await make('scopes', { name, datacenter_ids: [datacenter_id] })
    const person = await all.person()
    await make('grants', { role_id: 'admin', user_id: person.id, scope_id })
    return { person, datacenter_id }
  }
  const post = async (person: Person, path: string, body: object, by?: Instance): Promise<number> => {
    if (!by) return (await person.ask(`POST /api/${path}`, body)).status
    return (await by.fetch('POST', `/api/${path}`, { Authorization: `Bearer ${person.key}` }, body)).status
  }

  test('exactly one of two users creates a network', async () => {
    if (dialect === 'postgres') other = await instanceBeside(all.app)
    const [bea, dan] = [await writer('a'), await writer('b')]
    for (let i = 0; i < ROUNDS; i++) {
      const create = ({ person, datacenter_id }: typeof bea, prefix: number, by?: Instance) =>
        post(person, 'networks', { name: `${i}`, subnet: `40.${i}.0.0/${prefix}`, datacenter_id }, by)
      const statuses = await Promise.all([create(bea, 24), create(dan, 23 + (i % 3), other)])
      expect([i, statuses.toSorted((a, b) => a - b)]).toEqual([i, [201, 403]])
    }
  }, 60_000)

  test('a network and the hidden address that it would cover come one after the other', async () => {
    const [eve, fay] = [await writer('c'), await writer('d')]
    for (let i = 0; i < ROUNDS; i++) {
      const subnet = `41.${i}.0.0/24`
      const ip = `41.${i}.0.9`
      const network = { name: subnet, subnet, datacenter_id: eve.datacenter_id }
      const device = { name: ip, datacenter_id: fay.datacenter_id, addresses: [{ ip }] }
      const [made, placed] = await Promise.all([
        post(eve.person, 'networks', network),
        post(fay.person, 'devices', device, other),
      ])
      expect([i, placed, [201, 403].includes(made)]).toEqual([i, 201, true])
      // Whatever came first, the next one finds the address.
      expect(await post(eve.person, 'networks', { ...network, subnet: `41.${i}.0.0/25` })).toBe(403)
    }
  }, 60_000)
})
