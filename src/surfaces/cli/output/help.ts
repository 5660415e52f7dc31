/** Writes `--help` of the program, of a noun and of a command. */
import type { Argument, Command, Flag, Value } from '../parse/command.ts'
import { GLOBAL_FLAGS } from '../parse/globals.ts'

const padRows = (rows: readonly (readonly [string, string])[], gap = 2): string => {
  const width = Math.max(0, ...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${right === '' ? left : left.padEnd(width + gap) + right}\n`).join('')
}

const formatSection = (title: string, body: string): string => (body === '' ? '' : `\n${title}:\n${body}`)

const formatArgument = ({ field, isRequired, isRest }: Argument): string => {
  const name = `${field.toUpperCase()}${isRest ? '...' : ''}`
  return isRequired ? name : `[${name}]`
}

const formatFlag = ({ names, short, isSwitch, hint }: Flag): string => {
  const long = names.map((name) => `--${name}`).join(', ')
  return `${short === undefined ? '' : `-${short}, `}${long}${isSwitch || hint === '' ? '' : ` ${hint}`}`
}

/** Formats the bounds of a value, such as `(planned | active)`, `(repeats)`, `(1-4094)`. */
const formatDetail = (value: Value, extra = ''): string => {
  const notes = [value.choices.length > 0 ? `one of ${value.choices.join(', ')}` : '', value.bounds, extra].filter(
    (note) => note !== '',
  )
  const about = value.about
  return notes.length === 0 ? about : `${about}${about === '' ? '' : ' '}(${notes.join('; ')})`
}

/** The list of flags names the fields already. */
const removeFieldChoices = (flag: Flag): Flag => (flag.hint === 'FIELD' ? { ...flag, choices: [] } : flag)

const toFlagRow = (flag: Flag): readonly [string, string] => [
  formatFlag(flag),
  formatDetail(removeFieldChoices(flag), flag.isList ? 'repeats' : ''),
]

const formatUsage = (command: Command, args: readonly Argument[]): string =>
  `plat ${[...command.words, ...args.map(formatArgument)].join(' ')} [flags]`

export const formatCommandHelp = (command: Command): string => {
  const { args, flags } = command.spec()
  const isArgument = new Set(args.map((arg) => arg.field))
  const own = flags.filter((flag) => !isArgument.has(flag.field))
  const taken = new Set(flags.flatMap((flag) => flag.names))
  const hidden = GLOBAL_FLAGS.filter((flag) => flag.names.some((name) => taken.has(name)))
  const global = GLOBAL_FLAGS.filter((flag) => !hidden.includes(flag))
  const before = hidden.map(
    (flag) => [formatFlag(flag), `${flag.about} (only before ${command.words[0] ?? ''})`] as const,
  )
  return [
    `${command.summary}\n`,
    command.description === undefined ? '' : `${command.description}\n`,
    `\nUsage:\n  ${formatUsage(command, args)}\n`,
    formatSection('Arguments', padRows(args.map((arg) => [formatArgument(arg), formatDetail(arg)]))),
    formatSection('Flags', padRows(own.map(toFlagRow))),
    formatSection('Flags of every command', padRows([...global.map(toFlagRow), ...before])),
    command.notes === undefined ? '' : `\n${command.notes.join('\n')}\n`,
  ].join('')
}

const filterVisible = (commands: readonly Command[]): Command[] => commands.filter((command) => !command.isHidden)

/** Writes the help of the commands that begin with these words. */
export const formatNounHelp = (commands: readonly Command[], words: readonly string[]): string => {
  const rows = filterVisible(commands).map((command) => [command.words.join(' '), command.summary] as const)
  const start = ['plat', ...words].join(' ')
  return `Usage:\n  ${start} <command> [arguments] [flags]\n${formatSection('Commands', padRows(rows))}\nplat <command> --help says more about one.\n`
}

export const formatProgramHelp = (commands: readonly Command[]): string => {
  const shown = filterVisible(commands)
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
    formatSection('Nouns and their verbs', padRows(nounRows)),
    formatSection('Other commands', padRows(single)),
    formatSection(
      'Flags of every command',
      padRows([...GLOBAL_FLAGS.map(toFlagRow), ['--version', 'Show the version']]),
    ),
    '\nplat <noun> --help and plat <noun> <verb> --help say more.\n',
  ].join('')
}
