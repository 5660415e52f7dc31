// A protecting policy binds changes by their permission, their number, and the scopes of the object before and after.
import { beforeAll, describe, expect, test } from 'bun:test'
import { inventory } from '../../../testing/estates/inventory.ts'
import { type People, people } from '../../../testing/estates/people.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'

type Made = { readonly id: string }

describe.each(engines())('protection on %s', (dialect) => {
  const all: People = people(dialect)
  let count = 0
  let core = ''

  const make = async (noun: string, body: object): Promise<string> => {
    const { status, body: made } = await all.admin.ask(`POST /api/${noun}`, { name: `Made ${++count}`, ...body })
    expect([status, made]).toEqual([201, made])
    // The answer of the route.
    return (made as Made).id
  }
  /** Runs work while a protecting policy counts. */
  const whileProtected = async <T>(fields: object, work: () => Promise<T>): Promise<T> => {
    const id = await make('policies', { protect: true, ...fields })
    try {
      return await work()
    } finally {
      await all.admin.ask(`DELETE /api/policies/${id}`)
    }
  }
  const change = async (id: string, body: object): Promise<number> =>
    (await all.admin.ask(`PUT /api/devices/${id}`, body)).status
  const bulk = (...names: readonly string[]) => {
    const operations = names.map((name) => ({ op: 'create', device: { name } }))
    return all.admin.ask('POST /api/devices/bulk', { operations, atomic: true })
  }

  beforeAll(async () => {
    core = await make('scopes', { tags: ['core'] })
  })

  test('an object outside of the scope changes freely, and one inside does not', async () => {
    const [inside, outside] = [await make('devices', { tags: ['core'] }), await make('devices', {})]
    await whileProtected({ scope_id: core }, async () => {
      expect(await change(outside, { os: 'Debian' })).toBe(200)
      expect(await change(inside, { os: 'Debian' })).toBe(403)
    })
  })

  test('an object neither enters the scope nor leaves it', async () => {
    const [inside, outside] = [await make('devices', { tags: ['core'] }), await make('devices', {})]
    await whileProtected({ scope_id: core }, async () => {
      expect(await change(outside, { tags: ['core'] })).toBe(403)
      expect(await change(inside, { tags: [] })).toBe(403)
    })
  })

  test('only changes with a listed permission are bound', async () => {
    const id = await make('devices', {})
    await whileProtected({ permissions: ['devices:delete'] }, async () => {
      expect(await change(id, { os: 'Debian' })).toBe(200)
      expect((await all.admin.ask(`DELETE /api/devices/${id}`)).status).toBe(403)
    })
  })

  test('an object that is deleted along counts as well', async () => {
    const id = await make('devices', {})
    await make(`devices/${id}/ports`, {})
    await whileProtected({ permissions: ['ports:delete'] }, async () => {
      expect((await all.admin.ask(`DELETE /api/devices/${id}`)).status).toBe(403)
    })
  })

  test('fewer objects than the least number change freely', async () => {
    await whileProtected({ min_objects: 2 }, async () => {
      expect((await bulk('few 1')).status).toBe(200)
      expect((await bulk('few 2', 'few 3')).status).toBe(403)
    })
  })

  test('the refusal names each policy that is broken, and no other', async () => {
    const id = await make('devices', { tags: ['core'] })
    const { body } = await whileProtected({ name: 'First' }, () =>
      whileProtected({ name: 'Second', scope_id: core }, () =>
        whileProtected({ name: 'Third', min_objects: 2 }, () => all.admin.ask(`PUT /api/devices/${id}`, { os: 'x' })),
      ),
    )
    expect(body).toMatchObject({ code: 'APPROVAL_REQUIRED', details: [{ field: 'First' }, { field: 'Second' }] })
  })

  test.each(['datacenters', 'spaces'] as const)('one of the %s that a scope names is not deleted', async (noun) => {
    const id = await make(noun, {})
    const [field] = noun === 'spaces' ? ['space_ids'] : ['datacenter_ids']
    const scope_id = await make('scopes', { [field]: [id] })
    await whileProtected({ scope_id }, async () => {
      expect((await all.admin.ask(`DELETE /api/${noun}/${id}`)).status).toBe(403)
    })
    expect((await all.admin.ask(`DELETE /api/${noun}/${id}`)).status).toBe(204)
  })

  test('a datacenter does not leave the scope of the one above it, and its devices count as before', async () => {
    const [above, aside] = [await make('datacenters', {}), await make('datacenters', {})]
    const below = await make('datacenters', { parent_id: above })
    const device = await make('devices', { datacenter_id: below })
    const scope_id = await make('scopes', { datacenter_ids: [above] })
    await whileProtected({ scope_id, permissions: ['datacenters:update'] }, async () => {
      expect((await all.admin.ask(`PUT /api/datacenters/${below}`, { parent_id: aside })).status).toBe(403)
    })
    const document = (parent: string) => ({
      datacenters: [{ id: below, parent_id: parent }],
      devices: [{ id: device, os: `after a move to ${parent}` }],
    })
    await whileProtected({ scope_id, permissions: ['devices:update'] }, async () => {
      const { status, body } = await all.admin.ask('POST /api/estate/apply', document(aside))
      expect([status, body]).toMatchObject([403, { code: 'APPROVAL_REQUIRED' }])
    })
  })

  test('a scanner, which no proposal holds, stays free, and no policy names it', async () => {
    await whileProtected({}, async () => {
      const { status, body } = await all.admin.ask('POST /api/scanners', { name: 'free' })
      expect([status, body]).toMatchObject([201, { name: 'free' }])
    })
    const refused = await all.admin.ask('POST /api/policies', { name: 'None', permissions: ['scanners:create'] })
    expect(refused).toMatchObject({ status: 400, body: { details: [{ field: 'permissions[0]' }] } })
  })

  describe('own DNS records', () => {
    const makeZone = async (...names: readonly string[]) => {
      const zone_id = await make('dns/zones', { name: `zone-${++count}.example` })
      for (const name of names) await make('dns/records', { zone_id, name, type: 'A', value: '192.0.2.1' })
      return { zone_id, path: `/api/dns/zones/${zone_id}` }
    }
    const listNames = async (zone_id: string): Promise<string[]> => {
      const { body } = await all.admin.ask(`GET /api/dns/records?zone_id=${zone_id}`)
      // The answer of the route.
      return (body as { name: string }[]).map(({ name }) => name)
    }

    test('a zone with own records is not deleted, and keeps them', async () => {
      const { zone_id, path } = await makeZone('a', 'b')
      await whileProtected({ name: 'Records', permissions: ['dns:delete'] }, async () => {
        const { status, body } = await all.admin.ask(`DELETE ${path}`)
        expect([status, body]).toMatchObject([403, { code: 'APPROVAL_REQUIRED', details: [{ field: 'Records' }] }])
      })
      expect(await listNames(zone_id)).toEqual(['a', 'b'])
      expect((await all.admin.ask(`DELETE ${path}`)).status).toBe(204)
    })

    test('a policy of all permissions protects the records of a zone as well', async () => {
      const { path } = await makeZone('a')
      await whileProtected({}, async () => expect((await all.admin.ask(`DELETE ${path}`)).status).toBe(403))
    })

    test('each record of a deleted zone counts', async () => {
      const [two, one] = [await makeZone('a', 'b'), await makeZone('a')]
      await whileProtected({ permissions: ['dns:delete'], min_objects: 2 }, async () => {
        expect((await all.admin.ask(`DELETE ${two.path}`)).status).toBe(403)
        expect((await all.admin.ask(`DELETE ${one.path}`)).status).toBe(204)
      })
    })

    test('a zone without own records is deleted, and one with records whose deletion no policy protects', async () => {
      const [empty, other] = [await makeZone(), await makeZone('a')]
      await whileProtected({ permissions: ['dns:delete'] }, async () => {
        expect((await all.admin.ask(`DELETE ${empty.path}`)).status).toBe(204)
      })
      await whileProtected({ permissions: ['dns:update', 'dns:create'] }, async () => {
        expect((await all.admin.ask(`DELETE ${other.path}`)).status).toBe(204)
      })
    })

    test('the refusal of a call that cannot be proposed says which calls can', async () => {
      const { path } = await makeZone('a')
      await whileProtected({ name: 'Records' }, async () => {
        const { body } = await all.admin.ask(`DELETE ${path}`)
        expect(body).toMatchObject({ error: expect.stringContaining('by calls that take proposal=open') })
      })
    })
  })

  test('a scope that is defined in between counts from then on', async () => {
    const late = await make('scopes', { tags: ['late'] })
    const id = await make('devices', { tags: ['other'] })
    await whileProtected({ scope_id: late }, async () => {
      expect(await change(id, { os: 'Debian' })).toBe(200)
      await all.admin.ask(`PUT /api/scopes/${late}`, { tags: ['late', 'other'] })
      expect(await change(id, { os: 'Plan 9' })).toBe(403)
    })
  })
})

describe.each(engines())('jobs on %s', (dialect) => {
  const inv = inventory(dialect)

  test('pass, and a protected reservation expires', async () => {
    const network = await inv.api.networks.create({ name: 'lan', subnet: '10.44.0.0/24' })
    const range = { start_ip: '10.44.0.10', end_ip: '10.44.0.20' }
    const pool = await inv.api.pools.create({ network_id: network.id, name: 'pool', ...range })
    await inv.api.reservations.allocate({ id: pool.id, ttl_seconds: 60 })
    await inv.api.policies.create({ name: 'Guarded', protect: true })
    await inv.app.db.write(({ db }) =>
      db.updateTable('reservations').set({ expires_at: '2020-01-01T00:00:00.000Z' }).execute(),
    )
    await until('the end of the reservation', async () => {
      await inv.app.plat.runJob('reservations.expire')
      return (await inv.api.reservations.all({})).length === 0 || undefined
    })
  })
})
