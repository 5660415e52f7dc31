// The names of an estate document beside existing names: no two names of a kind have one slug, and a slug that was answered stays.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { testApp } from '../../../../testing/app/app.ts'
import { type Door, openDoor } from '../../../../testing/netbox/door.ts'
import { startRelay } from '../../../../testing/servers/relay.ts'
import { engines, postgresDatabase } from '../../../../testing/servers/servers.ts'

const Named = z.looseObject({ id: z.number(), name: z.string(), slug: z.string() })
const List = z.object({ results: z.array(Named) })
const Devices = z.object({ results: z.array(z.looseObject({ name: z.string(), role: Named })) })

const START_TIMEOUT_MS = 60_000
const kind = 'dcim.devicerole' as const

describe.each(engines())('the slugs of names on %s', (dialect) => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor(dialect)
  })
  afterAll(() => door.close())

  /** Returns the slugs of roles, by name. */
  const readSlugs = async (): Promise<ReadonlyMap<string, string>> => {
    const { results } = List.parse((await door.get('dcim/device-roles/?limit=0')).body)
    expect(new Set(results.map(({ slug }) => slug)).size).toBe(results.length)
    return new Map(results.map(({ name, slug }) => [name, slug]))
  }
  const findNumber = async (name: string): Promise<number> => {
    const { results } = List.parse((await door.get(`dcim/device-roles/?name=${encodeURIComponent(name)}`)).body)
    return results[0]?.id ?? 0
  }
  const apply = (names: readonly { name: string; slug: string }[]) =>
    door.api.estate.apply({ names: names.map((one) => ({ kind, ...one })) })

  test('a slug that follows from another name gets the number of the name of the document', async () => {
    await door.api.devices.create({ name: 'edge-1', role: 'Edge' })
    expect((await readSlugs()).get('Edge')).toBe('edge')
    await apply([{ name: 'Border', slug: 'edge' }])
    const slugs = await readSlugs()
    expect([slugs.get('Edge'), slugs.get('Border')]).toEqual(['edge', `edge-${await findNumber('Border')}`])
    const { results } = List.parse((await door.get('dcim/device-roles/?slug=edge')).body)
    expect(results.map(({ name }) => name)).toEqual(['Edge'])
  })

  test('a slug of a client does so too, and a second apply changes nothing', async () => {
    await door.post('dcim/device-roles/', { name: 'Spine', slug: 'sp' })
    for (let round = 0; round < 2; round++) {
      await apply([{ name: 'Speaker', slug: 'sp' }])
      const slugs = await readSlugs()
      expect([slugs.get('Spine'), slugs.get('Speaker')]).toEqual(['sp', `sp-${await findNumber('Speaker')}`])
    }
  })

  test('of two names of a document with one slug the second gets its number', async () => {
    await apply([
      { name: 'First', slug: 'both' },
      { name: 'Second', slug: 'both' },
    ])
    const slugs = await readSlugs()
    expect([slugs.get('First'), slugs.get('Second')]).toEqual(['both', `both-${await findNumber('Second')}`])
  })

  test('a slug is free of which the name gets another one in the same document', async () => {
    await door.api.devices.create({ name: 'core-1', role: 'Core' })
    expect((await readSlugs()).get('Core')).toBe('core')
    await apply([
      { name: 'Center', slug: 'core' },
      { name: 'Core', slug: 'old-core' },
    ])
    const slugs = await readSlugs()
    expect([slugs.get('Center'), slugs.get('Core')]).toEqual(['core', 'old-core'])
  })

  test('a slug of a document stays when objects get a name of which it follows', async () => {
    await apply([{ name: 'Tap', slug: 'probe' }])
    await door.api.devices.create({ name: 'probe-1', role: 'Probe' })
    const slugs = await readSlugs()
    expect([slugs.get('Tap'), slugs.get('Probe')]).toEqual(['probe', `probe-${await findNumber('Probe')}`])
  })

  test('names that one answer has first do not share a slug, and keep it', async () => {
    await door.api.devices.create({ name: 'twin 1', role: 'Top Rack' })
    await door.api.devices.create({ name: 'twin 2', role: 'Top-Rack' })
    const { results } = Devices.parse((await door.get('dcim/devices/?q=twin')).body)
    const nested = results.map(({ role }) => role)
    expect(nested.map(({ slug }) => slug)).toEqual(['top-rack', `top-rack-${nested[1]?.id}`])
    const slugs = await readSlugs()
    expect(nested.map(({ name }) => slugs.get(name))).toEqual(nested.map(({ slug }) => slug))
  })
})

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres'))
  test(
    'the names of a document are stored by few statements on PostgreSQL',
    async () => {
      const database = await postgresDatabase()
      const url = new URL(database.url)
      const relay = await startRelay({ hostname: url.hostname, port: Number(url.port) })
      url.port = String(relay.port)
      const app = await testApp({ env: { DATABASE_URL: url.href }, withJobs: false })
      const { api } = await app.as('admin')
      const countTrips = (): number => relay.trips().reduce((sum, trips) => sum + trips, 0)
      const names = Array.from({ length: 1000 }, (_, n) => ({ kind, name: `Role ${n}`, slug: `r${n}` }) as const)
      const before = countTrips()
      await api.estate.apply({ names })
      const trips = countTrips() - before
      await app.close()
      await relay.close()
      await database.drop()
      expect(trips).toBeLessThan(100)
    },
    START_TIMEOUT_MS,
  )
