/** Reads the body of a write of the NetBox API: one object, or a list of objects. */
import { isRecord } from '../../contract/unknown.ts'
import { DEFAULT_MAX_BODY_BYTES, parseJson, readBytes, requireJsonType } from '../../surfaces/http/body/body.ts'
import { type FieldNames, NO_FIELD, placeError, refuseField, refuseFields } from './errors.ts'

/** The largest number of objects of one request. */
export const MAX_ITEMS = 1000

export type Fields = Readonly<Record<string, unknown>>
export type Body = {
  /** True for a list, which is answered by a list. */
  readonly isList: boolean
  readonly items: readonly Fields[]
}

const describeType = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value

const describeWrongType = (value: unknown) => ({
  [NO_FIELD]: [`Invalid data. Expected an object, but got ${describeType(value)}.`],
})

/** @throws NetboxError for an item that is no object */
const toItems = (values: readonly unknown[]): Fields[] =>
  values.map((value, index) => {
    if (isRecord(value)) return value
    const error = refuseFields(describeWrongType(value))
    throw placeError(error, index, { isList: true, count: values.length, names: {} })
  })

/** An empty body is an object without fields. @throws AppError for a body that is too large, of another type or form */
export const readBody = async (request: Request): Promise<Body> => {
  requireJsonType(request)
  const bytes = await readBytes(request, DEFAULT_MAX_BODY_BYTES)
  const value = bytes.length === 0 ? {} : parseJson(bytes)
  if (isRecord(value)) return { isList: false, items: [value] }
  if (!Array.isArray(value)) throw refuseFields(describeWrongType(value))
  if (value.length > MAX_ITEMS) throw refuseField(NO_FIELD, `At most ${MAX_ITEMS} objects are taken in one request.`)
  return { isList: true, items: toItems(value) }
}

/**
 * Runs the work of one item of a body.
 * @param names NetBox's names of the fields that errors of the work name
 * @throws AppError of the work; one about fields with NetBox's names, at the place of the item in the list
 */
export const runItem = async <T>(
  {
    index,
    body: { isList, items },
    names,
  }: { readonly index: number; readonly body: Body; readonly names: FieldNames },
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw placeError(error, index, { isList, count: items.length, names })
  }
}
