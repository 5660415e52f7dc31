/** The words that no kind has as its id, because they name resources, permissions and commands. */
import { getCommandWords, toSingular } from '../contract/command-name.ts'
import type { AnyOperation, OperationSet } from '../kernel/operation.ts'
import { contracts } from './contracts.ts'

/** The first words of the commands that are no operations. */
const COMMANDS = [
  ...['apply', 'backup', 'completion', 'diff', 'doctor', 'export', 'healthcheck', 'help', 'import', 'login', 'logout'],
  ...['manual', 'migrate', 'restore', 'schema', 'serve', 'watch', 'whois'],
]

const listWords = (op: AnyOperation): string[] => {
  const [noun = ''] = op.name.split('.')
  const permission = typeof op.access === 'string' ? op.access : ''
  return [noun, toSingular(noun), getCommandWords(op)[0] ?? '', permission.split(':')[0] ?? '']
}

let words: ReadonlySet<string> | undefined

/** Returns the words, nouns in the singular and in the plural. */
export const listReservedWords = (): ReadonlySet<string> => {
  const sets: readonly OperationSet[] = Object.values(contracts)
  words ??= new Set([...COMMANDS, ...sets.flatMap((set) => Object.values(set)).flatMap(listWords)])
  return words
}
