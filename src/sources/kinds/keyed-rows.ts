/** Gives the rows of a converted document their keys: the id of the source, a ref, or their identifying fields. */
import { parseRef } from '../../contract/fields/external-fields.ts'
import { isRecord, toText } from '../../contract/unknown.ts'
import type { EstateDocument, EstateRow } from '../../convert/converter.ts'
import { ReportBuilder } from '../../convert/report-builder.ts'
import { FACTS, INVENTORY, type Resource } from '../../inventory/resources.ts'
import { hasRefs, type ResourceFacts } from '../../resource/facts.ts'
import { cleanRow } from './clean-row.ts'
import type { About, SnapshotRows } from './source-kind.ts'

export type KeyRules = {
  /** The source of the refs of the rows. */
  readonly ref: string
  /** The source of refs in the document that are the keys as they are, and get the name `ref`. */
  readonly own: string
  /** Returns the key that the source says; undefined for a row without one. */
  readonly readKey?: (row: EstateRow) => string | undefined
}

const MAX_KEY = 190
const MAX_PLACE = 255
/** The engine makes the keys of ports from their devices. */
const OPTIONAL: ReadonlySet<Resource> = new Set(['ports'])

const isKey = (key: string): boolean => key !== '' && key.length <= MAX_KEY && !/[\p{Cc}\p{Cs}]/u.test(key)

/** Returns a value as a part of a key: a text, or the name, network or ref in a reference. */
const toPart = (value: unknown): string => {
  if (isRecord(value)) return toText(value.name ?? value.subnet ?? value.ref ?? value.id).trim()
  return typeof value === 'number' ? String(value) : toText(value).trim()
}

const readPart = (row: EstateRow, field: string): string => toPart(row[field.replace(/_id$/, '')] ?? row[field])

/** Builds the key of a row from its identity or its name, and the object that holds it. */
const buildNaturalKey = (
  { identity, within = [], label = 'name' }: ResourceFacts,
  row: EstateRow,
  more: readonly string[] = [],
): string =>
  [...within, ...(identity ?? [label]), ...more]
    .map((field) => readPart(row, field))
    .filter((part) => part !== '')
    .join('/')

const readRefs = (row: EstateRow): [source: string, id: string][] =>
  isRecord(row.refs)
    ? Object.entries(row.refs).flatMap(([source, id]) => (typeof id === 'string' ? [[source, id.trim()]] : []))
    : []

type Keyed = { readonly row: EstateRow; readonly key: string; readonly isNatural: boolean }

const chooseKey = (resource: Resource, row: EstateRow, { own, readKey }: KeyRules): Keyed => {
  const said = readKey?.(row)?.trim()
  if (said) return { row, key: said, isNatural: false }
  const refs = readRefs(row)
  const key =
    refs.find(([source]) => source === own)?.[1] ??
    refs.map(([source, id]) => `${source}:${id}`)[0] ??
    toText(row.id).trim()
  if (key !== '' || OPTIONAL.has(resource)) return { row, key, isNatural: false }
  return { row, key: buildNaturalKey(FACTS[resource], row), isNatural: true }
}

/** Returns the rows with their keys. Rows of one name are told apart by the fields that do so in a document. */
const chooseKeys = (resource: Resource, rows: readonly EstateRow[], rules: KeyRules): Keyed[] => {
  const facts: ResourceFacts = FACTS[resource]
  const keyed = rows.map((row) => chooseKey(resource, row, rules))
  const counts = new Map<string, number>()
  for (const { key, isNatural } of keyed) if (isNatural) counts.set(key, (counts.get(key) ?? 0) + 1)
  return keyed.map((one) =>
    one.isNatural && (counts.get(one.key) ?? 0) > 1
      ? { ...one, key: buildNaturalKey(facts, one.row, facts.apart) }
      : one,
  )
}

/** Finds the rows of one resource by the names, ids and refs that other rows may give. */
class RowNames {
  /** Null for a text that means several. */
  readonly #keys = new Map<string, string | null>()

  constructor(rows: readonly Keyed[]) {
    for (const { row, key } of rows) {
      const texts = [toText(row.name), toText(row.id), ...readRefs(row).map(([source, id]) => `${source}:${id}`)]
      for (const text of new Set(texts.map((one) => one.trim().toLowerCase()).filter((one) => one !== '')))
        this.#keys.set(text, this.#keys.has(text) ? null : key)
    }
  }

  find(value: unknown): string | undefined {
    const text = isRecord(value) && Object.keys(value).length === 1 ? (value.ref ?? value.name ?? value.id) : value
    return this.#keys.get(toText(text).trim().toLowerCase()) ?? undefined
  }
}

