// The next free number of a unique integer: bounds, gaps, errors, many writers at once, and a second apply.
import { beforeAll, describe, expect, test } from 'bun:test'
import { countCases } from '../../../testing/cases.ts'
import { inventory } from '../../../testing/estates/inventory.ts'
import { runCommand } from '../../../testing/run-command.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { buildKeys } from '../../resource/custom/values.ts'

describe.each(engines())('the next number of a custom field on %s', (dialect) => {
  const inv = inventory(dialect)
  const define = (body: object) => inv.api.customFields.create({ resource: 'racks', type: 'integer', ...body } as never)
  const create = (name: string, custom: object) => inv.ask('POST /api/racks', { name, custom })
  const getNumber = ({ body }: { readonly body: unknown }, field = 'asn') =>
    (body as { custom?: Record<string, number> }).custom?.[field]
  const isRefused = (status: number, field: string) => ({ status, body: { details: [{ field }] } })

  beforeAll(async () => {
    await define({ name: 'asn', unique: true, minimum: 10, maximum: 19 })
    await define({ name: 'free', unique: true })
    await define({ name: 'below', unique: true, minimum: -3, maximum: 2 })
    await define({ name: 'plain' })
    await inv.api.customFields.create({ resource: 'racks', name: 'words', type: 'text' })
  })

  test('is the lowest one that no object has', async () => {
    expect(getNumber(await create('a', { asn: 'next' }))).toBe(10)
    expect(getNumber(await create('b', { asn: 12 }))).toBe(12)
    expect(getNumber(await create('c', { asn: 'next' }))).toBe(11)
    expect(getNumber(await create('d', { asn: ' next ' }))).toBe(13)
    expect(getNumber(await create('e', { asn: 'next:12-15' }))).toBe(14)
    expect(getNumber(await create('f', { free: 'next' }), 'free')).toBe(1)
    expect(getNumber(await create('g', { free: 'next' }), 'free')).toBe(2)
    const negative = []
    for (const name of ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'])
      negative.push(getNumber(await create(name, { below: 'next' }), 'below'))
    expect(negative).toEqual([-3, -2, -1, 0, 1, 2])
  })

  test('is refused outside the bounds, of a field that is not unique, and if none is left', async () => {
    expect(await create('x', { asn: 'next:5-15' })).toMatchObject(isRefused(400, 'custom.asn'))
    expect(await create('x', { asn: 'next:15-25' })).toMatchObject(isRefused(400, 'custom.asn'))
    expect(await create('x', { asn: 'next:15-12' })).toMatchObject(isRefused(400, 'custom.asn'))
    expect(await create('x', { asn: 'next:1' })).toMatchObject(isRefused(400, 'custom.asn'))
    expect(await create('x', { plain: 'next' })).toMatchObject(isRefused(400, 'custom.plain'))
    const full = await create('x', { asn: 'next:10-14' })
    expect(full).toMatchObject({ ...isRefused(409, 'custom.asn'), body: { code: 'IP_NOT_AVAILABLE' } })
    expect(await create('x', { below: 'next' })).toMatchObject({ status: 409, body: { code: 'IP_NOT_AVAILABLE' } })
    expect((await create('words', { words: 'next' })).body).toMatchObject({ custom: { words: 'next' } })
  })

  test('keeps the number that an object has', async () => {
    const [rack] = await inv.api.racks.list({ name: 'a', limit: 1 })
    const path = `PUT /api/racks/${rack?.id}`
    expect(getNumber(await inv.ask(path, { custom: { asn: 'next' } }))).toBe(10)
    expect(getNumber(await inv.ask(path, { custom: { asn: 'next:15-19' } }))).toBe(10)
    await inv.ask(path, { custom: { asn: null } })
    expect(getNumber(await inv.ask(path, { custom: { asn: 'next:15-19' } }))).toBe(15)
  })

  test('is given to each object of one call, beside the numbers that the call gives', async () => {
    await inv.api.customFields.create({ resource: 'devices', name: 'tag', type: 'integer', unique: true } as never)
    const operations = [{ tag: 'next' }, { tag: 2 }, { tag: 'next' }, { tag: 'next:1-9' }].map((custom, i) => ({
      op: 'create',
      device: { name: `bulk ${i}`, custom },
    }))
    expect((await inv.ask('POST /api/devices/bulk', { operations, atomic: true })).status).toBe(200)
    const made = await inv.api.devices.list({ sort: 'name' } as never)
    expect(made.map(({ custom }) => custom?.tag)).toEqual([1, 2, 3, 4])
  })

  test('is applied once: a second apply changes nothing', async () => {
    const document = { racks: [{ name: 'applied', custom: { free: 'next' } }] }
    expect(await inv.ask('POST /api/estate/apply', document)).toMatchObject({ status: 200, body: { changed: true } })
    const again = await inv.ask('POST /api/estate/apply', document)
    expect(again).toMatchObject({ status: 200, body: { changed: false } })
    const [rack] = await inv.api.racks.list({ name: 'applied' })
    expect(rack?.custom).toEqual({ free: 3 })
  })

  const writers = countCases(1000)
  test(`differs for ${writers} writers at one time`, async () => {
    await define({ name: 'race', unique: true, minimum: 1 })
    const answers = await Promise.all(
      Array.from({ length: writers }, (_, i) => create(`race ${i}`, { race: i % 10 === 0 ? i / 10 + 1 : 'next' })),
    )
    const numbers = answers.filter(({ status }) => status === 201).map((answer) => getNumber(answer, 'race'))
    expect(new Set(numbers).size).toBe(numbers.length)
    // A writer that asks for a number of its own may find it taken.
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused.filter(({ status }) => status !== 409).map(({ status, body }) => [status, body])).toEqual([])
    expect(refused.length).toBeLessThanOrEqual(writers / 10)
    expect(Math.max(...numbers.map(Number))).toBe(numbers.length)
  }, 120_000)

  test('is found in less than a second beside 20,000 numbers', async () => {
    await define({ name: 'many', unique: true })
    const { db } = inv.app
    await db.write(async (tx) => {
      const { number } = await tx.db
        .selectFrom('custom_fields')
        .select('number')
        .where('name', '=', 'many')
        .executeTakeFirstOrThrow()
      for (let from = 1; from <= 20_000; from += 1000) {
        const numbers = Array.from({ length: 1000 }, (_, i) => from + i)
        const rows = numbers.map((n) => ({
          field: number,
          value: buildKeys({ type: 'integer' }, n)[0] ?? '',
          object_id: `r${n}`,
        }))
        await tx.db.insertInto('custom_values').values(rows).execute()
      }
    })
    const start = performance.now()
    expect(getNumber(await create('after', { many: 'next' }), 'many')).toBe(20_001)
    expect(performance.now() - start).toBeLessThan(1000)
  }, 120_000)
})

