// A reader of a part of the estate sees the items of that part, and no byte of the others.
import { beforeAll, describe, expect, test } from 'bun:test'
import { missing } from '../../../testing/estates/inventory.ts'
import { type People, type Person, people } from '../../../testing/estates/people.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { ListedProposal, Proposal, ProposalItem, TimelineEntry } from '../schema.ts'

type Made = { readonly id: string }
type Operation = { readonly operation: string; readonly input: object }

/** In the names of all hidden objects. */
const SECRET = 'hidden-word'

describe.each(engines())('sight on %s', (dialect) => {
  const all: People = people(dialect)
  let east: Made
  let west: Made
  let seen: Made
  let hidden: Made
  let scope: Made
  let reader: Person

  // The answers of the routes.
  const send = async <T>(person: Person, http: string, body?: unknown): Promise<T> => {
    const answer = await person.ask(http, body)
    expect([answer.status < 300, answer.body]).toEqual([true, answer.body])
    return answer.body as T
  }
  const make = (noun: string, body: object): Promise<Made> => send(all.admin, `POST /api/${noun}`, body)
  const update = ({ id }: Made, os: string): Operation => ({ operation: 'devices.update', input: { id, os } })
  const propose = async (operations: readonly Operation[], open = true): Promise<number> =>
    (await send<Proposal>(all.admin, 'POST /api/proposals', { title: 'Change', open, operations })).number
  const readAll = async (number: number, person = reader): Promise<string> => {
    const texts = await Promise.all(
      ['', '/items', '/timeline'].map((path) => person.ask(`GET /api/proposals/${number}${path}`)),
    )
    return JSON.stringify(texts.map(({ body }) => body))
  }
  const listNumbers = async (person = reader): Promise<number[]> =>
    (await send<ListedProposal[]>(person, 'GET /api/proposals')).map(({ number }) => number)

  beforeAll(async () => {
    east = await make('datacenters', { name: 'East' })
    west = await make('datacenters', { name: `West ${SECRET}` })
    scope = await make('scopes', { name: 'East only', datacenter_ids: [east.id] })
    seen = await make('devices', { name: 'seen', datacenter_id: east.id })
    hidden = await make('devices', { name: SECRET, datacenter_id: west.id })
    reader = await all.person({ permissions: ['proposals:list', 'proposals:read'] })
    const role = await all.role('devices:list', 'devices:read')
    await make('grants', { user_id: reader.id, role_id: role.id, scope_id: scope.id })
  })

  test('the items of the own part are seen, and counted', async () => {
    const number = await propose([update(seen, 'Debian'), update(hidden, SECRET)])
    await send(all.admin, `POST /api/proposals/${number}/comments`, {
      ...{ text: `About ${SECRET}`, kind: 'device', object_id: hidden.id },
    })
    const proposal = await send<Proposal>(reader, `GET /api/proposals/${number}`)
    expect(proposal).toMatchObject({ summary: 'changes 1 device', counts: { update: { device: 1 } } })
    expect(proposal.operations.map(({ input }) => input)).toEqual([null, null])
    const items = await send<ProposalItem[]>(reader, `GET /api/proposals/${number}/items`)
    expect(items.map(({ id }) => id)).toEqual([seen.id])
    const entries = await send<TimelineEntry[]>(reader, `GET /api/proposals/${number}/timeline`)
    expect(entries.map(({ type }) => type)).toEqual(['opened'])
    const listed = await send<ListedProposal[]>(reader, 'GET /api/proposals')
    expect(listed.find((one) => one.number === number)).toMatchObject({ summary: 'changes 1 device' })
    const text = await readAll(number)
    expect([text.includes(SECRET), text.includes(hidden.id)]).toEqual([false, false])
    const whole = await send<Proposal>(all.admin, `GET /api/proposals/${number}`)
    expect(whole).toMatchObject({ summary: 'changes 2 devices', operations: [{ input: { id: seen.id } }, {}] })
  })

  test('a proposal without a seen item is unknown, in no list and no total', async () => {
    const number = await propose([update(hidden, 'Plan 9')])
    for (const path of ['', '/items', '/timeline'])
      expect(await reader.ask(`GET /api/proposals/${number}${path}`)).toMatchObject(missing)
    expect(await listNumbers()).not.toContain(number)
    const { headers } = await reader.ask('GET /api/proposals?limit=1')
    expect(headers.get('x-total-count')).toBe(String((await listNumbers()).length))
  })

  test('a draft is seen by its author only', async () => {
    const number = await propose([update(seen, 'Plan 9')], false)
    const other = await all.person({ roles: ['admin'] })
    expect(await other.ask(`GET /api/proposals/${number}`)).toMatchObject(missing)
    expect(await listNumbers(other)).not.toContain(number)
    expect(await listNumbers(all.admin)).toContain(number)
  })

  test('a limited key of the author sees no more than its limits', async () => {
    const number = await propose([update(seen, 'Debian'), update(hidden, SECRET)])
    const { key } = await send<{ readonly key: string }>(all.admin, 'POST /api/keys', {
      ...{ name: 'East', scope_id: scope.id },
    })
    const narrow = all.with(all.admin, key)
    const proposal = await send<Proposal>(narrow, `GET /api/proposals/${number}`)
    expect(proposal.operations.map(({ input }) => input)).toEqual([null, null])
    const text = await readAll(number, narrow)
    expect([text.includes(SECRET), text.includes(hidden.id)]).toEqual([false, false])
  })

  test('an object that leaves the part is not seen', async () => {
    const moved = await make('devices', { name: 'moves', datacenter_id: east.id })
    const number = await propose([{ operation: 'devices.update', input: { id: moved.id, datacenter_id: west.id } }])
    expect(await reader.ask(`GET /api/proposals/${number}`)).toMatchObject(missing)
  })

  test('a new object is seen by its place after', async () => {
    const create = (name: string, datacenter_id: string) => ({
      operation: 'devices.create',
      input: { name, datacenter_id },
    })
    const number = await propose([create('new in east', east.id), create(`new ${SECRET}`, west.id)])
    const items = await send<ProposalItem[]>(reader, `GET /api/proposals/${number}/items`)
    expect(items.map(({ name }) => name)).toEqual(['new in east'])
  })

  test('a change of the scope counts at once', async () => {
    const number = await propose([update(hidden, 'Inferno')])
    expect(await reader.ask(`GET /api/proposals/${number}`)).toMatchObject(missing)
    await send(all.admin, `PUT /api/scopes/${scope.id}`, { datacenter_ids: [east.id, west.id] })
    expect((await reader.ask(`GET /api/proposals/${number}`)).status).toBe(200)
    expect(await listNumbers()).toContain(number)
    await send(all.admin, `PUT /api/scopes/${scope.id}`, { datacenter_ids: [east.id] })
    expect(await reader.ask(`GET /api/proposals/${number}`)).toMatchObject(missing)
    expect(await listNumbers()).not.toContain(number)
  })

  test('after the merge the same items are seen, and no others', async () => {
    const number = await propose([update(seen, 'Merged'), update(hidden, `${SECRET} merged`)])
    await send(all.admin, `POST /api/proposals/${number}/merge`, {})
    const proposal = await send<Proposal>(reader, `GET /api/proposals/${number}`)
    expect(proposal).toMatchObject({ state: 'merged', summary: 'changes 1 device' })
    const items = await send<ProposalItem[]>(reader, `GET /api/proposals/${number}/items`)
    expect(items.map(({ id }) => id)).toEqual([seen.id])
    expect((await readAll(number)).includes(SECRET)).toBe(false)
    expect(await listNumbers()).toContain(number)
  })

  test('a kind without its permission is not seen', async () => {
    const person = await all.person({ permissions: ['proposals:read', 'networks:read'] })
    const number = await propose([
      update(seen, 'Kinds'),
      { operation: 'networks.create', input: { name: 'lan', subnet: '10.77.0.0/24' } },
    ])
    const items = await send<ProposalItem[]>(person, `GET /api/proposals/${number}/items`)
    expect(items.map(({ kind }) => kind)).toEqual(['network'])
    expect(await send<Proposal>(person, `GET /api/proposals/${number}`)).toMatchObject({
      ...{ summary: 'creates 1 network', operations: [{ input: null }, { input: null }] },
    })
  })

  test('an approval in a part does not count for a policy with items elsewhere', async () => {
    const role = await all.role('proposals:approve', 'proposals:read', 'devices:read')
    const approver = await all.person()
    await make('grants', { user_id: approver.id, role_id: role.id, scope_id: scope.id })
    const policy = await make('policies', { name: 'Everywhere' })
    const both = await propose([update(seen, 'Both'), update(hidden, 'Both')])
    await send(approver, `POST /api/proposals/${both}/approve`, {})
    const { requirements } = await send<Proposal>(approver, `GET /api/proposals/${both}`)
    expect(requirements).toMatchObject([{ objects: 1, given: 0, is_met: false }])
    const one = await propose([update(seen, 'One')])
    await send(approver, `POST /api/proposals/${one}/approve`, {})
    expect(await send<Proposal>(all.admin, `GET /api/proposals/${one}`)).toMatchObject({ requirements: [{ given: 1 }] })
    await all.admin.ask(`DELETE /api/policies/${policy.id}`)
  })
})
