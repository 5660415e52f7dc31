/**
 * The tables of the estate as of a moment, or as a proposal would leave it: the stored rows of objects that are the same, and rows cut
 * out of the documents of the others. Derived tables follow from these.
 */
import type { TableView } from '../../../database/cte-views.ts'
import type { PastSql } from '../../../database/query/past-sql.ts'
import type { Tables } from '../../../database/tables.ts'
import { FACTS, INVENTORY, RESOURCES, toTableName } from '../../../inventory/resources.ts'
import { getLabel, getOrderColumn, listColumns, listKeyedFields } from '../../../resource/columns.ts'
import { hasRefs, listFields, type ResourceFacts } from '../../../resource/facts.ts'
import { type Kind, toKind } from '../kind-names.ts'
import { PLAIN } from '../kinds.ts'
import { buildMembershipTables, buildOccupancyTables } from './past-derived.ts'
import { buildCableColumns, buildCableEnds, buildPortColumns } from './past-ports.ts'
import {
  buildStates,
  buildStatesName,
  createIsSame,
  FOUND_ANYWHERE,
  type IsSame,
  type PastSource,
} from './past-source.ts'
import {
  buildMovedColumns,
  buildMovedPools,
  buildMovedReservations,
  buildSpaceKey,
  buildSpaceKeys,
  extractSpace,
  type MovedRows,
  selectNetworkSpace,
  selectPoolSpace,
} from './past-spaces.ts'

/** The tables that reads of the past name, but that are not of the estate. */
const EMPTY = [
  'audit',
  'conflict_members',
  'conflicts',
  'discovered_addresses',
  'discovered_devices',
  'discovered_identities',
  'discovered_texts',
  'discovery_scans',
  'scanner_states',
] as const satisfies readonly (keyof Tables)[]

/** The states of changed devices, which are read in the order of lists. */
const LISTED_DEVICES = 'then_device_in_order'

/** The means by which all tables are built. */
type Builder = { readonly engine: PastSql; readonly isSame: IsSame }

/** The columns of a table, each with its value out of `t`, a row of `then_<kind>`. */
type Columns = Readonly<Record<string, string>>

type Stored = {
  readonly table: keyof Tables
  readonly kind: Kind
  /** The id of the object, by the columns of `s`, a stored row. */
  readonly id: string
  readonly columns: Columns
  /** Further items of the FROM clause. */
  readonly elements?: string
  /** The states that rows are cut out of; by default the states of the kind. */
  readonly states?: string
  /** The rows of unchanged objects that were in another space. */
  readonly moved?: MovedRows
}

/** Builds a table with rows that are stored for the present, and cut out of documents for the past. */
const buildTable = (
  { engine, isSame }: Builder,
  { table, kind, id, columns, elements, states = buildStatesName(kind), moved }: Stored,
): TableView => {
  const names = Object.keys(columns)
  const cut = names.map((name) => `${columns[name]} AS "${name}"`)
  const isUnmoved = moved ? ` AND NOT EXISTS (SELECT 1 FROM ${moved.from} AS m WHERE m.id = s.id)` : ''
  const movedRows =
    moved &&
    `SELECT ${buildMovedColumns(engine, names, moved)} FROM ${moved.from} AS m CROSS JOIN ${engine.stored(table)} AS s
      WHERE s.id = m.id AND ${isSame(kind, id)}`
  return {
    name: table,
    stored: [table, ...(moved ? ['space_keys'] : [])],
    // A column may have the name of a keyword.
    sql: `SELECT ${names.map((name) => `s."${name}"`).join(', ')} FROM ${engine.stored(table)} AS s
      WHERE ${isSame(kind, id)}${isUnmoved}${movedRows ? ` UNION ALL ${movedRows}` : ''}
      UNION ALL SELECT ${cut.join(', ')} FROM ${[`${states} AS t`, ...(elements ? [elements] : [])].join(', ')}`,
  }
}

/** Returns the name of a table in steps. */
const buildStepsName = (table: string): string => `${table}_in_steps`

/** Builds a table like `buildTable`, with all stored rows: `is_then` is 0 where the object has changed since. */
const buildStepsTable = ({ engine, isSame }: Builder, { table, kind, id, columns, states }: Stored): TableView => {
  const names = Object.keys(columns)
  const cut = names.map((name) => `${columns[name]} AS ${name}`)
  return {
    name: buildStepsName(table),
    stored: [table],
    sql: `SELECT ${names.map((name) => `s.${name}`).join(', ')}, CAST(${isSame(kind, id)} AS INTEGER) AS is_then
      FROM ${engine.stored(table)} AS s
      UNION ALL SELECT ${cut.join(', ')}, CAST(1 AS INTEGER) FROM ${states} AS t`,
  }
}

