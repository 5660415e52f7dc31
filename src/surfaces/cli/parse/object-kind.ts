/** The kind of the objects of a call. Names of objects are looked up in it, and it has the definitions of their values. */
import { AppError } from '../../../contract/errors.ts'
import { isRecord } from '../../../contract/unknown.ts'
import { type AnyOperation, getNoun } from '../../../kernel/operation.ts'
import { listOperations, type Names, OBJECTS, type Reference } from './names.ts'

type Input = Readonly<Record<string, unknown>>

/** Returns the kind that the input names, or the one of the object in the path; undefined for a call about objects of several kinds. */
export const findKind = async (
  op: AnyOperation,
  { kind_id, id }: Input,
  { ask, contracts, findId }: Names,
): Promise<string | undefined> => {
  if (getNoun(op) !== OBJECTS) return undefined
  if (typeof kind_id === 'string' && kind_id !== '') return kind_id
  const get = listOperations(contracts, OBJECTS).find(({ name }) => name === `${OBJECTS}.get`)
  if (!get || typeof id !== 'string') return undefined
  try {
    const object = await ask(get, { id: await findId({ noun: OBJECTS, field: 'id', text: id }) })
    return isRecord(object) ? String(object.kind_id) : undefined
  } catch (error) {
    // The call itself reports an unknown object.
    if (error instanceof AppError && (error.code === 'NOT_FOUND' || error.code === 'FORBIDDEN')) return undefined
    throw error
  }
}

/** Returns references to objects with the kind in which their names are looked up. The kind of the input must be an id by now. */
export const withKind = async (
  references: readonly Reference[],
  { op, input, names }: { readonly op: AnyOperation; readonly input: Input; readonly names: Names },
): Promise<readonly Reference[]> => {
  if (references.length === 0 || getNoun(op) !== OBJECTS) return references
  const kind = await findKind(op, input, names)
  return references.map((reference) => ({ ...reference, kind }))
}

/** Returns the references to other nouns, then the ones to objects of kinds. */
export const splitReferences = (all: readonly Reference[]): readonly [readonly Reference[], readonly Reference[]] => [
  all.filter(({ noun }) => noun !== OBJECTS),
  all.filter(({ noun }) => noun === OBJECTS),
]
