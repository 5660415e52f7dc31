// Cached search results stay equal to the results of the database, through any history of writes.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../../testing/cases.ts'
import { type Inventory, inventory } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { findDevices } from './list/search.ts'

type Remember = Ctx['store']['remember']

const contextWith = ({ app }: Inventory, remember: Remember): Ctx =>
  // The search uses only these fields.
  ({
    db: app.db.read,
    store: { ...app.db, remember },
    caller: { permissions: new Set(['ports:list']) },
  }) as unknown as Ctx

const nothingKept: Remember = (_table, _key, read) => read()

/** Returns the number of matches and the first of each kind: once like a page, and once after the count. */
const answersOf = async (ctx: Ctx, q: string) => {
  const { queries, total } = await findDevices(ctx, q)
  const firstOf = async (query: (typeof queries)[number]) => {
    const { rows } = await ctx.db.executeQuery(await query(3))
    return rows.map(({ doc }) => (JSON.parse(doc) as { id: string }).id)
  }
  const before = await Promise.all(queries.map(firstOf))
  return { before, total: await total(), after: await Promise.all(queries.map(firstOf)) }
}

const WORDS = ['525400000001', 'web', 'WEB-1', 'db', 'we', '10.0.0.1', '10.0.0.', '2001:db8::1', 'rack']
const IPS = ['10.0.0.1', '10.0.0.10', '110.0.0.1', '2001:db8::1', '2001:db8::10']
const SEARCHES = [...WORDS, '2001:DB8:0::1', '10.0.0.0/24', '2001:db8::/32', 'web rack', 'we 10.0', 'db 2001:db8::1']
const MAC_SEARCHES = ['52:54:00:00:00:01', '52-54-00-00-00-01', '525400000001', '5254.0000', 'web 52-54-00-00-00-02']
const MACS = ['', '52:54:00:00:00:01', '52:54:00:00:00:02']
const DEVICES = 12

const word = fc.constantFrom(...WORDS, ...IPS, '')
const device = fc.record({
  name: word.map((text) => text || 'other'),
  hostname: fc.constantFrom('web', 'db.example.net', ''),
  description: fc.tuple(word, word).map((words) => words.join('\n')),
  tags: fc.uniqueArray(
    word.filter((text) => text !== ''),
    { maxLength: 2 },
  ),
  addresses: fc.uniqueArray(fc.record({ ip: fc.constantFrom(...IPS), mac_address: fc.constantFrom(...MACS) }), {
    maxLength: 2,
    selector: ({ ip }) => ip,
  }),
})
const at = fc.nat(DEVICES - 1)
const write = fc.oneof(
  fc.record({ act: fc.constant('put' as const), at, device }),
  fc.record({
    act: fc.constant('change' as const),
    at,
    device: fc
      .subarray(['name', 'description', 'tags', 'addresses'] as const)
      .chain((fields) => device.map((whole) => Object.fromEntries(fields.map((field) => [field, whole[field]])))),
  }),
  fc.record({ act: fc.constant('remove' as const), at }),
)
const searches = fc.array(fc.constantFrom(...SEARCHES, ...MAC_SEARCHES), { minLength: 1, maxLength: 4 })

describe.each(engines())('searches beside writes on %s', (dialect) => {
  const inv = inventory(dialect)

  test('find what the database finds', async () => {
    const { api, app } = inv
    const idOf = (n: number) => `kept-${n}`
    const present = new Set<number>()
    const keeping = contextWith(inv, app.db.remember)
    const plain = contextWith(inv, nothingKept)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(write, searches), { minLength: 5, maxLength: 15 }), async (steps) => {
        for (const [step, asked] of steps) {
          const id = idOf(step.at)
          if (step.act === 'put' && !present.has(step.at)) {
            await api.devices.create({ id, ...step.device })
            present.add(step.at)
          } else if (present.has(step.at)) {
            if (step.act === 'remove') {
              await api.devices.delete({ id })
              present.delete(step.at)
            } else await api.devices.update({ id, ...step.device })
          }
          for (const q of asked) expect([q, await answersOf(keeping, q)]).toEqual([q, await answersOf(plain, q)])
        }
      }),
      { seed: 11, numRuns: countCases(dialect === 'sqlite' ? 60 : 15), endOnFailure: true },
    )
  }, 60_000)

  test('find an address that has become a tag, though the text is the same', async () => {
    const { api } = inv
    const names = async () => (await api.devices.search({ q: '10.9.9', limit: 5 })).map(({ name }) => name)
    const { id } = await api.devices.create({ name: 'same', addresses: [{ ip: '10.9.9.9' }] })
    await api.devices.create({ name: 'beside', tags: ['10.9.9'] })
    expect(await names()).toEqual(['same', 'beside'])
    await api.devices.update({ id, addresses: [], tags: ['10.9.9.9'] })
    expect(await names()).toEqual(['beside', 'same'])
  })
})

describe('a search on sqlite', () => {
  const inv = inventory('sqlite')
  const readsOf = async (q: string): Promise<number> => {
    let reads = 0
    const { db } = inv.app
    const counting: Remember = (table, key, read, by) => {
      const counted = () => {
        reads++
        return read()
      }
      return db.remember(table, key, counted, by)
    }
    await answersOf(contextWith(inv, counting), q)
    return reads
  }

  test('is cached until a matching device is created, changed or deleted', async () => {
    const { api } = inv
    const { id: found } = await api.devices.create({ name: 'needle-1', tags: ['sharp'] })
    const { id: other } = await api.devices.create({ name: 'straw' })
    // The count and the first rows, before and after they are cached.
    expect([await readsOf('needle'), await readsOf('needle')]).toEqual([3, 0])
    await api.devices.update({ id: other, description: 'dry' })
    await api.devices.create({ name: 'hay' })
    await api.devices.delete({ id: other })
    expect(await readsOf('needle')).toBe(0)
    // Ids, ports and the names of networks are not searched.
    const { id: network } = await api.networks.create({ name: 'haystack', subnet: '10.7.0.0/24' })
    await api.devices.update({ id: found, addresses: [{ ip: '10.7.0.1', network_id: network }] })
    expect([await readsOf('needle'), await readsOf('needle')]).toEqual([2, 0])
    await api.devices.update({ id: found, status: 'maintenance', addresses: [{ ip: '10.7.0.1', port: 22 }] })
    await api.devices.update({ id: found, addresses: [{ ip: '10.7.0.1', network_id: network }] })
    await api.networks.delete({ id: network })
    expect(await readsOf('needle')).toBe(0)
    // The count is adjusted; the rows are queried again.
    await api.devices.update({ id: found, tags: ['blunt'] })
    expect([await readsOf('needle'), await readsOf('needle')]).toEqual([2, 0])
    await api.devices.create({ name: 'needle-2' })
    expect([await readsOf('needle'), await readsOf('needle')]).toEqual([2, 0])
    await api.devices.delete({ id: found })
    expect([await readsOf('needle'), await readsOf('needle')]).toEqual([2, 0])
  })
})
