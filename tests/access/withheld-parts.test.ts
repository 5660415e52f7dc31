// Each part of an answer needs the permission to list its resource. A role with one permission calls each operation that the permission
// admits, in an estate of objects that carry the name of their resource: no word of another resource is in the answer.
import { beforeAll, describe, expect, test } from 'bun:test'
import { contracts, routes } from '../../src/app/contracts.ts'
import { type FieldSchema, getInputSchema, listChoices, stripNull } from '../../src/contract/input-schema.ts'
import { type AnyOperation, listPermissions, type Permission } from '../../src/kernel/operation.ts'
import { CATALOGUE } from '../../src/people/roles/catalogue.ts'
import { listTables } from '../../src/resource/scoped/views.ts'
import { buildTextChange, createExamples } from '../../testing/estates/examples.ts'
import { type Call, callsAbout, paramsOf, requestOf } from '../../testing/estates/inputs-by-ref.ts'
import { KINDS } from '../../testing/estates/kinds.ts'
import { buildMarkedEstate, type Marked } from '../../testing/estates/marked-estate.ts'
import { type People, type Person, people } from '../../testing/estates/people.ts'
import { textOf } from '../../testing/hostile/halves.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

const operations = Object.values(contracts).flatMap((set) => Object.values<AnyOperation>(set))

const resourceOf = (permission: string): string => permission.slice(0, permission.indexOf(':'))

/** Returns the calls that ask for all optional parts of an answer, one part and then all. */
const withParts = (op: AnyOperation, { field, input }: Call): Call[] => {
  const { include } = getInputSchema(op.input).properties ?? {}
  if (!include) return [{ field, input }]
  const schema: FieldSchema = stripNull(include)
  const choices = listChoices(stripNull(schema.items ?? schema))
  return [{ field, input }, ...choices.map((one) => ({ field: `include=${one}`, input: { ...input, include: one } }))]
}

/** Returns reads, and on demand previews of writes, which change nothing. */
const callsOf = (op: AnyOperation, { ids }: Marked, hasWrites = false): Call[] => {
  const updated = KINDS.find(({ update }) => update === op)
  // The other updates give the fields the values that they have.
  const change = updated && { field: 'a text', input: { ...paramsOf(op, ids), ...buildTextChange(updated.facts) } }
  const all = [...callsAbout(op, { own: ids, about: ids }), ...(change ? [change] : [])]
  const calls = all.flatMap((call) => withParts(op, call))
  if (op.effect === 'read') return calls
  if (!op.hasHistory || !hasWrites) return []
  return calls.flatMap(({ field, input }) =>
    [true, 'changes'].map((dry_run) => ({ field: `${field}, dry_run=${dry_run}`, input: { ...input, dry_run } })),
  )
}

/** Words of other resources that are in the objects of a resource by their own definition. */
const OWN_PARTS: Readonly<Record<string, readonly string[]>> = {
  // A new device takes the name of its type as `make_model`.
  devices: ['device-types'],
}

type Step = {
  readonly what: string
  /** The resources with answers that the step may change. */
  readonly kinds: readonly string[]
  readonly add: () => Promise<void>
}

/** The resources with objects that a step below arranges. */
const BY_HAND: readonly string[] = ['devices', 'networks', 'pools', 'ports', 'cables', 'reservations']
/** Resources with answers that an object of another resource may change. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  // A discovery rule is skipped in a space that this server does not reach.
  spaces: ['discovery'],
  // A datacenter below another one comes into its scopes, which grants name.
  datacenters: ['scopes', 'users'],
}

/** Adds objects, each of which belongs to parts of answers about others. */
const stepsIn = ({ admin }: People, { ids }: Marked): readonly Step[] => {
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const { status, body: answer } = await admin.ask(`POST /api/${path}`, body)
    expect([path, status]).toEqual([path, 201])
    return answer as Record<string, string>
  }
  const name = 'added'
  const { datacenters: datacenter_id, networks, pools: pool_id, racks: rack_id, devices } = ids
  return [
    {
      what: 'a device',
      // A pool and a network are as full as they are.
      kinds: ['devices', 'networks', 'pools'],
      add: async () => {
        const place = { datacenter_id, mount: { rack_id, position: 5 }, custom: { owner: 'y' } }
        await post('devices', { name, ...place, addresses: [{ ip: '10.77.6.20', pool_id }] })
      },
    },
    {
      what: 'a network',
      // The addresses that a pool never gives, and why a discovery rule is skipped, depend on the network.
      kinds: ['networks', 'pools', 'discovery'],
      add: async () => void (await post('networks', { name, subnet: '10.77.5.0/24', datacenter_id, vlan_id: 77 })),
    },
    {
      what: 'a pool',
      // A free subnet overlaps no pool.
      kinds: ['pools', 'networks'],
      add: async () =>
        void (await post(`networks/${networks}/pools`, { name, start_ip: '10.77.7.1', end_ip: '10.77.7.9' })),
    },
    {
      what: 'ports',
      kinds: ['ports'],
      add: async () => {
        for (const one of ['added-1', 'added-2']) await post(`devices/${devices}/ports`, { name: one })
      },
    },
    {
      what: 'a reservation',
      // A reserved address is in use.
      kinds: ['reservations', 'networks', 'pools'],
      add: async () => void (await post(`pools/${pool_id}/reservations`, { ip_address: '10.77.6.60' })),
    },
    ...KINDS.filter(({ resource }) => !BY_HAND.includes(resource)).map(({ resource }) => ({
      what: `one of ${resource}`,
      kinds: [resource, ...(ALSO[resource] ?? [])],
      add: async () => {
        const { path, body } = createExamples(ids, { [resource]: 1 }, () => 'added').build(resource)
        await post(path.replace('/api/', ''), body)
      },
    })),
    {
      what: 'a cable',
      // A webhook has subscribed to it.
      kinds: ['cables', 'webhook'],
      add: async () => {
        const at = (port: string) => ({ device_id: devices, port })
        await post('cables', { a: at('added-1'), b: at('added-2'), label: name })
      },
    },
  ]
}

