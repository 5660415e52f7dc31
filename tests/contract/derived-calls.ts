/** Calls derived from the registry: each list with each filter, order and page, reads of the past, previews, and the errors of each operation. */
import { z } from 'zod'
import { REPORTS } from '../../src/answers/reports/registry.ts'
import { type FieldSchema, getInputSchema, listChoices, stripNull } from '../../src/contract/input-schema.ts'
import { parseHttp, type RawHttp } from '../../src/kernel/http-route.ts'
import { type AnyOperation, getNoun, listPermissions } from '../../src/kernel/operation.ts'
import { callsAbout, type Ids, paramsOf } from '../../testing/estates/inputs-by-ref.ts'
import { isNetboxRoute } from '../../testing/netbox/routes.ts'
import { type Call, compare, endpoints, type Input, operations } from './engine-pair.ts'
import { buildNewObjects, getNewObject, listNewResources, listNewValues } from './new-resource-calls.ts'

/** Objects of the world by the resource that a field refers to; the first is that of the path. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  kinds: ['things', 'notes'],
  objects: ['obj-0', 'obj-4'],
  'custom-fields': ['cf-owner', 'cf-tier'],
  spaces: ['space-1', 'default'],
  datacenters: ['dc-1', 'dc-0'],
  vlans: ['vlan-1', 'vlan-2'],
  networks: ['net', 'net-red'],
  pools: ['pool-0', 'pool-six'],
  reservations: ['@{reservation}'],
  'device-types': ['type-0'],
  racks: ['rack-0', 'rack-top'],
  devices: ['sw', 'srv', 'dev-2'],
  ports: ['port-0', 'panel'],
  cables: ['cable-1'],
  scans: ['@{scan}'],
  discovery: ['@{discovered}'],
  'discovery-rules': ['@{rule}'],
  conflicts: ['@{conflict}'],
  webhooks: ['@{webhook}'],
  feeds: ['feed-hosts'],
  'dns-providers': ['@{provider}'],
  'dns-zones': ['zone'],
  'dns-records': ['record'],
  sources: ['@{source}', '@{source 2}'],
  credentials: ['@{credential}'],
  roles: ['@{role}', 'role-admin'],
  users: ['@{user}'],
  groups: ['@{group}'],
  scopes: ['@{scope}'],
  grants: ['@{grant}'],
  keys: ['@{key}'],
  'sso-providers': ['@{sso}'],
  'oauth-clients': ['@{client}'],
  history: ['@{change}', '@{bulk}'],
  packs: ['nat', 'power'],
  proposals: ['@{proposal}', '@{first}'],
  policies: ['@{policy}'],
  audit: ['@{audit entry}'],
  reports: REPORTS.map(({ name }) => name),
}
/** Each relationship is named by its two devices. */
const WITHOUT_ID = 'relationships'
/** Resources that this folder does not name. */
export const newResources = listNewResources([...Object.keys(NAMED), WITHOUT_ID])
const OBJECTS: Readonly<Record<string, readonly string[]>> = {
  ...NAMED,
  ...Object.fromEntries(newResources.map((resource) => [resource, [0, 1].map((at) => getNewObject(resource, at))])),
}
/** The objects that objects of new resources refer to. */
const firstOnes: Ids = {
  ...Object.fromEntries(Object.entries(OBJECTS).map(([resource, [first = '']]) => [resource, first])),
  child: 'srv',
}
export const newObjects = buildNewObjects(newResources, firstOnes)
const ids: Ids = {
  ...firstOnes,
  delivery_id: '@{delivery}',
  run_id: 'no-run',
  operation_id: '1',
}

