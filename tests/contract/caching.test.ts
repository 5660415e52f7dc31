/** Checks the entity tags, preconditions and totals of all operations that have them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { contracts } from '../../src/app/contracts.ts'
import { createPasswords } from '../../src/base/security/passwords.ts'
import { toInputJsonSchema } from '../../src/contract/validate.ts'
import { parseHttp } from '../../src/kernel/http-route.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { requiredExample } from '../../testing/estates/required-example.ts'
import { scanOnce, scriptedScanner } from '../../testing/servers/scripted-scanner.ts'
import { onSqlite } from '../../testing/servers/servers.ts'
import { OAUTH_ENV } from '../../testing/sign-in/oauth.ts'
import { until } from '../../testing/until.ts'

const operations: readonly AnyOperation[] = Object.values(contracts).flatMap((set) => Object.values<AnyOperation>(set))
const named = (some: readonly AnyOperation[]) => some.map((op): [string, AnyOperation] => [op.name, op])

const isGet = ({ http }: AnyOperation) => http.startsWith('GET ')
const isList = ({ output }: AnyOperation) => output instanceof z.ZodArray
const lists = operations.filter((op) => isGet(op) && isList(op))
// Reads that need a session have no answer for the API key of these tests.
const objects = operations.filter((op) => isGet(op) && !isList(op) && op.session === undefined)
/** It counts the reads of the database, so each answer is another one. */
const MEASURED = 'database.status'
const reads = new Set<string>(objects.map(({ http }) => parseHttp(http).path))
/** PUT and DELETE of single objects that can be read, and so have a tag. */
const changes = operations.filter(({ http }) => /^(PUT|DELETE) /.test(http) && reads.has(parseHttp(http).path))
const Created = z.object({ id: z.string() })
const WEBHOOK = { name: 'one', url: 'http://hook.invalid/', events: ['device.created'] }

/** Returns the address of an object that is part of another one. */
const nested: Readonly<Record<string, (caller: TestCaller) => Promise<string>>> = {
  'webhooks.delivery': async (caller) => {
    const id = await make(caller, '/api/webhooks', WEBHOOK)
    const { delivery } = await caller.api.webhooks.ping({ id })
    return `/api/webhooks/${id}/deliveries/${delivery.id}`
  },
  // Two objects have changed since.
  'history.diff': async (caller) => {
    const first = await makeOne(caller, 'history')
    for (const noun of ['datacenters', 'networks']) await makeOne(caller, noun)
    return `/api/history/diff?from=${first}`
  },
  'networks.next-subnet': async (caller) =>
    `/api/networks/${await makeOne(caller, 'networks')}/next-subnet?prefix_length=30`,
}

/** Creates an object with the fields that its contract requires, and names that no other object has. */
const makeLeast = (caller: TestCaller, noun: string): Promise<string> => {
  const op = operations.find(({ name, http }) => name === `${noun}.create` && parseHttp(http).params.length === 0)
  if (!op) throw new Error(`say in "makers" how to make one of ${noun}`)
  const body = Object.entries(requiredExample(op)).map(([field, value]) => [
    field,
    field.endsWith('name') ? Bun.randomUUIDv7() : value,
  ])
  return make(caller, parseHttp(op.http).path, Object.fromEntries(body))
}

