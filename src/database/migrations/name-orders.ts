/**
 * The collation keys of names that migrations 0071 and 0074 add: the tables, their indexes, and the function and triggers of PostgreSQL.
 * Statements of migrations follow from it, so it never changes. A table of a later migration has the column from the beginning.
 */
import type { Engine, Index } from '../database.ts'

/** The parts of the DDL of the engines that differ here. */
type Ddl = { readonly engine: Engine; readonly text: string }

export type NamedTable = {
  readonly table: string
  /** The column of the name key, and of the collation key. */
  readonly key: string
  readonly order: string
  /** The column of the collation key is older. */
  readonly hasColumn?: true
  /** The columns of the primary key, if it is not `id`. */
  readonly id?: readonly string[]
  /** The columns within which name keys are unique; absent if several objects may have one name. */
  readonly unique?: readonly string[]
  /** Columns of other texts in lower case, which are composed as the name key is. */
  readonly texts?: readonly string[]
  /** The indexes of lists in this order, by the ends of their names. */
  readonly indexes: Readonly<Record<string, string>>
  /** Indexes of earlier orders, which only older programs need. They work beside this one on PostgreSQL only. */
  readonly replaced?: readonly string[]
}

const NAME = { key: 'name_key', order: 'name_order' }
const MANAGED = "(managed_by, name_order, id) WHERE managed_by <> ''"
const AREA = '(area, name_order, id) WHERE area <> 0'
const IN_ORDER = { in_order: '(name_order, id)' }

/** The tables of objects that change seldom, and of ports and cables. */
export const NAMED_TABLES: readonly NamedTable[] = [
  { table: 'roles', ...NAME, unique: [], indexes: {} },
  { table: 'groups', ...NAME, unique: [], indexes: {} },
  { table: 'scopes', ...NAME, unique: [], indexes: {} },
  {
    table: 'users',
    key: 'username_key',
    order: 'username_order',
    unique: [],
    indexes: { in_order: '(username_order, id)' },
  },
  { table: 'api_keys', ...NAME, unique: ['user_id'], indexes: IN_ORDER },
  { table: 'oauth_clients', ...NAME, indexes: IN_ORDER },
  { table: 'sso_providers', ...NAME, unique: [], indexes: {} },
  { table: 'credentials', ...NAME, indexes: IN_ORDER },
  { table: 'webhooks', ...NAME, indexes: IN_ORDER },
  { table: 'feeds', ...NAME, indexes: IN_ORDER },
  { table: 'dns_providers', ...NAME, indexes: IN_ORDER },
  { table: 'dns_zones', key: 'name', order: 'name_order', indexes: IN_ORDER },
  { table: 'dns_records', key: 'name', order: 'name_order', indexes: { in_order: '(zone_id, name_order, type, id)' } },
  { table: 'spaces', ...NAME, unique: [], indexes: IN_ORDER },
  { table: 'custom_fields', ...NAME, unique: ['resource'], texts: ['group_key'], indexes: {} },
  {
    ...{ table: 'datacenters', ...NAME },
    indexes: { ...IN_ORDER, owned: MANAGED, in_area: AREA },
    replaced: ['datacenters_managed_by', 'datacenters_area'],
  },
  {
    ...{ table: 'device_types', ...NAME, texts: ['natural_key'] },
    indexes: { ...IN_ORDER, owned: MANAGED },
    replaced: ['device_types_managed_by'],
  },
  {
    ...{ table: 'racks', ...NAME },
    indexes: { ...IN_ORDER, owned: MANAGED },
    replaced: ['racks_managed_by'],
  },
  {
    ...{ table: 'vlans', ...NAME, texts: ['group_key', 'natural_key'] },
    indexes: {
      ...IN_ORDER,
      by_number: '(vlan_id, name_order, id)',
      owned: "(managed_by, vlan_id, name_order, id) WHERE managed_by <> ''",
    },
    replaced: ['vlans_order', 'vlans_managed_by'],
  },
  {
    ...{ table: 'networks', ...NAME },
    indexes: { ...IN_ORDER, owned: MANAGED, in_area: AREA },
    replaced: ['networks_managed_by', 'networks_area'],
  },
  {
    ...{ table: 'pools', ...NAME },
    indexes: { ...IN_ORDER, in_network: '(network_id, name_order, id)', owned: MANAGED, in_area: AREA },
    replaced: ['pools_network', 'pools_managed_by', 'pools_area'],
  },
  // Its indexes have the column already.
  { table: 'ports', key: 'name_key', order: 'sort_key', hasColumn: true, unique: ['device_id'], indexes: {} },
  {
    ...{ table: 'cables', key: 'label_key', order: 'label_order' },
    indexes: {
      in_order: '(label_order, id)',
      by_status: "(status, label_order, id) WHERE status <> 'connected'",
      owned: "(managed_by, label_order, id) WHERE managed_by <> ''",
    },
    replaced: ['cables_status', 'cables_managed_by'],
  },
]

