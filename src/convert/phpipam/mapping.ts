/** Parts that the rows of all resources need: refs, and lines for values without a field. */
import { getOwn } from '../../contract/own.ts'
import type { EstateRow } from '../converter.ts'
import type { Line, ReportBuilder } from '../report-builder.ts'
import { hasTenant, isCustomColumn, type RowPlace } from './custom-fields.ts'
import { getKey, type PhpipamTables, type Row } from './tables.ts'

export type Mapping = {
  readonly tables: PhpipamTables
  readonly report: ReportBuilder
  /** Rows of the source that have their place. All others are left over. */
  readonly done: Set<Row>
  /** Returns the values of custom fields of a row as the document has them. */
  readonly custom: {
    /** @param packed values of fields of packs, by name */
    readonly of: (table: string, row: Row, packed?: EstateRow) => EstateRow | undefined
    /** Returns the values of an object of a kind. */
    readonly ofKind: (kind: string, packed: EstateRow, place: RowPlace) => EstateRow | undefined
  }
}

export const toRefs = (name: string, id: string) => ({ phpipam: `${name}.${id}` })
export const toRef = (name: string, id: string) => ({ ref: `phpipam:${name}.${id}` })
export type RowRef = ReturnType<typeof toRef>

/** Returns a reference to the datacenter of a location. */
export const findDatacenter = ({ tables }: Mapping, location: string | undefined): RowRef | undefined =>
  location !== undefined && tables.find('locations', location) ? toRef('location', location) : undefined

/** Settings and records of phpIPAM itself, by table. */
const SETTINGS: Readonly<Record<string, ReadonlySet<string>>> = {
  addresses: new Set('excludePing PTRignore PTR lastSeen editDate firewallAddressObject'.split(' ')),
  devices: new Set(
    (
      'editDate sections snmp_version snmp_port snmp_timeout snmp_queries snmp_v3_sec_level ' +
      'snmp_v3_auth_protocol snmp_v3_priv_protocol snmp_v3_ctx_name snmp_v3_ctx_engine_id'
    ).split(' '),
  ),
  locations: new Set(['editDate']),
  sections: new Set(
    'permissions strictMode subnetOrdering order editDate showSubnet showVLAN showVRF showSupernetOnly DNS masterSection'.split(
      ' ',
    ),
  ),
  vrfs: new Set(['editDate', 'sections', 'vrfId']),
  customers: new Set(['editDate']),
  subnets: new Set(
    (
      'allowRequests showName permissions pingSubnet discoverSubnet resolveDNS DNSrecursive DNSrecords scanAgent ' +
      'threshold editDate lastScan lastDiscovery firewallAddressObject'
    ).split(' '),
  ),
  vlans: new Set(['editDate']),
}

/** Fields that name a row of another table, by the name of the line. The table has its plural, unless it is named here. */
const REFERENCES: Readonly<Record<string, readonly [line: string, table?: string]>> = {
  circuit_id: ['circuit'],
  customer_id: ['customer'],
  device: ['device'],
  linked_subnet: ['linked_subnet', 'subnets'],
  location: ['location'],
  nameserverId: ['nameserver'],
  rack: ['rack'],
  sectionId: ['section'],
  state: ['state', 'ipTags'],
  switch: ['switch', 'devices'],
  type: ['type', 'deviceTypes'],
  vrfId: ['vrf'],
  vrf_id: ['vrf'],
}

/** The words for states, of files without the table that names them. */
const STATES: Readonly<Record<string, string>> = { '1': 'Offline', '2': 'Used', '3': 'Reserved', '4': 'DHCP' }

export const getState = ({ tables }: Mapping, state: string | undefined): string =>
  state === undefined ? '' : (tables.find('ipTags', state)?.type ?? getOwn(STATES, state) ?? state)

/** The state of an address that is in use, which needs no word. */
const USED_STATE = '2'

const toLine = (mapping: Mapping, field: string, value: string): Line => {
  const reference = getOwn(REFERENCES, field)
  if (!reference) return { key: field, value }
  const [key, table = `${key}s`] = reference
  if (field === 'state') return { key, value: value === USED_STATE ? '' : getState(mapping, value) }
  return { key, value: mapping.tables.label(table, value) }
}

/** The columns of phpIPAM; any other is a custom field, for which zero is a value. */
const COLUMNS = new Set(
  (
    'id is_gateway state switch location customer_id sectionId linked_subnet vrfId masterSubnetId vlanId device ' +
    'nameserverId isFolder isFull isPool rack rack_start type parent circuit_id vrf_id src_port dst_port'
  ).split(' '),
)

const isDefault = (field: string, value: string): boolean =>
  (value === '0' && COLUMNS.has(field)) || /^(?:0000-00-00|1970-01-01)/.test(value)

type Values = { readonly table: string; readonly row: Row; readonly used: ReadonlySet<string> }

/** Returns a line for each value that no field of the row holds, in the order of the file. Notes come last. */
export const listLines = (mapping: Mapping, { table, row, used }: Values): Line[] => {
  const lines: Line[] = []
  const last: Line[] = []
  for (const [field, value] of Object.entries(row)) {
    if (field === 'id' || used.has(field) || isDefault(field, value) || isCustomColumn(table, field)) continue
    if (field === 'customer_id' && hasTenant(mapping.tables, table, row)) continue
    if (SETTINGS[table]?.has(field)) {
      if (value !== '0')
        mapping.report.left(`${table}.${field}`, 'is a setting or a record of phpIPAM', {
          id: getKey(table, row),
          value,
        })
    } else (field === 'note' ? last : lines).push(toLine(mapping, field, value))
  }
  return [...lines, ...last]
}
