/** Writes the manual page of the program from its commands and its settings. Knows troff and no feature. */

import { ERRORS } from '../contract/errors.ts'
import { describeConfig } from '../runtime/config/config.ts'
import type { Argument, Command, Flag, Value } from './command.ts'
import { GLOBAL_FLAGS } from './globals.ts'

/** In troff a leading dot or apostrophe is a request, a backslash an escape, a bare dash a hyphen. */
const escaped = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('’', '\\(cq')
    .replaceAll('…', '...')
    .replace(/^(?=[.'])/gm, '\\&')

const bold = (text: string): string => `\\fB${escaped(text)}\\fR`
const italic = (text: string): string => `\\fI${escaped(text)}\\fR`

const section = (title: string, ...lines: readonly string[]): string => `.SH ${title}\n${lines.join('\n')}\n`

/** A term with its indented description. */
const entry = (term: string, ...lines: readonly string[]): string =>
  ['.TP', term, ...lines.filter((line) => line !== '')].join('\n')

const sentence = (text: string): string => (text === '' || /[.!?:]$/.test(text) ? text : `${text}.`)

const argumentText = ({ field, isRequired, isRest }: Argument): string => {
  const name = `${italic(field.toUpperCase())}${isRest ? '...' : ''}`
  return isRequired ? name : `[${name}]`
}

const flagText = ({ names, short, isSwitch, hint }: Flag): string => {
  const forms = [...(short === undefined ? [] : [`-${short}`]), ...names.map((name) => `--${name}`)].map(bold)
  return `${forms.join(', ')}${isSwitch || hint === '' ? '' : ` ${italic(hint)}`}`
}

const valueText = ({ about, choices, bounds }: Value, extra = ''): string => {
  const notes = [choices.length > 0 ? `one of ${choices.join(', ')}` : '', bounds, extra].filter((note) => note !== '')
  const detail = notes.length === 0 ? '' : `(${notes.join('; ')})`
  return escaped([about, detail].filter((part) => part !== '').join(' '))
}

const flagEntry = (flag: Flag): string => entry(flagText(flag), valueText(flag, flag.isList ? 'repeats' : ''))

/** Writes the call of a command and a line per flag. Arguments get a line if it adds to their name. */
const commandEntry = (command: Command): string => {
  const { args, flags } = command.spec()
  const isArgument = new Set(args.map(({ field }) => field))
  const own = flags.filter(({ field }) => !isArgument.has(field))
  const told = args.filter((one) => valueText(one) !== '')
  const rows = [...told.map((one) => entry(argumentText(one), valueText(one))), ...own.map(flagEntry)]
  return [
    entry(
      [bold(`plat ${command.words.join(' ')}`), ...args.map(argumentText)].join(' '),
      escaped(sentence(command.summary)),
      escaped(command.description ?? ''),
    ),
    ...(rows.length === 0 ? [] : ['.RS', ...rows, '.RE']),
  ].join('\n')
}

const exitCodes = (): string => {
  const codes = Map.groupBy(Object.entries(ERRORS), ([, { exit }]) => exit)
  const rows = [...codes].sort(([a], [b]) => a - b).map(([exit, all]) => [exit, all.map(([code]) => code)] as const)
  return [
    entry('0', 'Done.'),
    ...rows.map(([exit, names]) => entry(String(exit), escaped(`${names.join(', ')}.`))),
  ].join('\n')
}

const settingEntry = ({ name, help, default: fallback, secret }: ReturnType<typeof describeConfig>[number]): string =>
  entry(
    bold(name),
    escaped(
      [
        sentence(help),
        fallback === '' ? '' : `Default: ${fallback}.`,
        secret ? `${name}_FILE names a file that holds it.` : '',
      ]
        .filter((part) => part !== '')
        .join(' '),
    ),
  )

/** @param commands all commands; hidden ones are left out */
export const manualPage = (commands: readonly Command[], version: string): string =>
  [
    `.TH PLAT 1 "" "Plat ${escaped(version)}" "User Commands"\n`,
    section('NAME', 'plat \\- IP address management and network discovery: server and command line'),
    section(
      'SYNOPSIS',
      `${bold('plat')} ${italic('noun')} ${italic('verb')} [${italic('arguments')}] [${italic('flags')}]`,
      '.br',
      `${bold('plat serve')} [${italic('flags')}]`,
    ),
    section(
      'DESCRIPTION',
      'Plat records datacenters, networks, address pools and devices, their connections, and the free addresses.',
      `${bold('plat serve')} is the server, with its web page and its REST and MCP interfaces; every other command calls one,`,
      'except those whose help says that they work on the data of this machine.',
      '.PP',
      'An object is named by its id or its name. Repeat a flag to give a list.',
    ),
    section('OPTIONS', 'Every command takes these.', ...GLOBAL_FLAGS.map(flagEntry)),
    section('COMMANDS', ...commands.filter(({ isHidden }) => !isHidden).map(commandEntry)),
    section('EXIT STATUS', exitCodes()),
    section(
      'ENVIRONMENT',
      'For the commands that call a server:',
      entry(bold('PLAT_URL'), 'Its address.'),
      entry(bold('PLAT_TOKEN'), 'An API key for it.'),
      '.PP',
      'For the server, and for the commands that work on its data. A flag overrides the environment, which overrides a file',
      `${bold('.env')} in the working directory.`,
      ...describeConfig().map(settingEntry),
    ),
    section(
      'FILES',
      entry(italic('~/.config/plat/config.json'), 'The login that plat login has stored.'),
      entry(italic('/etc/plat/plat.env'), 'Settings of the server, where it was installed as a Debian package.'),
      entry(italic('/var/lib/plat'), 'Its data, there.'),
    ),
    section('SEE ALSO', 'The server shows the reference of its REST interface at /api/docs.'),
  ].join('')