describe.each(engines())('the next number of a VLAN on %s', (dialect) => {
  const inv = inventory(dialect)
  const create = (body: object, headers = {}) =>
    inv.admin.request('POST', '/api/vlans', { name: 'v', ...body }, headers).then(async (answer) => ({
      status: answer.status,
      body: (await answer.json()) as { id: string; vlan_id: number; details?: { field: string }[] },
    }))

  test('is the lowest free one of the datacenter and the group, without 1', async () => {
    const { id: datacenter_id } = await inv.api.datacenters.create({ name: 'dc' })
    expect((await create({ vlan_id: 'next' })).body.vlan_id).toBe(2)
    expect((await create({ vlan_id: 'next' })).body.vlan_id).toBe(3)
    expect((await create({ vlan_id: 'next', datacenter_id })).body.vlan_id).toBe(2)
    expect((await create({ vlan_id: 'next', group: 'Fabric' })).body.vlan_id).toBe(2)
    expect((await create({ vlan_id: 'next', group: 'FABRIC' })).body.vlan_id).toBe(3)
    expect((await create({ vlan_id: 'next:100-101' })).body.vlan_id).toBe(100)
    expect((await create({ vlan_id: 'next:100-101' })).body.vlan_id).toBe(101)
    expect(await create({ vlan_id: 'next:100-101' })).toMatchObject({
      status: 409,
      body: { code: 'IP_NOT_AVAILABLE', details: [{ field: 'vlan_id' }] },
    })
    for (const vlan_id of ['next:0-9', 'next:4000-4095', 'next:9-5', 'first', 0, 4095])
      expect(await create({ vlan_id })).toMatchObject({ status: 400, body: { details: [{ field: 'vlan_id' }] } })
  })

  test('is the same for a repeated request with an idempotency key', async () => {
    const key = { 'Idempotency-Key': 'vlan-1' }
    const first = await create({ vlan_id: 'next:200-299' }, key)
    const again = await create({ vlan_id: 'next:200-299' }, key)
    expect(again.body).toEqual(first.body)
    expect((await create({ vlan_id: 'next:200-299' })).body.vlan_id).toBe(201)
  })

  test('differs for 100 writers at one time', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => create({ vlan_id: 'next:1000-1099' })))
    expect(new Set(answers.map(({ body }) => body.vlan_id)).size).toBe(100)
  }, 60_000)

  test('is asked for on the command line', async () => {
    const { app, admin } = inv
    const made = await runCommand({ app, key: admin.key }, { argv: ['vlan', 'create', 'next:300-399', 'Servers'] })
    expect([made.code, made.err]).toEqual([0, ''])
    expect(await inv.api.vlans.list({ name: 'Servers' })).toMatchObject([{ vlan_id: 300 }])
  })

  test('is no number of a row of an estate document, which is found by it', async () => {
    const answer = await inv.ask('POST /api/estate/apply', { vlans: [{ vlan_id: 'next', name: 'x' }] })
    expect(answer).toMatchObject({ status: 400, body: { details: [{ field: 'vlans[0].vlan_id' }] } })
  })
})
