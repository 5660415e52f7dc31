/** The custom fields of a document: their definitions, and the values of its rows. */
import {
  CUSTOM_RESOURCES,
  type CustomResource,
  isFieldName,
  MAX_FIELDS,
  toObjectResource,
} from '../../resource/custom/fields.ts'
import type { Definition } from '../../resource/custom/rules.ts'
import { isCleared } from '../../resource/custom/values.ts'
import type { EstateDocument, EstateRow } from '../converter.ts'
import { findPackField, listPackFields, type PackField } from '../objects/packs.ts'
import type { ReportBuilder } from '../report-builder.ts'
import { compact } from '../rows/row-text.ts'
import {
  buildDefinition,
  type Dropped,
  type RowReference,
  type SourceField,
  toDefinedValue,
  type Values,
} from './definition.ts'

const LONGEST_NAME = 50
const LONGEST_LABEL = 128

/** Returns a name that a custom field may have. @example buildFieldName('Warranty until') // 'warranty_until' */
const buildFieldName = (key: string, isTaken: (name: string) => boolean): string => {
  const plain = key
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9_]+/g, '_')
  const trimmed = plain.replace(/^_+|_+$/g, '')
  const named = (isFieldName(trimmed.slice(0, 1)) ? trimmed : `field_${trimmed}`).slice(0, LONGEST_NAME)
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? '' : `_${n}`
    const name = named.slice(0, LONGEST_NAME - suffix.length) + suffix
    if (!isTaken(name)) return name
  }
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const ORDER: readonly CustomResource[] = CUSTOM_RESOURCES
const getRank = (resource: CustomResource): number =>
  ORDER.includes(resource) ? ORDER.indexOf(resource) : ORDER.length

/** Orders by resource, kinds last, then by the names in the source, in whatever order the values came. */
const compareFields = (a: SourceField, b: SourceField): number =>
  getRank(a.resource) - getRank(b.resource) || compareTexts(a.resource, b.resource) || compareTexts(a.key, b.key)

/** The mark of a key that names a field of a pack. No field of a source has it. */
const PACK_MARK = '^'

/** Returns the key of the field of a pack. */
export const toPackKey = (name: string): string => PACK_MARK + name

/** Returns the field of a pack that a key names. */
const findKeyedField = (resource: CustomResource, key: string): Field | undefined => {
  const found = key.startsWith(PACK_MARK) ? findPackField(resource, key.slice(PACK_MARK.length)) : undefined
  return found && { source: { ...found.definition, key }, dropped: [], ...found }
}

/** The name of the source, where it is no name of a custom field, is the label or stands in the help text. */
const withSourceName = ({ label, description = '', ...source }: SourceField): SourceField => ({
  ...source,
  label: label || source.key.slice(0, LONGEST_LABEL),
  description: label ? [description, `name: ${source.key}`].filter(Boolean).join('\n') : description,
})

type Field = {
  readonly source: SourceField
  readonly definition: Definition
  readonly dropped: readonly Dropped[]
  /** The pack that brings the field, so that the document does not define it. */
  readonly pack?: string
}

/** Where a value stands in the source. */
export type ValuePlace = { readonly what: string; readonly id: unknown }

/** Collects the values of a source, so that each field has a type that all of them have. */
export class CustomCollector {
  readonly #sources = new Map<string, SourceField>()
  readonly #values = new Map<string, Map<unknown, number>>()
  readonly #packed = new Map<string, Field>()
  readonly #packs = new Set<string>()

  /** Keeps the names of the fields of a pack free, which the document needs. */
  reservePack(pack: string): void {
    this.#packs.add(pack)
  }

  define(field: SourceField): void {
    this.#sources.set(`${field.resource} ${field.key}`, field)
  }

