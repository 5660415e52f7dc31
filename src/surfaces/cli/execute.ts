/** Runs an operation: input, names to ids, validation by the contract, the request, the answer. */

import { AppError, invalid } from '../../contract/errors.ts'
import { parse } from '../../contract/validate.ts'
import type { AnyOperation } from '../../kernel/operation.ts'
import { send, type Transport } from './connection/client.ts'
import { present } from './output/present.ts'
import { requireArguments } from './parse/args.ts'
import { askSecrets } from './parse/ask-secrets.ts'
import type { Session, Spec, Texts } from './parse/command.ts'
import { getText } from './parse/command.ts'
import { resolveCustom } from './parse/custom-names.ts'
import { buildInput } from './parse/input.ts'
import { collectReferences, createNames, getMoment, type Names, OBJECTS, type Reference } from './parse/names.ts'
import { splitReferences, withKind } from './parse/object-kind.ts'
import { INPUT_FIELD } from './parse/operation-spec.ts'

type Input = Record<string, unknown>

/** Reports errors that do not depend on the resolved names, before any request. */
const checkBeforeNames = (op: AnyOperation, input: Input, names: readonly Reference[]): void => {
  try {
    parse(op.input, input)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const open = new Set(names.map(({ field }) => field))
    const sure = error.details.filter(({ field }) => !open.has(field))
    if (sure.length > 0) throw invalid(sure)
  }
}

/** Puts the ids of references into their input. @returns true if any was a name and not an id */
export const resolve = async (names: Names, references: readonly Reference[]): Promise<boolean> => {
  let isChanged = false
  for (const reference of references) {
    const id = await names.findId(reference)
    if (id !== reference.text) isChanged = true
    reference.put(id)
  }
  return isChanged
}

/**
 * Sends a reference in the path as an id first. A 404 has changed nothing, so the text is then resolved as a name. Work
 * with ids thus takes no extra request. Requests with an idempotency key of the caller resolve first, because a retry must
 * be identical to the first attempt.
 */
const sendByIdOrName = async (
  transport: Transport,
  { op, input, inPath, names }: { op: AnyOperation; input: Input; inPath: readonly Reference[]; names: Names },
): Promise<Response> => {
  // An unknown ref would create an object, although the text may be the name of another. An id may be that of an object of another kind.
  const mayCreate = inPath.some(({ mayBeNew, kind }) => mayBeNew || kind !== undefined)
  if (mayCreate || input.idempotency_key !== undefined) await resolve(names, inPath)
  try {
    return await send(transport, op, input)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND' || inPath.length === 0) throw error
    if (!(await resolve(names, inPath))) throw error
    return await send(transport, op, input)
  }
}

type Executed = {
  readonly op: AnyOperation
  readonly spec: Spec
  readonly texts: Texts
  /** The kind of the objects of the command, which names are looked up in. */
  readonly kind?: string
  /** Fields that the command reads itself. */
  readonly more?: Readonly<Input>
}

export const execute = async (session: Session, { op, spec, texts, kind, more = {} }: Executed): Promise<number> => {
  // The file may contain the values of the arguments.
  if (getText(texts, INPUT_FIELD) === undefined) requireArguments(texts, spec.args)
  const input = { ...op.cli?.preset, ...(await buildInput(session.io, { op, spec, texts, more })) }
  await askSecrets(session.io, { op, texts, input })
  const { inPath: path, elsewhere } = collectReferences(op, input)
  const inPath = kind === undefined ? path : path.map((one) => (one.noun === OBJECTS ? { ...one, kind } : one))
  checkBeforeNames(op, input, elsewhere)
  const { transport } = await session.connect()
  const names = createNames(transport, await session.program.contracts(), getMoment(op, input))
  const [others, ofKinds] = splitReferences(elsewhere)
  await resolve(names, others)
  await resolve(
    names,
    kind === undefined ? await withKind(ofKinds, { op, input, names }) : ofKinds.map((one) => ({ ...one, kind })),
  )
  await resolveCustom(op, input, names, kind)
  parse(op.input, input)
  const response = await sendByIdOrName(transport, { op, input, inPath, names })
  return (await present(session, { op, transport, response })) ? 0 : 1
}
