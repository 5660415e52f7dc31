/** Finds candidates for the word at the cursor. Errors print nothing, so that the user's prompt stays clean. */

import { getLabel, getRowId } from '../../../contract/labels.ts'
import { isRecord } from '../../../contract/unknown.ts'
import { call } from '../connection/client.ts'
import { connect } from '../connection/connection.ts'
import type { Io } from '../io.ts'
import {
  type Command,
  type Flag,
  getText,
  type Program,
  type Session,
  type Texts,
  type Value,
} from '../parse/command.ts'
import { findCommand, listNextWords } from '../parse/find-command.ts'
import { findTarget, GLOBAL_FLAGS } from '../parse/globals.ts'
import { loadCommands } from '../parse/load-commands.ts'
import { isPrintable } from './display.ts'

/** Maximum wait for a completion, in ms. */
const TIMEOUT_MS = 1000
const MAX_NAMES = 50
/** The shell completes file names. */
export const FILES = ':files'

type Asked = { readonly program: Program; readonly io: Io; readonly texts: Texts }

const findNames = async (
  { program, io, texts }: Asked,
  { ref: noun, kind }: { readonly ref: string; readonly kind?: string | undefined },
  typed: string,
): Promise<string[]> => {
  const [contracts, { findLookup }, connection] = await Promise.all([
    program.contracts(),
    import('../parse/names.ts'),
    connect(io, { url: getText(texts, '@url'), token: getText(texts, '@token') }),
  ])
  // A search needs a text. For an empty one, the first objects of the list are offered.
  const lookup = findLookup(contracts, { noun, kind }, { isSearch: typed !== '' })
  if (!lookup) return []
  const filter = lookup.field === undefined || typed === '' ? {} : { [lookup.field]: typed }
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const rows: unknown = await call(
    connection.transport,
    lookup.op,
    { ...lookup.op.cli?.preset, ...lookup.filters, ...filter, limit: MAX_NAMES },
    { signal },
  )
  return (Array.isArray(rows) ? rows : []).filter(isRecord).flatMap((row) => {
    const label = getLabel(row) ?? ''
    const id = getRowId(row) ?? ''
    // An id is only offered once a part of it is typed.
    return [label, ...(typed === '' ? [] : [id])].filter((text) => text !== '')
  })
}

const findValues = async (
  asked: Asked,
  value: Value & { readonly hint?: string },
  typed: string,
): Promise<string[]> => {
  if (value.choices.length > 0) return [...value.choices]
  const { ref, kind } = value
  if (ref !== undefined) return findNames(asked, { ref, kind }, typed)
  return value.hint === 'FILE' || value.hint === 'DIR' ? [FILES] : []
}

const listFlagWords = (flags: readonly Flag[]): string[] =>
  flags.flatMap((flag) => [
    `--${flag.names[0] ?? ''}`,
    ...(flag.isSwitch && !flag.field.startsWith('@') ? [`--no-${flag.names[0] ?? ''}`] : []),
  ])

const findFlag = (flags: readonly Flag[], word: string): Flag | undefined =>
  flags.find(
    (flag) =>
      flag.names.some((name) => word === `--${name}`) || (flag.short !== undefined && word === `-${flag.short}`),
  )

/** Counts the arguments before the cursor. */
const countArguments = (flags: readonly Flag[], words: readonly string[]): number => {
  let count = 0
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (!word.startsWith('-')) count++
    else if (!word.includes('=') && findFlag(flags, word)?.isSwitch === false) i++
  }
  return count
}

const completeCommand = async (
  asked: Asked,
  command: Command,
  words: readonly string[],
  typed: string,
): Promise<string[]> => {
  const spec = command.spec()
  const flags = [...spec.flags, ...GLOBAL_FLAGS]
  const before = findFlag(flags, words.at(-1) ?? '')
  if (before && !before.isSwitch) return findValues(asked, before, typed)
  const at = typed.indexOf('=')
  if (typed.startsWith('--') && at !== -1) {
    const flag = findFlag(flags, typed.slice(0, at))
    const values = flag ? await findValues(asked, flag, typed.slice(at + 1)) : []
    return values.map((value) => (value === FILES ? value : typed.slice(0, at + 1) + value))
  }
  if (typed.startsWith('-')) return listFlagWords(flags)
  const position = countArguments(flags, words)
  const argument = spec.args[position] ?? (spec.args.at(-1)?.isRest ? spec.args.at(-1) : undefined)
  return argument ? findValues(asked, argument, typed) : []
}

/** @param words all words up to the cursor; the last may be empty */
const findCandidates = async ({ program, io }: Session, words: readonly string[]): Promise<string[]> => {
  const commands = await loadCommands(program)
  const typed = words.at(-1) ?? ''
  const start = findCommand(commands, words.slice(0, -1))
  if (start.command) return completeCommand({ program, io, texts: start.texts }, start.command, start.rest, typed)
  const [word] = start.rest
  const asked = { program, connect: () => connect(io, findTarget(start.texts, start.rest)) }
  if (word !== undefined) {
    const ofServer = start.words.length > 0 ? [] : ((await program.serverNouns?.find(asked, word)) ?? [])
    const found = findCommand(ofServer, start.rest)
    if (found.command) return completeCommand({ program, io, texts: start.texts }, found.command, found.rest, typed)
    return found.rest.length > 0 ? [] : listNextWords(ofServer, found.words)
  }
  if (typed.startsWith('-')) return listFlagWords(GLOBAL_FLAGS)
  const known = listNextWords(commands, start.words)
  const isKnown = start.words.length > 0 || known.some((one) => fits(one, typed))
  return isKnown ? known : [...((await program.serverNouns?.list(asked)) ?? [])]
}

const fits = (candidate: string, typed: string): boolean =>
  candidate === FILES || (isPrintable(candidate) && candidate.toLowerCase().startsWith(typed.toLowerCase()))

/** Prints one candidate per line. */
export const complete = async (session: Session, words: readonly string[]): Promise<number> => {
  try {
    const found = await findCandidates(session, words)
    const fitting = [...new Set(found)].filter((candidate) => fits(candidate, words.at(-1) ?? ''))
    if (fitting.length > 0) await session.io.stdout.write(`${fitting.join('\n')}\n`)
  } catch {
    // Completion prints no error: not signed in, no server, or an incomplete word.
  }
  return 0
}
