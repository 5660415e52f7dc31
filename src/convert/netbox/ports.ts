/** Interfaces, consoles, power ports and the ports of panels become ports of their devices. */
import type { EstateRow } from '../converter.ts'
import type { Line } from '../report-builder.ts'
import { PortNames } from '../rows/port-names.ts'
import { compact, MAX_PORT_TYPE, MAX_PORTS, trimText } from '../rows/row-text.ts'
import { parseVlanNumber } from '../rows/vlan-rows.ts'
import { CIRCUIT, type Circuits, TERMINATION } from './circuits.ts'
import { type Interface, type Interfaces, listMacs, type Owner } from './interfaces.ts'
import { leaveTimes, listLines, type Mapping, markDone, type RowRef, toRef, toRefs } from './mapping.ts'
import type { Target } from './model.ts'
import { PANEL, Panels } from './panel-ports.ts'
import { POWER_FEED, POWER_PANEL } from './power-panels.ts'
import { listIn, type NetboxObject, parseNumber } from './read/objects.ts'

export type PortKind = 'network' | 'console' | 'power'

/** A port of the document. */
export type MadePort = {
  readonly ref: RowRef
  readonly row: EstateRow
  readonly device: RowRef
  readonly names: PortNames
}
/** A side of a port of the document. */
export type MadeEnd = { readonly port: MadePort; readonly side: 'front' | 'rear' }

const INTERFACE = 'dcim.interface'

/** The other kinds of ports, in their order at a device, and the word that tells a port from one of the same name. */
const OTHERS: readonly { readonly kind: string; readonly port: PortKind; readonly word: string }[] = [
  { kind: 'dcim.consoleport', port: 'console', word: 'console' },
  { kind: 'dcim.consoleserverport', port: 'console', word: 'console server' },
  { kind: 'dcim.powerport', port: 'power', word: 'power' },
  { kind: 'dcim.poweroutlet', port: 'power', word: 'outlet' },
  { kind: PANEL.front, port: 'network', word: 'front' },
  { kind: PANEL.rear, port: 'network', word: 'rear' },
]

const CABLED =
  'device virtual_machine name description type cable cable_end cable_connector cable_positions mark_connected'
const OTHER_USED = new Set(`${CABLED} rear_port rear_port_position rear_ports`.split(' '))
const INTERFACE_USED = new Set(
  `${CABLED} enabled speed mac_address primary_mac_address lag parent untagged_vlan tagged_vlans mode`.split(' '),
)

const MAC = 'dcim.macaddress'
const MAC_SAID = new Set('id mac_address assigned_object_type assigned_object_id created last_updated'.split(' '))

const MAX_SPEED_MBPS = 1_000_000_000

const FEED_USED = new Set(`${CABLED} power_panel tags voltage amperage phase supply`.split(' '))

export type PortsContext = Mapping & { readonly interfaces: Interfaces; readonly circuits: Circuits }

type Device = { readonly kind: string; readonly id: number; readonly ref: RowRef; readonly names: PortNames }

export class Ports {
  readonly rows: EstateRow[] = []
  readonly #context: PortsContext
  readonly #panels: Panels
  readonly #made = new Map<string, MadePort>()
  readonly #counts = new Map<Device, number>()
  /** The ends Z of circuits. */
  readonly #rearEnds = new Set<number>()

  constructor(context: PortsContext) {
    this.#context = context
    this.#panels = new Panels(context.model, PANEL)
    const others = OTHERS.map(({ kind }) => mapBy(context, kind, 'device'))
    for (const { id } of context.model.of('dcim.device')) {
      const device = this.#device('dcim.device', id)
      this.#addInterfaces('dcim.device', device)
      for (const [at, { kind, port, word }] of OTHERS.entries())
        for (const object of others[at]?.get(id) ?? []) this.#addOther(device, object, { kind, port, word })
    }
    for (const { id } of context.model.of('virtualization.virtualmachine'))
      this.#addInterfaces('virtualization.virtualmachine', this.#device('virtualization.virtualmachine', id))
    const feeds = mapBy(context, POWER_FEED, 'power_panel')
    for (const { id } of context.model.of(POWER_PANEL)) {
      const device = this.#device(POWER_PANEL, id)
      for (const feed of feeds.get(id) ?? []) this.#addFeed(device, feed)
    }
    for (const { id } of context.circuits.cabled) this.#addCircuit(id)
    this.#placeMacs()
  }