  /** @param guessed the field of a source that does not define it */
  add(resource: CustomResource, key: string, value: unknown, guessed: () => SourceField): void {
    const at = `${resource} ${key}`
    if (this.#packed.has(at)) return
    const packed = findKeyedField(resource, key)
    if (packed) {
      this.#packed.set(at, packed)
      if (packed.pack !== undefined) this.#packs.add(packed.pack)
      return
    }
    if (!this.#sources.has(at)) this.#sources.set(at, guessed())
    let values = this.#values.get(at)
    if (!values) {
      values = new Map()
      this.#values.set(at, values)
    }
    values.set(value, (values.get(value) ?? 0) + 1)
  }

  /** Returns the rows of the collected fields. */
  rows(report: ReportBuilder): CustomRows {
    const none: Values = new Map()
    const fields = new Map<string, Field>(this.#packed)
    const names = new Map<CustomResource, Set<string>>()
    // The names of fields of packs are fixed, so that others of the same name get a number.
    const ofPacks = new Map(
      listPackFields(this.#packs).map((field) => [buildNameKey(field.definition), field] as const),
    )
    for (const { definition } of ofPacks.values()) {
      const taken = names.get(definition.resource) ?? new Set()
      names.set(definition.resource, taken.add(definition.name))
    }
    for (const [at, source] of [...this.#sources].sort(([, a], [, b]) => compareFields(a, b))) {
      const taken = names.get(source.resource) ?? new Set()
      names.set(source.resource, taken)
      if (taken.size === MAX_FIELDS) continue
      const wanted = source.name ?? source.key
      const own = ofPacks.get(`${source.resource} ${buildFieldName(wanted, () => false)}`)
      if (own && this.#isShared(own, source, this.#values.get(at) ?? none)) {
        fields.set(at, { source, dropped: [], ...own })
        continue
      }
      const name = buildFieldName(wanted, (one) => taken.has(one))
      taken.add(name)
      const made = buildDefinition(
        name === wanted || source.name !== undefined ? source : withSourceName(source),
        name,
        this.#values.get(at) ?? none,
      )
      fields.set(at, { source, ...made })
    }
    return new CustomRows(report, fields)
  }

  /** True for a field of the source that is the one of a pack: of its name and type, where nothing else has that one. */
  #isShared({ definition }: PackField, source: SourceField, values: Values): boolean {
    const { resource, name, type, multiple, reference_to } = definition
    const isSame =
      source.type === type && (source.multiple ?? false) === multiple && (source.reference_to ?? null) === reference_to
    if (!isSame || this.#packed.has(`${resource} ${toPackKey(name)}`)) return false
    return type === 'reference' || [...values.keys()].every((value) => toDefinedValue(definition, value) !== undefined)
  }
}

const buildNameKey = ({ resource, name }: Definition): string => `${resource} ${name}`

type Holder = EstateRow & { readonly custom?: Readonly<Record<string, unknown>> }

const isOfKind = (resource: CustomResource): boolean => !ORDER.includes(resource)

/** Returns the rows that have the custom fields of a resource. */
const listHolders = (documents: EstateDocument, resource: CustomResource): EstateRow[] => {
  const list = toObjectResource(resource)
  if (isOfKind(resource)) return (documents.objects ?? []).filter(({ kind }) => kind === resource)
  if (resource !== 'addresses') return documents[list] ?? []
  const own = (documents.devices ?? []).flatMap(({ addresses }) => (addresses as EstateRow[] | undefined) ?? [])
  return [...own, ...(documents.reservations ?? [])]
}

export class CustomRows {
  /** The packs of the fields that rows have. */
  readonly packs = new Set<string>()
  readonly #report: ReportBuilder
  readonly #fields: Map<string, Field>

  constructor(report: ReportBuilder, fields: Map<string, Field>) {
    this.#report = report
    this.#fields = fields
  }

  /** Returns the values of a row. Values without a field are left over. */
  of(
    resource: CustomResource,
    values: readonly (readonly [key: string, value: unknown])[],
    place: ValuePlace,
  ): Record<string, unknown> | undefined {
    const custom: Record<string, unknown> = {}
    for (const [key, value] of values) {
      if (isCleared(value)) continue
      const { definition, pack } = this.#find(resource, key) ?? {}
      const kept = definition && toDefinedValue(definition, value)
      if (definition && kept !== undefined) {
        custom[definition.name] = kept
        if (pack !== undefined) this.packs.add(pack)
      } else {
        const why = pack
          ? 'is no value of its custom field'
          : definition
            ? 'is longer than a value of a custom field'
            : `is beyond the ${MAX_FIELDS} custom fields`
        this.#report.left(`${place.what}.${key}`, why, { id: place.id, value })
      }
    }
    return Object.keys(custom).length > 0 ? custom : undefined
  }

  #find(resource: CustomResource, key: string): Field | undefined {
    const at = `${resource} ${key}`
    const known = this.#fields.get(at)
    if (known) return known
    const packed = findKeyedField(resource, key)
    if (packed) this.#fields.set(at, packed)
    return packed
  }

  /**
   * Returns the rows of the definitions, once all others are made. Removes references to missing rows. Marks rows without a value where
   * an import would fill in the default.
   */
  finish(documents: EstateDocument, kind: string): EstateRow[] {
    const there = collectRefs(documents)
    return [...this.#fields.values()].flatMap(({ source, definition, dropped, pack }) => {
      const holders = listHolders(documents, definition.resource)
      if (definition.type === 'reference') this.#dropMissing(holders, definition, there)
      if (pack !== undefined) {
        // The values have their place, and the pack has the rules.
        if (source.refs !== undefined) this.#report.left(`${kind}.definition`, 'is the one of a pack', source)
        return []
      }
      const { name, default: usual } = definition
      const isLacking = (row: Holder) => !Object.hasOwn(row.custom ?? {}, name)
      const lacking = holders.filter(isLacking)
      if (usual !== null) for (const row of lacking) row.custom = { ...(row as Holder).custom, [name]: null }
      for (const { field, value, why } of dropped) this.#report.left(`${kind}.${field}`, why, { id: source.id, value })
      const isRequired = source.required === true && lacking.length === 0
      if (source.required && !isRequired)
        this.#report.left(`${kind}.required`, 'is not what all objects keep to', { id: source.id, value: true })
      // An earlier import may have made it required.
      return {
        ...toRow({ ...definition, required: isRequired }, source),
        ...(source.required && { required: isRequired }),
      }
    })
  }

  #dropMissing(holders: readonly EstateRow[], { name, reference_to }: Definition, there: ReadonlySet<string>): void {
    const isThere = (value: unknown) => {
      // Values of references are rows, by a ref or, in sources that keep their ids, by an id.
      const { ref, id } = value as Partial<RowReference> & { readonly id?: string }
      return there.has(`${reference_to} ${ref ?? id}`)
    }
    for (const row of holders) {
      const value = (row as Holder).custom?.[name]
      if (value === undefined) continue
      const all: unknown[] = Array.isArray(value) ? value : [value]
      const kept = all.filter(isThere)
      if (kept.length === all.length) continue
      this.#report.left(`custom_fields.${name}`, 'refers to nothing that has a place', { row: row.refs, value })
      const { [name]: _, ...others } = (row as Holder).custom ?? {}
      const left = kept.length > 0 ? { ...others, [name]: Array.isArray(value) ? kept : kept[0] } : others
      if (Object.keys(left).length > 0) row.custom = left
      else delete row.custom
    }
  }
}

/** Lists the references by which rows of a document are named, with their lists. */
const collectRefs = (documents: EstateDocument): Set<string> => {
  const refs = new Set<string>()
  for (const [list, rows] of Object.entries(documents))
    for (const row of rows) {
      const target = list === 'objects' ? row.kind : list
      for (const [source, id] of Object.entries((row.refs as Record<string, string> | undefined) ?? {}))
        refs.add(`${target} ${source}:${id}`)
      if (row.id !== undefined) refs.add(`${target} ${row.id}`)
    }
  return refs
}

const toRow = (definition: Definition, { refs }: SourceField): EstateRow => {
  const { multiple, required, unique, searchable, position, ...others } = definition
  const set = { multiple, required, unique, searchable }
  const isSaid = ([, value]: [string, unknown]) => value !== null && value !== ''
  return compact({
    ...Object.fromEntries(Object.entries(others).filter(isSaid)),
    ...Object.fromEntries(Object.entries(set).filter(([, isOn]) => isOn)),
    ...(position !== 0 && { position }),
    ...(refs && { refs }),
  })
}
