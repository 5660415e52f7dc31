/** Device types, with the ports that their devices get. */
import type { EstateRow } from '../converter.ts'
import type { Line } from '../report-builder.ts'
import { PortNames } from '../rows/port-names.ts'
import { compact, MAX_PORT_TYPE, MAX_PORTS, trimText } from '../rows/row-text.ts'
import {
  addRow,
  leaveTimes,
  listLines,
  type Mapping,
  markDone,
  NO_PLACE,
  type RowRef,
  toRef,
  toRefs,
  toText,
} from './mapping.ts'
import { PANEL_TEMPLATE, Panels } from './panel-ports.ts'
import type { Size } from './racks.ts'
import { listIn, type NetboxObject, parseNumber } from './read/objects.ts'

const TYPE = 'dcim.devicetype'
const USED = new Set('manufacturer model slug part_number u_height is_full_depth description'.split(' '))

/** The kinds of ports, in their order at a type. */
const TEMPLATES: readonly { readonly kind: string; readonly port: string; readonly word: string }[] = [
  { kind: 'dcim.interfacetemplate', port: 'network', word: 'interface' },
  { kind: 'dcim.consoleporttemplate', port: 'console', word: 'console' },
  { kind: 'dcim.consoleserverporttemplate', port: 'console', word: 'console server' },
  { kind: 'dcim.powerporttemplate', port: 'power', word: 'power' },
  { kind: 'dcim.poweroutlettemplate', port: 'power', word: 'outlet' },
  { kind: PANEL_TEMPLATE.front, port: 'network', word: 'front' },
  { kind: PANEL_TEMPLATE.rear, port: 'network', word: 'rear' },
]
/** The kinds of bays, and the key of the line with their names. */
const BAYS: readonly { readonly kind: string; readonly key: string }[] = [
  { kind: 'dcim.devicebaytemplate', key: 'device_bays' },
  { kind: 'dcim.modulebaytemplate', key: 'module_bays' },
]
const MODULE_TYPE = 'dcim.moduletype'
/** Fields of a template that its port says. */
const SAID = new Set(
  'id device_type name type rear_port rear_port_position rear_ports positions created last_updated'.split(' '),
)
const REAR_SAID = new Set('id device_type created last_updated'.split(' '))

const MAX_HEIGHT = 100
const UNKNOWN = 'unknown'
/** The longest manufacturer and model. */
const MAX_PART = 127
const MAX_SLUG = 100

const getHeight = ({ u_height }: NetboxObject): number => {
  const height = parseNumber(u_height) ?? 1
  return height >= 0 && height <= MAX_HEIGHT && Number.isInteger(height * 2) ? height : 1
}

export class DeviceTypes {
  readonly rows: EstateRow[] = []
  readonly #mapping: Mapping
  readonly #panels: Panels
  readonly #templates: readonly Map<number, NetboxObject[]>[]
  readonly #bays: readonly Map<number, NetboxObject[]>[]
  readonly #sizes = new Map<number, Size>()
  readonly #names = new Set<string>()

  constructor(mapping: Mapping) {
    const { model } = mapping
    this.#mapping = mapping
    this.#panels = new Panels(model, PANEL_TEMPLATE)
    const groupByType = ({ kind }: { readonly kind: string }) => {
      const lists = new Map<number, NetboxObject[]>()
      for (const object of model.of(kind))
        if (typeof object.device_type === 'number') listIn(lists, object.device_type).push(object)
      return lists
    }
    this.#templates = TEMPLATES.map(groupByType)
    this.#bays = BAYS.map(groupByType)
    for (const object of model.of(TYPE)) this.#add(object)
  }

  /** Returns a reference to the row of a type; undefined for one that the file only names. */
  refOf(id: unknown): RowRef | undefined {
    return typeof id === 'number' && this.#sizes.has(id) ? toRef(TYPE, id) : undefined
  }

  sizeOf(id: unknown): Size {
    return this.#sizes.get(Number(id)) ?? { height: 1, isFullDepth: true, power: undefined }
  }