  /** A MAC address says no more than its port, unless it has other values. */
  #placeMacs(): void {
    const { model } = this.#context
    for (const mac of model.of(MAC)) {
      const target = model.target(mac, 'assigned_object')
      if (!target || !this.#made.has(`${target.kind} ${target.id}`)) continue
      if (Object.keys(mac).some((field) => !MAC_SAID.has(field))) continue
      markDone(this.#context, MAC, mac)
      leaveTimes(this.#context, MAC, mac)
    }
  }

  /** Returns the name of the port that an interface became. */
  nameOf({ kind, object }: Interface): string | undefined {
    return this.#made.get(`${kind} ${object.id}`)?.row.name as string | undefined
  }

  /** Returns the sides that the end of a cable connects: for a rear port the sides of its positions. */
  endsOf({ kind, id }: Target): readonly MadeEnd[] {
    if (kind === TERMINATION) return this.#endOf(kind, id, this.#rearEnds.has(id) ? 'rear' : 'front')
    if (kind !== PANEL.rear) return this.#endOf(kind, id, 'front')
    const fronts = this.#panels.frontsOf(id)
    return fronts.length > 0
      ? fronts.flatMap((front) => this.#endOf(PANEL.front, front, 'rear'))
      : this.#endOf(kind, id, 'rear')
  }

  /** Adds a port that a breakout cable needs. */
  addPart(whole: MadePort, number: number, id: string): MadePort {
    const name = String(whole.row.name)
    const row = {
      device: whole.device,
      name: whole.names.unique({ what: `${INTERFACE}.name`, id }, `${name}:${number}`, [id]),
      ...(whole.row.kind !== undefined && { kind: whole.row.kind }),
      parent: name,
      refs: toRefs(INTERFACE, id),
    }
    this.rows.push(row)
    return { ...whole, ref: toRef(INTERFACE, id), row }
  }

  #endOf(kind: string, id: number, side: MadeEnd['side']): MadeEnd[] {
    const port = this.#made.get(`${kind} ${id}`)
    return port ? [{ port, side }] : []
  }

  #device(kind: string, id: number): Device {
    return { kind, id, ref: toRef(kind, id), names: new PortNames(this.#context.report) }
  }

  #add(device: Device, kind: string, object: NetboxObject, row: EstateRow): void {
    const made = { ref: toRef(kind, object.id), row, device: device.ref, names: device.names }
    this.rows.push(row)
    this.#made.set(`${kind} ${object.id}`, made)
    markDone(this.#context, kind, object)
  }

  /** Returns true for a port that is left over, because its device has too many. */
  #isBeyond(device: Device, kind: string, object: NetboxObject): boolean {
    const count = this.#counts.get(device) ?? 0
    this.#counts.set(device, count + 1)
    if (count < MAX_PORTS) return false
    this.#context.report.left(kind, `is beyond the ${MAX_PORTS} ports of its device`, object)
    markDone(this.#context, kind, object)
    return true
  }

  /** A port comes after the one that it is part of, so that its row can name that. */
  #addInterfaces(kind: Owner, device: Device): void {
    const { interfaces } = this.#context
    const all = interfaces.of(kind, device.id)
    const depths = new Map(all.map((one) => [one, this.#depthOf(one)]))
    const inOrder = all.toSorted((a, b) => (depths.get(a) ?? 0) - (depths.get(b) ?? 0))
    for (const one of inOrder)
      if (!this.#isBeyond(device, one.kind, one.object))
        this.#add(device, one.kind, one.object, this.#rowOfInterface(device, one))
  }

  #rowOfInterface(device: Device, one: Interface): EstateRow {
    const { report, custom } = this.#context
    const { kind, object } = one
    const { id, type, description, speed } = object
    const [mac, ...macs] = listMacs(one)
    const mbps = (parseNumber(speed) ?? 0) / 1000
    const isSpeed = Number.isInteger(mbps) && mbps >= 1 && mbps <= MAX_SPEED_MBPS
    const parent = this.#parentOf(object, kind)
    const vlans = this.#vlansOf(object)
    const lines: Line[] = [
      ...listLines(this.#context, { kind, object, used: INTERFACE_USED }),
      { key: 'speed', value: isSpeed ? '' : speed, field: `${kind}.speed` },
      ...parent.lines.map((line) => ({ ...line, field: `${kind}.${line.key}` })),
      ...vlans.lines.map((line) => ({ ...line, field: `${kind}.${line.key}` })),
      ...macs.map((value) => ({ key: 'mac_address', value, field: `${kind}.mac_address` })),
    ]
    return compact({
      device: device.ref,
      name: device.names.unique({ what: `${kind}.name`, id }, one.name, [`#${id}`]),
      type: type === undefined ? '' : trimText(report, { what: `${kind}.type`, id }, String(type), MAX_PORT_TYPE),
      speed_mbps: isSpeed ? mbps : undefined,
      mac_address: mac,
      enabled: object.enabled === false ? false : undefined,
      parent: parent.name,
      vlan_id: vlans.untagged,
      tagged_vlan_ids: vlans.tagged,
      description: report.describe(kind, id, String(description ?? ''), lines),
      custom: custom.of(kind, object),
      refs: toRefs(kind, id),
    })
  }

  /** The LAG of an interface, or the interface that it is part of, if that is of the same device. */
  #parentOf(object: NetboxObject, kind: string): { readonly name: unknown; readonly lines: Line[] } {
    const { model } = this.#context
    const lines: Line[] = []
    let parent: unknown
    for (const field of ['lag', 'parent'] as const) {
      const id = object[field]
      if (id === undefined) continue
      const other = model.find(kind, id)
      const isOwn = other !== undefined && getOwner(other) === getOwner(object) && !this.#isAbove(object, other, kind)
      const made = isOwn ? this.#made.get(`${kind} ${other.id}`) : undefined
      if (made && parent === undefined) parent = made.row.name
      else lines.push({ key: field, value: model.label(kind, id) })
    }
    return { name: parent, lines }
  }

  /** The number of interfaces that an interface is part of, one in another. */
  #depthOf({ kind, object }: Interface): number {
    const { model } = this.#context
    const seen = new Set<number>()
    let at: NetboxObject | undefined = object
    while (at && (at.lag ?? at.parent) !== undefined && !seen.has(at.id)) {
      seen.add(at.id)
      at = model.find(kind, at.lag ?? at.parent)
    }
    return seen.size
  }

  /** True if an interface is, over any number of others, part of this one. */
  #isAbove(object: NetboxObject, other: NetboxObject, kind: string): boolean {
    const { model } = this.#context
    const seen = new Set<number>()
    for (let at: NetboxObject | undefined = other; at && !seen.has(at.id); at = model.find(kind, at.lag ?? at.parent)) {
      if (at.id === object.id) return true
      seen.add(at.id)
    }
    return false
  }

  #vlansOf({ untagged_vlan, tagged_vlans, mode }: NetboxObject) {
    const { model } = this.#context
    const findVlanNumber = (id: unknown) => parseVlanNumber(model.find('ipam.vlan', id)?.vid)
    const untagged = untagged_vlan === undefined ? undefined : findVlanNumber(untagged_vlan)
    const all: unknown[] = Array.isArray(tagged_vlans) ? tagged_vlans : []
    const numbers = all.map(findVlanNumber)
    const tagged = [...new Set(numbers.filter((number) => number !== undefined))].sort((a, b) => a - b)
    const unknown = all.filter((_, at) => numbers[at] === undefined)
    const isSaid =
      mode === 'tagged' ? tagged.length > 0 : mode === 'access' && untagged !== undefined && all.length === 0
    const lines: Line[] = [
      { key: 'mode', value: isSaid ? '' : mode },
      {
        key: 'untagged_vlan',
        value: untagged_vlan !== undefined && !untagged ? model.label('ipam.vlan', untagged_vlan) : '',
      },
      { key: 'tagged_vlans', value: unknown.map((id) => model.label('ipam.vlan', id)).join(', ') },
    ]
    return { untagged, tagged, lines }
  }

  #addOther(device: Device, object: NetboxObject, { kind, port, word }: (typeof OTHERS)[number]): void {
    const { report, custom } = this.#context
    const { id, type, description } = object
    const isPanel = kind === PANEL.front || kind === PANEL.rear
    // The rear side of its front ports.
    if (kind === PANEL.rear && this.#panels.frontsOf(id).length > 0) {
      markDone(this.#context, kind, object)
      leaveTimes(this.#context, kind, object)
      return
    }
    if (this.#isBeyond(device, kind, object)) return
    const lines = [
      ...listLines(this.#context, { kind, object, used: OTHER_USED }).filter(isSaid),
      ...(kind === PANEL.front ? this.#linesOfRear(object) : []),
    ]
    const row = compact({
      device: device.ref,
      name: device.names.unique({ what: `${kind}.name`, id }, String(object.name ?? `#${id}`), [word, `#${id}`]),
      kind: port === 'network' ? undefined : port,
      type: type === undefined ? '' : trimText(report, { what: `${kind}.type`, id }, String(type), MAX_PORT_TYPE),
      pass_through: isPanel ? true : undefined,
      description: report.describe(kind, id, String(description ?? ''), lines),
      custom: custom.of(kind, object),
      refs: toRefs(kind, id),
    })
    this.#add(device, kind, object, row)
  }

  #addFeed(device: Device, object: NetboxObject): void {
    const { report, custom } = this.#context
    const { id, name, description } = object
    if (this.#isBeyond(device, POWER_FEED, object)) return
    const lines = listLines(this.#context, { kind: POWER_FEED, object, used: FEED_USED })
    const row = compact({
      device: device.ref,
      name: device.names.unique({ what: `${POWER_FEED}.name`, id }, String(name ?? `#${id}`), [`#${id}`]),
      kind: 'power',
      description: report.describe(POWER_FEED, id, String(description ?? ''), [
        ...lines.filter(isUnusualOfFeed),
        // Its type is no type of a port.
        { key: 'type', value: object.type === 'primary' ? '' : object.type },
      ]),
      custom: custom.of(POWER_FEED, object),
      refs: toRefs(POWER_FEED, id),
    })
    this.#add(device, POWER_FEED, object, row)
  }

  /** A circuit with cables is a port with two sides. */
  #addCircuit(id: number): void {
    const device = this.#device(CIRCUIT, id)
    const row = { device: device.ref, name: '1', pass_through: true, refs: toRefs(CIRCUIT, id) }
    this.rows.push(row)
    const port = { ref: toRef(CIRCUIT, id), row, device: device.ref, names: device.names }
    const { A, Z } = this.#context.circuits.endsOf(id)
    if (A) this.#made.set(`${TERMINATION} ${A.id}`, port)
    if (Z) this.#made.set(`${TERMINATION} ${Z.id}`, port)
    if (Z) this.#rearEnds.add(Z.id)
  }

  /** The values of the rear port, at the first of its front ports. */
  #linesOfRear(front: NetboxObject): Line[] {
    const rear = this.#context.model.find(PANEL.rear, this.#panels.rearOf(front.id))
    if (!rear) return []
    const field = (key: string) => `${PANEL.rear}.${key}`
    const name = { key: 'rear', value: rear.name === front.name ? '' : rear.name, field: field('name') }
    if (this.#panels.mainRearOf(front.id) === undefined) return [name]
    const { created: _, last_updated: __, ...kept } = rear
    const values = { ...kept, id: rear.id }
    const used = new Set([...OTHER_USED].filter((one) => one !== 'description' && one !== 'type'))
    const type = rear.type === front.type ? undefined : rear.type
    const lines = listLines(this.#context, { kind: PANEL.rear, object: { ...values, type }, used })
    const custom = rear.custom_field_data
    return [
      name,
      ...lines.filter(isSaid).map(({ key, value }) => ({ key: `rear ${key}`, value, field: field(key) })),
      { key: 'rear custom_fields', value: custom, field: field('custom_field_data') },
    ]
  }
}

/** A feed is used up to 80 % without another value. */
const isUnusualOfFeed = ({ key, value }: Line): boolean => !(key === 'max_utilization' && Number(value) === 80)

/** One position is usual. */
const isSaid = ({ key, value }: Line): boolean => !(key === 'positions' && value === 1)

const getOwner = ({ device, virtual_machine }: NetboxObject): unknown => device ?? virtual_machine

/** Returns the objects of a kind by the object that a field names. */
const mapBy = ({ model }: Mapping, kind: string, field: string): Map<number, NetboxObject[]> => {
  const lists = new Map<number, NetboxObject[]>()
  for (const object of model.of(kind)) {
    const owner = object[field]
    if (typeof owner === 'number') listIn(lists, owner).push(object)
  }
  return lists
}
