/** Replaces names by ids in the values and filters of custom fields that are references. The server knows which ones are. */
import { AppError, type FieldIssue, rejectIssues } from '../../../contract/errors.ts'
import type { CustomPlace } from '../../../contract/json-schema.ts'
import { isRecord } from '../../../contract/unknown.ts'
import { formatFieldName } from '../../../contract/validate.ts'
import type { AnyOperation } from '../../../kernel/operation.ts'
import { collect, listOperations, type Names, OBJECTS, type Reference, UUID } from './names.ts'
import { findKind } from './object-kind.ts'

/** The values or the filters of an object, by the names of their fields. */
type Given = { readonly place: CustomPlace; readonly field: (name: string) => string; readonly values: Values }
type Values = Record<string, unknown>

const collectGiven = (op: AnyOperation, input: Record<string, unknown>): Given[] =>
  collect(op, input, ({ custom: place }, value, { path }) =>
    // The parsed input is written to below.
    place && isRecord(value)
      ? [{ place, field: (name) => formatFieldName([...path, name]), values: value as Values }]
      : undefined,
  )

/** True for a text that may be a name. In a filter `*` stands for any value. */
const canBeName = (value: unknown, { as }: CustomPlace): boolean =>
  Array.isArray(value)
    ? value.some((one) => canBeName(one, { of: '', as }))
    : typeof value === 'string' && value !== '' && !(as === 'filter' && value === '*') && !UUID.test(value)

/** The part of a definition that is read here. */
type Defined = Pick<Reference, 'noun' | 'kind'> & { readonly isMultiple: boolean }

/** Returns the references among the custom fields of a resource; none for a caller who may not list the definitions. */
const findReferences = async (of: string, { ask, contracts }: Names): Promise<ReadonlyMap<string, Defined>> => {
  const list = listOperations(contracts, 'custom-fields').find(({ name }) => name === 'custom-fields.list')
  if (!list) return new Map()
  const rows = await ask(list, { resource: of }).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'FORBIDDEN') return []
    throw error
  })
  // A reference names objects of a resource, or of a kind.
  const getTarget = (noun: string) =>
    listOperations(contracts, noun).length > 0 ? { noun } : { noun: OBJECTS, kind: noun }
  return new Map(
    (Array.isArray(rows) ? rows : [])
      .filter(isRecord)
      .flatMap(({ name, type, reference_to, multiple }) =>
        type === 'reference'
          ? [[String(name), { ...getTarget(String(reference_to)), isMultiple: multiple === true }]]
          : [],
      ),
  )
}

/** Returns the list of a field with several values, of which a text names each before a semicolon. */
const toList = (value: unknown): unknown[] =>
  typeof value === 'string' ? value.split(';').map((one) => one.trim()) : Array.isArray(value) ? value : [value]

const collectNames = ({ place, field, values }: Given, defined: ReadonlyMap<string, Defined>): Reference[] =>
  Object.entries(values).flatMap(([name, value]) => {
    const reference = defined.get(name)
    if (!reference || !canBeName(value, place)) return []
    const { noun, kind, isMultiple } = reference
    const at = (holder: Record<PropertyKey, unknown>, key: PropertyKey): Reference[] => {
      const text = holder[key]
      const put = (id: string) => {
        holder[key] = id
      }
      return typeof text === 'string' && canBeName(text, place) ? [{ noun, kind, field: field(name), text, put }] : []
    }
    if (!isMultiple || place.as === 'filter') return at(values, name)
    const list = toList(value).filter((one) => one !== '')
    values[name] = list
    // A list is addressed by its indices like an object by its keys.
    return list.flatMap((_, i) => at(list as unknown as Record<PropertyKey, unknown>, i))
  })

/**
 * Puts ids in the place of names and refs, in that very input. Asks for the definitions only if a text may be a name.
 * @param kind of the objects, if the input does not name it
 * @throws AppError VALIDATION_ERROR on `custom.<name>` for an unknown or an ambiguous name
 */
export const resolveCustom = async (
  op: AnyOperation,
  input: Record<string, unknown>,
  names: Names,
  kind?: string,
): Promise<void> => {
  const all = collectGiven(op, input).filter(({ place, values }) =>
    Object.values(values).some((one) => canBeName(one, place)),
  )
  const issues: FieldIssue[] = []
  for (const [of, places] of Map.groupBy(all, ({ place }) => place.of)) {
    const resource = of === OBJECTS ? (kind ?? (await findKind(op, input, names))) : of
    const defined = resource === undefined ? new Map<string, Defined>() : await findReferences(resource, names)
    for (const reference of places.flatMap((one) => collectNames(one, defined))) {
      try {
        reference.put(await names.findId(reference))
      } catch (error) {
        if (!(error instanceof AppError && (error.code === 'NOT_FOUND' || error.code === 'INVALID_INPUT'))) throw error
        issues.push({ field: reference.field, message: error.message })
      }
    }
  }
  rejectIssues(issues)
}
