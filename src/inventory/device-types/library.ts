/**
 * Reads device types in the format of the community library (netbox-community/devicetype-library): one YAML document of a
 * device type each.
 */

import { createBreathe } from '../../base/runtime/pause.ts'
import { getOwn } from '../../contract/own.ts'
import { isRecord } from '../../contract/unknown.ts'
import { toIssues } from '../../contract/validate.ts'
import { toNameKey } from '../../net/name-order.ts'
import { MAX_PORTS } from '../ports/api.ts'
import { DeviceTypeDraft } from './api.ts'
import { countLeft, detectOtherType, type LeftField, PORT_LISTS } from './library-fields.ts'
import { fail, readDocument, splitDocuments } from './library-yaml.ts'

/** A device type of the library, and its fields that have no place. */
export type LibraryType = {
  readonly draft: DeviceTypeDraft
  /** The names of these fields. A field of ports has the name of their list before it: `interfaces.mgmt_only`. */
  readonly ignored: string[]
  readonly left: LeftField[]
}

type Entry = Readonly<Record<string, unknown>>

type Port = {
  /** The entry of the document. */
  readonly entry: string
  readonly name: unknown
  readonly kind: string
  readonly type: unknown
  readonly pass_through: boolean
}

/** The fields that become fields of a device type. */
const USED = new Set(['manufacturer', 'model', 'slug', 'part_number', 'u_height', 'is_full_depth', 'description'])

const LISTS: Readonly<Record<string, 'network' | 'console' | 'power'>> = {
  interfaces: 'network',
  'console-ports': 'console',
  'console-server-ports': 'console',
  'power-ports': 'power',
  'power-outlets': 'power',
}
const PANEL_LISTS = ['front-ports', 'rear-ports']
const MAPPINGS = 'port-mappings'

const getList = (document: Entry, field: string, at: string): readonly Entry[] => {
  const list = document[field] ?? []
  if (!Array.isArray(list)) return fail(at, `${field} must be a list`)
  return list.map((entry, index) => (isRecord(entry) ? entry : fail(at, `${field}[${index}] must be a mapping`)))
}

/** Returns the entries of a list as ports of a kind. */
const parsePorts = (document: Entry, field: string, at: string): Port[] => {
  const isPanel = PANEL_LISTS.includes(field)
  const kind = LISTS[field] ?? 'network'
  return getList(document, field, at).map(({ name, type }, index) => ({
    entry: `${field}[${index}]`,
    name,
    kind,
    type,
    pass_through: isPanel,
  }))
}

/**
 * Returns the names of the rear ports that are the rear side of a front port. Front ports name them, or, since NetBox 4.5, the list
 * `port-mappings`. A front port of several positions, as of duplex optics, has the rear port of the first one; the others are ports.
 */
const listRearSides = (document: Entry, at: string): Set<unknown> => {
  const sides = new Map(getList(document, 'front-ports', at).map(({ name, rear_port }) => [name, rear_port]))
  const mappings = getList(document, MAPPINGS, at).toSorted((a, b) => getPosition(a) - getPosition(b))
  for (const { front_port, rear_port } of mappings)
    if (sides.has(front_port)) sides.set(front_port, sides.get(front_port) ?? rear_port)
  return new Set(sides.values())
}

const getPosition = ({ front_port_position = 1 }: Entry): number => Number(front_port_position)

const listPorts = (document: Entry, at: string): Port[] => {
  const sides = listRearSides(document, at)
  const ports = [
    ...Object.keys(LISTS).flatMap((field) => parsePorts(document, field, at)),
    ...parsePorts(document, 'front-ports', at),
    ...parsePorts(document, 'rear-ports', at).filter(({ name }) => !sides.has(name)),
  ]
  return ports.length > MAX_PORTS ? fail(at, `has ${ports.length} ports; ${MAX_PORTS} are allowed`) : ports
}

/** Ports of different kinds may have one name in the library, but not in a device: later ones tell their kind. */
const withOwnNames = (ports: readonly Port[]): Port[] => {
  const names = new Set<string>()
  const toKey = (name: unknown) => toNameKey(String(name).trim())
  return ports.map((port) => {
    let { name } = port
    for (let n = 1; names.has(toKey(name)); n++)
      name = `${String(port.name)} (${port.pass_through ? 'panel' : port.kind}${n > 1 ? ` ${n}` : ''})`
    names.add(toKey(name))
    return { ...port, name }
  })
}

/** The sum of the maximum draws of the power ports, in watts. */
const sumPower = (document: Entry, at: string): number | null => {
  let sum = 0
  for (const { maximum_draw } of getList(document, 'power-ports', at)) {
    if (maximum_draw === undefined || maximum_draw === null) continue
    if (typeof maximum_draw !== 'number' || !Number.isSafeInteger(maximum_draw) || maximum_draw < 0)
      return fail(at, 'maximum_draw of power-ports must be a whole number of watts')
    sum += maximum_draw
  }
  return sum === 0 ? null : sum
}

/** The fields of the document that issues of the draft are about. */
const FIELDS: Readonly<Record<string, string>> = {
  height: 'u_height',
  full_depth: 'is_full_depth',
  power_w: 'power-ports',
}

/** Returns the field of the document for a field of the draft. */
const toDocumentField = (field: string, ports: readonly Port[]): string =>
  getOwn(FIELDS, field) ?? field.replace(/^ports\[(\d+)\]/, (all, index: string) => ports[Number(index)]?.entry ?? all)

/** What a document lacks that was meant as a device type. */
const HINTS = { 'module type': ', which has a slug or a u_height', 'rack type': '' } as const

const parseType = (value: unknown, at: string): LibraryType => {
  if (!isRecord(value)) return fail(at, 'must be a mapping with manufacturer and model')
  const other = detectOtherType(value)
  if (other !== undefined) return fail(at, `is a ${other}, not a device type${HINTS[other]}`)
  const { manufacturer, model, slug, part_number, u_height, is_full_depth, description } = value
  const ports = listPorts(value, at)
  const parsed = DeviceTypeDraft.safeParse({
    manufacturer,
    model,
    slug,
    part_number,
    height: u_height,
    full_depth: is_full_depth,
    power_w: sumPower(value, at),
    description,
    ports: withOwnNames(ports),
  })
  if (!parsed.success) {
    const [issue] = toIssues(parsed.error)
    return fail(at, `${toDocumentField(issue?.field ?? '', ports)}: ${issue?.message ?? 'is invalid'}`)
  }
  const known = new Set([...USED, ...PORT_LISTS, MAPPINGS])
  const left = countLeft(value, known, (field) => getList(value, field, at))
  return { draft: parsed.data, ignored: left.map(({ field }) => field), left }
}

/** @throws AppError VALIDATION_ERROR on `yaml`, with the number of the document, for the first that is not valid */
export const readLibrary = async (yaml: string): Promise<LibraryType[]> => {
  const breathe = createBreathe()
  const types: LibraryType[] = []
  for (const text of splitDocuments(yaml)) {
    const at = `document ${types.length + 1}`
    types.push(parseType(readDocument(text, at), at))
    await breathe()
  }
  return types.length === 0 ? fail('document 1', 'is empty') : types
}
