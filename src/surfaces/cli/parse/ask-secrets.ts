/** Prompts for the missing secrets of a command at a terminal, so that they need not appear on the command line. */
import type { AnyOperation } from '../../../kernel/operation.ts'
import type { Io } from '../io.ts'
import { getText, type Texts } from './command.ts'
import { INPUT_FIELD } from './operation-spec.ts'

/** @example formatQuestion('new_password') // 'New password: ' */
const formatQuestion = (field: string): string => {
  const words = field.replaceAll('_', ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}: `
}

/** Fills in missing secrets at a terminal. Elsewhere it does nothing, and the contract reports them. */
export const askSecrets = async (
  io: Io,
  { op, texts, input }: { op: AnyOperation; texts: Texts; input: Record<string, unknown> },
): Promise<void> => {
  // No prompt can be answered while standard input holds the input.
  if (!io.stdin.isTty || getText(texts, INPUT_FIELD) === '-') return
  for (const field of op.cli?.ask ?? [])
    if (input[field] === undefined) input[field] = await io.stdin.ask(formatQuestion(field), { isSecret: true })
}
