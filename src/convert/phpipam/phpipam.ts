/** Converts a phpIPAM, from a `mysqldump` or the JSON of its API. */
import type { EstateDocument, WholeConverter } from '../converter.ts'
import { checkUnpacked, checkUtf8, toBuffer } from '../file-text.ts'
import { JsonFile } from '../json-file.ts'
import { listPacks } from '../objects/packs.ts'
import { ReportBuilder } from '../report-builder.ts'
import { PhpipamCustom } from './custom-fields.ts'
import { buildDevices, collectAddresses } from './devices.ts'
import type { Mapping } from './mapping.ts'
import { buildObjects } from './objects.ts'
import { buildRacks } from './racks.ts'
import { readJson } from './read-json.ts'
import { readSql } from './read-sql.ts'
import { buildReservations } from './reservations.ts'
import { buildSpaces } from './spaces.ts'
import { buildDatacenters, buildSubnets } from './subnets.ts'
import { checkTables, PhpipamTables } from './tables.ts'
import { buildVlans } from './vlans.ts'

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
  if (!file.isObject(file.start)) {
    const { tables, unread, types } = readSql(bytes)
    checkTables(new Set([...tables.keys(), ...types.keys()]))
    return { source: 'mysqldump', tables, unread, types }
  }
  checkUtf8(bytes)
  const { tables, unread } = readJson(file)
  return { source: 'json', tables, unread, types: new Map() }
}

export const convertPhpipam: WholeConverter = (bytes, options) => {
  const buffer = toBuffer(bytes)
  checkUnpacked(buffer)
  const { source, tables: rows, unread, types } = readFile(buffer)
  const report = new ReportBuilder(options)
  const tables = new PhpipamTables(rows, report)
  const custom = new PhpipamCustom(tables, report, types)
  const mapping: Mapping = { tables, report, done: new Set(), custom }
  const datacenters = buildDatacenters(mapping)
  const spaces = buildSpaces(mapping)
  const vlans = buildVlans(mapping)
  const subnets = buildSubnets(mapping, { spaces, vlans })
  const addresses = collectAddresses(mapping, subnets)
  const racks = buildRacks(mapping)
  const devices = buildDevices(mapping, { subnets, racks }, addresses)
  const reservations = buildReservations(mapping, addresses, devices.taken)
  const objects = buildObjects(mapping)
  const lists: EstateDocument = {
    ...(spaces.rows.length > 0 && { spaces: spaces.rows }),
    datacenters,
    vlans: vlans.rows,
    networks: subnets.rows,
    pools: reservations.pools,
    ...(racks.rows.length > 0 && { racks: racks.rows }),
    devices: devices.rows,
    ...(objects.rows.length > 0 && { objects: objects.finish() }),
    reservations: reservations.rows,
  }
  const fields = custom.finish(lists, 'custom fields')
  const documents: EstateDocument = { ...(fields.length > 0 && { 'custom-fields': fields }), ...lists }
  leaveOthers(mapping)
  for (const [table, count] of unread) report.dropped(table, 'is not read', count)
  return {
    ...{ source, documents, hosts: [], packs: listPacks(fields, objects.packs, custom.packs) },
    ...{ report: report.report(documents), leftover: report.leftover() },
  }
}
