/** Runs a command line and returns its exit code, in any process, also in a test's. */

import { connect } from './connection/connection.ts'
import { report } from './failure.ts'
import type { Io } from './io.ts'
import { readArguments } from './parse/args.ts'
import type { Command, Program, Session } from './parse/command.ts'
import { createUnknownCommandError, findCommand, type Start } from './parse/find-command.ts'
import { asksForJson, findTarget, GLOBAL_FLAGS, parseGlobals, wantsHelp } from './parse/globals.ts'
import { loadCommands } from './parse/load-commands.ts'
import { withGuardedTerminals } from './terminal.ts'

export type Cli = (io: Io) => Promise<number>

/** A hand-written command is found without the registry. Loading the registry takes most of a start. */
const start = async (
  program: Program,
  argv: readonly string[],
): Promise<{ found: Start; commands: readonly Command[] }> => {
  const quick = findCommand(program.specials, argv)
  const isLonger = quick.command?.isPrefix === true && quick.rest[0]?.startsWith('-') === false
  if (quick.command && !isLonger) return { found: quick, commands: program.specials }
  const commands = await loadCommands(program)
  return { found: findCommand(commands, argv), commands }
}

const showGroup = async (io: Io, commands: readonly Command[], { words, texts }: Start): Promise<number> => {
  const { formatNounHelp, formatProgramHelp } = await import('./output/help.ts')
  if (words.length === 0) {
    await io.stdout.write(formatProgramHelp(commands))
    return 0
  }
  const text = formatNounHelp(
    commands.filter((command) => words.every((word, i) => command.words[i] === word)),
    words,
  )
  // A noun without a verb is an error, so that a script notices an empty variable in place of the verb.
  const isAsked = wantsHelp(texts)
  await (isAsked ? io.stdout : io.stderr).write(text)
  return isAsked ? 0 : 2
}

/** True for a request for help, even beside wrong words. Behind `--` it is an ordinary word. */
const asksForHelp = (words: readonly string[]): boolean => {
  const end = words.indexOf('--')
  return (end === -1 ? words : words.slice(0, end)).some((word) => word === '--help' || word === '-h')
}

const runCommand = async (
  program: Program,
  io: Io,
  { command, found }: { command: Command; found: Start },
): Promise<number> => {
  const spec = command.spec()
  if (wantsHelp(found.texts) || asksForHelp(found.rest)) {
    const { formatCommandHelp } = await import('./output/help.ts')
    await io.stdout.write(formatCommandHelp(command))
    return 0
  }
  const own = readArguments(found.rest, { args: spec.args, flags: [...spec.flags, ...GLOBAL_FLAGS] })
  const globals = parseGlobals(new Map([...found.texts, ...own]))
  const session: Session = { io, globals, program, connect: () => connect(io, globals) }
  return command.run(session, own)
}

/** Returns the commands of a noun that the server defines. */
const findServerCommands = async (program: Program, io: Io, { texts, rest }: Start): Promise<readonly Command[]> => {
  const [word = ''] = rest
  const { url, token } = findTarget(texts, rest)
  return (await program.serverNouns?.find({ program, connect: () => connect(io, { url, token }) }, word)) ?? []
}

/** Runs the command, shows the commands that begin with the words, or throws for an unknown one. */
const follow = (
  program: Program,
  io: Io,
  { found, commands }: { readonly found: Start; readonly commands: readonly Command[] },
): Promise<number> => {
  if (found.command) return runCommand(program, io, { command: found.command, found })
  const [word] = found.rest
  if (word !== undefined) throw createUnknownCommandError(commands, found.words, word)
  return showGroup(io, commands, found)
}

const dispatch = async (program: Program, io: Io): Promise<number> => {
  const argv = io.argv[0] === 'help' ? [...io.argv.slice(1), '--help'] : io.argv
  if (argv[0] === '--version' || argv[0] === '-V') {
    await io.stdout.write(`plat ${program.version}\n`)
    return 0
  }
  const { found, commands } = await start(program, argv)
  const [word] = found.rest
  // Commands that are built in win.
  const isOfServer = found.command === undefined && found.words.length === 0 && word !== undefined
  const ofServer = isOfServer ? await findServerCommands(program, io, found) : []
  if (ofServer.length === 0) return follow(program, io, { found, commands })
  const { texts, ...rest } = findCommand(ofServer, found.rest)
  return follow(program, io, { found: { ...rest, texts: new Map([...found.texts, ...texts]) }, commands: ofServer })
}

/** Creates the command line of a program; it never throws. */
export const createCli =
  (program: Program): Cli =>
  async (given) => {
    const io = withGuardedTerminals(given)
    try {
      return await dispatch(program, io)
    } catch (error) {
      return report(io, error, { isJson: asksForJson(io.argv) })
    }
  }
