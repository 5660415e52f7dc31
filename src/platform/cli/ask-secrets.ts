/** Secrets that a command needs and was not given: a person at the terminal is asked, so that none stands on the command line. */
import type { AnyOperation } from '../operation/operation.ts'
import { type Texts, textOf } from './command.ts'
import type { Io } from './io.ts'
import { INPUT_FIELD } from './operation-spec.ts'

/** @example questionFor('new_password') // 'New password: ' */
const questionFor = (field: string): string => {
  const words = field.replaceAll('_', ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}: `
}

/** Fills in what is missing; elsewhere than at a terminal nothing, and the contract says what is missing. */
export const askSecrets = async (
  io: Io,
  { op, texts, input }: { op: AnyOperation; texts: Texts; input: Record<string, unknown> },
): Promise<void> => {
  // What comes from standard input is not typed.
  if (!io.stdin.isTty || textOf(texts, INPUT_FIELD) === '-') return
  for (const field of op.cli?.ask ?? [])
    if (input[field] === undefined) input[field] = await io.stdin.ask(questionFor(field), { isSecret: true })
}
