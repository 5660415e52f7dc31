/** Converts a phpIPAM, from a `mysqldump` or the JSON of its API. */
import type { Converter, EstateDocument } from '../converter.ts'
import { bufferOf, checkUnpacked, checkUtf8 } from '../file-text.ts'
import { JsonFile } from '../json-file.ts'
import { ReportBuilder } from '../report-builder.ts'
import { addressesOf, devicesOf } from './devices.ts'
import type { Mapping } from './mapping.ts'
import { readJson } from './read-json.ts'
import { readSql } from './read-sql.ts'
import { reservationsOf } from './reservations.ts'
import { spacesOf } from './spaces.ts'
import { datacentersOf, subnetsOf } from './subnets.ts'
import { PhpipamTables } from './tables.ts'
import { vlansOf } from './vlans.ts'

/** The reason for which rows of a table are left over. */
const REASONS: Readonly<Record<string, string>> = {
  devices: 'has no number, or stands in the file twice',
  locations: 'has no number, or stands in the file twice',
  subnets: 'is a folder, is no subnet, or stands in the file twice',
  l2domains: 'has no place in Plat but its name at its VLANs',
  vlans: 'has no number from 1 to 4094, or stands in the file twice',
}

const leaveOthers = ({ tables, report, done }: Mapping): void => {
  for (const table of tables.names)
    for (const row of tables.of(table))
      if (!done.has(row)) report.left(table, REASONS[table] ?? 'has no place in Plat', row)
}

const readFile = (bytes: Buffer) => {
  const file = new JsonFile(bytes)
  if (!file.isObject(file.start)) return { source: 'mysqldump', ...parts(readSql(bytes)) }
  checkUtf8(bytes)
  return { source: 'json', ...parts(readJson(file)) }
}

const parts = ({ tables, unread }: ReturnType<typeof readSql> | ReturnType<typeof readJson>) => ({ tables, unread })

export const convertPhpipam: Converter = (bytes) => {
  const buffer = bufferOf(bytes)
  checkUnpacked(buffer)
  const { source, tables, unread } = readFile(buffer)
  const report = new ReportBuilder()
  const mapping: Mapping = { tables: new PhpipamTables(tables, report), report, done: new Set() }
  const datacenters = datacentersOf(mapping)
  const spaces = spacesOf(mapping)
  const vlans = vlansOf(mapping)
  const subnets = subnetsOf(mapping, { spaces, vlans })
  const addresses = addressesOf(mapping, subnets)
  const devices = devicesOf(mapping, subnets, addresses)
  const reservations = reservationsOf(mapping, addresses, devices.taken)
  const documents: EstateDocument = {
    ...(spaces.rows.length > 0 && { spaces: spaces.rows }),
    datacenters,
    vlans: vlans.rows,
    networks: subnets.rows,
    pools: reservations.pools,
    devices: devices.rows,
    reservations: reservations.rows,
  }
  leaveOthers(mapping)
  for (const [table, count] of unread) report.dropped(table, 'is not read', count)
  return { source, documents, hosts: [], report: report.report(documents), leftover: report.leftover() }
}
