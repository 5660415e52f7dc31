// A value in `custom_fields` of the NetBox API is read back as it was written, whatever the type of its custom field is.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import type { CustomResource, FieldType } from '../../src/resource/custom/fields.ts'
import type { Door } from '../../testing/netbox/door.ts'
import { openFilled } from '../../testing/netbox/filled.ts'
import { Item, type Lists, readLists } from '../../testing/netbox/oracle/lists.ts'
import { buildRequired } from '../../testing/netbox/values.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

const TIMEOUT_MS = 180_000

/** Endpoints with a `custom_fields` that writes take, and the resource of its custom fields. */
const PLACES: readonly (readonly [string, CustomResource])[] = [
  ['dcim/sites', 'datacenters'],
  ['dcim/devices', 'devices'],
  ['dcim/interfaces', 'ports'],
  ['ipam/prefixes', 'networks'],
  ['ipam/vlans', 'vlans'],
  ['ipam/ip-ranges', 'pools'],
  ['ipam/ip-addresses', 'addresses'],
  ['ipam/vrfs', 'spaces'],
  ['tenancy/tenants', 'tenants'],
  ['virtualization/virtual-machines', 'devices'],
]

type Definition = { readonly type: FieldType; readonly multiple?: true; readonly choices?: string[] }

/** Definitions, two values of each, and a value that is refused. */
const FIELDS: readonly (readonly [string, Definition, readonly unknown[], unknown])[] = [
  ['v_text', { type: 'text' }, ['Büro "1"', 'other'], 7],
  ['v_integer', { type: 'integer' }, [7, -3], 'many'],
  ['v_number', { type: 'number' }, [0.5, 12], 'many'],
  ['v_boolean', { type: 'boolean' }, [true, false], 'perhaps'],
  ['v_date', { type: 'date' }, ['2026-02-28', '2027-01-01'], '2026-02-30'],
  ['v_url', { type: 'url' }, ['https://example.net/a?b=c', 'http://example.org/'], 'no url'],
  ['v_choice', { type: 'choice', choices: ['gold', 'Silber'] }, ['gold', 'Silber'], 'bronze'],
  ['v_choices', { type: 'choice', multiple: true, choices: ['a', 'b', 'c'] }, [['a', 'c'], ['b']], ['d']],
  ['v_ip', { type: 'ip' }, ['10.99.0.7', '2001:db8::7'], '10.99.0.700'],
]

describe.each(onSqlite())('custom fields of the NetBox API on %s', (dialect) => {
  let door: Door
  let lists: Lists
  beforeAll(async () => {
    door = await openFilled(dialect)
    for (const resource of new Set(PLACES.map(([, one]) => one)))
      for (const [name, definition] of FIELDS) await door.api.customFields.create({ resource, name, ...definition })
    lists = await readLists(door)
  }, TIMEOUT_MS)
  afterAll(() => door.close())

  const countChanges = async (): Promise<number> => {
    const row = await door.app.db.read
      .selectFrom('history')
      .select(sql<number>`count(*)`.as('n'))
      .executeTakeFirstOrThrow()
    return Number(row.n)
  }

  test.each(PLACES)('%s: each type is written, kept by other writes, cleared and refused', async (path) => {
    const made = await door.post(`${path}/`, buildRequired(path, lists, 1))
    expect([path, made.status, made.body]).toEqual([path, 201, expect.anything()])
    const { id } = Item.parse(made.body)
    const patch = (custom_fields: object) => door.patch(`${path}/${id}/`, { custom_fields })
    for (const [name, , values, wrong] of FIELDS) {
      for (const value of values) {
        const answer = await patch({ [name]: value })
        expect(answer).toMatchObject({ status: 200, body: { custom_fields: { [name]: value } } })
        expect((await door.get(`${path}/${id}/`)).body).toEqual(answer.body)
        const changes = await countChanges()
        expect(await patch({ [name]: value })).toEqual(answer)
        expect(await countChanges()).toBe(changes)
      }
      expect([name, await patch({ [name]: wrong })]).toEqual([
        name,
        { status: 400, body: { custom_fields: [expect.stringContaining(name)] } },
      ])
    }
    // Other writes keep the values.
    const last = Object.fromEntries(FIELDS.map(([name, , values]) => [name, values[1]]))
    expect((await patch({})).body).toMatchObject({ custom_fields: last })
    const none = Object.fromEntries(FIELDS.map(([name]) => [name, null]))
    const cleared = await patch(none)
    expect(cleared).toMatchObject({ status: 200, body: { custom_fields: none } })
    expect((await door.delete(`${path}/${id}/`)).status).toBe(204)
  })
})
