/** Converts a NetBox, from its REST API, `manage.py dumpdata` or a plain `pg_dump`. */
import { MAX_NAMES } from '../../contract/fields/document-names.ts'
import { type Conversion, createFileError, type EstateDocument, type WholeConverter } from '../converter.ts'
import { checkUnpacked, checkUtf8, toBuffer } from '../file-text.ts'
import { JsonFile } from '../json-file.ts'
import { listPacks } from '../objects/packs.ts'
import type { ConvertOptions } from '../protocol.ts'
import { ReportBuilder } from '../report-builder.ts'
import { Cables } from './cables.ts'
import { buildCircuitDevices, Circuits } from './circuits.ts'
import { CUSTOM_FIELD, NetboxCustom } from './custom/custom-fields.ts'
import { DeviceTypes } from './device-types.ts'
import { buildDevices } from './devices.ts'
import { Interfaces } from './interfaces.ts'
import { buildLinks } from './links.ts'
import { leaveTimes, type Mapping, NO_PLACE, type Reading } from './mapping.ts'
import { NetboxModel } from './model.ts'
import { Names } from './names.ts'
import { buildNetworks, buildPools } from './networks.ts'
import { buildObjects } from './objects/build.ts'
import { buildKinds } from './objects/plugin-objects.ts'
import { ObjectValues } from './objects/values.ts'
import { buildDatacenters, Places } from './places.ts'
import { Ports } from './ports.ts'
import { buildPowerPanels } from './power-panels.ts'
import { buildRacks } from './racks.ts'
import type { NetboxObject, NetboxSource } from './read/objects.ts'
import { checkProgram } from './read/other-programs.ts'
import { readDumpdata } from './read/read-dumpdata.ts'
import { checkEncoding, isPgDump, readPgDump } from './read/read-pg-dump.ts'
import { readRest } from './read/read-rest.ts'
import { isNewer, NEWEST } from './read/versions.ts'
import { buildReservations } from './reservations.ts'
import { buildSpaces } from './spaces.ts'
import { buildVlans } from './vlans.ts'

/** The reason for which objects of a kind are left over. */
const REASONS: Readonly<Record<string, string>> = {
  'dcim.cable': 'has ends that are no two ports of one kind',
  'dcim.cabletermination': 'its cable has a place only in part',
  'dcim.devicebay': 'has no device, or one that is not in the file',
  'dcim.interface': 'is of no device of the file',
  'dcim.portmapping': 'is the link of a front port and a rear port, which are one port',
  'dcim.porttemplatemapping': 'is the link of a front port and a rear port, which are one port',
  'dcim.macaddress': 'has no place in Plat but its address at its port',
  'extras.customfield': 'is of no objects that have custom fields in Plat',
  'extras.customfieldchoiceset': 'has no place in Plat but its values, which are the choices of custom fields',
  'ipam.aggregate': 'has an equal prefix, or is no network',
  'ipam.iprange': 'is in no network of its VRF',
  'ipam.prefix': 'is no network',
  'ipam.vlan': 'has no number from 1 to 4094',
  'ipam.vlangroup': 'has no place in Plat but its name at its VLANs',
  'virtualization.vminterface': 'is of no machine of the file',
  ...Object.fromEntries(
    'interface consoleport consoleserverport powerport poweroutlet frontport rearport'
      .split(' ')
      .map((kind) => [`dcim.${kind}template`, 'has no place in Plat but its name, kind and type at its device type']),
  ),
}

/** Kinds of objects that have their place if a row has their name. */
const NAMED = new Set(
  (
    'circuits.circuitgroup circuits.circuittype circuits.virtualcircuittype dcim.devicerole dcim.inventoryitemrole dcim.manufacturer dcim.moduletype dcim.platform dcim.rackrole ' +
    'dcim.racktype extras.tag ipam.rir ipam.role ipam.vlangroup tenancy.contactrole virtualization.clustertype ' +
    'virtualization.virtualmachinetype vpn.tunnelgroup wireless.wirelesslangroup'
  ).split(' '),
)

type Named = { readonly kind: string; readonly object: NetboxObject }

/** Leaves the other values of an object over whose name is in a row. */
const leaveNamed = (mapping: Mapping, names: Names, { kind, object }: Named): void => {
  leaveTimes(mapping, kind, object)
  const kept = names.add(kind, object)
  for (const [field, value] of Object.entries(object))
    if (!['id', 'name', 'model', 'created', 'last_updated'].includes(field) && !kept.has(field))
      mapping.report.left(`${kind}.${field}`, 'has no place in Plat but its name', { id: object.id, value })
}