const listMacs = (row: EstateRow): string[] =>
  Array.isArray(row.addresses)
    ? row.addresses.flatMap((one: unknown) =>
        isRecord(one) && typeof one.mac_address === 'string' ? [one.mac_address] : [],
      )
    : []

class KeyedRows {
  readonly #rules: KeyRules
  readonly #report = new ReportBuilder({ withLeftover: false })
  readonly #keyed = new Map<Resource, Keyed[]>()
  readonly #names = new Map<string, RowNames>()
  readonly #about = new Map<string, About>()
  readonly #macs = new Map<string, Set<string>>()

  constructor(documents: EstateDocument, rules: KeyRules) {
    this.#rules = rules
    for (const resource of INVENTORY) {
      const rows = this.#chooseKeys(resource, documents[resource] ?? []).map((one, at) => ({
        ...one,
        row: cleanRow(one.row, `${resource} ${one.key || at + 1}`),
      }))
      this.#keyed.set(resource, rows)
      this.#names.set(resource, new RowNames(rows))
    }
  }

  build(): Omit<SnapshotRows, 'hosts'> {
    const documents: EstateDocument = {}
    for (const [resource, keyed] of this.#keyed)
      if (keyed.length > 0) documents[resource] = keyed.map((one) => this.#buildRow(resource, one))
    for (const port of documents.ports ?? []) this.#addPort(port)
    const about = [...this.#about].map(([name, one]): [string, About] => {
      const macs = this.#macs.get(name)
      return [name, macs && macs.size > 0 ? { ...one, macs: [...macs] } : one]
    })
    return { documents, about: new Map(about), report: this.#report.report(documents) }
  }

  /** Returns the rows with a unique key. The others are left. */
  #chooseKeys(resource: Resource, rows: readonly EstateRow[]): Keyed[] {
    const facts: ResourceFacts = FACTS[resource]
    if (!hasRefs(facts)) return rows.map((row) => ({ row, key: '', isNatural: false }))
    const taken = new Set<string>()
    return chooseKeys(resource, rows, this.#rules).filter(({ key }) => {
      if (key === '' && OPTIONAL.has(resource)) return true
      const why = taken.has(key)
        ? 'its id is there twice: name another field by options.key'
        : 'has no id of 1-190 characters'
      const isGood = isKey(key) && !taken.has(key)
      taken.add(key)
      if (!isGood) this.#report.left(facts.noun, why, { id: key })
      return isGood
    })
  }

  #buildRow(resource: Resource, { row, key }: Keyed): EstateRow {
    const { id, ...others } = this.#withKeys(resource, row)
    // The id of a kind is its name in other rows.
    const fields = resource === 'kinds' && id !== undefined ? { id, ...others } : others
    if (key === '') return fields
    const name = `${resource} ${key}`
    const place = toPart(row.datacenter ?? row.datacenter_id).slice(0, MAX_PLACE)
    this.#about.set(name, { type: FACTS[resource].noun, ...(place !== '' && { place }) })
    if (resource === 'devices') this.#macs.set(name, new Set(listMacs(row)))
    // The refs of the document stay: other rows refer to them, and other sources find the object by them.
    return { ...fields, refs: { ...Object.fromEntries(readRefs(row)), [this.#rules.ref]: key } }
  }

  /**
   * Replaces references to rows of the document by their keys: references by id, because rows lose their ids, and references of
   * ports and relationships, because the engine makes their keys from them.
   */
  #withKeys(resource: Resource, row: EstateRow): EstateRow {
    const facts: ResourceFacts = FACTS[resource]
    const isMadeFrom = OPTIONAL.has(resource) || !hasRefs(facts)
    const replaced: EstateRow = { ...row }
    for (const [field, one] of Object.entries(facts.fields)) {
      if (one.type !== 'reference') continue
      const as = field.replace(/_id$/, '')
      const given = row[field] ?? (isMadeFrom && one.to === 'devices' ? row[as] : undefined)
      const key = given === undefined ? undefined : this.#names.get(one.to)?.find(given)
      if (!key) continue
      delete replaced[field]
      replaced[as] = { ref: `${this.#rules.ref}:${key}` }
    }
    return replaced
  }

  #addPort({ device, mac_address }: EstateRow): void {
    const key = isRecord(device) ? parseRef(toText(device.ref))?.id : undefined
    if (typeof mac_address === 'string' && key !== undefined) this.#macs.get(`devices ${key}`)?.add(mac_address)
  }
}

/** Returns the rows with `refs`, their types and places. */
export const buildKeyedRows = (documents: EstateDocument, rules: KeyRules): Omit<SnapshotRows, 'hosts'> =>
  new KeyedRows(documents, rules).build()
