/** Finds the command at the beginning of a command line. Global flags may appear anywhere around its words. */

import { formatSuggestion } from '../../../contract/suggest.ts'
import { readLeading } from './args.ts'
import type { Command, Texts } from './command.ts'
import { GLOBAL_FLAGS } from './globals.ts'
import { createUsageError } from './usage-error.ts'

export type Start = {
  /** The words that match a command, or the beginning of several (`device`). */
  readonly words: readonly string[]
  /** Set if the words are a command. */
  readonly command: Command | undefined
  /** Global flags before the rest. */
  readonly texts: Texts
  readonly rest: readonly string[]
}

const startsWith = (command: Command, words: readonly string[]): boolean =>
  words.every((word, i) => command.words[i] === word)

/** Reads words as long as a command continues with them. */
export const findCommand = (commands: readonly Command[], argv: readonly string[]): Start => {
  const texts = new Map<string, readonly string[]>()
  const words: string[] = []
  let rest = argv
  for (;;) {
    const isComplete = commands.some((command) => command.words.length === words.length && startsWith(command, words))
    const [word] = rest
    const isLonger = word !== undefined && commands.some((command) => startsWith(command, [...words, word]))
    // Words after a complete command are read with that command's flags, which may hide global ones.
    if (isComplete && !isLonger) break
    const leading = readLeading(rest, GLOBAL_FLAGS)
    for (const [field, given] of leading.texts) texts.set(field, given)
    rest = leading.rest
    const [next] = rest
    if (next === undefined || !commands.some((command) => startsWith(command, [...words, next]))) break
    words.push(next)
    rest = rest.slice(1)
  }
  const command = commands.find((one) => one.words.length === words.length && startsWith(one, words))
  return { words, command, texts, rest }
}

/** Returns the words that may follow an incomplete command. */
export const listNextWords = (commands: readonly Command[], words: readonly string[]): string[] => [
  ...new Set(
    commands
      .filter((command) => !command.isHidden && startsWith(command, words))
      .flatMap((command) => command.words[words.length] ?? []),
  ),
]

/** @example createUnknownCommandError(commands, ['device'], 'lst').message // 'unknown command "device lst"; did you mean list?' */
export const createUnknownCommandError = (commands: readonly Command[], words: readonly string[], word: string) =>
  createUsageError(
    `unknown command ${JSON.stringify([...words, word].join(' '))}${formatSuggestion(word, listNextWords(commands, words))}`,
  )
