/** Parts that the rows of all resources need: references by id, and lines for values without a field. */
import { cidrHolds, parseCidr } from '../../net/cidr.ts'
import { type Ip, parseIp } from '../../net/ip.ts'
import type { Line, ReportBuilder } from '../report-builder.ts'
import { trimText } from '../rows/row-text.ts'
import type { RackdTables } from './rackd-tables.ts'
import type { SqlRow } from './sqlite-file.ts'

export type Mapping = {
  readonly tables: RackdTables
  readonly report: ReportBuilder
  /** Rows of the source that have their place. All others are left over. */
  readonly done: Set<SqlRow>
}

export type IdRef = { readonly id: string }

/** Ids of the rows of the document, by table. */
export type Ids = { readonly datacenters: Set<string>; readonly networks: Set<string>; readonly pools: Set<string> }

/** Returns a reference to a row of the document. */
export const findRef = (ids: ReadonlySet<string>, id: unknown): IdRef | undefined =>
  typeof id === 'string' && ids.has(id) ? { id } : undefined

export const toText = ({ report }: Mapping, at: readonly [string, unknown], value: unknown, max?: number): string =>
  value === undefined ? '' : trimText(report, { what: at[0], id: at[1] }, String(value), max)

const TIMES = new Set(['created_at', 'updated_at', 'reserved_at'])

type Values = { readonly table: string; readonly row: SqlRow; readonly used: ReadonlySet<string> }

/** Returns a line for each value that no field of the row holds. */
export const listLines = ({ report }: Mapping, { table, row, used }: Values): Line[] =>
  Object.entries(row).flatMap(([key, value]) => {
    if (key === 'id' || used.has(key)) return []
    if (!TIMES.has(key)) return [{ key, value }]
    report.left(`${table}.${key}`, 'Plat keeps its own times', { id: row.id, value })
    return []
  })

/** Returns a line for a reference to an object that is not in the file. */
export const listDanglingLine = (key: string, value: unknown, found: IdRef | undefined): Line[] =>
  value === undefined || found ? [] : [{ key, value }]

export const toIp = (value: unknown): Ip | undefined => parseIp(String(value ?? ''))

export const hasAddresses = (subnet: unknown, ...ips: readonly Ip[]): boolean => {
  const cidr = parseCidr(String(subnet ?? ''))
  return cidr !== undefined && ips.every((ip) => cidrHolds(cidr, ip))
}
