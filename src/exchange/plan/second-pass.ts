/** Divides the changes of a document that need each other into two rounds, of which the second sees all new objects. */
import { isRecord } from '../../contract/unknown.ts'
import type { Resource } from '../../inventory/resources.ts'
import { toKind } from '../../record/history/kind-names.ts'
import type { Document } from '../../record/history/kinds.ts'
import { CREATE_ORDER } from '../../record/history/steps.ts'
import type { CustomResource } from '../../resource/custom/fields.ts'
import { getCustomResource, type ReferenceFields } from '../apply/custom-references.ts'
import type { PlannedChange } from '../apply/row.ts'

/** A change of an object in one of the rounds. */
export type Later = { readonly change: PlannedChange; readonly document: Document }
export type Rounds = { readonly first: readonly Later[]; readonly second: readonly Later[] }

type Values = Readonly<Record<string, unknown>>

/** Rules that hold for values from then on: other rows may be of the time before. */
const STRICT: readonly string[] = ['required', 'pattern', 'minimum', 'maximum']

/** A new definition is strict only after the rows of its resource, which the source may have had before. */
const splitDefinition = ({ document }: PlannedChange): readonly [Document, Document] => {
  const strict = Object.fromEntries(STRICT.map((field) => [field, document[field]]))
  const loose = { ...document, required: false, pattern: '', minimum: null, maximum: null }
  return [loose, strict]
}

const isStrict = ({ document: { required, pattern, minimum, maximum } }: PlannedChange): boolean =>
  required === true || Boolean(pattern) || typeof minimum === 'number' || typeof maximum === 'number'

type Made = ReadonlyMap<string, number>

/** Returns values without the references to objects that are created later, and these references. */
const splitLater = (
  custom: Values,
  fields: ReferenceFields,
  isLater: (id: unknown) => boolean,
): readonly [Values, Values] => {
  const isHeld = ([name, value]: [string, unknown]): boolean => {
    const field = fields.get(name)
    return field !== undefined && !field.isRequired && [value].flat().some(isLater)
  }
  const entries = Object.entries(custom)
  return [Object.fromEntries(entries.filter((entry) => !isHeld(entry))), Object.fromEntries(entries.filter(isHeld))]
}

type FieldsOf = (resource: CustomResource) => ReferenceFields

/** The defaults of new definitions that name new objects: no object gets them by itself in the first round. */
type LateDefaults = ReadonlyMap<CustomResource, Values>

const collectLateDefaults = (creates: readonly PlannedChange[], made: Made): LateDefaults => {
  const late = new Map<CustomResource, Record<string, unknown>>()
  for (const { resource, document } of creates) {
    if (resource !== 'custom-fields' || !hasNewDefault(document, made)) continue
    // The schema of definitions has accepted the row.
    const of = document.resource as CustomResource
    late.set(of, { ...late.get(of), [String(document.name)]: document.default })
  }
  return late
}

/** True for a definition with a default that names a new object. */
const hasNewDefault = ({ type, default: usual }: Document, made: Made): boolean =>
  type === 'reference' && [usual].flat().some((id) => made.has(String(id)))

/** Returns a new object with the defaults that it is not given otherwise. */
const withDefaults = ({ resource, document }: PlannedChange, late: LateDefaults): Document => {
  const filled = (of: CustomResource | undefined, holder: Values): Values => {
    const usual = of === undefined ? undefined : late.get(of)
    return usual ? { ...holder, custom: { ...usual, ...(isRecord(holder.custom) ? holder.custom : {}) } } : holder
  }
  const { addresses } = document
  const whole = filled(getCustomResource(resource, document), document)
  if (resource !== 'devices' || !late.has('addresses') || !Array.isArray(addresses)) return whole
  return { ...whole, addresses: addresses.map((one: unknown) => (isRecord(one) ? filled('addresses', one) : one)) }
}

/** Returns a new object without references to objects that are made after it, and the fields that a second round sets. */
const splitCreate = (
  resource: Resource,
  document: Document,
  { fieldsOf, isLater }: { readonly fieldsOf: FieldsOf; readonly isLater: (id: unknown) => boolean },
): readonly [Document, Document] => {
  const first: Record<string, unknown> = { ...document }
  const second: Record<string, unknown> = {}
  const own = getCustomResource(resource, document)
  if (own !== undefined && isRecord(document.custom)) {
    const [kept, held] = splitLater(document.custom, fieldsOf(own), isLater)
    first.custom = kept
    if (Object.keys(held).length > 0) second.custom = held
  }
  if (resource === 'devices' && Array.isArray(document.addresses)) {
    const fields = fieldsOf('addresses')
    let isDivided = false
    first.addresses = document.addresses.map((address: unknown) => {
      if (!isRecord(address) || !isRecord(address.custom)) return address
      const [kept, held] = splitLater(address.custom, fields, isLater)
      if (Object.keys(held).length === 0) return address
      isDivided = true
      return { ...address, custom: kept }
    })
    if (isDivided) second.addresses = document.addresses
    else first.addresses = document.addresses
  }
  return [first, second]
}

/** Objects of a resource with a smaller number are made first. */
const getOrder = (resource: Resource): number => CREATE_ORDER.indexOf(toKind(resource))

/** Returns the two rounds of a plan. A new device gets no ports of its type if the document lists its ports. */
export const buildRounds = (changes: readonly PlannedChange[], fieldsOf: FieldsOf): Rounds => {
  const creates = changes.filter(({ change }) => change === 'create')
  const made: Made = new Map(creates.map(({ id, resource }) => [id, getOrder(resource)]))
  const filled = new Set(creates.map(({ resource, document }) => getCustomResource(resource, document)))
  if (creates.some(({ resource }) => resource === 'devices')) filled.add('addresses')
  const late = collectLateDefaults(creates, made)
  const withPorts = new Set(
    creates.flatMap(({ resource, document }) => (resource === 'ports' ? [document.device_id] : [])),
  )
  const first: Later[] = []
  const second: Later[] = []
  for (const change of changes) {
    const { document } = change
    let divided: readonly [Document, Document] = [document, {}]
    if (change.change === 'create') {
      const isFilled = [...filled].some((resource) => resource === document.resource)
      if (change.resource === 'custom-fields') {
        divided = isStrict(change) && isFilled ? splitDefinition(change) : divided
        if (hasNewDefault(document, made))
          divided = [
            { ...divided[0], default: null },
            { ...divided[1], default: document.default },
          ]
      } else {
        const own = getOrder(change.resource)
        const isLater = (id: unknown) => (made.get(String(id)) ?? -1) >= own
        divided = splitCreate(change.resource, withDefaults(change, late), { fieldsOf, isLater })
      }
    }
    const isListed = change.resource === 'devices' && change.change === 'create' && withPorts.has(change.id)
    first.push({ change, document: isListed ? { ...divided[0], has_ports: true } : divided[0] })
    if (Object.keys(divided[1]).length > 0) second.push({ change, document: divided[1] })
  }
  // Values come before the rules that may require them.
  const isDefinition = ({ change }: Later) => change.resource === 'custom-fields'
  return { first, second: [...second.filter((one) => !isDefinition(one)), ...second.filter(isDefinition)] }
}