/** Values of filters that are texts or numbers, by the name of the field. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  name: ['zebra', 'ÄPFEL', 'a', '_', '%', 'web-2', '東京', 'ß', ''],
  username: ['USER', '_'],
  label: ['c-1', 'ä', ''],
  group: ['g1', 'G1'],
  q: [
    'web',
    'ZEBRA',
    'äpfel',
    '10.0.1.5',
    '10.0.1',
    'debian',
    'a_b',
    '%',
    '東京',
    'example.com',
    '02:00:00:00:00:12',
    'ß',
    '🗺',
  ],
  query: ['10.0.1.5', '10.0.0.0/24', 'h1.example.com', '02:00:00:00:00:12', '10.0.100.12', '2001:db8::20', 'Zebra'],
  managed_by: ['git', 'GIT', ''],
  mac: ['02:00:00:00:01:12', '020000000112'],
  vlan_id: [100, 101],
  tags: ['ä', 'WEB', 'odd'],
  from: ['@{after the sites}', '@{after the addresses}'],
  to: ['@{after the addresses}'],
  start_time: ['@{middle}'],
  end_time: ['@{middle}'],
  prefix_length: [24, 30],
  count: [2],
  days: [1, 30],
  min: [0, 50],
  object_id: ['sw', 'dc-0'],
  operation: ['devices.create', 'devices.bulk'],
  resource: ['devices', 'device'],
  resource_id: ['sw'],
  event: ['device.created'],
  author: ['me', 'asks'],
  type: ['A', 'contains'],
}
const CUSTOM: Readonly<Record<string, readonly string[]>> = {
  devices: [
    'custom.owner=Zebra',
    'custom.owner=zebra',
    'custom.owner=',
    'custom.watts.min=3',
    'custom.watts.max=5',
    'custom.peers=sw',
  ],
  networks: ['custom.tier=Ä', 'custom.tier=a', 'custom.tier='],
  datacenters: ['custom.code=c1-1', 'custom.code=C1-1', 'custom.code='],
  objects: [
    'kind_id=things&custom.size.min=2&sort=-custom.size',
    'kind_id=things&custom.serial=sn-1',
    'kind_id=things&custom.peer=obj-0&sort=custom.serial',
    'kind_id=things&custom.addr=10.0.1.2',
    'kind_id=things&custom.peer=',
    'kind_id=notes&custom.serial=x',
    'within=obj-0&sort=-name',
    'parent_id=',
  ],
}
const CUSTOM_SORTS: Readonly<Record<string, readonly string[]>> = {
  devices: ['custom.owner', '-custom.owner', 'custom.watts', '-custom.watts'],
  networks: ['custom.tier', '-custom.tier'],
  datacenters: ['custom.code', '-custom.code'],
}
const PAGES: readonly Input[] = [{ limit: 1 }, { limit: 5, offset: 3 }, { limit: 0 }]
const MOMENTS = ['@{after the sites}', '@{after the addresses}', '2025-01-01T00:00:00.000Z']

const isRead = ({ http, session }: AnyOperation) => http.startsWith('GET ') && session === undefined
const reads = operations.filter(isRead)
/** Its values are counters of the engine. */
const MEASURED = new Set(['database.status'])

const listFields = (op: AnyOperation): [string, FieldSchema][] =>
  Object.entries(getInputSchema(op.input).properties ?? {}).map(([name, schema]) => [name, stripNull(schema)])

/** Returns the input with the path and the required fields. */
const buildBase = (op: AnyOperation): Input => {
  const required = getInputSchema(op.input).required ?? []
  const params = paramsOf(op, ids)
  const given = required.flatMap((name) => (name in params ? [] : [[name, VALUES[name]?.[0] ?? 'x']]))
  return { ...Object.fromEntries(given), ...params, ...(op.name === 'lookup.show' && { query: '10.0.1.5' }) }
}

