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

/** Orders by resource, then by the names in the source, in whatever order the values came. */
const compareFields = (a: SourceField, b: SourceField): number =>
  ORDER.indexOf(a.resource) - ORDER.indexOf(b.resource) || compareTexts(a.key, b.key)

/** The name of the source, where it is no name of a custom field, is the label or stands in the help text. */
const withSourceName = ({ label, description = '', ...source }: SourceField): SourceField => ({
  ...source,
  label: label || source.key.slice(0, LONGEST_LABEL),
  description: label ? [description, `name: ${source.key}`].filter(Boolean).join('\n') : description,
})

type Field = { readonly source: SourceField; readonly definition: Definition; readonly dropped: readonly Dropped[] }

/** Where a value stands in the source. */
export type ValuePlace = { readonly what: string; readonly id: unknown }

/** Collects the values of a source, so that each field has a type that all of them have. */
export class CustomCollector {
  readonly #sources = new Map<string, SourceField>()
  readonly #values = new Map<string, Map<unknown, number>>()

  define(field: SourceField): void {
    this.#sources.set(`${field.resource} ${field.key}`, field)
  }

  /** @param guessed the field of a source that does not define it */
  add(resource: CustomResource, key: string, value: unknown, guessed: () => SourceField): void {
    const at = `${resource} ${key}`
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
    const fields = new Map<string, Field>()
    const names = new Map<CustomResource, Set<string>>()
    for (const [at, source] of [...this.#sources].sort(([, a], [, b]) => compareFields(a, b))) {
      const taken = names.get(source.resource) ?? new Set()
      names.set(source.resource, taken)
      if (taken.size === MAX_FIELDS) continue
      const wanted = source.name ?? source.key
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
}

type Holder = EstateRow & { readonly custom?: Readonly<Record<string, unknown>> }

/** Returns the rows that have the custom fields of a resource. */
const listHolders = (documents: EstateDocument, resource: CustomResource): EstateRow[] => {
  if (resource !== 'addresses') return documents[toObjectResource(resource)] ?? []
  const own = (documents.devices ?? []).flatMap(({ addresses }) => (addresses as EstateRow[] | undefined) ?? [])
  return [...own, ...(documents.reservations ?? [])]
}

export class CustomRows {
  readonly #report: ReportBuilder
  readonly #fields: ReadonlyMap<string, Field>

  constructor(report: ReportBuilder, fields: ReadonlyMap<string, Field>) {
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
      const definition = this.#fields.get(`${resource} ${key}`)?.definition
      const kept = definition && toDefinedValue(definition, value)
      if (definition && kept !== undefined) custom[definition.name] = kept
      else {
        const why = definition
          ? 'is longer than a value of a custom field'
          : `is beyond the ${MAX_FIELDS} custom fields`
        this.#report.left(`${place.what}.${key}`, why, { id: place.id, value })
      }
    }
    return Object.keys(custom).length > 0 ? custom : undefined
  }

  /**
   * Returns the rows of the definitions, once all others are made. Removes references to missing rows. Marks rows without a value where
   * an import would fill in the default.
   */
  finish(documents: EstateDocument, kind: string): EstateRow[] {
    const there = collectRefs(documents)
    return [...this.#fields.values()].map(({ source, definition, dropped }) => {
      const holders = listHolders(documents, definition.resource)
      if (definition.type === 'reference') this.#dropMissing(holders, definition, there)
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
    const isThere = (value: unknown) => there.has(`${reference_to} ${(value as RowReference).ref}`)
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
    for (const row of rows)
      for (const [source, id] of Object.entries((row.refs as Record<string, string> | undefined) ?? {}))
        refs.add(`${list} ${source}:${id}`)
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
