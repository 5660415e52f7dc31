/** Runs an operation: input, names for ids, the contract's own validation, the request, the answer. */

import { AppError, invalid } from '../contract/errors.ts'
import { parse } from '../contract/validate.ts'
import type { AnyOperation } from '../operation/operation.ts'
import { requireArguments } from './args.ts'
import { askSecrets } from './ask-secrets.ts'
import { send, type Transport } from './client.ts'
import type { Session, Spec, Texts } from './command.ts'
import { textOf } from './command.ts'
import { inputOf } from './input.ts'
import { createNames, type Names, type Reference, referencesOf } from './names.ts'
import { INPUT_FIELD } from './operation-spec.ts'
import { present } from './present.ts'

type Input = Record<string, unknown>

/** What is wrong whatever the names turn out to stand for: said before anybody is asked. */
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

/** @returns whether any was a name and not an id */
const resolve = async (names: Names, references: readonly Reference[]): Promise<boolean> => {
  let isChanged = false
  for (const reference of references) {
    const id = await names.idOf(reference)
    if (id !== reference.text) isChanged = true
    reference.put(id)
  }
  return isChanged
}

/**
 * What stands in the path is tried as an id first: nothing happens on a 404, and only then is it looked up as a name.
 * So whoever works with ids pays for no extra request. Not where a header makes the request one of its kind: an
 * idempotency key that came with a name could not come again with the id.
 */
const sendByIdOrName = async (
  transport: Transport,
  { op, input, inPath, names }: { op: AnyOperation; input: Input; inPath: readonly Reference[]; names: Names },
): Promise<Response> => {
  if (op.headers) await resolve(names, inPath)
  try {
    return await send(transport, op, input)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND' || inPath.length === 0) throw error
    if (!(await resolve(names, inPath))) throw error
    return await send(transport, op, input)
  }
}

export const execute = async (
  session: Session,
  { op, spec, texts }: { op: AnyOperation; spec: Spec; texts: Texts },
): Promise<number> => {
  // A file may hold what the arguments would say.
  if (textOf(texts, INPUT_FIELD) === undefined) requireArguments(texts, spec.args)
  const input = { ...op.cli?.preset, ...(await inputOf(session.io, { op, spec, texts })) }
  await askSecrets(session.io, { op, texts, input })
  const { inPath, elsewhere } = referencesOf(op, input)
  checkBeforeNames(op, input, elsewhere)
  const { transport } = await session.connect()
  const names = createNames(transport, await session.program.contracts())
  await resolve(names, elsewhere)
  parse(op.input, input)
  const response = await sendByIdOrName(transport, { op, input, inPath, names })
  return (await present(session, { op, transport, response })) ? 0 : 1
}
