/** Derives commands from the operations of the registry. */

import { getCommandWords } from '../../../contract/command-name.ts'
import { type Access, type AnyOperation, listPermissions, type OperationSet } from '../../../kernel/operation.ts'
import { execute } from '../execute.ts'
import type { Command, Spec } from './command.ts'
import { buildSpec } from './operation-spec.ts'

const formatAccess = (access: Access): string => {
  if (access === 'public') return 'nothing'
  if (access === 'authenticated') return 'any signed-in user'
  return listPermissions(access).join(' or ')
}

const buildCommand = (op: AnyOperation): Command => {
  let made: Spec | undefined
  const spec = (): Spec => {
    made ??= buildSpec(op)
    return made
  }
  return {
    words: getCommandWords(op),
    summary: op.summary,
    ...(op.description === undefined ? {} : { description: op.description }),
    notes: [`Route:  ${op.http}`, `Needs:  ${formatAccess(op.access)}`],
    spec,
    run: (session, texts) => execute(session, { op, spec: spec(), texts }),
  }
}

export const buildOperationCommands = (contracts: Readonly<Record<string, OperationSet>>): Command[] =>
  Object.values(contracts)
    .flatMap((set) => Object.values(set))
    // The commands send an API key, which is no session.
    .filter(({ session }) => session === undefined)
    .map(buildCommand)

/** Returns all commands. A hand-written one replaces the operation of the same words. */
export const listCommands = (
  contracts: Readonly<Record<string, OperationSet>>,
  specials: readonly Command[],
): Command[] => {
  const taken = new Set(specials.map(({ words }) => words.join(' ')))
  return [...buildOperationCommands(contracts).filter(({ words }) => !taken.has(words.join(' '))), ...specials]
}
