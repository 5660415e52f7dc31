/** Splits a command line into flags and arguments by their declarations. */

import { formatSuggestion } from '../../../contract/suggest.ts'
import type { Argument, Flag, Spec, Texts } from './command.ts'
import { createUsageError } from './usage-error.ts'

type Found = { readonly flag: Flag; readonly isNegated: boolean }

const isShort = (word: string): boolean => /^-[A-Za-z]/.test(word)

const findLong = (flags: readonly Flag[], typed: string): Found | undefined => {
  const name = typed.replaceAll('_', '-')
  const direct = flags.find((flag) => flag.names.includes(name))
  if (direct) return { flag: direct, isNegated: false }
  const bare = name.startsWith('no-') ? name.slice(3) : undefined
  const negated = bare === undefined ? undefined : flags.find((flag) => flag.isSwitch && flag.names.includes(bare))
  return negated && { flag: negated, isNegated: true }
}

const createUnknownFlagError = (flags: readonly Flag[], word: string) =>
  createUsageError(
    `unknown flag ${word}${formatSuggestion(
      word,
      flags.flatMap((flag) => flag.names.map((name) => `--${name}`)),
    )}`,
  )

const parseSwitch = (word: string, isNegated: boolean, value: string | undefined): string => {
  if (value === undefined) return isNegated ? 'false' : 'true'
  if (isNegated) throw createUsageError(`${word} takes no value`)
  if (value === 'true' || value === 'false') return value
  throw createUsageError(`${word} must be true or false`)
}

class Words {
  readonly texts = new Map<string, string[]>()
  readonly rest: string[] = []
  #at = 0

  constructor(
    readonly words: readonly string[],
    readonly flags: readonly Flag[],
  ) {}

  /** @param stop ends before the first argument */
  read({ stop }: { stop: boolean }): readonly string[] {
    for (; this.#at < this.words.length; this.#at++) {
      const word = this.words[this.#at] ?? ''
      if (word === '--') {
        if (!stop) this.rest.push(...this.words.slice(this.#at + 1))
        return this.words.slice(this.#at)
      }
      if (word.startsWith('--')) this.#long(word)
      else if (isShort(word)) this.#short(word)
      else if (stop) return this.words.slice(this.#at)
      else this.rest.push(word)
    }
    return []
  }

  #long(word: string): void {
    const at = word.indexOf('=')
    const shown = at === -1 ? word : word.slice(0, at)
    const value = at === -1 ? undefined : word.slice(at + 1)
    const found = findLong(this.flags, shown.slice(2))
    if (!found) throw createUnknownFlagError(this.flags, shown)
    this.#add(found, shown, value)
  }

  #short(word: string): void {
    const shown = word.slice(0, 2)
    const flag = this.flags.find((one) => one.short === word[1])
    if (!flag) throw createUnknownFlagError(this.flags, word)
    const glued = word.slice(2)
    if (flag.isSwitch && glued !== '' && !glued.startsWith('=')) {
      // `-qh` is `-q -h`.
      this.#add({ flag, isNegated: false }, shown, undefined)
      this.#short(`-${glued}`)
      return
    }
    this.#add({ flag, isNegated: false }, shown, glued === '' ? undefined : glued.replace(/^=/, ''))
  }

  #add({ flag, isNegated }: Found, shown: string, value: string | undefined): void {
    const text = flag.isSwitch ? parseSwitch(shown, isNegated, value) : (value ?? this.#next(shown))
    const known = this.texts.get(flag.field)
    if (known) known.push(text)
    else this.texts.set(flag.field, [text])
  }

  #next(shown: string): string {
    const next = this.words[this.#at + 1]
    if (next === undefined) throw createUsageError(`${shown} needs a value`)
    // Much more often a forgotten value than one that begins with dashes.
    if (next.startsWith('--'))
      throw createUsageError(`${shown} needs a value; one that begins with dashes goes into ${shown}=${next}`)
    this.#at++
    return next
  }
}

/** Reads flags up to the first argument: flags before and between the words of a command. */
export const readLeading = (
  words: readonly string[],
  flags: readonly Flag[],
): { texts: Texts; rest: readonly string[] } => {
  const reader = new Words(words, flags)
  const rest = reader.read({ stop: true })
  return { texts: reader.texts, rest }
}

const fillArguments = (texts: Map<string, string[]>, args: readonly Argument[], words: readonly string[]): void => {
  // An argument that was given as a flag takes no word.
  const open = args.filter((arg) => !texts.has(arg.field))
  let at = 0
  for (const arg of open) {
    if (at >= words.length) return
    const taken = arg.isRest ? words.slice(at) : words.slice(at, at + 1)
    texts.set(arg.field, [...taken])
    at += taken.length
  }
  const extra = words[at]
  if (extra !== undefined) throw createUsageError(`unexpected argument ${JSON.stringify(extra)}`)
}

/** Returns the texts of every flag and argument, by field. @throws AppError INVALID_INPUT */
export const readArguments = (words: readonly string[], { args, flags }: Spec): Map<string, string[]> => {
  const reader = new Words(words, flags)
  reader.read({ stop: false })
  fillArguments(reader.texts, args, reader.rest)
  return reader.texts
}

/** @throws AppError INVALID_INPUT that names the first missing argument */
export const requireArguments = (texts: Texts, args: readonly Argument[]): void => {
  const missing = args.filter((arg) => arg.isRequired && !texts.has(arg.field))
  if (missing.length > 0)
    throw createUsageError(`${missing.map((arg) => arg.field.toUpperCase()).join(' and ')} missing`)
}
