/** Writes `--help` of the program, of a noun and of a command. */
import type { Argument, Command, Flag, Value } from './command.ts'
import { GLOBAL_FLAGS } from './globals.ts'

const padded = (rows: readonly (readonly [string, string])[], gap = 2): string => {
  const width = Math.max(0, ...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${right === '' ? left : left.padEnd(width + gap) + right}\n`).join('')
}

const section = (title: string, body: string): string => (body === '' ? '' : `\n${title}:\n${body}`)

const argumentText = ({ field, isRequired, isRest }: Argument): string => {
  const name = `${field.toUpperCase()}${isRest ? '...' : ''}`
  return isRequired ? name : `[${name}]`
}

const flagForms = ({ names, short, isSwitch, hint }: Flag): string => {
  const long = names.map((name) => `--${name}`).join(', ')
  return `${short === undefined ? '' : `-${short}, `}${long}${isSwitch || hint === '' ? '' : ` ${hint}`}`
}

/** Formats the bounds of a value, such as `(planned | active)`, `(repeats)`, `(1-4094)`. */
const detailOf = (value: Value, extra = ''): string => {
  const notes = [value.choices.length > 0 ? `one of ${value.choices.join(', ')}` : '', value.bounds, extra].filter(
    (note) => note !== '',
  )
  const about = value.about
  return notes.length === 0 ? about : `${about}${about === '' ? '' : ' '}(${notes.join('; ')})`
}

/** The list of flags names the fields already. */
const shownChoices = (flag: Flag): Flag => (flag.hint === 'FIELD' ? { ...flag, choices: [] } : flag)

const flagRow = (flag: Flag): readonly [string, string] => [
  flagForms(flag),
  detailOf(shownChoices(flag), flag.isList ? 'repeats' : ''),
]

const usageOf = (command: Command, args: readonly Argument[]): string =>
  `plat ${[...command.words, ...args.map(argumentText)].join(' ')} [flags]`

export const commandHelp = (command: Command): string => {
  const { args, flags } = command.spec()
  const isArgument = new Set(args.map((arg) => arg.field))
  const own = flags.filter((flag) => !isArgument.has(flag.field))
  const taken = new Set(flags.flatMap((flag) => flag.names))
  const hidden = GLOBAL_FLAGS.filter((flag) => flag.names.some((name) => taken.has(name)))
  const global = GLOBAL_FLAGS.filter((flag) => !hidden.includes(flag))
  const before = hidden.map(
    (flag) => [flagForms(flag), `${flag.about} (only before ${command.words[0] ?? ''})`] as const,
  )
  return [
    `${command.summary}\n`,
    command.description === undefined ? '' : `${command.description}\n`,
    `\nUsage:\n  ${usageOf(command, args)}\n`,
    section('Arguments', padded(args.map((arg) => [argumentText(arg), detailOf(arg)]))),
    section('Flags', padded(own.map(flagRow))),
    section('Flags of every command', padded([...global.map(flagRow), ...before])),
    command.notes === undefined ? '' : `\n${command.notes.join('\n')}\n`,
  ].join('')
}

const visible = (commands: readonly Command[]): Command[] => commands.filter((command) => !command.isHidden)

/** Writes the help of the commands that begin with these words. */
export const nounHelp = (commands: readonly Command[], words: readonly string[]): string => {
  const rows = visible(commands).map((command) => [command.words.join(' '), command.summary] as const)
  const start = ['plat', ...words].join(' ')
  return `Usage:\n  ${start} <command> [arguments] [flags]\n${section('Commands', padded(rows))}\nplat <command> --help says more about one.\n`
}

export const programHelp = (commands: readonly Command[]): string => {
  const shown = visible(commands)
  const nouns = Map.groupBy(
    shown.filter(({ words }) => words.length > 1),
    ({ words }) => words[0] ?? '',
  )
  const nounRows = [...nouns].map(
    ([noun, group]) => [noun, group.map(({ words }) => words.slice(1).join(' ')).join(', ')] as const,
  )
  const single = shown
    .filter(({ words }) => words.length === 1)
    .map((command) => [command.words.join(' '), command.summary] as const)
  return [
    'Plat: IP address management and network discovery.\n',
    '\nUsage:\n  plat <noun> <verb> [arguments] [flags]\n',
    section('Nouns and their verbs', padded(nounRows)),
    section('Other commands', padded(single)),
    section('Flags of every command', padded([...GLOBAL_FLAGS.map(flagRow), ['--version', 'Show the version']])),
    '\nplat <noun> --help and plat <noun> <verb> --help say more.\n',
  ].join('')
}
