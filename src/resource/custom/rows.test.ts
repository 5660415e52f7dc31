// Custom fields of the resources with objects as rows: the same rules for each of them.

import { describe, expect, test } from 'bun:test'
import { alreadyExists, fieldsOf, type Inventory, inventory } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { compareNames } from '../../net/name-order.ts'
import type { CustomResource } from './fields.ts'
import type { CustomField } from './schema.ts'

type Thing = {
  readonly id: string
  readonly updated_at: string
  readonly custom?: Readonly<Record<string, unknown>>
  readonly [field: string]: unknown
}

type Case = {
  readonly resource: CustomResource
  /** The plural noun of the objects, in paths and imports. */
  readonly noun: string
  /** The field by which its objects are named. */
  readonly named?: string
  /** The path of creates, and the least body of the n-th object. */
  readonly make: (inv: Inventory, n: number) => Promise<{ readonly path: string; readonly body: object }>
}

const NETWORK = 'rows-net'
const POOL = 'rows-pool'

const place = async (inv: Inventory): Promise<void> => {
  if ((await inv.ask(`GET /api/networks/${NETWORK}`)).status === 200) return
  await inv.api.networks.create({ id: NETWORK, name: NETWORK, subnet: '10.200.0.0/16' })
  await inv.api.pools.create({
    ...{ id: POOL, name: POOL, network_id: NETWORK },
    ...{ start_ip: '10.200.1.0', end_ip: '10.200.9.255' },
  })
}

const DEVICES = ['rows-sw-1', 'rows-sw-2'] as const

const placeDevices = async (inv: Inventory): Promise<void> => {
  for (const id of DEVICES)
    if ((await inv.ask(`GET /api/devices/${id}`)).status !== 200) await inv.api.devices.create({ id, name: id })
}

const CASES: readonly Case[] = [
  {
    resource: 'spaces',
    noun: 'spaces',
    make: async (_, n) => ({ path: '/api/spaces', body: { name: `Space ${n}` } }),
  },
  {
    resource: 'datacenters',
    noun: 'datacenters',
    make: async (_, n) => ({ path: '/api/datacenters', body: { name: `Site ${n}` } }),
  },
  {
    resource: 'vlans',
    noun: 'vlans',
    make: async (_, n) => ({ path: '/api/vlans', body: { name: `VLAN ${n}`, vlan_id: n } }),
  },
  {
    resource: 'networks',
    noun: 'networks',
    make: async (_, n) => ({ path: '/api/networks', body: { name: `Net ${n}`, subnet: `10.${n}.0.0/24` } }),
  },
  {
    resource: 'pools',
    noun: 'pools',
    make: async (inv, n) => {
      await place(inv)
      const range = { start_ip: `10.200.${20 + n}.1`, end_ip: `10.200.${20 + n}.9` }
      return { path: `/api/networks/${NETWORK}/pools`, body: { name: `Pool ${n}`, ...range } }
    },
  },
  {
    resource: 'racks',
    noun: 'racks',
    make: async (_, n) => ({ path: '/api/racks', body: { name: `Rack ${n}` } }),
  },
  {
    resource: 'ports',
    noun: 'ports',
    make: async (inv, n) => {
      await placeDevices(inv)
      return { path: `/api/devices/${DEVICES[0]}/ports`, body: { name: `Port ${String(n).padStart(3, '0')}` } }
    },
  },
  {
    resource: 'cables',
    noun: 'cables',
    named: 'label',
    make: async (inv, n) => {
      await placeDevices(inv)
      const [a, b] = DEVICES.map((device_id) => ({ device_id, port: `eth${n}` }))
      return { path: '/api/cables', body: { a, b, label: `Cable ${n}` } }
    },
  },
  {
    resource: 'addresses',
    noun: 'reservations',
    make: async (inv, n) => {
      await place(inv)
      return { path: `/api/pools/${POOL}/reservations`, body: { ip_address: `10.200.2.${n}`, hostname: `host-${n}` } }
    },
  },
]

