/** Derives commands from the operations of the registry. */

import { type Access, type AnyOperation, type OperationSet, permissionsOf } from '../operation/operation.ts'
import type { Command, Spec } from './command.ts'
import { commandOf } from './command-name.ts'
import { execute } from './execute.ts'
import { specOf } from './operation-spec.ts'

const accessText = (access: Access): string => {
  if (access === 'public') return 'nothing'
  if (access === 'authenticated') return 'any signed-in user'
  return permissionsOf(access).join(' or ')
}

const commandFor = (op: AnyOperation): Command => {
  let made: Spec | undefined
  const spec = (): Spec => {
    made ??= specOf(op)
    return made
  }
  return {
    words: commandOf(op),
    summary: op.summary,
    ...(op.description === undefined ? {} : { description: op.description }),
    notes: [`Route:  ${op.http}`, `Needs:  ${accessText(op.access)}`],
    spec,
    run: (session, texts) => execute(session, { op, spec: spec(), texts }),
  }
}

export const operationCommands = (contracts: Readonly<Record<string, OperationSet>>): Command[] =>
  Object.values(contracts)
    .flatMap((set) => Object.values(set))
    // The commands send an API key, which is no session.
    .filter(({ session }) => session === undefined)
    .map(commandFor)

/** Returns all commands. A hand-written one replaces the operation of the same words. */
export const allCommands = (
  contracts: Readonly<Record<string, OperationSet>>,
  specials: readonly Command[],
): Command[] => {
  const taken = new Set(specials.map(({ words }) => words.join(' ')))
  return [...operationCommands(contracts).filter(({ words }) => !taken.has(words.join(' '))), ...specials]
}
