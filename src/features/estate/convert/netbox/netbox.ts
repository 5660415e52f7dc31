/** Converts a NetBox, from its REST API, `manage.py dumpdata` or a plain `pg_dump`. */
import { badFile, type Conversion, type Converter, type EstateDocument } from '../converter.ts'
import { bufferOf, checkUnpacked, checkUtf8 } from '../file-text.ts'
import { JsonFile } from '../json-file.ts'
import { ReportBuilder } from '../report-builder.ts'
import { linksOf } from './cables.ts'
import { devicesOf } from './devices.ts'
import { Interfaces } from './interfaces.ts'
import { type Mapping, NO_PLACE } from './mapping.ts'
import { NetboxModel } from './model.ts'
import { networksOf, poolsOf } from './networks.ts'
import type { NetboxSource } from './objects.ts'
import { datacentersOf } from './places.ts'
import { readDumpdata } from './read-dumpdata.ts'
import { checkEncoding, isPgDump, readPgDump } from './read-pg-dump.ts'
import { readRest } from './read-rest.ts'
import { reservationsOf } from './reservations.ts'
import { spacesOf } from './spaces.ts'
import { vlansOf } from './vlans.ts'

/** The reason for which objects of a kind are left over. */
const REASONS: Readonly<Record<string, string>> = {
  'dcim.cable': 'its ends are a relationship or have no place in Plat',
  'dcim.cabletermination': 'its cable is a relationship or has no place in Plat',
  'dcim.interface': 'has no place in Plat but its name and MAC address at its device',
  'dcim.macaddress': 'has no place in Plat but a line of its device',
  'ipam.aggregate': 'has an equal prefix, or is no network',
  'ipam.iprange': 'is in no network of its VRF',
  'ipam.prefix': 'is no network',
  'ipam.vlan': 'has no number from 1 to 4094',
  'ipam.vlangroup': 'has no place in Plat but its name at its VLANs',
  'virtualization.vminterface': 'has no place in Plat but its name and MAC address at its machine',
}

const leaveOthers = ({ model, report, done }: Mapping): void => {
  for (const kind of model.kinds)
    for (const object of model.of(kind))
      if (!done.get(kind)?.has(object.id)) report.left(kind, REASONS[kind] ?? NO_PLACE, object)
  for (const [kind, count] of model.source.unread) report.dropped(kind, 'is not read', count)
}

/** Converts the objects of any source. */
export const convertObjects = (source: NetboxSource): Conversion => {
  const report = new ReportBuilder()
  const model = new NetboxModel(source, report)
  const mapping: Mapping = { model, report, done: new Map() }
  const cables = model.cableEnds()
  const interfaces = new Interfaces(model, cables)
  const spaces = spacesOf(mapping)
  const datacenters = datacentersOf(mapping)
  const vlans = vlansOf(mapping)
  const networks = networksOf(mapping, vlans)
  const pools = poolsOf(mapping, networks)
  const context = { ...mapping, networks, interfaces, taken: new Set<string>() }
  const devices = devicesOf(context)
  const reservations = reservationsOf(context, pools)
  const documents: EstateDocument = {
    ...(spaces.length > 0 && { spaces }),
    datacenters,
    vlans: vlans.rows,
    networks: networks.rows,
    pools: [...pools.rows, ...reservations.pools],
    devices: devices.rows,
    relationships: [...devices.relationships, ...linksOf(mapping, interfaces, cables)],
    reservations: reservations.rows,
  }
  leaveOthers(mapping)
  return { source: source.form, documents, hosts: [], report: report.report(documents), leftover: report.leftover() }
}

const read = (bytes: Buffer): NetboxSource => {
  if (isPgDump(bytes)) {
    checkEncoding(bytes)
    checkUtf8(bytes)
    return readPgDump(bytes)
  }
  checkUtf8(bytes)
  const file = new JsonFile(bytes)
  if (file.isArray(file.start)) return readDumpdata(file)
  if (file.isObject(file.start)) return readRest(file)
  throw badFile('byte 0', 'is neither JSON of NetBox nor a plain pg_dump of its database')
}

export const convertNetbox: Converter = (bytes) => {
  const buffer = bufferOf(bytes)
  checkUnpacked(buffer)
  if (buffer.subarray(0, 5).toString('latin1') === 'PGDMP')
    throw badFile('byte 0', 'the dump has the custom format; convert it with pg_restore --file=dump.sql')
  return convertObjects(read(buffer))
}