/** The largest and busiest tables. Writers lock their rows in this order. */
export const BUSY_TABLES: readonly NamedTable[] = [
  {
    ...{ table: 'devices', ...NAME, texts: ['search_text'] },
    indexes: {
      in_order: '(name_order, id, status)',
      in_datacenter: '(datacenter_id, name_order, id)',
      of_type: '(device_type_id, name_order, id) WHERE device_type_id IS NOT NULL',
      in_rack: '(rack_id, name_order, id) WHERE rack_id IS NOT NULL',
      owned: MANAGED,
      in_area: AREA,
    },
    replaced: ['devices_datacenter', 'devices_type', 'devices_rack', 'devices_managed_by', 'devices_area'],
  },
  {
    ...{ table: 'history', key: 'sort_key', order: 'order_key', id: ['kind', 'id', 'seq'] },
    indexes: { in_order: '(kind, order_key, id, seq) WHERE sort_key IS NOT NULL' },
    replaced: ['history_sort'],
  },
]

/** True for a row with a collation key that does not belong to its name key. */
export const buildStale = (engine: Engine, { key, order }: NamedTable, row = ''): string =>
  engine === 'sqlite'
    ? `substr(${row}${order}, -(length(${row}${key}) + 1)) <> char(1) || ${row}${key}`
    : `right(${row}${order}, length(${row}${key}) + 1) <> chr(1) || ${row}${key}`

/** The zeros of the scripts with decimal digits, which NFKD keeps. */
const ZEROS =
  '0660 06F0 07C0 0966 09E6 0A66 0AE6 0B66 0BE6 0C66 0CE6 0D66 0DE6 0E50 0ED0 0F20 1040 1090 17E0 1810 1946 19D0 1A80 1A90 1B50 1BB0 1C40 ' +
  '1C50 A620 A8D0 A900 A9D0 A9F0 AA50 ABF0 104A0 10D30 10D40 11066 110F0 11136 111D0 112F0 11450 114D0 11650 116C0 116D0 116DA 11730 118E0 ' +
  '11950 11BF0 11C50 11D50 11DA0 11DE0 11F50 16130 16A60 16AC0 16B50 16D70 1E140 1E2F0 1E4F0 1E5F1 1E950'

/** Digits in the form of U&'...' of SQL, so that the statement is ASCII. */
const formatDigits = (): string =>
  ZEROS.split(' ')
    .flatMap((zero) => Array.from({ length: 10 }, (_, i) => Number.parseInt(zero, 16) + i))
    .map((code) => `\\+${code.toString(16).padStart(6, '0')}`)
    .join('')

