// The names in rows of an apply that mean no object or several.
import { describe, expect, test } from 'bun:test'
import { ask, inventory } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import type { ApplyResult } from '../estate/api.ts'

type Body = Readonly<Record<string, unknown>>

describe.each(onSqlite())('on %s', (dialect) => {
  const inv = inventory(dialect, {})
  const apply = async (body: Body) =>
    (await inv.ask('POST /api/estate/apply', { atomic: false, dry_run: true, ...body })).body as ApplyResult
  const createTwins = async () => {
    const nl = await inv.api.datacenters.create({ name: 'Amsterdam', location: 'Netherlands' })
    const us = await inv.api.datacenters.create({ name: 'Amsterdam', location: 'New York, USA' })
    return [
      { id: nl.id, name: 'Amsterdam', note: 'Netherlands' },
      { id: us.id, name: 'Amsterdam', note: 'New York, USA' },
    ]
  }
  const compareIds = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
  let twins: Awaited<ReturnType<typeof createTwins>> = []

  test('a name that means several objects is listed once, with its rows and what tells the objects apart', async () => {
    twins = (await createTwins()).sort(compareIds)
    const devices = ['Amsterdam', ' amsterdam', 'Utrecht', undefined].map((datacenter, i) => ({
      name: `u-${i}`,
      datacenter,
    }))
    const { unresolved, counts } = await apply({ devices: [...devices, { name: 'u-4', datacenter: 'Amsterdam' }] })
    expect(unresolved).toEqual([
      { resource: 'devices', field: 'datacenter', to: 'datacenters', text: 'Amsterdam', rows: 3, candidates: twins },
      { resource: 'devices', field: 'datacenter', to: 'datacenters', text: 'Utrecht', rows: 1, candidates: [] },
    ])
    expect(counts.devices).toMatchObject({ created: 1, failed: 4 })
  })

  test('an id of a candidate in place of the name resolves it', async () => {
    const done = await apply({ devices: [{ name: 'u-0', datacenter: { id: twins[1]?.id } }] })
    expect(done).toMatchObject({ errors: [], counts: { devices: { created: 1, failed: 0 } } })
    expect(done).not.toHaveProperty('unresolved')
  })

  test('a call without such names, and one that is atomic, answers as before', async () => {
    expect(await apply({ devices: [{ name: 'u-0' }] })).not.toHaveProperty('unresolved')
    const { status, body } = await inv.ask('POST /api/estate/apply', {
      devices: [{ name: 'u', datacenter: 'Amsterdam' }],
    })
    expect([status, body]).toEqual([400, expect.not.objectContaining({ unresolved: expect.anything() })])
  })

  test('a name inside a list counts a row once, and its note names the network', async () => {
    await inv.api.estate.apply({
      networks: [
        { name: 'lan-a', subnet: '10.90.0.0/24' },
        { name: 'lan-b', subnet: '10.91.0.0/24' },
      ],
      pools: ['a', 'b'].map((n, i) => ({
        ...{ name: 'web', network: `lan-${n}`, start_ip: `10.9${i}.0.10`, end_ip: `10.9${i}.0.20` },
      })),
    })
    const addresses = ['10.90.0.10', '10.90.0.11'].map((ip) => ({ ip, pool: 'web' }))
    const { unresolved = [] } = await apply({ devices: [{ name: 'two', addresses }] })
    expect(unresolved).toMatchObject([
      { resource: 'devices', field: 'addresses[].pool', to: 'pools', text: 'web', rows: 1 },
    ])
    expect(unresolved[0]?.candidates.map(({ note }) => note).sort()).toEqual(['lan-a', 'lan-b'])
  })

  test('a row by a name of several objects lists these', async () => {
    const made = await Promise.all([1, 2].map(() => inv.api.devices.create({ name: 'alike' })))
    const { unresolved } = await apply({ devices: [{ name: 'Alike', os: 'Debian 12' }] })
    const candidates = made.map(({ id }) => ({ id, name: 'alike', note: '' })).sort(compareIds)
    expect(unresolved).toEqual([
      { resource: 'devices', field: 'name', to: 'devices', text: 'Alike', rows: 1, candidates },
    ])
  })

  test('a custom field that names no object is listed', async () => {
    const field = {
      resource: 'devices' as const,
      name: 'site',
      type: 'reference' as const,
      reference_to: 'datacenters' as const,
    }
    await inv.api.customFields.create(field)
    const { unresolved } = await apply({ devices: [{ name: 'c', custom: { site: 'Nowhere' } }] })
    expect(unresolved).toEqual([
      { resource: 'devices', field: 'custom.site', to: 'datacenters', text: 'Nowhere', rows: 1, candidates: [] },
    ])
  })

  test('the names of the most rows come first, and 100 are listed', async () => {
    const devices = Array.from({ length: 300 }, (_, i) => ({ name: `m-${i}`, datacenter: `Place ${Math.min(i, 200)}` }))
    const { unresolved = [], errors } = await apply({ devices })
    expect([unresolved.length, errors.length]).toEqual([100, 100])
    expect(unresolved[0]).toMatchObject({ text: 'Place 200', rows: 100 })
    expect(unresolved[1]).toMatchObject({ text: 'Place 0', rows: 1 })
  })

  test('candidates and notes name only what the caller may list', async () => {
    const writer = await inv.app.as(['devices:list', 'devices:create'])
    const body = { atomic: false, devices: [{ name: 'w', datacenter: 'Amsterdam' }] }
    const { body: answer } = await ask(writer, 'POST /api/estate/apply', body)
    expect((answer as ApplyResult).unresolved).toMatchObject([{ text: 'Amsterdam', rows: 1, candidates: [] }])
  })
})
