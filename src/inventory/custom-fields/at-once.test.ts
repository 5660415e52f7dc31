// Custom fields under concurrent writers, and of two servers that share a database.
import { describe, expect, test } from 'bun:test'
import { fieldsOf, inventory } from '../../../testing/estates/inventory.ts'
import { instanceBeside } from '../../../testing/servers/instances.ts'
import { engines } from '../../../testing/servers/servers.ts'

const WRITERS = 50

describe.each(engines())('custom fields on %s', (dialect) => {
  const inv = inventory(dialect)

  test('give a unique value to one of many writers', async () => {
    await inv.api.customFields.create({ resource: 'devices', name: 'serial', type: 'text', unique: true })
    const known = await Promise.all(
      Array.from({ length: WRITERS / 2 }, (_, i) => inv.api.devices.create({ name: `known ${i}` })),
    )
    const spelled = (i: number) => (i % 2 === 0 ? 'one-of-a-kind' : 'ONE-of-a-kind')
    const answers = await Promise.all([
      ...known.map(({ id }, i) => inv.ask(`PUT /api/devices/${id}`, { custom: { serial: spelled(i) } })),
      ...known.map((_, i) => inv.ask('POST /api/devices', { name: `new ${i}`, custom: { serial: spelled(i) } })),
    ])
    const taken = answers.filter(({ status }) => status === 409)
    expect([answers.filter(({ status }) => status < 300).length, taken.length]).toEqual([1, WRITERS - 1])
    expect(await inv.api.devices.list({ custom: { serial: 'one-of-a-kind' } })).toHaveLength(1)
    const operations = ['x', 'y', 'X'].map((serial) => ({ op: 'create', device: { name: 'bulk', custom: { serial } } }))
    const { results } = (await inv.ask('POST /api/devices/bulk', { operations, atomic: false })).body as {
      readonly results: readonly { readonly status: string }[]
    }
    expect(results.map(({ status }) => status)).toEqual(['created', 'created', 'failed'])
  })

  test('are renamed while devices are written, and no value is lost', async () => {
    const { id } = await inv.api.customFields.create({ resource: 'devices', name: 'busy', type: 'text' })
    const devices = await Promise.all(
      Array.from({ length: 120 }, (_, i) => inv.api.devices.create({ name: `busy ${i}`, custom: { busy: `v${i}` } })),
    )
    const others = devices.map((device, i) => inv.api.devices.update({ id: device.id, os: `os ${i}` }))
    const renames = ['busier', 'busiest'].map((name) => inv.ask(`PUT /api/custom-fields/${id}`, { name }))
    await Promise.all([...others, ...renames])
    const { name } = await inv.api.customFields.get({ id })
    const after = await Promise.all(devices.map((device) => inv.api.devices.get({ id: device.id })))
    expect(after.map(({ custom, os }) => ({ custom, os }))).toEqual(
      devices.map((_, i) => ({ custom: { [name]: `v${i}` }, os: `os ${i}` })),
    )
  })

  test('lose no reference to an object that is deleted while it is written', async () => {
    await inv.api.customFields.create({
      resource: 'devices',
      name: 'site',
      type: 'reference',
      reference_to: 'datacenters',
    })
    for (let round = 0; round < 10; round++) {
      const { id: site } = await inv.api.datacenters.create({ name: `site ${round}` })
      const writes = Array.from({ length: 5 }, (_, i) =>
        inv.ask('POST /api/devices', { name: `at site ${i}`, custom: { site } }),
      )
      await Promise.all([...writes.slice(0, 3), inv.api.datacenters.delete({ id: site }), ...writes.slice(3)])
      expect(await inv.api.devices.list({ custom: { site } })).toEqual([])
    }
    const left = (await inv.api.devices.list()).filter(({ custom }) => custom && Object.hasOwn(custom, 'site'))
    expect(left).toEqual([])
  })

  test.skipIf(dialect === 'sqlite')('that one server defines are judged by on the other at once', async () => {
    const other = await instanceBeside(inv.app)
    const headers = { Authorization: `Bearer ${inv.admin.key}` }
    const send = async (custom: object) => {
      const response = await other.fetch('POST', '/api/devices', headers, { name: 'beside', custom })
      return { status: response.status, body: await response.json(), etag: null, total: null }
    }
    try {
      expect(fieldsOf(await send({ shared: 1 }))).toEqual(['custom.shared'])
      for (let round = 0; round < 5; round++) {
        const name = `shared_${round}`
        const { id } = await inv.api.customFields.create({ resource: 'devices', name, type: 'integer', maximum: 10 })
        expect((await send({ [name]: 5 })).status).toBe(201)
        expect(fieldsOf(await send({ [name]: 50 }))).toEqual([`custom.${name}`])
        await inv.api.customFields.update({ id, maximum: 100 })
        expect((await send({ [name]: 50 })).status).toBe(201)
        await inv.ask(`DELETE /api/custom-fields/${id}?force=true`)
        expect(fieldsOf(await send({ [name]: 5 }))).toEqual([`custom.${name}`])
      }
    } finally {
      await other.close()
    }
  })
})