/** `toNameOrder` of `src/net/name-order.ts`, for rows of older programs. Only UTF-8 has the forms of composed letters. */
const createOrderFunction =
  (): string => `CREATE FUNCTION to_name_order(name_key TEXT) RETURNS TEXT LANGUAGE plpgsql STABLE AS $$
DECLARE
  letters TEXT COLLATE "C" := name_key;
  composed TEXT := name_key;
BEGIN
  IF letters ~ '[^ -~]' AND current_setting('server_encoding') = 'UTF8' THEN
    composed := normalize(name_key, NFC);
    letters := lower(normalize(name_key, NFKD) COLLATE "C");
    letters := regexp_replace(letters, '[\\u0001-\\u001f\\u007f-\\u009f\\u00ad\\u0300-\\u036f\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u20d0-\\u20ff\\u3099\\u309a\\ufe00-\\ufe0f\\ufe20-\\ufe2f\\ufeff]', '', 'g');
    letters := translate(letters, U&'\\00f8\\0142\\0111\\00f0\\0127\\0131\\014b\\0167', 'olddhint');
    letters := replace(replace(replace(replace(letters, U&'\\00df', 'ss'), U&'\\00e6', 'ae'), U&'\\0153', 'oe'), U&'\\00fe', 'th');
    letters := translate(letters, U&'${formatDigits()}', repeat('0123456789', ${ZEROS.split(' ').length}));
  END IF;
  IF letters ~ '[0-9]' THEN
    SELECT string_agg(
      CASE WHEN part !~ '^[0-9]' THEN part
        WHEN length(ltrim(part, '0')) < 9 THEN length(ltrim(part, '0'))::text || ltrim(part, '0')
        ELSE '9' || lpad(length(ltrim(part, '0'))::text, 4, '0') || ltrim(part, '0') END, '' ORDER BY place)
    INTO letters
    FROM (SELECT matched[1] AS part, place
      FROM regexp_matches(letters, '[0-9]+|[^0-9]+', 'g') WITH ORDINALITY AS matches (matched, place)) AS parts;
  END IF;
  RETURN left(letters, 300) || chr(1) || composed;
END $$`

/** The function of the triggers of a table. A name key that need not be unique is composed as well. */
const getTriggerFunction = ({ key, order, unique }: NamedTable): string =>
  `set_${key}_to_${order}${unique === undefined ? '_composed' : ''}`

/** Returns the statements that give the rows of older programs their keys, which work beside this one on PostgreSQL. */
export const createTriggers = (tables: readonly NamedTable[]): string[] => {
  const functions = new Map(tables.map((one) => [getTriggerFunction(one), one]))
  return [
    ...[...functions].map(([name, { key, order, unique }]) =>
      [
        `CREATE OR REPLACE FUNCTION ${name}() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN`,
        `  NEW.${order} := to_name_order(NEW.${key});`,
        ...(unique === undefined
          ? [`  NEW.${key} := substr(NEW.${order}, position(chr(1) IN NEW.${order}) + 1);`]
          : []),
        '  RETURN NEW;',
        'END $$',
      ].join('\n'),
    ),
    ...tables.map(
      (one) => `CREATE TRIGGER ${one.table}_name_order BEFORE INSERT OR UPDATE ON ${one.table} FOR EACH ROW
  WHEN (${buildStale('postgres', one, 'NEW.')}) EXECUTE FUNCTION ${getTriggerFunction(one)}()`,
    ),
  ]
}

/** Returns the statements that add the columns, and what keeps them right. */
export const addNameOrders = (tables: readonly NamedTable[], { engine, text }: Ddl): string[] => [
  ...tables.flatMap(({ table, order, hasColumn }) =>
    hasColumn ? [] : [`ALTER TABLE ${table} ADD COLUMN ${order} ${text} NOT NULL DEFAULT ''`],
  ),
  ...(engine === 'sqlite'
    ? tables.flatMap(({ replaced = [] }) => replaced.map((name) => `DROP INDEX ${name}`))
    : createTriggers(tables)),
]

export const createOrderFunctions = ({ engine }: Ddl): string[] =>
  engine === 'postgres' ? [createOrderFunction()] : []

/** Returns the indexes of lists in the order of names, and of the rows without a key of their name. */
export const listOrderIndexes = (tables: readonly NamedTable[], { engine }: Ddl): Index[] =>
  tables.flatMap((one) => {
    const { table, id = ['id'], indexes } = one
    return [
      ...Object.entries(indexes).map(([end, on]) => ({ name: `${table}_${end}`, on: `${table} ${on}` })),
      { name: `${table}_out_of_order`, on: `${table} (${id.join(', ')}) WHERE ${buildStale(engine, one)}` },
    ]
  })
