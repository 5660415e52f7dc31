/** Builds the input of an operation from `--input`, flags and `--unset`, in that order. Unknown fields are errors. */
import { z } from 'zod'
import { canPropose } from '../../../contract/can-propose.ts'
import { AppError } from '../../../contract/errors.ts'
import { type FieldSchema, getInputSchema, refusesNull, stripNull } from '../../../contract/input-schema.ts'
import { formatSuggestion } from '../../../contract/suggest.ts'
import { isRecord } from '../../../contract/unknown.ts'
import { formatFieldName } from '../../../contract/validate.ts'
import { parseHttp, takesQuery } from '../../../kernel/http-route.ts'
import type { AnyOperation } from '../../../kernel/operation.ts'
import type { Io } from '../io.ts'
import { readBody } from './body-file.ts'
import { getText, type Spec, type Texts } from './command.ts'
import { findField, INPUT_FIELD, isOfHistory, UNSET_FIELD } from './operation-spec.ts'
import { readProposal } from './proposal-flags.ts'
import { createUsageError } from './usage-error.ts'
import { readValue } from './values.ts'

type Input = Record<string, unknown>

/**
 * Output fields outside the input, such as `created_at`, are ignored so that get - edit - update works. The same applies to output
 * fields of a nested object.
 */
const removeReadOnly = (
  output: unknown,
  properties: Readonly<Record<string, FieldSchema>>,
  body: Readonly<Input>,
): Input => {
  const shape: Readonly<Record<string, unknown>> = output instanceof z.ZodObject ? output.shape : {}
  const written: Input = {}
  for (const [field, value] of Object.entries(body)) {
    const isInput = Object.hasOwn(properties, field)
    if (!isInput && Object.hasOwn(shape, field)) continue
    const inner = isInput ? stripNull(properties[field] ?? {}).properties : undefined
    written[field] = inner && isRecord(value) ? removeReadOnly(shape[field], inner, value) : value
  }
  return written
}

const parseFlags = (spec: Spec, properties: Readonly<Record<string, FieldSchema>>, texts: Texts): Input => {
  const joined = new Set(spec.args.filter((arg) => arg.isRest).map((arg) => arg.field))
  const made: Input = {}
  for (const [field, given] of texts) {
    const schema = properties[field]
    if (!schema) continue
    const isWords = joined.has(field) && stripNull(schema).type !== 'array'
    made[field] = readValue({ field, schema }, isWords ? [given.join(' ')] : given)
  }
  return made
}

/** Reads the switch of a dry run, which asks for the preview. @param given the text of the switch, or the value of a file */
const parseDryRun = (given: unknown): unknown => {
  if (given === true || given === 'true') return 'changes'
  return given === 'false' ? false : given
}

const listUnsetFields = (
  op: AnyOperation,
  properties: Readonly<Record<string, FieldSchema>>,
  texts: Texts,
): string[] => {
  const { params } = parseHttp(op.http)
  const known = Object.keys(properties).filter((field) => !params.includes(field) && !isOfHistory(op, field))
  return (texts.get(UNSET_FIELD) ?? []).map((typed) => {
    const field = findField(known, typed)
    const schema = field === undefined ? undefined : properties[field]
    if (field === undefined || !schema)
      throw createUsageError(`--unset: there is no field ${typed}${formatSuggestion(typed, known)}`)
    if (refusesNull(schema)) throw createUsageError(`--unset: ${field} is required and cannot be cleared`)
    return field
  })
}

/** A field that the contract does not have, and the fields that it has at that position. */
type Unknown = { readonly path: readonly PropertyKey[]; readonly known: readonly string[] }

const findUnknown = (schema: FieldSchema, value: unknown, path: readonly PropertyKey[] = []): Unknown[] => {
  const { items, properties } = stripNull(schema)
  if (Array.isArray(value)) return items ? value.flatMap((one, i) => findUnknown(items, one, [...path, i])) : []
  // An object without declared fields accepts any.
  if (!isRecord(value) || !properties) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined
    return known
      ? findUnknown(known, inner, [...path, key])
      : [{ path: [...path, key], known: Object.keys(properties) }]
  })
}

const refuseUnknown = (op: AnyOperation, input: Input): void => {
  const details = findUnknown(getInputSchema(op.input), input).map(({ path, known }) => ({
    field: formatFieldName(path),
    message: `unknown field${formatSuggestion(String(path.at(-1)), known)}`,
  }))
  if (details.length === 0) return
  throw new AppError('INVALID_INPUT', details.map((one) => `${one.field}: ${one.message}`).join('; '), { details })
}

const refuseNothing = (op: AnyOperation, input: Input): void => {
  const { method, params } = parseHttp(op.http)
  if (op.effect !== 'update' || takesQuery(method)) return
  const isOwn = (field: string) => !params.includes(field) && !isOfHistory(op, field)
  const hasFields = Object.keys(getInputSchema(op.input).properties ?? {}).some(isOwn)
  const changes = Object.keys(input).filter(isOwn)
  if (hasFields && changes.length === 0)
    throw createUsageError('nothing to change: give a flag, --unset FIELD or --input FILE')
}

type InputParts = {
  readonly op: AnyOperation
  readonly spec: Spec
  readonly texts: Texts
  /** Fields that a command reads itself. */
  readonly more?: Readonly<Input>
}

/** Builds the input, not yet validated. @throws AppError INVALID_INPUT for unknown fields at any depth */
export const buildInput = async (io: Io, { op, spec, texts, more = {} }: InputParts): Promise<Input> => {
  const { properties = {} } = getInputSchema(op.input)
  const file = getText(texts, INPUT_FIELD)
  const body = file === undefined ? {} : removeReadOnly(op.output, properties, await readBody(io, file))
  const unset = listUnsetFields(op, properties, texts).map((field) => [field, null])
  const proposal = canPropose(op) ? readProposal(texts) : undefined
  const input = {
    ...{ ...body, ...parseFlags(spec, properties, texts), ...Object.fromEntries(unset), ...more },
    ...(proposal !== undefined && { proposal }),
  }
  refuseUnknown(op, input)
  refuseNothing(op, input)
  return op.hasHistory && input.dry_run !== undefined ? { ...input, dry_run: parseDryRun(input.dry_run) } : input
}