const buildFields = (engine: PastSql, names: readonly string[]): Columns =>
  Object.fromEntries(names.map((name) => [name, engine.text('t.before', name)]))

/**
 * Returns the values of the custom fields that searches found, by the definitions of then. Texts beyond ASCII are beside the document.
 */
const selectSearchedValues = (engine: PastSql): string => {
  const searched =
    "SELECT f.name FROM custom_fields AS f WHERE f.resource = 'devices' AND (f.searchable = 1 OR f.type = 'ip')"
  const valuesIn = (json: string, as: (text: string) => string): string => {
    const { from, key, text } = engine.entries(json, 'custom', 'c')
    return `SELECT string_agg('\n' || ${as(text)}, '' ORDER BY ${key}) FROM ${from} WHERE ${key} IN (${searched})`
  }
  const given = valuesIn('t.before', (text) => `lower(${text})`)
  return `coalesce((${valuesIn('t.derived', (text) => text)}), (${given}), '')`
}

type AddressText = 'mac_address' | 'dns_name' | 'interface' | 'label'

/** In the form of `search-text.ts`. Texts beyond ASCII are beside the document. */
const selectSearchText = (engine: PastSql): string => {
  const { text, elements } = engine
  const fields = ['name', 'hostname', 'description', 'make_model', 'os', 'location']
  const list = (field: string, of: AddressText | 'ip' | 'text'): string => {
    const one = elements('t.before', field, 'w')
    const value = of === 'text' ? one.text : one.field(of)
    const given = of === 'ip' || of === 'text' ? '' : ` WHERE ${value} <> ''`
    return `coalesce((SELECT string_agg('\n' || ${value}, '' ORDER BY ${one.position}) FROM ${one.from}${given}), '')`
  }
  const parts = fields.map((field) => text('t.before', field)).join(" || '\n' || ")
  const addresses = (['ip', 'mac_address', 'dns_name'] as const).map((field) => list('addresses', field))
  const lists = [...addresses, list('tags', 'text'), list('domains', 'text')].join(' || ')
  const own = `coalesce(${text('t.derived', 'search')}, lower(${engine.bytewise(`${parts} || ${lists}`)}))`
  // Older texts beside documents lack them.
  const named = (['serial', 'asset_tag', 'role'] as const).map(
    (field) => `coalesce('\n' || ${text('t.before', field)}, '')`,
  )
  const later = [...(['interface', 'label'] as const).map((field) => list('addresses', field)), ...named].join(' || ')
  return `CAST(${own} || lower(${engine.bytewise(later)}) || ${selectSearchedValues(engine)} AS TEXT)`
}

const buildDeviceColumns = (engine: PastSql): Columns => ({
  // The number of a stored row. Searches of the past do not use it.
  seq: 'CAST(NULL AS BIGINT)',
  id: 't.id',
  ...buildFields(engine, ['name']),
  name_key: 't.sort_key',
  name_order: 't.order_key',
  hostname_key: `CAST(${selectHostname(engine)} AS TEXT)`,
  ...buildFields(engine, [
    ...['description', 'make_model', 'os', 'status', 'datacenter_id', 'username', 'location'],
    ...['managed_by', 'device_type_id', 'created_at', 'updated_at'],
  ]),
  rack_id: engine.text('t.before', 'mount', 'rack_id'),
  // Texts beyond ASCII are beside the document.
  ...Object.fromEntries(
    [
      ['serial_key', 'serial'],
      ['asset_key', 'asset_tag'],
      ['role_key', 'role'],
    ].map(([column, field = '']) => [
      column,
      `CAST(coalesce(${engine.text('t.derived', field)}, lower(${engine.text('t.before', field)})) AS TEXT)`,
    ]),
  ),
  search_text: selectSearchText(engine),
  doc: 't.before',
})

/** Host names are ASCII. */
const selectHostname = ({ text }: PastSql): string => `lower(${text('t.before', 'hostname')})`

/** Returns the columns of addresses. Their keys are beside the document, which is only read for other columns. */
const buildAddressColumns = (engine: PastSql) => {
  const { from, position, text } = engine.elements('t.derived', 'ips', 'e')
  const field = (name: string): string => engine.listField('t.before', { list: 'addresses', position, name })
  return {
    from,
    columns: {
      ...{ device_id: 't.id', position, ip: field('ip'), ip_key: text },
      ...{ network_id: field('network_id'), pool_id: field('pool_id') },
      ...{ mac_address: field('mac_address'), dns_name: field('dns_name') },
    },
  }
}

