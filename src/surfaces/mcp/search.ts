/** Finds operations by description, for models that get only the most used ones as tools. */
import { getToolName } from '../../contract/command-name.ts'
import type { DescribeCustom } from '../../contract/json-schema.ts'
import type { AnyOperation } from '../../kernel/operation.ts'
import { formatSignature } from './signature.ts'
import { needsPlan, toInputSchema } from './tools.ts'

const MAX_RESULTS = 8

export type FoundOperation = {
  readonly operation: string
  readonly summary: string
  readonly effect: string
  readonly access: AnyOperation['access']
  readonly input: string
  /** The operation returns a plan and changes nothing yet. */
  readonly plan?: true
}

export type SearchAnswer = {
  readonly operations: readonly FoundOperation[]
  /** The number of matches, of which these are the best. */
  readonly total: number
  /** The nouns to try if nothing matched. */
  readonly nouns?: readonly string[]
}

/** Removes the plural: a search does not distinguish `networks` from `network`. */
const stem = (word: string): string => (word.length > 3 ? word.replace(/s$/, '') : word)

const extractWords = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .map(stem)

type Indexed = { readonly op: AnyOperation; readonly name: ReadonlySet<string>; readonly text: string }

const toIndexed = (op: AnyOperation): Indexed => ({
  op,
  name: new Set([...extractWords(op.name), ...extractWords(getToolName(op))]),
  text: extractWords(`${op.summary} ${op.description ?? ''} ${op.http} ${op.effect}`).join(' '),
})

/** A text that has all words in their order counts more than a name with one of them. */
const computeScore = ({ name, text }: Indexed, words: readonly string[]): number => {
  const isPhrase = words.length > 1 && text.includes(words.join(' '))
  const byWord = words.reduce((score, word) => score + (name.has(word) ? 4 : 0) + (text.includes(word) ? 1 : 0), 0)
  return byWord + (isPhrase ? 2 * words.length : 0)
}

const describe = (op: AnyOperation, describeCustom: DescribeCustom | undefined): FoundOperation => ({
  operation: op.name,
  summary: op.description ? `${op.summary}. ${op.description}` : op.summary,
  effect: op.effect,
  access: op.access,
  input: formatSignature(toInputSchema(op, describeCustom)),
  ...(needsPlan(op) && { plan: true }),
})

/** @param describeCustom without it, no operation has custom fields */
export type SearchOperations = (query: string, describeCustom?: DescribeCustom) => SearchAnswer

export const createSearch = (operations: readonly AnyOperation[]): SearchOperations => {
  const index = operations.map(toIndexed)
  return (query, describeCustom) => {
    const words = extractWords(query)
    const matches = index
      .map((one) => ({ op: one.op, score: computeScore(one, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
    if (matches.length > 0)
      return {
        operations: matches.slice(0, MAX_RESULTS).map(({ op }) => describe(op, describeCustom)),
        total: matches.length,
      }
    const nouns = new Set(operations.map(({ name }) => name.slice(0, name.indexOf('.'))))
    return { operations: [], total: 0, nouns: [...nouns] }
  }
}
