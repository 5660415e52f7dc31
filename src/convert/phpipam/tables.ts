/** The tables of phpIPAM: their names in dumps and in answers of its API, and the rows that they have. */
import { getOwn } from '../../contract/own.ts'
import { createFileError } from '../converter.ts'
import type { ReportBuilder } from '../report-builder.ts'
import { isSecret } from '../secret-fields.ts'

/** The values of a row that are not empty, as text. */
export type Row = Record<string, string>
export type Tables = Map<string, Row[]>

/** Names in the database that differ from the names of the API. */
const NAMES: Readonly<Record<string, string>> = { ipaddresses: 'addresses', vlanDomains: 'l2domains', vrf: 'vrfs' }
/** Returns the name of a table as the API has it. */
export const getTableName = (name: string): string => getOwn(NAMES, name) ?? name

/** Accounts, secrets, the settings of phpIPAM itself, and logs with copies of earlier values. */
const UNREAD = new Set(
  (
    'users usersAuthMethod api apiLock php_sessions vaults vaultItems passkeys settings settingsMail loginAttempts ' +
    'logs changelog lang widgets instructions nominatim nominatim_cache'
  ).split(' '),
)
export const isReadTable = (table: string): boolean => !UNREAD.has(table)

/** Names of fields in the API that differ from the columns, and columns of old versions. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  addresses: { ip: 'ip_addr', tag: 'state', deviceId: 'switch', dns_name: 'hostname' },
  devices: { ip: 'ip_addr' },
  subnets: { tag: 'state', deviceId: 'device' },
  vlans: { id: 'vlanId' },
  vrfs: { id: 'vrfId' },
}
export const getFieldName = (table: string, name: string): string => FIELDS[table]?.[name] ?? name

/** Returns the field of a column. Before 1.3.2 the host name of an address was its `dns_name`. */
export const getColumnField = (table: string, column: string): string =>
  table === 'addresses' && column === 'dns_name' ? 'hostname' : column

/** Tables of which every phpIPAM has at least one. */
const OWN_TABLES = ['subnets', 'addresses', 'sections', 'devices', 'vlans', 'locations', 'racks', 'vrfs']
/** A dump with a table of another program is none of phpIPAM: RackTables, Nautobot. */
const OTHER_TABLES = ['IPv4Network', 'RackObject', 'Object', 'dcim_device', 'extras_status']

/** @throws AppError VALIDATION_ERROR on `file` for a dump of another program */
export const checkTables = (names: ReadonlySet<string>): void => {
  const other = OTHER_TABLES.find((name) => names.has(name))
  if (other !== undefined) throw createFileError('the file', `is a dump of another program: it has the table ${other}`)
  if (names.size > 0 && !OWN_TABLES.some((name) => names.has(name)))
    throw createFileError('the file', 'is a dump of another program: it has no table of phpIPAM')
}

const KEYS: Readonly<Record<string, string>> = { vlans: 'vlanId', vrfs: 'vrfId', deviceTypes: 'tid' }
export const getKey = (table: string, row: Row): string | undefined => row[KEYS[table] ?? 'id']

/** The first text of these names a row for people. */
const LABELS = ['name', 'hostname', 'title', 'tname', 'cid', 'ctname', 'type', 'description']

export class PhpipamTables {
  readonly #tables: Tables
  readonly #byKey = new Map<string, Map<string, Row>>()

  /** Counts all rows, and removes the secrets among their values. */
  constructor(tables: Tables, report: ReportBuilder) {
    this.#tables = tables
    for (const [table, rows] of tables) {
      report.read(table, rows.length)
      const byKey = new Map<string, Row>()
      for (const row of rows) {
        for (const field of Object.keys(row)) {
          if (!isSecret(field) && !(table === 'scanAgents' && field === 'code')) continue
          delete row[field]
          report.dropped(`${table}.${field}`)
        }
        const key = getKey(table, row)
        if (key !== undefined && !byKey.has(key)) byKey.set(key, row)
      }
      this.#byKey.set(table, byKey)
    }
  }

  get names(): string[] {
    return [...this.#tables.keys()]
  }

  of(table: string): readonly Row[] {
    return this.#tables.get(table) ?? []
  }

  /** Returns a row by its number; `0` and nothing name none. */
  find(table: string, key: string | undefined): Row | undefined {
    return key === undefined || key === '0' ? undefined : this.#byKey.get(table)?.get(key)
  }

  label(table: string, key: string | undefined): string {
    if (key === undefined || key === '0') return ''
    const row = this.find(table, key)
    const field = LABELS.find((name) => row?.[name] !== undefined)
    return (field === undefined ? undefined : row?.[field]) ?? `#${key}`
  }
}