  #add(object: NetboxObject): void {
    const { model, report } = this.#mapping
    const { id, manufacturer, slug, part_number, description, u_height } = object
    const at = (field: string) => ({ kind: TYPE, id, field })
    const height = getHeight(object)
    const isFullDepth = object.is_full_depth !== false
    const power = this.#powerOf(id)
    const ports = this.#portsOf(id)
    const lines = [...listLines(this.#mapping, { kind: TYPE, object, used: USED }), ...this.#bayLinesOf(id)]
    const makerName = manufacturer === undefined ? '' : model.label('dcim.manufacturer', manufacturer)
    const maker = toText(this.#mapping, at('manufacturer'), makerName, MAX_PART) || UNKNOWN
    const row = compact({
      manufacturer: maker,
      model: this.#unique(maker, toText(this.#mapping, at('model'), model.label(TYPE, id), MAX_PART) || UNKNOWN, id),
      slug: toText(this.#mapping, at('slug'), slug, MAX_SLUG),
      part_number: toText(this.#mapping, at('part_number'), part_number, MAX_SLUG),
      height,
      full_depth: isFullDepth,
      power_w: power,
      ports,
      description: report.describe(TYPE, id, String(description ?? ''), [
        ...lines,
        { key: 'u_height', value: u_height !== undefined && parseNumber(u_height) !== height ? u_height : '' },
      ]),
      refs: toRefs(TYPE, id),
    })
    this.#sizes.set(id, { height, isFullDepth, power })
    addRow(this.rows, this.#mapping, { kind: TYPE, object, row })
  }

  /** Manufacturer and model are unique in any case. */
  #unique(maker: string, model: string, id: number): string {
    const buildKey = (text: string) => JSON.stringify([maker.toLowerCase(), text.toLowerCase()])
    const suffix = ` (#${id})`
    const name = this.#names.has(buildKey(model))
      ? `${model.slice(0, MAX_PART - suffix.length).toWellFormed()}${suffix}`
      : model
    this.#names.add(buildKey(name))
    return name
  }

  /** The names of the bays of a type, in a line for each kind. */
  #bayLinesOf(id: number): Line[] {
    return BAYS.map(({ kind, key }, at) => {
      const bays = this.#bays[at]?.get(id) ?? []
      for (const bay of bays) this.#leaveValues(kind, bay, NO_PLACE, SAID)
      return { key, value: bays.map(({ name }) => String(name ?? '')).join(', '), field: `${kind}.name` }
    })
  }

  /** The templates of a module type are values of it, if a row has its name. */
  leaveModuleTypes(): void {
    const { model, report } = this.#mapping
    for (const kind of [...TEMPLATES, ...BAYS].map((template) => template.kind))
      for (const object of model.of(kind)) {
        const { module_type: type } = object
        if (typeof type !== 'number' || !model.isNamed(MODULE_TYPE, type)) continue
        report.left(`${MODULE_TYPE}.templates`, 'has no place in Plat but its name', { id: type, value: object })
        markDone(this.#mapping, kind, object)
      }
  }

  #powerOf(id: number): number | undefined {
    const at = TEMPLATES.findIndex(({ kind }) => kind === 'dcim.powerporttemplate')
    const draws = (this.#templates[at]?.get(id) ?? []).map(({ maximum_draw }) => parseNumber(maximum_draw) ?? 0)
    const sum = draws.reduce((total, draw) => total + draw, 0)
    return sum > 0 ? sum : undefined
  }

  #portsOf(id: number): EstateRow[] {
    const { report } = this.#mapping
    const names = new PortNames(report)
    const ports: EstateRow[] = []
    for (const [at, { kind, port, word }] of TEMPLATES.entries())
      for (const object of this.#templates[at]?.get(id) ?? []) {
        const isRear = kind === PANEL_TEMPLATE.rear
        const isSide = isRear && this.#panels.frontsOf(object.id).length > 0
        const isFull = !isSide && ports.length === MAX_PORTS
        if (isFull) continue
        if (isSide) {
          this.#leaveValues(kind, object, 'is of the rear side of its front ports', REAR_SAID)
          continue
        }
        this.#leaveValues(kind, object, NO_PLACE, SAID)
        const { name, type } = object
        ports.push({
          name: names.unique({ what: `${kind}.name`, id: object.id }, String(name ?? `#${object.id}`), [
            word,
            `#${object.id}`,
          ]),
          kind: port,
          type: trimText(report, { what: `${kind}.type`, id: object.id }, String(type ?? ''), MAX_PORT_TYPE),
          pass_through: isRear || kind === PANEL_TEMPLATE.front,
        })
      }
    return ports.sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1))
  }

  /** Leaves the values of a template over that its port does not say. */
  #leaveValues(kind: string, object: NetboxObject, why: string, said: ReadonlySet<string>): void {
    const { report } = this.#mapping
    const isDraw = (field: string) => kind === 'dcim.powerporttemplate' && field === 'maximum_draw'
    for (const [field, value] of Object.entries(object))
      if (!said.has(field) && !isDraw(field) && !(field === 'enabled' && value === true))
        report.left(`${kind}.${field}`, why, { id: object.id, value })
    markDone(this.#mapping, kind, object)
    leaveTimes(this.#mapping, kind, object)
  }
}