const listSorts = (schema: FieldSchema, noun: string): string[] => {
  const [, names = ''] = /\(\?:([\w|]+)\|custom/.exec(JSON.stringify(schema)) ?? []
  const own = names.split('|').flatMap((name) => [name, `-${name}`])
  return [...own, ...(CUSTOM_SORTS[noun] ?? []), 'nonsense']
}

const listValues = (name: string, schema: FieldSchema, noun: string): readonly unknown[] => {
  const item = stripNull(schema.items ?? schema)
  if (name === 'sort') return listSorts(schema, noun)
  if (name === 'as_of' || name === 'limit' || name === 'offset') return []
  if (item.ref !== undefined) return [...(OBJECTS[item.ref] ?? []), 'none']
  const choices = listChoices(item)
  if (choices.length > 0) return choices
  const added = newResources.find((resource) => resource === noun)
  if (added && !(name in VALUES)) return listNewValues(added, name, firstOnes)
  return item.type === 'boolean' ? [true, false] : (VALUES[name] ?? [])
}

const withShape = (call: Call): Call => (MEASURED.has(call.op) ? { ...call, hasOnlyShape: true } : call)

const withFilters = (op: AnyOperation, base: Input): Call[] => {
  const noun = getNoun(op)
  const { params } = parseHttp(op.http)
  return listFields(op).flatMap(([name, schema]) => {
    const isPath = params.includes(name) && name !== 'query'
    const values = isPath ? (OBJECTS[schema.ref ?? noun] ?? []).slice(1) : listValues(name, schema, noun)
    return values.map((value) => compare(op.name, { ...base, [name]: value }))
  })
}

/** Returns all reads with each filter, order, page and moment. */
export const buildReads = (): readonly Call[] =>
  reads.flatMap((op) => {
    const base = buildBase(op)
    const names = listFields(op).map(([name]) => name)
    const read = (more: Input, query?: string) =>
      compare(op.name, { ...base, ...more }, query === undefined ? {} : { query })
    return [
      read({}),
      ...withFilters(op, base),
      ...(names.includes('limit') ? PAGES.map((page) => read(page)) : []),
      ...(names.includes('custom') ? (CUSTOM[getNoun(op)] ?? []).map((query) => read({}, query)) : []),
      ...(op.supportsAsOf ? MOMENTS.map((as_of) => read({ as_of })) : []),
      read({}, 'nonsense=1'),
      // The same address again: its ETag has not changed.
      read({}),
      { ...read({}), headers: { 'If-None-Match': '*' } },
    ].map(withShape)
  })

/** Returns the reads of the lists of the NetBox API. */
export const buildNetboxReads = (): readonly Call[] =>
  endpoints.flatMap((one) => (isNetboxRoute(one) && /^GET [^{]*$/.test(one.http) ? [compare(one.name)] : []))

/** Returns the reads of a caller with rights that end at a scope, with each order and a page. */
export const buildScopedReads = (): readonly Call[] =>
  reads
    .filter(({ scope }) => scope !== undefined)
    .flatMap((op) => {
      const base = buildBase(op)
      const fields = listFields(op)
      const sorts = fields.flatMap(([name, schema]) => (name === 'sort' ? listSorts(schema, getNoun(op)) : []))
      const inputs = [
        {},
        ...sorts.map((sort) => ({ sort })),
        ...(fields.some(([name]) => name === 'limit') ? [{ limit: 3, offset: 1 }] : []),
      ]
      return inputs.map((more) => compare(op.name, { ...base, ...more }, { as: 'scoped' }))
    })

/** Returns previews of all writes of the inventory, which change nothing. */
export const buildPreviews = (): readonly Call[] =>
  operations
    .filter(({ hasHistory }) => hasHistory)
    .flatMap((op) =>
      callsAbout(op, { own: ids, about: ids }).flatMap(({ input, field }) =>
        (field === 'path' ? [true, 'changes'] : [true]).map((dry_run) => compare(op.name, { ...input, dry_run })),
      ),
    )

const buildUnknownParams = (op: { readonly http: RawHttp }): Input =>
  Object.fromEntries(parseHttp(op.http).params.map((name) => [name, 'unknown']))

/** Returns the calls without credentials, without a permission and about unknown objects. */
export const buildRefusals = (): readonly Call[] =>
  endpoints.flatMap((op) => {
    const unknown = buildUnknownParams(op)
    const isOperation = 'effect' in op
    const input = isOperation ? { ...buildBase(op), ...unknown } : unknown
    return [
      ...(op.access === 'public' ? [] : [compare(op.name, input, { as: 'guest' })]),
      ...(listPermissions(op.access).length > 0 ? [compare(op.name, input, { as: 'nobody' })] : []),
      ...(Object.keys(unknown).length > 0 ? [compare(op.name, { ...buildExample(op), ...unknown })] : []),
    ]
  })

/** Returns an input that a create or an update takes, about objects that exist. */
const buildExample = (op: { readonly name: string }): Input => {
  const found = operations.find(({ name }) => name === op.name)
  const [call] = found ? callsAbout(found, { own: ids, about: ids }) : []
  return call?.input ?? {}
}

/** Returns the calls with all fields wrong, with an unknown field and with a body that is none. */
export const buildInvalidCalls = (): readonly Call[] =>
  operations
    .filter(({ http, session }) => /^(POST|PUT) /.test(http) && session === undefined)
    .flatMap((op) => {
      const { params } = parseHttp(op.http)
      const good = buildExample(op)
      const fields = listFields(op).filter(([name]) => !params.includes(name))
      const wrong = fields.map(([name, { type }]) => [name, type === 'object' ? 'text' : { wrong: 1 }])
      return [
        ...(wrong.length > 0 ? [compare(op.name, { ...good, ...Object.fromEntries(wrong) })] : []),
        compare(op.name, { ...good, nonsense: 1, dry_run: true }),
        compare(op.name, good, { text: '{' }),
      ]
    })

/** Paths of single objects. */
const objects = new Set<string>(
  reads.filter(({ output }) => !(output instanceof z.ZodArray)).map(({ http }) => parseHttp(http).path),
)
/** Changes of single objects that can be read, and so have an ETag. */
export const changes: readonly AnyOperation[] = operations
  .filter(({ http, session }) => /^(PUT|DELETE) /.test(http) && session === undefined)
  .filter((op) => objects.has(parseHttp(op.http).path))

/** Returns the changes of objects with an ETag that they no longer have. */
export const buildStaleChanges = (): readonly Call[] =>
  changes.map((op) => compare(op.name, paramsOf(op, ids), { headers: { 'If-Match': '"stale"' } }))