/** Returns the addresses of the devices that have changed since. */
const buildChangedAddresses = (engine: PastSql): TableView => {
  const { from, columns } = buildAddressColumns(engine)
  const { device_id, ip_key, network_id } = columns
  return {
    name: 'then_addresses',
    sql: `SELECT ${device_id} AS device_id, ${ip_key} AS ip_key, ${network_id} AS network_id FROM then_device AS t, ${from}`,
  }
}

/** Returns a list of texts of devices, which is a table. */
const buildDeviceTexts = (
  builder: Builder,
  table: keyof Tables,
  { field, column }: Record<'field' | 'column', string>,
) => {
  const { from, position, text } = builder.engine.elements('t.before', field, 'e')
  return buildTable(builder, {
    table,
    kind: 'device',
    id: 's.device_id',
    columns: { device_id: 't.id', position, [column]: text },
    elements: from,
  })
}

/** Returns the refs of all objects, which are in their documents. */
const buildRefsTable = ({ engine, isSame }: Builder): TableView => {
  const { from, key, text } = engine.entries('t.before', 'refs', 'e')
  const of = (kind: Kind, resource: string): string =>
    `SELECT s.resource, s.source, s.external_id, s.object_id FROM ${engine.stored('refs')} AS s
      WHERE s.resource = '${resource}' AND ${isSame(kind, 's.object_id')}
      UNION ALL SELECT '${resource}' AS resource, ${key} AS source, ${text} AS external_id, t.id AS object_id
      FROM ${buildStatesName(kind)} AS t, ${from}`
  const kinds = RESOURCES.flatMap((facts) => (hasRefs(facts) ? [of(toKind(facts.name), facts.name)] : []))
  return { name: 'refs', stored: ['refs'], sql: kinds.join(' UNION ALL ') }
}

/** SQL has 0 and 1 for false and true. */
const toFlag = (value: string): string => `CAST(CASE WHEN ${value} IN ('true', '1') THEN 1 ELSE 0 END AS INTEGER)`

/** Returns the columns that follow from the facts of a resource. */
const buildPlainColumns = (engine: PastSql, facts: ResourceFacts): Columns => {
  const label = getLabel(facts)
  const fields = new Map(listFields(facts))
  const isLater = (name: string): boolean => Object.hasOwn(facts.laterFields ?? {}, name)
  const columns = listColumns(facts).map((name) => {
    const value = engine.text('t.before', name)
    const { type, onlyWithValue } = fields.get(name) ?? {}
    if (type === 'flag') return [name, toFlag(value)]
    // A document of an earlier version lacks it.
    if (type === 'text' && isLater(name) && !onlyWithValue) return [name, `coalesce(${value}, '')`]
    if (type === 'integer') return [name, `CAST(${value} AS INTEGER)`]
    return [name, type === 'number' ? `CAST(${value} AS DOUBLE PRECISION)` : value]
  })
  const keys = listKeyedFields(facts).map((name) => [
    `${name}_key`,
    name === label ? 't.sort_key' : engine.text('t.derived', name),
  ])
  const order = getOrderColumn(facts)
  return {
    ...Object.fromEntries([...columns, ...keys]),
    ...(order !== undefined && { [order]: 't.order_key' }),
    id: 't.id',
  }
}

