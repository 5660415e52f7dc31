/** Converts the SQLite file of rackd. Ids are kept. */
import type { EstateDocument, WholeConverter } from '../converter.ts'
import { createFileError } from '../converter.ts'
import { checkUnpacked } from '../file-text.ts'
import { listPacks } from '../objects/packs.ts'
import { ReportBuilder } from '../report-builder.ts'
import { RackdCustom } from './custom-fields.ts'
import { buildDevices, buildRelationships } from './devices.ts'
import type { Ids, Mapping } from './mapping.ts'
import { buildObjects } from './objects.ts'
import { buildDatacenters, buildNetworks, buildPools } from './places.ts'
import { RackdTables } from './rackd-tables.ts'
import { buildReservations } from './reservations.ts'
import { SqliteFile } from './sqlite-file.ts'

/** The reason for which rows of a table are left over. */
const REASONS: Readonly<Record<string, string>> = {
  custom_field_values: 'is of no device of the file',
  datacenters: 'has no valid id',
  device_relationships: 'is between no two devices of the file, or of no known type',
  devices: 'has no valid id',
  network_pools: 'has no valid id, or is outside of its network',
  networks: 'has no valid id or subnet',
  reservations: 'has no valid id',
}

const leaveOthers = ({ tables, report, done }: Mapping): void => {
  for (const table of tables.names)
    for (const row of tables.of(table))
      if (!done.has(row)) report.left(table, REASONS[table] ?? 'has no place in Plat', row)
}

const readTables = (bytes: Uint8Array, report: ReportBuilder): RackdTables => {
  const file = new SqliteFile(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  try {
    const tables = new RackdTables(file, report)
    if (!tables.names.includes('devices') || !tables.names.includes('network_pools'))
      throw createFileError('the file', 'is no database of rackd: it has no tables devices and network_pools')
    return tables
  } finally {
    file.close()
  }
}

export const convertRackd: WholeConverter = (bytes, { now, ...options }) => {
  checkUnpacked(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const report = new ReportBuilder(options)
  const mapping: Mapping = { tables: readTables(bytes, report), report, done: new Set() }
  const ids: Ids = { datacenters: new Set(), networks: new Set(), pools: new Set() }
  const datacenters = buildDatacenters(mapping, ids)
  const networks = buildNetworks(mapping, ids)
  const pools = buildPools(mapping, ids)
  const custom = new RackdCustom(mapping)
  const devices = buildDevices(mapping, ids, custom)
  const objects = buildObjects(mapping, ids, custom)
  const lists: EstateDocument = {
    datacenters,
    networks,
    pools,
    devices: devices.rows,
    ...(objects.rows.length > 0 && { objects: objects.finish() }),
    relationships: buildRelationships(mapping),
    reservations: buildReservations(mapping, ids, { taken: devices.taken, now }),
  }
  const fields = custom.finish(lists)
  const documents: EstateDocument = { ...(fields.length > 0 && { 'custom-fields': fields }), ...lists }
  leaveOthers(mapping)
  return {
    ...{ source: 'sqlite', documents, hosts: [], packs: listPacks(fields, objects.packs, custom.packs) },
    ...{ report: report.report(documents), leftover: report.leftover() },
  }
}