describe.each(onSqlite())('on %s', (dialect) => {
  describe.each([...CASES])('custom fields of $noun', ({ resource, noun, make, named = 'name' }) => {
    const inv = inventory(dialect)
    let made = 0
    const create = async (custom?: object | null) => {
      const { path, body } = await make(inv, ++made)
      return inv.ask(`POST ${path}`, { ...body, ...(custom !== undefined && { custom }) })
    }
    const created = async (custom?: object | null): Promise<Thing> => {
      const { status, body } = await create(custom)
      if (status !== 201) throw new Error(JSON.stringify(body))
      return body as Thing
    }
    const get = async (id: string, query = '') => (await inv.ask(`GET /api/${noun}/${id}${query}`)).body as Thing
    const put = (id: string, body: object) => inv.ask(`PUT /api/${noun}/${id}`, body)
    const define = async (name: string, more: object = {}): Promise<CustomField> => {
      const { status, body } = await inv.ask('POST /api/custom-fields', { resource, name, type: 'text', ...more })
      if (status !== 201) throw new Error(JSON.stringify(body))
      return body as CustomField
    }
    const undefine = ({ id }: CustomField) => inv.ask(`DELETE /api/custom-fields/${id}?force=true`)
    const listed = async (query: string): Promise<unknown[]> => {
      const { status, body } = await inv.ask(`GET /api/${noun}?${query}`)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return (body as Thing[]).map(({ id }) => id)
    }
    /** Returns the last change, as of which lists are asked. */
    const lastChange = async (): Promise<string> => (await inv.api.history.list({ limit: 1 }))[0]?.id ?? ''
    const isListed = resource !== 'addresses'

    test('are absent without a definition, and refused', async () => {
      const one = await created()
      expect(Object.hasOwn(one, 'custom')).toBe(false)
      expect(await get(one.id)).toEqual(one)
      expect(fieldsOf(await create({ owner: 'x' }))).toEqual(['custom.owner'])
      expect(fieldsOf(await put(one.id, { custom: { owner: 'x' } }))).toEqual(['custom.owner'])
      expect(await put(one.id, { custom: null })).toMatchObject({ status: 200, body: one })
      expect(await put(one.id, { custom: {} })).toMatchObject({ status: 200, body: one })
    })

    test('are written, kept and cleared one by one', async () => {
      const fields = [
        await define('owner', { required: true }),
        await define('watts', { type: 'integer', minimum: 0 }),
        await define('on', { type: 'boolean', default: true }),
        await define('zones', { type: 'choice', choices: ['a', 'b'], multiple: true }),
      ]
      expect(fieldsOf(await create())).toEqual(['custom.owner'])
      const bad = await create({ watts: -1, on: 'maybe', zones: ['c'], other: 1 })
      expect(fieldsOf(bad).sort()).toEqual([
        ...['custom.on', 'custom.other', 'custom.owner', 'custom.watts', 'custom.zones'],
      ])
      const one = await created({ owner: 'neteng', watts: '12', zones: 'b;a' })
      expect(one.custom).toEqual({ on: true, owner: 'neteng', watts: 12, zones: ['b', 'a'] })
      expect(await get(one.id)).toEqual(one)
      inv.advance(1000)
      const next = await put(one.id, { custom: { watts: null, zones: '', on: false } })
      expect(next).toMatchObject({ status: 200, body: { updated_at: inv.now() } })
      expect((next.body as Thing).custom).toEqual({ on: false, owner: 'neteng' })
      expect(fieldsOf(await put(one.id, { custom: { owner: '' } }))).toEqual(['custom.owner'])
      expect(fieldsOf(await put(one.id, { custom: null }))).toEqual(['custom.owner'])
      const same = await put(one.id, { custom: { owner: 'neteng' } })
      expect(same).toMatchObject({ status: 200, body: next.body as object })
      await put(one.id, { custom: { on: null } })
      for (const field of fields) expect((await undefine(field)).status).toBe(204)
      expect(Object.hasOwn(await get(one.id), 'custom')).toBe(false)
    })

    test('have new names in all objects after a rename, and are otherwise as they were', async () => {
      const field = await define('old_name')
      const [one, two] = [await created({ old_name: 'A' }), await created()]
      inv.advance(1000)
      expect((await inv.ask(`PUT /api/custom-fields/${field.id}`, { name: 'new_name' })).status).toBe(200)
      const changed = 'updated_at' in one ? { updated_at: inv.now() } : {}
      expect(await get(one.id)).toEqual({ ...one, custom: { new_name: 'A' }, ...changed })
      expect(await get(two.id)).toEqual(two)
      expect((await inv.ask(`DELETE /api/custom-fields/${field.id}`)).status).toBe(409)
      await undefine(field)
      expect(Object.hasOwn(await get(one.id), 'custom')).toBe(false)
    })

    test('have a history, a past and an undo', async () => {
      const field = await define('past')
      const one = await created({ past: 'first' })
      const moment = await lastChange()
      inv.advance(1000)
      const response = await inv.admin.request('PUT', `/api/${noun}/${one.id}`, { custom: { past: 'second' } })
      const change = response.headers.get('x-change-id') ?? ''
      expect((await get(one.id)).custom).toEqual({ past: 'second' })
      expect((await get(one.id, `?as_of=${moment}`)).custom).toEqual({ past: 'first' })
      if (isListed) {
        expect(await listed(`as_of=${moment}&custom.past=FIRST`)).toEqual([one.id])
        expect(await listed(`as_of=${moment}&custom.past=second`)).toEqual([])
        expect(await listed(`custom.past=second`)).toEqual([one.id])
      }
      await inv.api.history.undo({ id: change })
      expect((await get(one.id)).custom).toEqual({ past: 'first' })
      const cleared = await inv.admin.request('PUT', `/api/${noun}/${one.id}`, { custom: null })
      expect(Object.hasOwn(await get(one.id), 'custom')).toBe(false)
      await inv.api.history.undo({ id: cleared.headers.get('x-change-id') ?? '' })
      expect((await get(one.id)).custom).toEqual({ past: 'first' })
      const gone = await inv.admin.request('DELETE', `/api/${noun}/${one.id}`)
      await inv.api.history.undo({ id: gone.headers.get('x-change-id') ?? '' })
      expect((await get(one.id)).custom).toEqual({ past: 'first' })
      if (isListed) expect(await listed('custom.past=first')).toEqual([one.id])
      await undefine(field)
    })

    test('objects lose a reference to a deleted object', async () => {
      const site = await inv.api.datacenters.create({ name: 'Referred' })
      const field = await define('at_site', { type: 'reference', reference_to: 'datacenters' })
      const one = await created({ at_site: site.id })
      expect(fieldsOf(await put(one.id, { custom: { at_site: 'none' } }))).toEqual(['custom.at_site'])
      await inv.api.datacenters.delete({ id: site.id })
      expect(Object.hasOwn(await get(one.id), 'custom')).toBe(false)
      expect((await inv.ask(`DELETE /api/custom-fields/${field.id}`)).status).toBe(204)
    })

    test('are imported and applied, and found unchanged by the next import', async () => {
      const field = await define('imported', { type: 'integer' })
      const one = await created()
      const load = async (imported: unknown) => {
        const path = `/api/estate/import?resource=${noun}`
        const lines = await (await inv.admin.request('POST', path, [{ ...one, custom: { imported } }])).text()
        return (JSON.parse(lines.trim().split('\n').at(-1) ?? '') as { result: unknown }).result
      }
      expect(await load('5')).toMatchObject({ updated: 1, failed: 0 })
      expect((await get(one.id)).custom).toEqual({ imported: 5 })
      inv.advance(1000)
      expect(await load(5)).toMatchObject({ updated: 0, unchanged: 1, failed: 0 })
      expect(await load('five')).toMatchObject({ failed: 1, errors: [{ details: [{ field: 'custom.imported' }] }] })
      const { id, ...others } = one
      // Ends of cables are named in another way than they are answered.
      const row = noun === 'reservations' ? others : noun === 'cables' ? { id } : one
      const applied = (custom: object | null) => inv.ask('POST /api/estate/apply', { [noun]: [{ ...row, custom }] })
      expect(await applied({ imported: '5' })).toMatchObject({ status: 200, body: { changed: false } })
      expect(await applied({ imported: 6 })).toMatchObject({ status: 200, body: { changed: true } })
      expect((await get(one.id)).custom).toEqual({ imported: 6 })
      expect(await applied(null)).toMatchObject({ status: 200, body: { changed: true } })
      expect(await applied(null)).toMatchObject({ status: 200, body: { changed: false } })
      await undefine(field)
    })

    if (!isListed) return

    test('of one value belong to one object, if they are unique', async () => {
      const field = await define('serial', { unique: true })
      const one = await created({ serial: 'A1' })
      expect(await create({ serial: 'a1' })).toMatchObject(alreadyExists)
      expect((await put(one.id, { custom: { serial: 'a1' } })).status).toBe(200)
      const tries = await Promise.all(Array.from({ length: 20 }, () => create({ serial: 'wanted' })))
      const statuses = tries.map(({ status }) => status).sort()
      expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)])
      await undefine(field)
    })

    test('filter and sort lists as a plain evaluation does', async () => {
      const fields = [
        await define('team'),
        await define('watts', { type: 'integer' }),
        await define('since', { type: 'date' }),
        await define('zones', { type: 'choice', choices: ['a', 'b', 'c'], multiple: true }),
      ]
      const all: Thing[] = []
      for (let i = 0; i < 12; i++)
        all.push(
          await created({
            ...(i % 3 !== 0 && { team: i % 2 === 0 ? 'Ops' : 'net' }),
            ...(i % 4 !== 0 && { watts: ((i * 37) % 100) - 50 }),
            ...(i % 5 !== 0 && { since: `2026-0${1 + (i % 9)}-01` }),
            ...(i % 2 !== 0 && { zones: i % 3 === 0 ? ['a', 'b'] : ['c'] }),
          }),
        )
      const mine = new Set(all.map(({ id }) => id))
      const found = async (query: string) => (await listed(query)).filter((id) => mine.has(String(id)))
      const where = (test: (custom: Readonly<Record<string, unknown>>) => boolean) =>
        all.filter(({ custom = {} }) => test(custom)).map(({ id }) => id)
      const sorted = (ids: readonly unknown[]) => [...ids].sort()
      const same = async (query: string, test: (custom: Readonly<Record<string, unknown>>) => boolean) => {
        const ids = await found(query)
        expect([query, sorted(ids)]).toEqual([query, sorted(where(test))])
        const { total } = await inv.ask(`GET /api/${noun}?${query}&limit=1`)
        if (!query.includes('=&')) expect([query, Number(total)]).toEqual([query, (await listed(query)).length])
      }
      const watts = ({ watts }: Readonly<Record<string, unknown>>) => (typeof watts === 'number' ? watts : undefined)
      await same('custom.team=OPS', ({ team }) => team === 'Ops')
      await same('custom.team=*', ({ team }) => team !== undefined)
      await same('custom.team=', ({ team }) => team === undefined)
      await same(
        'custom.watts.min=-20&custom.watts.max=30',
        (one) => (watts(one) ?? -99) >= -20 && (watts(one) ?? 99) <= 30,
      )
      await same('custom.since.min=2026-05-01', ({ since }) => String(since ?? '') >= '2026-05-01')
      await same('custom.zones=b', ({ zones }) => Array.isArray(zones) && zones.includes('b'))
      await same('custom.zones=*&custom.team=net', ({ zones, team }) => zones !== undefined && team === 'net')

      const names = new Map(
        ((await inv.ask(`GET /api/${noun}`)).body as Thing[]).map(({ id, ...one }) => [id, String(one[named])]),
      )
      const byName = (a: Thing, b: Thing) => compareNames(names.get(a.id) ?? '', names.get(b.id) ?? '')
      for (const [text, direction] of [
        ['custom.watts', 1],
        ['-custom.watts', -1],
      ] as const) {
        const expected = [
          ...all
            .filter(({ custom = {} }) => watts(custom) !== undefined)
            .sort((a, b) => direction * ((watts(a.custom ?? {}) ?? 0) - (watts(b.custom ?? {}) ?? 0)) || byName(a, b)),
          ...all.filter(({ custom = {} }) => watts(custom) === undefined).sort(byName),
        ].map(({ id }) => id)
        expect([text, await found(`sort=${text}`)]).toEqual([text, expected])
        const now = await lastChange()
        expect([text, await found(`sort=${text}&as_of=${now}`)]).toEqual([text, expected])
        const pages: unknown[] = []
        for (let offset = 0; offset < 100; offset += 3)
          pages.push(...(await found(`sort=${text}&limit=3&offset=${offset}`)))
        expect(pages).toEqual(expected)
      }
      const first = await found(`sort=-${named}`)
      expect(first).toEqual([...all].sort((a, b) => byName(b, a)).map(({ id }) => id))
      expect((await found('sort=created_at')).length).toBe(all.length)
      for (const [query, field] of [
        ['custom.nothing=1', 'custom.nothing'],
        ['custom.watts=much', 'custom.watts'],
        ['custom.team.min=a', 'custom.team.min'],
        ['sort=custom.nothing', 'sort'],
        ['sort=custom.zones', 'sort'],
        ['sort=location', 'sort'],
      ] as const)
        expect([query, fieldsOf(await inv.ask(`GET /api/${noun}?${query}`))]).toEqual([query, [field]])
      for (const one of fields) await undefine(one)
    })
  })
})