const leaveOthers = (mapping: Mapping, names: Names): void => {
  const { model, report, done } = mapping
  for (const kind of model.kinds)
    for (const object of model.of(kind))
      if (done.get(kind)?.has(object.id)) continue
      else if (NAMED.has(kind) && model.isNamed(kind, object.id)) leaveNamed(mapping, names, { kind, object })
      else report.left(kind, REASONS[kind] ?? NO_PLACE, object)
  for (const [kind, count] of model.source.unread) report.dropped(kind, 'is not read', count)
}

/** Converts the objects of any source. */
export const convertObjects = (
  source: NetboxSource,
  options: Pick<ConvertOptions, 'withLeftover' | 'withNames'> = {},
): Conversion => {
  checkProgram(source)
  const report = new ReportBuilder(options)
  if (isNewer(source.version))
    report.warn(
      `NetBox ${source.version} is newer than ${NEWEST}, the newest version that is known: check the leftover`,
    )
  const model = new NetboxModel(source, report)
  const reading: Reading = { model, report, done: new Map() }
  const places = new Places(reading)
  const ends = model.cableEnds()
  const interfaces = new Interfaces(model, ends)
  const circuits = new Circuits(model, ends)
  const values = new ObjectValues({ model, places, interfaces, circuits })
  const custom = new NetboxCustom(reading, values)
  const mapping: Mapping = { ...reading, custom, places }
  const ports = new Ports({ ...mapping, interfaces, circuits })
  const spaces = buildSpaces(mapping)
  const datacenters = buildDatacenters(mapping)
  const vlans = buildVlans(mapping)
  const networks = buildNetworks(mapping, vlans)
  const pools = buildPools(mapping, networks)
  const types = new DeviceTypes(mapping)
  const racks = buildRacks(mapping)
  const context = { ...mapping, networks, interfaces, ports, taken: new Set<string>() }
  const devices = buildDevices({ ...context, types, mounts: racks.mounts, assetTags: new Set() })
  const reservations = buildReservations(context, pools)
  const cables = new Cables({ ...mapping, ports }, ends)
  const objects = buildObjects(mapping, values, interfaces)
  const lists: EstateDocument = {
    ...(spaces.length > 0 && { spaces }),
    datacenters,
    vlans: vlans.rows,
    networks: networks.rows,
    pools: [...pools.rows, ...reservations.pools],
    ...(types.rows.length > 0 && { 'device-types': types.rows }),
    ...(racks.rows.length > 0 && { racks: racks.rows }),
    devices: [...devices.rows, ...buildPowerPanels(mapping), ...buildCircuitDevices(mapping, circuits)],
    ...(ports.rows.length > 0 && { ports: ports.rows }),
    ...(cables.rows.length > 0 && { cables: cables.rows }),
    ...(objects.rows.length > 0 && { objects: objects.finish() }),
    relationships: [...devices.relationships, ...buildLinks(mapping, interfaces, ends)],
    reservations: reservations.rows,
  }
  const fields = custom.finish(lists, CUSTOM_FIELD)
  const kinds = buildKinds(mapping)
  const documents: EstateDocument = {
    ...(kinds.length > 0 && { kinds }),
    ...(fields.length > 0 && { 'custom-fields': fields }),
    ...lists,
  }
  types.leaveModuleTypes()
  const names = new Names(options.withNames === false ? 0 : MAX_NAMES)
  leaveOthers(mapping, names)
  return {
    source: source.form,
    names: names.list,
    packs: listPacks(fields, objects.packs, custom.packs),
    documents,
    hosts: [],
    report: report.report(documents),
    leftover: report.leftover(),
  }
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
  throw createFileError('byte 0', 'is neither JSON of NetBox nor a plain pg_dump of its database')
}

export const convertNetbox: WholeConverter = (bytes, options) => {
  const buffer = toBuffer(bytes)
  checkUnpacked(buffer)
  if (buffer.subarray(0, 5).toString('latin1') === 'PGDMP')
    throw createFileError('byte 0', 'the dump has the custom format; convert it with pg_restore --file=dump.sql')
  return convertObjects(read(buffer), options)
}
