/** Resolves names to ids in the input of tools: a model knows names, and ids cost tokens. */

import { JsonList, JsonText, WithStatus } from '../../kernel/handler-result.ts'
import type { AnyOperation, OperationSet } from '../../kernel/operation.ts'
import { resolveCustom } from '../cli/parse/custom-names.ts'
import { type Ask, collectReferences, createNamesBy, getMoment, UUID } from '../cli/parse/names.ts'
import { splitReferences, withKind } from '../cli/parse/object-kind.ts'
import { isPaged } from './tools.ts'

/** Maximum number of rows searched for objects of the same name. */
const MOST_ROWS = 1000

export type Run = (op: AnyOperation, input: Readonly<Record<string, unknown>>) => Promise<unknown>
type Fields = Readonly<Record<string, unknown>>

const toPlain = async (answer: unknown): Promise<unknown> => {
  if (answer instanceof WithStatus) return toPlain(answer.value)
  if (answer instanceof JsonText) return JSON.parse(answer.json)
  if (!(answer instanceof JsonList)) return answer
  const rows: unknown[] = []
  for await (const chunk of answer.parts.rows()) rows.push(...chunk.map((row): unknown => JSON.parse(row)))
  return rows
}

/** Groups the operations by noun, as the lookup of names needs them. */
export const toOperationSets = (operations: readonly AnyOperation[]): Readonly<Record<string, OperationSet>> =>
  Object.fromEntries(
    Map.groupBy(operations, ({ name }) => name.slice(0, name.indexOf('.')))
      .entries()
      .map(([noun, ops]) => [noun, Object.fromEntries(ops.map((op) => [op.name, op]))]),
  )

/** Replaces names by ids. @throws AppError NOT_FOUND for neither; INVALID_INPUT for an ambiguous name; VALIDATION_ERROR on `custom` */
export const withIds = async (
  op: AnyOperation,
  input: Fields,
  { run, sets }: { readonly run: Run; readonly sets: Readonly<Record<string, OperationSet>> },
): Promise<Fields> => {
  const copy = structuredClone(input)
  const { inPath, elsewhere } = collectReferences(op, copy)
  const unknown = [...inPath, ...elsewhere].filter(({ text }) => !UUID.test(text))
  const ask: Ask = async (asked, wanted) =>
    toPlain(await run(asked, { ...wanted, ...(isPaged(asked) && { limit: MOST_ROWS }) }))
  const names = createNamesBy(ask, sets, getMoment(op, input))
  const [others, ofKinds] = splitReferences(unknown)
  for (const reference of others) reference.put(await names.findId(reference))
  for (const reference of await withKind(ofKinds, { op, input: copy, names }))
    reference.put(await names.findId(reference))
  await resolveCustom(op, copy, names)
  return copy
}
