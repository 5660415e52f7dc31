// Each writable field of the NetBox API is read back as it was written, or its value is refused on it: nothing is dropped silently.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { ENDPOINT_ROUTES } from '../../src/netbox/endpoint/routes.ts'
import { REGISTERED } from '../../src/netbox/endpoints/registry.ts'
import { takeOneIn } from '../../testing/cases.ts'
import type { Answer, Door } from '../../testing/netbox/door.ts'
import { openFilled } from '../../testing/netbox/filled.ts'
import { Item, type Lists, pick, readLists } from '../../testing/netbox/oracle/lists.ts'
import {
  buildRequired,
  drawValues,
  isShown,
  listBeside,
  listWritable,
  toBody,
  type Value,
  type Writable,
} from '../../testing/netbox/values.ts'
import { engines } from '../../testing/servers/servers.ts'

const TIMEOUT_MS = 180_000

const listPaths = (method: string): string[] =>
  REGISTERED.map(({ path }) => path).filter((path) =>
    ENDPOINT_ROUTES.some((route) => route.method === method && route.path === path),
  )

/** Names are of objects, and a type or a VLAN that objects only mention has no times. */
const NAMES = ['dcim/device-roles', 'dcim/platforms', 'dcim/manufacturers', 'extras/tags', 'ipam/roles']

/** True unless an object stands for a missing one, or for a text or number of others. */
const isStored = (path: string, { slug, created }: Item): boolean =>
  !['unassigned', 'unknown', 'unspecified'].includes(String(slug)) && (NAMES.includes(path) || created !== null)

const INTERFACES = [
  'device',
  'virtual_machine',
  'parent',
  'lag',
  'mode',
  'untagged_vlan',
  'tagged_vlans',
  'primary_mac_address',
]

/** Fields with tests beside their endpoints, because their values depend on other objects. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  'dcim/devices': ['primary_ip4', 'primary_ip6', 'rack', 'position', 'face'],
  'virtualization/virtual-machines': ['primary_ip4', 'primary_ip6'],
  'ipam/ip-addresses': ['address', 'vrf', 'assigned_object_type', 'assigned_object_id'],
  'ipam/prefixes': ['vlan'],
  'ipam/ip-ranges': ['start_address', 'end_address', 'vrf'],
  'dcim/interfaces': INTERFACES,
  'virtualization/interfaces': INTERFACES,
}

const listTried = (path: string): Writable[] =>
  listWritable(path).filter(({ name }) => name !== 'custom_fields' && !OWN[path]?.includes(name))

describe.each(engines())('a write of the NetBox API on %s', (dialect) => {
  let door: Door
  let lists: Lists
  beforeAll(async () => {
    door = await openFilled(dialect)
    lists = await readLists(door)
  }, TIMEOUT_MS)
  afterAll(() => door.close())

  /** Counts the entries of the history. */
  const countChanges = async (): Promise<number> => {
    const row = await door.app.db.read
      .selectFrom('history')
      .select(sql<number>`count(*)`.as('n'))
      .executeTakeFirstOrThrow()
    return Number(row.n)
  }

  test.each(listPaths('PUT'))('%s: an object that is written as it was read does not change', async (path) => {
    const before = await countChanges()
    const problems: string[] = []
    for (const item of lists.get(path).filter((one) => isStored(path, one)))
      for (const body of [toBody(path, item), item]) {
        const answer = await door.put(`${path}/${item.id}/`, body)
        if (answer.status !== 200)
          problems.push(`${item.id} ${JSON.stringify(body).slice(0, 300)}: ${JSON.stringify(answer)}`)
        else expect(answer.body).toEqual(item)
      }
    expect(problems).toEqual([])
    expect(await countChanges()).toBe(before)
  })

  const isPlaceless = (answer: Answer, name: string): boolean =>
    answer.status === 400 && JSON.stringify(pick(answer.body, name) ?? '').includes('has no place ')

  /** Writes a value twice. @returns the errors */
  const check = async (path: string, fresh: Item, field: Writable, value: Value): Promise<string[]> => {
    const { name } = field
    const { id } = fresh
    const body = { ...(value.shown === null || value.shown === '' ? {} : listBeside(name, lists)), [name]: value.sent }
    const tell = (problem: string, found: unknown) => [
      `${path} ${JSON.stringify(body)} ${problem}: ${JSON.stringify(found)}`,
    ]
    const answer = await door.patch(`${path}/${id}/`, body)
    if (answer.status === 400 && isPlaceless(answer, name)) return value.shown === null ? tell('is usual', answer) : []
    if (answer.status !== 200) return tell('is refused', answer)
    const held = pick(answer.body, name)
    if (!isShown(field, held, value, fresh[name])) return tell('is read back as', held)
    const { body: read } = await door.get(`${path}/${id}/`)
    if (!isDeepStrictEqual(read, answer.body)) return tell('is then', read)
    const changes = await countChanges()
    const again = await door.patch(`${path}/${id}/`, body)
    if (!isDeepStrictEqual(again, answer)) return tell('is another the second time', again)
    return (await countChanges()) === changes ? [] : tell('is a change the second time', again)
  }

  // A few show the differences between the databases.
  const posted = dialect === 'sqlite' ? listPaths('POST') : takeOneIn(6, listPaths('POST'))
  test.each(posted)('%s: each value of each field is read back as it was written', async (path) => {
    const problems: string[] = []
    const made = await door.post(`${path}/`, buildRequired(path, lists, 1))
    expect([path, made.status, made.body]).toEqual([path, 201, expect.anything()])
    const fresh = Item.parse(made.body)
    let n = 1
    for (const field of listTried(path)) {
      const values = drawValues(field, lists)
      for (const value of values) problems.push(...(await check(path, fresh, field, value)))
      const [first] = values
      if (!first) continue
      const body = { ...buildRequired(path, lists, ++n), ...listBeside(field.name, lists), [field.name]: first.sent }
      const other = await door.post(`${path}/`, body)
      if (isPlaceless(other, field.name)) continue
      if (other.status !== 201 || !isShown(field, pick(other.body, field.name), first, fresh[field.name]))
        problems.push(`${path} new ${JSON.stringify(body)}: ${JSON.stringify(other)}`)
      else expect((await door.delete(`${path}/${Item.parse(other.body).id}/`)).status).toBe(204)
    }
    expect((await door.delete(`${path}/${fresh.id}/`)).status).toBe(204)
    expect(problems).toEqual([])
  })
})