describe.each(onSqlite())('an answer to a caller with one permission, on %s', (dialect) => {
  const all: People = people(dialect)
  let estate: Marked
  beforeAll(async () => {
    estate = await buildMarkedEstate(all)
  }, 60_000)

  const persons = new Map<string, Promise<Person>>()
  const personWith = (...permissions: Permission[]): Promise<Person> => {
    const key = permissions.join()
    const known = persons.get(key) ?? all.person({ permissions })
    persons.set(key, known)
    return known
  }

  /** Returns the resources that have words in an answer, except the resources of the permission. */
  const foreignIn = (text: string, permission: Permission): string[] => {
    const own = resourceOf(permission)
    const allowed = [own, ...(OWN_PARTS[own] ?? [])]
    return Object.entries(estate.words).flatMap(([resource, words]) =>
      !allowed.includes(resource) && words.some((word) => text.includes(word)) ? [resource] : [],
    )
  }

  const permitted = operations.flatMap((op) => listPermissions(op.access).map((permission) => ({ op, permission })))
  const resources = [...new Set(permitted.map(({ permission }) => resourceOf(permission)))]

  test.each(resources)(
    'to a permission of %s has no part of another resource',
    async (resource) => {
      const found: string[] = []
      for (const { op, permission } of permitted.filter((one) => resourceOf(one.permission) === resource)) {
        const { ask } = await personWith(permission)
        // The answers of writes are the same on both databases.
        for (const call of callsOf(op, estate, dialect === 'sqlite')) {
          const { http, body } = requestOf(op, call)
          const answer = await ask(http, body)
          expect([op.name, call.field, answer.status < 500]).toEqual([op.name, call.field, true])
          const foreign = foreignIn(textOf(answer), permission)
          if (foreign.length > 0) found.push(`${op.name} (${call.field}) with ${permission}: ${foreign}`)
        }
      }
      expect(found).toEqual([])
    },
    300_000,
  )

  /** Returns the answers to all reads that one permission admits. */
  const answersTo = async (permission: Permission): Promise<readonly unknown[]> => {
    const { ask } = await personWith(permission)
    const answers: unknown[] = []
    for (const op of operations) {
      if (op.effect !== 'read' || !listPermissions(op.access).includes(permission)) continue
      for (const call of callsOf(op, estate)) {
        const { status, body, headers } = await ask(requestOf(op, call).http)
        // The ETags of the history follow all changes.
        const etag = op.name.includes('history') ? '' : headers.get('etag')
        answers.push({ op: op.name, call: call.field, status, body, etag })
      }
    }
    return answers
  }

  test('has no count, no state and no ETag that an object of another resource changes', async () => {
    // The audit log has all calls, and metrics count queries.
    const permissions = [...new Set(operations.flatMap(({ access }) => listPermissions(access)))].filter(
      (permission) => !['audit', 'metrics'].includes(resourceOf(permission)),
    )
    const before = new Map<Permission, readonly unknown[]>()
    for (const permission of permissions) before.set(permission, await answersTo(permission))
    const changed: unknown[] = []
    for (const { what, add, kinds } of stepsIn(all, estate)) {
      await add()
      for (const permission of permissions) {
        const now = await answersTo(permission)
        const then = before.get(permission) ?? []
        if (!kinds.includes(resourceOf(permission)))
          changed.push(
            ...now.flatMap((one, at) =>
              Bun.deepEquals(one, then[at]) ? [] : [{ what, permission, now: one, earlier: then[at] }],
            ),
          )
        before.set(permission, now)
      }
    }
    expect(changed).toEqual([])
  }, 300_000)
})

describe('an operation with parts of other resources', () => {
  const all = [...operations, ...routes].filter(({ shows }) => shows !== undefined)

  test('is a read of a scoped caller, and its parts have a permission and tables', () => {
    expect(all.length).toBeGreaterThan(10)
    const permissions = new Set<string>(CATALOGUE.map(({ name }) => name))
    for (const { name, http, scope, shows = [] } of all) {
      // A preview takes lists that no URL can hold.
      const isRead = /^(GET|OPTIONS) /.test(http) || name.endsWith('.preview')
      expect([name, isRead, scope === 'filter' || scope === 'checkPath']).toEqual([name, true, true])
      for (const resource of shows)
        expect([name, resource, permissions.has(`${resource}:list`), listTables([resource]).size > 0]).toEqual([
          ...[name, resource, true, true],
        ])
    }
  })
})
