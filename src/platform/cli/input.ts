/** Builds the input of an operation from `--input`, flags and `--unset`, in that order. Unknown fields are errors. */
import { z } from 'zod'
import { AppError } from '../contract/errors.ts'
import { fieldName } from '../contract/validate.ts'
import { httpParts, takesQuery } from '../operation/http-route.ts'
import type { AnyOperation } from '../operation/operation.ts'
import { readBody } from './body-file.ts'
import { type Spec, type Texts, textOf } from './command.ts'
import type { Io } from './io.ts'
import { isRow } from './labels.ts'
import { fieldOfFlag, INPUT_FIELD, isOfHistory, UNSET_FIELD } from './operation-spec.ts'
import { type FieldSchema, refusesNull, schemaOf, settled } from './schema.ts'
import { didYouMean } from './suggest.ts'
import { usageError } from './usage-error.ts'
import { readValue } from './values.ts'

type Input = Record<string, unknown>

/**
 * Output fields outside the input, such as `created_at`, are ignored so that get - edit - update works; those of an object in the object
 * as well.
 */
const withoutReadOnly = (
  output: unknown,
  properties: Readonly<Record<string, FieldSchema>>,
  body: Readonly<Input>,
): Input => {
  const shape: Readonly<Record<string, unknown>> = output instanceof z.ZodObject ? output.shape : {}
  const written: Input = {}
  for (const [field, value] of Object.entries(body)) {
    const isInput = Object.hasOwn(properties, field)
    if (!isInput && Object.hasOwn(shape, field)) continue
    const inner = isInput ? settled(properties[field] ?? {}).properties : undefined
    written[field] = inner && isRow(value) ? withoutReadOnly(shape[field], inner, value) : value
  }
  return written
}

const flagValues = (spec: Spec, properties: Readonly<Record<string, FieldSchema>>, texts: Texts): Input => {
  const joined = new Set(spec.args.filter((arg) => arg.isRest).map((arg) => arg.field))
  const made: Input = {}
  for (const [field, given] of texts) {
    const schema = properties[field]
    if (!schema) continue
    const isWords = joined.has(field) && settled(schema).type !== 'array'
    made[field] = readValue({ field, schema }, isWords ? [given.join(' ')] : given)
  }
  return made
}

/** A dry run asks for the preview. @param given the text of the switch, or the value of a file */
const dryRunOf = (given: unknown): unknown => {
  if (given === true || given === 'true') return 'changes'
  return given === 'false' ? false : given
}

const unsetFields = (op: AnyOperation, properties: Readonly<Record<string, FieldSchema>>, texts: Texts): string[] => {
  const { params } = httpParts(op.http)
  const known = Object.keys(properties).filter((field) => !params.includes(field) && !isOfHistory(op, field))
  return (texts.get(UNSET_FIELD) ?? []).map((typed) => {
    const field = fieldOfFlag(known, typed)
    const schema = field === undefined ? undefined : properties[field]
    if (field === undefined || !schema)
      throw usageError(`--unset: there is no field ${typed}${didYouMean(typed, known)}`)
    if (refusesNull(schema)) throw usageError(`--unset: ${field} is required and cannot be cleared`)
    return field
  })
}

/** A field that the contract does not have, and the fields that it has at that position. */
type Unknown = { readonly path: readonly PropertyKey[]; readonly known: readonly string[] }

const unknownIn = (schema: FieldSchema, value: unknown, path: readonly PropertyKey[] = []): Unknown[] => {
  const { items, properties } = settled(schema)
  if (Array.isArray(value)) return items ? value.flatMap((one, i) => unknownIn(items, one, [...path, i])) : []
  // An object without declared fields accepts any.
  if (!isRow(value) || !properties) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined
    return known ? unknownIn(known, inner, [...path, key]) : [{ path: [...path, key], known: Object.keys(properties) }]
  })
}

const refuseUnknown = (op: AnyOperation, input: Input): void => {
  const details = unknownIn(schemaOf(op.input), input).map(({ path, known }) => ({
    field: fieldName(path),
    message: `unknown field${didYouMean(String(path.at(-1)), known)}`,
  }))
  if (details.length === 0) return
  throw new AppError('INVALID_INPUT', details.map((one) => `${one.field}: ${one.message}`).join('; '), { details })
}

const refuseNothing = (op: AnyOperation, input: Input): void => {
  const { method, params } = httpParts(op.http)
  if (op.effect !== 'update' || takesQuery(method)) return
  const isOwn = (field: string) => !params.includes(field) && !isOfHistory(op, field)
  const hasFields = Object.keys(schemaOf(op.input).properties ?? {}).some(isOwn)
  const changes = Object.keys(input).filter(isOwn)
  if (hasFields && changes.length === 0)
    throw usageError('nothing to change: give a flag, --unset FIELD or --input FILE')
}

/** Builds the input, not yet validated. @throws AppError INVALID_INPUT for unknown fields at any depth */
export const inputOf = async (
  io: Io,
  { op, spec, texts }: { op: AnyOperation; spec: Spec; texts: Texts },
): Promise<Input> => {
  const { properties = {} } = schemaOf(op.input)
  const file = textOf(texts, INPUT_FIELD)
  const body = file === undefined ? {} : withoutReadOnly(op.output, properties, await readBody(io, file))
  const unset = unsetFields(op, properties, texts).map((field) => [field, null])
  const input = { ...body, ...flagValues(spec, properties, texts), ...Object.fromEntries(unset) }
  refuseUnknown(op, input)
  refuseNothing(op, input)
  return op.keeps && input.dry_run !== undefined ? { ...input, dry_run: dryRunOf(input.dry_run) } : input
}
