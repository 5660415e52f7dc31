/** Parts that the rows of all resources need: references, texts, and lines for values without a field. */
import { getOwn } from '../../contract/own.ts'
import { isRecord } from '../../contract/unknown.ts'
import type { CustomResource } from '../../resource/custom/fields.ts'
import type { EstateRow } from '../converter.ts'
import type { ValuePlace } from '../custom/custom-rows.ts'
import type { Line, ReportBuilder } from '../report-builder.ts'
import { trimText } from '../rows/row-text.ts'
import { getCustomResource } from './custom/custom-kinds.ts'
import { compareTexts, type NetboxModel, type Target } from './model.ts'
import { CUSTOM_FIELDS, type NetboxObject } from './read/objects.ts'

/** The data that is read and reported. */
export type Reading = {
  readonly model: NetboxModel
  readonly report: ReportBuilder
  /** Objects that became rows or are left over, by kind. The others are left over in the end. */
  readonly done: Map<string, Set<number>>
}

/** The places of a file, one below another. */
export type PlaceTree = {
  /** Places from the top down. */
  readonly list: readonly (Target & { readonly object: NetboxObject })[]
  readonly has: (place: Target) => boolean
  readonly find: (object: NetboxObject) => Target | undefined
  readonly parentOf: (place: Target) => Target | undefined
  /** Returns a place and all above it, from the place up. */
  readonly listUp: (place: Target | undefined) => readonly Target[]
}

export type CustomValues = {
  /** Returns the values of custom fields of an object as its row has them. */
  readonly of: (kind: string, object: NetboxObject) => EstateRow | undefined
  /** Returns values of fields of packs, by name, of an object that is none of NetBox. */
  readonly ofPack: (resource: CustomResource, values: EstateRow, place: ValuePlace) => EstateRow | undefined
}

export type Mapping = Reading & {
  readonly custom: CustomValues
  readonly places: PlaceTree
}

export const NO_PLACE = 'has no place in Plat'

/** Marks an object with all values converted. */
export const markDone = ({ done }: Reading, kind: string, { id }: NetboxObject): void => {
  const known = done.get(kind)
  if (known) known.add(id)
  else done.set(kind, new Set([id]))
}

export const toRefs = (kind: string, id: number | string) => ({ netbox: `${kind}.${id}` })

/** Returns a reference to the row of an object. */
export const toRef = (kind: string, id: number | string) => ({ ref: `netbox:${kind}.${id}` })

export type RowRef = ReturnType<typeof toRef>

/** Returns the text of a field, cut to its longest length. */
export const toText = (
  { report }: Mapping,
  target: Target & { readonly field: string },
  value: unknown,
  max?: number,
) =>
  value === undefined
    ? ''
    : trimText(report, { what: `${target.kind}.${target.field}`, id: target.id }, String(value), max)

const KEEPS_TIMES = 'Plat keeps its own times'
const TIMES = new Set(['created', 'last_updated'])

/** Fields that name objects, and become custom fields of the objects that have any. */
const REFERENCES: Readonly<Record<string, string>> = {
  cluster: 'virtualization.cluster',
  module: 'dcim.module',
  tenant: 'tenancy.tenant',
  virtual_chassis: 'dcim.virtualchassis',
}

/** True for a field that a custom field says, because it names an object of the file. */
const isReference = ({ model }: Reading, kind: string, field: string, value: unknown): boolean => {
  const target = Object.hasOwn(REFERENCES, field) ? REFERENCES[field] : undefined
  return (
    target !== undefined &&
    typeof value === 'number' &&
    getCustomResource(kind) !== undefined &&
    model.isListed(target, value)
  )
}

/** Values with which NetBox fills fields, so that they say nothing. */
const USUAL: Readonly<Record<string, unknown>> = {
  'ipam.vrf.enforce_unique': true,
  'virtualization.virtualmachine.start_on_boot': 'off',
}

type Values = { readonly kind: string; readonly object: NetboxObject; readonly used: ReadonlySet<string> }

/** Returns a line for each value that no field of the row holds. Comments may be long and come last. */
export const listLines = (reading: Reading, { kind, object, used }: Values): Line[] => {
  const { model, report } = reading
  const lines: Line[] = []
  const last: Line[] = []
  for (const field of Object.keys(object).sort(compareTexts)) {
    const value = object[field]
    if (field === 'id' || field === CUSTOM_FIELDS || used.has(field)) continue
    if (isReference(reading, kind, field, value)) continue
    if (TIMES.has(field)) report.left(`${kind}.${field}`, KEEPS_TIMES, { id: object.id, value })
    else if (field === 'tags') {
      // Where Plat has custom fields, tags are one of them.
      if (getCustomResource(kind) === undefined) lines.push({ key: field, value: model.tags(object).join(', ') })
    } else if ((field === 'status' && value === 'active') || getOwn(USUAL, `${kind}.${field}`) === value) continue
    else if (field === 'comments') last.push({ key: field, value, isBare: true })
    else lines.push({ key: field, value: model.readable(kind, field, value) })
  }
  // Where Plat has custom fields, the values are theirs.
  const custom = getCustomResource(kind) === undefined ? object[CUSTOM_FIELDS] : undefined
  if (isRecord(custom))
    for (const key of Object.keys(custom).sort(compareTexts)) lines.push({ key, value: custom[key] })
  return [...lines, ...last]
}

/** Leaves the times of an object over that has its place without lines. */
export const leaveTimes = ({ report }: Reading, kind: string, object: NetboxObject): void => {
  for (const field of TIMES)
    if (object[field] !== undefined)
      report.left(`${kind}.${field}`, KEEPS_TIMES, { id: object.id, value: object[field] })
}

/** Marks an object as converted that another row says. Its values beside the said ones are left over. */
export const markTaken = (reading: Reading, kind: string, object: NetboxObject, said: ReadonlySet<string>): void => {
  for (const [field, value] of Object.entries(object))
    if (field !== 'id' && !TIMES.has(field) && !said.has(field))
      reading.report.left(`${kind}.${field}`, NO_PLACE, { id: object.id, value })
  leaveTimes(reading, kind, object)
  markDone(reading, kind, object)
}

/** Appends a row of an object. */
export const addRow = (rows: EstateRow[], mapping: Mapping, { kind, object, row }: Added): void => {
  rows.push(row)
  markDone(mapping, kind, object)
}
type Added = { readonly kind: string; readonly object: NetboxObject; readonly row: EstateRow }