/** Creates one object of the nouns that need more than their required fields; each `DELETE` needs another object. */
const makers: Readonly<Record<string, (caller: TestCaller) => Promise<string>>> = {
  pools: async (caller) => {
    const network = await make(caller, '/api/networks', { name: 'one', subnet: '10.0.0.0/24' })
    return make(caller, `/api/networks/${network}/pools`, { name: 'one', start_ip: '10.0.0.10', end_ip: '10.0.0.99' })
  },
  reservations: async (caller) => {
    const pool = await makers.pools?.(caller)
    const response = await caller.request('POST', `/api/pools/${pool}/allocate`, {})
    const { reservations } = z.object({ reservations: z.tuple([Created]) }).parse(await response.json())
    return reservations[0].id
  },
  ports: async (caller) => make(caller, `/api/devices/${await makers.devices?.(caller)}/ports`, { name: 'one' }),
  'device-types': (caller) => make(caller, '/api/device-types', { manufacturer: 'm', model: Bun.randomUUIDv7() }),
  cables: async (caller) => {
    const end = async () => ({ device_id: await makers.devices?.(caller), port: 'one' })
    return make(caller, '/api/cables', { a: await end(), b: await end() })
  },
  devices: (caller) => make(caller, '/api/devices', { name: 'one', addresses: [{ ip: '10.0.0.1' }] }),
  audit: async (caller) => {
    await makeLeast(caller, 'datacenters')
    const [entry] = z.tuple([Created]).parse(await (await caller.request('GET', '/api/audit?limit=1')).json())
    return entry.id
  },
  scans: async (caller) => (await scanOnce(scanner, caller)).scan,
  discovery: async (caller) => (await scanOnce(scanner, caller)).device,
  'discovery-rules': async (caller) => {
    const network_id = await make(caller, '/api/networks', { name: 'one', subnet: '127.9.0.0/24' })
    return make(caller, '/api/discovery/rules', { network_id, enabled: false })
  },
  conflicts: async (caller) => {
    for (const name of ['one', 'other']) await make(caller, '/api/devices', { name, addresses: [{ ip: '10.0.9.9' }] })
    const [conflict] = await caller.api.conflicts.list({ status: 'active', limit: 1 })
    // The deletion of a conflict does not raise it again while its cause remains.
    return conflict?.id ?? (await caller.api.conflicts.detect({})).conflicts[0]?.id ?? ''
  },
  'custom-fields': (caller) =>
    make(caller, '/api/custom-fields', {
      resource: 'cables',
      name: `f${Bun.randomUUIDv7().replaceAll('-', '')}`,
      type: 'text',
    }),
  // All VLANs have the same number.
  vlans: (caller) => make(caller, '/api/vlans', { vlan_id: 1, name: 'one', group: Bun.randomUUIDv7() }),
  webhooks: (caller) => make(caller, '/api/webhooks', WEBHOOK),
  'oauth-clients': async (caller) => {
    const response = await caller.request('POST', '/mcp-oauth/register', { redirect_uris: ['https://one.example/cb'] })
    return z.object({ client_id: z.string() }).parse(await response.json()).client_id
  },
  // A change of two objects.
  history: async (caller) => {
    const operations = ['one', 'other'].map((name) => ({ op: 'create', device: { name } }))
    const response = await caller.request('POST', '/api/devices/bulk', { operations })
    return response.headers.get('x-change-id') ?? ''
  },
  lookup: async (caller) => {
    await makers.devices?.(caller)
    return '10.0.0.1'
  },
  'dns-providers': (caller) => make(caller, '/api/dns/providers', { name: 'one', host: '192.0.2.53' }),
  'dns-zones': async (caller) => {
    const id = await make(caller, '/api/dns/zones', { name: `${Bun.randomUUIDv7()}.example` })
    // Its state changes until its lane has ended.
    await until('the first sync', async () => (await caller.api.dnsZones.get({ id })).last_synced_at ?? undefined)
    return id
  },
  'dns-records': async (caller) =>
    make(caller, '/api/dns/records', {
      ...{ zone_id: (await makers['dns-zones']?.(caller)) ?? '', name: 'one', type: 'A', value: '192.0.2.1' },
    }),
  // The one type without a secret, because the server has no encryption key.
  credentials: (caller) => make(caller, '/api/credentials', { name: 'one', type: 'snmp_v3', username: 'one' }),
}

const makeOne = (caller: TestCaller, noun: string): Promise<string> => makers[noun]?.(caller) ?? makeLeast(caller, noun)

const scanner = scriptedScanner()

const make = async (caller: TestCaller, path: string, body: object): Promise<string> => {
  const response = await caller.request('POST', path, body)
  return Created.parse(await response.json()).id
}

/** Returns the noun of the id in an input field; by default the operation's own noun. */
const nounOf = ({ name, input }: AnyOperation, field: string): string => {
  const { ref } = (toInputJsonSchema(input).properties?.[field] ?? {}) as { ref?: string }
  return ref ?? name.slice(0, name.indexOf('.'))
}

