/** The columns of spreadsheets of a resource, by its facts. Browser-safe. */
import type { CellKind } from '../base/csv/cells.ts'
import { CUSTOM } from '../base/csv/custom-columns.ts'
import type { Sheet, SheetField } from '../base/sheets/sheet.ts'
import { type FieldFacts, hasRefs, listFields, type ResourceFacts } from '../resource/facts.ts'
import { FACTS, type Resource } from './resources.ts'

const SUFFIX = '_id'

/** The resources of objects that need nothing but a name. */
const NAMED_ONLY: ReadonlySet<string> = new Set(['datacenters', 'spaces'])

/** The columns of an address, in the place of JSON. */
const ADDRESS_PARTS: Readonly<Record<string, SheetField>> = {
  mac_address: { kind: 'mac' },
  dns_name: { kind: 'choice' },
  interface: { kind: 'choice' },
  label: { kind: 'word' },
  port: { kind: 'number' },
  switch_port: { kind: 'choice' },
  space: { kind: 'word', makes: 'spaces' },
}

/** Columns that are a piece of a field. */
const PIECES: Readonly<Record<string, Readonly<Record<string, SheetField>>>> = {
  make_model: { make: { kind: 'word' } },
  subnet: { mask: { kind: 'word' } },
}

/** Fields of answers that a row may have, and that have no effect. */
export const READ_ONLY_COLUMNS: ReadonlySet<string> = new Set([
  'created_at',
  'updated_at',
  'created_by',
  'utilization',
  'network_ids',
])

const getKind = (name: string, facts: FieldFacts): CellKind => {
  if (name.endsWith('vlan_id')) return 'vlan'
  switch (facts.type) {
    case 'name':
      return 'word'
    case 'text':
      return facts.required || facts.trim || facts.rule ? 'word' : 'text'
    case 'integer':
    case 'number':
      return 'number'
    case 'flag':
    case 'choice':
    case 'ip':
    case 'mac':
      return facts.type
    case 'tags':
      return 'list'
    case 'own':
      return facts.cell ?? 'text'
    case 'moment':
    case 'date':
    case 'reference':
      return 'word'
  }
}

const buildField = (name: string, facts: FieldFacts): SheetField => ({
  kind: getKind(name, facts),
  ...(facts.type === 'choice' && { of: facts.of }),
})

/** Returns the fields of a reference: by name, and by id. They are the same where the object has another field of that name. */
const buildReference = (name: string, to: string, all: ReadonlySet<string>): [string, SheetField][] => {
  const short = name.slice(0, -SUFFIX.length)
  const byName: SheetField = { kind: 'word', ...(NAMED_ONLY.has(to) && { makes: to }) }
  return [...(all.has(short) ? [] : [[short, byName] as [string, SheetField]]), [name, { kind: 'word' }]]
}

const buildSheet = (facts: ResourceFacts): Sheet => {
  const stored = listFields(facts).filter(([, field]) => !field.isComputed)
  const all = new Set(stored.map(([name]) => name))
  const references = stored.flatMap(([name, field]) =>
    field.type === 'reference' ? buildReference(name, field.to, all) : [],
  )
  const fields: Record<string, SheetField> = {
    ...Object.fromEntries(references.filter(([name]) => !name.endsWith(SUFFIX))),
    id: { kind: 'word' },
    ...Object.fromEntries(stored.map(([name, field]) => [name, buildField(name, field)])),
    ...(hasRefs(facts) && { refs: { kind: 'record' } }),
    managed_by: { kind: 'word' },
    ...(facts.custom !== undefined && { [CUSTOM]: { kind: 'record' } }),
  }
  const pieces = Object.entries(PIECES).flatMap(([name, of]) => (all.has(name) ? Object.entries(of) : []))
  const computed = [
    ...Object.keys(facts.computed ?? {}),
    ...listFields(facts).flatMap(([name, field]) => (field.isComputed ? [name] : [])),
  ]
  return {
    resource: facts.name,
    noun: facts.noun,
    fields,
    parts: Object.values(fields).some(({ kind }) => kind === 'addresses') ? ADDRESS_PARTS : {},
    pieces: Object.fromEntries(pieces),
    readOnly: new Set([...READ_ONLY_COLUMNS, ...computed]),
  }
}

const built = new Map<Resource, Sheet>()

/** Returns the columns of spreadsheets of a resource. */
export const getSheet = (resource: Resource): Sheet => {
  const known = built.get(resource) ?? buildSheet(FACTS[resource])
  built.set(resource, known)
  return known
}