const buildInventoryTables = (builder: Builder): TableView[] => {
  const { engine, isSame } = builder
  const { text } = engine
  const addresses = buildAddressColumns(engine)
  const derived = (name: string): string => text('t.derived', name)
  const integer = (expression: string): string => `CAST(${expression} AS INTEGER)`
  const inNetwork = (key: string): string =>
    buildSpaceKey(engine, selectNetworkSpace(text('t.before', 'network_id')), key)
  const { tags: _, ...pool } = buildPlainColumns(engine, FACTS.pools)
  const tag = engine.elements('t.before', 'tags', 'e')
  const devices: Stored = {
    ...{ table: 'devices', kind: 'device', id: 's.id', states: LISTED_DEVICES },
    columns: buildDeviceColumns(engine),
  }
  return [
    buildRefsTable(builder),
    ...PLAIN.map((table) =>
      buildTable(builder, {
        table: toTableName(table),
        kind: toKind(table),
        id: 's.id',
        columns: buildPlainColumns(engine, FACTS[table]),
      }),
    ),
    buildTable(builder, {
      table: 'custom_fields',
      kind: 'custom-field',
      id: 's.id',
      columns: {
        ...buildPlainColumns(engine, FACTS['custom-fields']),
        // Stored as texts.
        ...buildFields(engine, ['minimum', 'maximum']),
        // Values of the past are read from documents, which have no numbers.
        number: integer('0'),
        default: derived('default'),
        group_key: derived('group'),
      },
    }),
    buildTable(builder, {
      table: 'networks',
      kind: 'network',
      id: 's.id',
      columns: {
        ...buildPlainColumns(engine, FACTS.networks),
        subnet_key: buildSpaceKey(engine, extractSpace(derived('first')), text('t.before', 'subnet')),
        prefix: integer(derived('prefix')),
        first_key: derived('first'),
        last_key: derived('last'),
      },
    }),
    ...buildMovedPools(engine, isSame),
    buildTable(builder, {
      table: 'pools',
      kind: 'pool',
      id: 's.id',
      columns: {
        ...pool,
        start_key: inNetwork(derived('start')),
        end_key: inNetwork(derived('end')),
      },
      moved: { from: 'past_moved_pools', keys: ['start_key', 'end_key'] },
    }),
    buildTable(builder, {
      table: 'pool_tags',
      kind: 'pool',
      id: 's.pool_id',
      columns: { pool_id: 't.id', position: tag.position, tag: tag.text },
      elements: tag.from,
    }),
    buildMovedReservations(engine, isSame),
    buildTable(builder, {
      table: 'reservations',
      kind: 'reservation',
      id: 's.id',
      columns: {
        ...buildPlainColumns(engine, FACTS.reservations),
        mac_address: `coalesce(${text('t.before', 'mac_address')}, '')`,
        ip_key: buildSpaceKey(engine, selectPoolSpace(text('t.before', 'pool_id')), derived('ip')),
      },
      moved: { from: 'past_moved_reservations', keys: ['ip_key'] },
    }),
    { ...buildTable(builder, devices), inSteps: buildStepsName(devices.table) },
    buildStepsTable(builder, devices),
    buildTable(builder, {
      table: 'addresses',
      kind: 'device',
      id: 's.device_id',
      columns: addresses.columns,
      elements: addresses.from,
    }),
    buildDeviceTexts(builder, 'device_tags', { field: 'tags', column: 'tag' }),
    buildDeviceTexts(builder, 'device_domains', { field: 'domains', column: 'domain' }),
    buildTable(builder, { table: 'ports', kind: 'port', id: 's.id', columns: buildPortColumns(engine, toFlag) }),
    buildTable(builder, { table: 'cables', kind: 'cable', id: 's.id', columns: buildCableColumns(engine) }),
    buildCableEnds(engine, isSame),
    buildTable(builder, {
      table: 'relationships',
      kind: 'relationship',
      id: "s.parent_id || ' ' || s.child_id || ' ' || s.type",
      columns: buildFields(engine, ['parent_id', 'child_id', 'type', 'notes', 'managed_by', 'created_at']),
    }),
  ]
}

/** The number of rows of later changes up to which it is faster to read them all than to look objects up. */
export const MAX_LATER_ROWS_READ = 1000

/**
 * Returns the definitions, each after the definitions that it needs.
 * @param areFew true if at most `MAX_LATER_ROWS_READ` rows of the source count
 */
export const buildPastTables = (engine: PastSql, source: PastSource, areFew: boolean): TableView[] => {
  const isSame = createIsSame(source)
  const found = source.find(engine)
  return [
    // Rules and locks have no past.
    ...INVENTORY.map(toKind)
      .filter((kind) => kind !== 'device')
      .map((kind) => buildStates(source, { kind, found: areFew ? found : FOUND_ANYWHERE })),
    buildStates(source, { kind: 'device', found }),
    // Pages look devices up by their ids, and lists read them in their order.
    buildStates(source, { kind: 'device', found: FOUND_ANYWHERE, name: LISTED_DEVICES }),
    buildSpaceKeys(engine, source.hasNewSpaces),
    ...buildInventoryTables({ engine, isSame }),
    buildChangedAddresses(engine),
    ...buildMembershipTables(engine, isSame),
    ...buildOccupancyTables(engine, source, isSame),
    ...EMPTY.map((name) => ({ name, stored: [name], sql: `SELECT * FROM ${engine.stored(name)} WHERE 1 = 0` })),
  ]
}