describe.each(onSqlite())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    const env = { ...OAUTH_ENV, AUDIT_ENABLED: 'true', DNS_SERVERS: '192.0.2.53' }
    app = await testApp({ dialect, env, passwords: createPasswords({ cost: 4 }), startScan: scanner.startScan })
    admin = await app.as('admin')
    for (const noun of ['pools', 'reservations', 'devices', 'keys']) await makeOne(admin, noun)
  })
  afterAll(() => app.close())

  /** Returns the address of an operation with existing objects and the minimal query. */
  const addressOf = async (op: AnyOperation): Promise<string> => {
    const inside = nested[op.name]
    if (inside) return inside(admin)
    let { path } = parseHttp(op.http)
    for (const param of parseHttp(op.http).params) {
      const noun = nounOf(op, param)
      path = path.replace(`{${param}}`, await makeOne(admin, noun))
    }
    const { required = [] } = toInputJsonSchema(op.input) as { required?: readonly string[] }
    const query = required.filter((field) => !parseHttp(op.http).params.includes(field)).map((field) => `${field}=one`)
    return query.length > 0 ? `${path}?${query.join('&')}` : path
  }

  describe('a list', () => {
    test.each(named(lists))('%s says how many there are', async (_, op) => {
      const response = await admin.request('GET', await addressOf(op))
      const rows = z.array(z.unknown()).parse(await response.json())
      expect(response.headers.get('x-total-count')).toBe(`${rows.length}`)
    })

    test.each(named(lists))('%s is as its contract says', async (_, op) => {
      const response = await admin.request('GET', await addressOf(op))
      expect(op.output.safeParse(await response.json()).error?.issues).toBeUndefined()
    })

    test.each(named(lists))('%s is 304 for a client with its ETag', async (_, op) => {
      const path = await addressOf(op)
      await until('list that stays the same', async () => {
        const etag = (await admin.request('GET', path)).headers.get('etag') ?? ''
        expect(etag).toMatch(/^"[^"]+"$/)
        const again = await admin.request('GET', path, undefined, { 'If-None-Match': etag })
        // A delivery of a webhook changes the list of deliveries at any time.
        if (again.status === 200 && again.headers.get('etag') !== etag) return undefined
        expect(again.status).toBe(304)
        return true
      })
    })

    test.each(named(lists))('%s is sent in pages', async (_, op) => {
      const path = await addressOf(op)
      const at = (page: string) => admin.request('GET', path + (path.includes('?') ? '&' : '?') + page)
      // More than the default limit of any list.
      const whole = z.array(z.unknown()).parse(await (await at('limit=1000')).json())
      const second = await at('limit=1&offset=1')
      expect(await second.json()).toEqual(whole.slice(1, 2))
      expect(second.headers.get('x-total-count')).toBe(`${whole.length}`)
    })

    test.each(named(lists))('%s from beyond its end is empty', async (_, op) => {
      const path = await addressOf(op)
      const response = await admin.request('GET', `${path}${path.includes('?') ? '&' : '?'}offset=9007199254740991`)
      expect(await response.json()).toEqual([])
    })

    test.each(named(lists))('%s refuses an invalid page size', async (_, op) => {
      const path = await addressOf(op)
      const at = async (limit: string) =>
        (await admin.request('GET', `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`)).status
      expect([await at('0'), await at('-1'), await at('1.5'), await at('1e400')]).toEqual([400, 400, 400, 400])
    })
  })

  describe('an object', () => {
    test.each(named(objects.filter(({ name }) => name !== MEASURED)))(
      '%s is 304 for a client with its ETag',
      async (_, op) => {
        const path = await addressOf(op)
        const first = await admin.request('GET', path)
        expect([first.status, first.headers.get('etag')]).toEqual([200, expect.stringMatching(/^"[^"]+"$/)])
        const headers = { 'If-None-Match': first.headers.get('etag') ?? '' }
        expect((await admin.request('GET', path, undefined, headers)).status).toBe(304)
      },
    )

    test.each(named(objects))('%s is as its contract says', async (_, op) => {
      const response = await admin.request('GET', await addressOf(op))
      expect(op.output.safeParse(await response.json()).error?.issues).toBeUndefined()
    })
  })

  describe('a change', () => {
    const body = ({ http }: AnyOperation) => (http.startsWith('PUT') ? {} : undefined)
    const ask = (op: AnyOperation, path: string, ifMatch?: string) =>
      admin.request(parseHttp(op.http).method, path, body(op), ifMatch === undefined ? {} : { 'If-Match': ifMatch })

    test.each(named(changes))('%s of a changed object is refused', async (_, op) => {
      const response = await ask(op, await addressOf(op), '"another"')
      expect([response.status, await response.json()]).toEqual([
        412,
        expect.objectContaining({ code: 'PRECONDITION_FAILED' }),
      ])
    })

    test.each(named(changes))('%s that is refused changes nothing', async (_, op) => {
      const path = await addressOf(op)
      const before = await (await admin.request('GET', path)).text()
      await admin.request(parseHttp(op.http).method, path, { name: 'changed' }, { 'If-Match': '"another"' })
      expect(await (await admin.request('GET', path)).text()).toBe(before)
    })

    test.each(named(changes))('%s of an unchanged object is executed', async (_, op) => {
      const path = await addressOf(op)
      const etag = (await admin.request('GET', path)).headers.get('etag') ?? ''
      expect((await ask(op, path, etag)).status).toBeLessThan(300)
    })

    test.each(named(changes))('%s with If-Match: * is executed', async (_, op) => {
      expect((await ask(op, await addressOf(op), '*')).status).toBeLessThan(300)
    })

    test.each(named(changes))('%s without a precondition is executed', async (_, op) => {
      expect((await ask(op, await addressOf(op))).status).toBeLessThan(300)
    })

    test.each(named(changes))('%s of an absent object is 404, whatever the precondition', async (_, op) => {
      const path = parseHttp(op.http).path.replace('{id}', 'unknown')
      expect((await ask(op, path, '"another"')).status).toBe(404)
    })
  })
})
