// Bulk calls for devices and networks: all or nothing, or each item separately, by the rules of the single operations.
import { describe, expect, test } from 'bun:test'
import { ask, failure, forbidden, inventory, refusal } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'

type Result = {
  index: number
  status: string
  device?: { id: string }
  network?: { id: string }
  error?: { code: string; error: string; details: { field: string }[] }
}
type Report = { results: Result[]; succeeded: number; failed: number }

const KINDS = [
  { noun: 'device', plural: 'devices', least: {}, bad: { hostname: 'a b' }, badField: 'hostname' },
  { noun: 'network', plural: 'networks', least: { subnet: '10.0.0.0/24' }, bad: { subnet: 'x' }, badField: 'subnet' },
] as const

describe.each(engines())('a bulk call on %s', (dialect) => {
  const inv = inventory(dialect)

  describe.each(KINDS)('for $plural', ({ noun, plural, least, bad, badField }) => {
    const path = `POST /api/${plural}/bulk`
    const bulk = (operations: unknown, more: Record<string, unknown> = {}) => inv.ask(path, { operations, ...more })
    const draft = (name: string, more: object = {}) => ({ op: 'create', [noun]: { name, ...least, ...more } })
    const create = async (name: string) =>
      (await inv.ask(`POST /api/${plural}`, { name, ...least })).body as { id: string; name: string }
    const names = async () => ((await inv.ask(`GET /api/${plural}`)).body as { name: string }[]).map(({ name }) => name)

    test('creates, updates and deletes, in order, with an answer for each', async () => {
      const [changed, gone] = [await create('changed'), await create('gone')]
      inv.advance(1000)
      const answer = await bulk([
        draft('new'),
        { op: 'update', id: changed.id, [noun]: { description: 'now' } },
        { op: 'delete', id: gone.id },
        draft('own', { id: `own-${noun}` }),
        { op: 'update', id: `own-${noun}`, [noun]: { name: 'renamed' } },
      ])
      expect(answer).toMatchObject({ status: 200, body: { succeeded: 5, failed: 0 } })
      const { results } = answer.body as Report
      expect(results.map(({ index, status }) => [index, status])).toEqual([
        [0, 'created'],
        [1, 'updated'],
        [2, 'deleted'],
        [3, 'created'],
        [4, 'updated'],
      ])
      const objects = results.map((result) => result[noun])
      expect(objects[1]).toEqual({ ...changed, description: 'now', updated_at: inv.now() } as { id: string })
      expect(objects[2]).toBeUndefined()
      expect(objects[4]).toMatchObject({ id: `own-${noun}`, name: 'renamed' })
      const stored = await inv.ask(`GET /api/${plural}/${objects[0]?.id}`)
      expect(stored.body).toEqual(objects[0])
      const all = await names()
      expect(all).toEqual(expect.arrayContaining(['changed', 'new', 'renamed']))
      expect(all).not.toContain('gone')
    })

    test('changes nothing when one item is bad, and names the errors of every bad one', async () => {
      const [changed, gone] = [await create('kept'), await create('kept too')]
      const before = await names()
      const answer = await bulk([
        draft('never'),
        { op: 'update', id: changed.id, [noun]: { name: 'never' } },
        { op: 'delete', id: gone.id },
        draft('', bad),
        { op: 'update', id: 'nope', [noun]: { name: 'x' } },
        { op: 'delete', id: 'nope' },
        { op: 'delete' },
        draft('never', { id: changed.id }),
      ])
      expect(answer).toMatchObject(
        refusal(
          `operations[3].${noun}.name`,
          `operations[3].${noun}.${badField}`,
          'operations[4]',
          'operations[5]',
          'operations[6].id',
          'operations[7]',
        ),
      )
      expect(await names()).toEqual(before)
      expect((await inv.ask(`GET /api/${plural}/${changed.id}`)).body).toEqual(changed)
    })

    test('executes the valid items when it is not atomic', async () => {
      const gone = await create('goner')
      const answer = await bulk(
        [
          draft('loose one'),
          draft('', bad),
          { op: 'delete', id: gone.id },
          { op: 'delete', id: gone.id },
          draft('loose two'),
          { op: 'update', id: 'nope', [noun]: {} },
        ],
        { atomic: false },
      )
      expect(answer).toMatchObject({ status: 200, body: { succeeded: 3, failed: 3 } })
      const { results } = answer.body as Report
      expect(results.map(({ status }) => status)).toEqual([
        'created',
        'failed',
        'deleted',
        'failed',
        'created',
        'failed',
      ])
      expect(results[1]?.error).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: [{ field: 'name' }, { field: badField }],
      })
      expect(results[1]?.[noun]).toBeUndefined()
      expect(results[3]?.error).toMatchObject({ code: 'NOT_FOUND', details: [] })
      expect(results[5]?.error).toMatchObject({ code: 'NOT_FOUND' })
      const all = await names()
      expect(all).toEqual(expect.arrayContaining(['loose one', 'loose two']))
      expect(all).not.toContain('goner')
    })

    test('takes 1,000 operations, and no more', async () => {
      const many = (n: number) => Array.from({ length: n }, (_, i) => draft(`many ${i}`, { id: `${noun}-${i}` }))
      expect(await bulk(many(1001))).toMatchObject(refusal('operations'))
      expect(await bulk(many(1000))).toMatchObject({ status: 200, body: { succeeded: 1000, failed: 0 } })
    }, 30_000)

    test.each([
      ['no operations', {}, ['operations']],
      ['an empty list', { operations: [] }, ['operations']],
      ['no list', { operations: 'x' }, ['operations']],
      ['an unknown operation', { operations: [{ op: 'upsert' }] }, ['operations[0].op']],
      ['an object that is none', { operations: [{ op: 'create', [noun]: 'x' }] }, [`operations[0].${noun}`]],
      ['an id that is no text', { operations: [{ op: 'delete', id: 7 }] }, ['operations[0].id']],
      ['a wrong atomic', { operations: [{ op: 'delete', id: 'x' }], atomic: 'no' }, ['atomic']],
    ])('refuses %s', async (_, body, fields) => {
      expect(await inv.ask(path, body)).toMatchObject(refusal(...fields))
    })

    test('needs the permission of each operation in it', async () => {
      const { id } = await create('guarded')
      const creator = await inv.app.as([`${plural}:create`])
      const remover = await inv.app.as([`${plural}:delete`])
      const viewer = await inv.app.as('viewer')
      const drop = { op: 'delete', id }
      const change = { op: 'update', id, [noun]: { name: 'x' } }
      expect(await ask(creator, path, { operations: [draft('by creator')] })).toMatchObject({ status: 200 })
      for (const operations of [[draft('never'), drop], [draft('never'), change], [drop]])
        for (const atomic of [true, false])
          expect(await ask(creator, path, { operations, atomic })).toMatchObject(forbidden)
      expect(await ask(viewer, path, { operations: [draft('never')] })).toMatchObject(forbidden)
      expect(await ask({ request: inv.app.guest }, path, { operations: [draft('never')] })).toMatchObject(
        failure(401, 'UNAUTHORIZED'),
      )
      expect(await names()).not.toContain('never')
      expect(await ask(remover, path, { operations: [drop] })).toMatchObject({ status: 200 })
    })
  })

  test('of more than 1 MiB is fine up to 16 MiB', async () => {
    const wide = (n: number) =>
      Array.from({ length: n }, (_, i) => ({ op: 'create', device: { name: `w${i}`, description: 'x'.repeat(4096) } }))
    expect(await inv.ask('POST /api/devices/bulk', { operations: wide(400) })).toMatchObject({ status: 200 })
    const padding = 'x'.repeat(16 * 1024 * 1024)
    expect(await inv.ask('POST /api/devices/bulk', { operations: wide(1), padding })).toMatchObject(
      failure(413, 'INVALID_INPUT'),
    )
  })

  test('keeps the memberships of addresses in networks', async () => {
    const { api } = inv
    const { results } = await api.networks.bulk({
      operations: [
        { op: 'create', network: { id: 'bulk-wide', name: 'w', subnet: '10.77.0.0/16' } },
        { op: 'create', network: { id: 'bulk-narrow', name: 'n', subnet: '10.77.1.0/24' } },
      ],
    })
    expect(results).toHaveLength(2)
    await api.devices.bulk({
      operations: [
        { op: 'create', device: { id: 'bulk-a', name: 'a', addresses: [{ ip: '10.77.1.1' }] } },
        {
          op: 'create',
          device: { id: 'bulk-b', name: 'b', addresses: [{ ip: '10.77.2.1', network_id: 'bulk-wide' }] },
        },
      ],
    })
    const used = async (id: string) => (await api.networks.utilization({ id })).used_ips
    expect([await used('bulk-wide'), await used('bulk-narrow')]).toEqual([1, 1])
    const operations = [
      { op: 'delete' as const, id: 'bulk-narrow' },
      { op: 'update' as const, id: 'bulk-wide', network: { subnet: '10.99.0.0/16' } },
    ]
    expect(await inv.ask('POST /api/networks/bulk', { operations })).toMatchObject(
      refusal('operations[1].network.subnet'),
    )
    expect([await used('bulk-wide'), await used('bulk-narrow')]).toEqual([1, 1])
    const loose = await api.networks.bulk({ operations, atomic: false })
    expect(loose).toMatchObject({ succeeded: 1, failed: 1 })
    expect(await used('bulk-wide')).toBe(2)
  })

  test('undoes the addresses of an item that failed, and of no other', async () => {
    const { api } = inv
    const { id: network_id } = await api.networks.create({ name: 'n', subnet: '10.78.0.0/24' })
    const pool = await api.pools.create({ network_id, name: 'p', start_ip: '10.78.0.1', end_ip: '10.78.0.9' })
    const out = (ip: string) => ({ ip, pool_id: pool.id })
    const report = await api.devices.bulk({
      atomic: false,
      operations: [
        { op: 'create', device: { name: 'a', addresses: [out('10.78.0.1')] } },
        { op: 'create', device: { name: 'b', addresses: [out('10.78.0.2'), out('10.78.0.1')] } },
        { op: 'create', device: { name: 'c', addresses: [out('10.78.0.3')] } },
      ],
    })
    expect(report.results.map(({ status }) => status)).toEqual(['created', 'failed', 'created'])
    expect(report.results[1]?.error?.code).toBe('IP_NOT_AVAILABLE')
    expect(await api.pools.nextIp({ id: pool.id })).toEqual({ ip: '10.78.0.2' })
  })
})
