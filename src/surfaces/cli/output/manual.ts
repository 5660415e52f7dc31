/** Writes the manual page of the program from its commands and its settings. Knows troff and no feature. */

import { describeConfig } from '../../../base/config/config.ts'
import { ERRORS } from '../../../contract/errors.ts'
import type { Argument, Command, Flag, Value } from '../parse/command.ts'
import { GLOBAL_FLAGS } from '../parse/globals.ts'

/** In troff a leading dot or apostrophe is a request, a backslash an escape, a bare dash a hyphen. */
const escapeTroff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('’', '\\(cq')
    .replaceAll('…', '...')
    .replace(/^(?=[.'])/gm, '\\&')

const formatBold = (text: string): string => `\\fB${escapeTroff(text)}\\fR`
const formatItalic = (text: string): string => `\\fI${escapeTroff(text)}\\fR`

const formatSection = (title: string, ...lines: readonly string[]): string => `.SH ${title}\n${lines.join('\n')}\n`

/** Formats a term with its indented description. */
const formatEntry = (term: string, ...lines: readonly string[]): string =>
  ['.TP', term, ...lines.filter((line) => line !== '')].join('\n')

const toSentence = (text: string): string => (text === '' || /[.!?:]$/.test(text) ? text : `${text}.`)

const formatArgument = ({ field, isRequired, isRest }: Argument): string => {
  const name = `${formatItalic(field.toUpperCase())}${isRest ? '...' : ''}`
  return isRequired ? name : `[${name}]`
}

const formatFlag = ({ names, short, isSwitch, hint }: Flag): string => {
  const forms = [...(short === undefined ? [] : [`-${short}`]), ...names.map((name) => `--${name}`)].map(formatBold)
  return `${forms.join(', ')}${isSwitch || hint === '' ? '' : ` ${formatItalic(hint)}`}`
}

const formatValue = ({ about, choices, bounds }: Value, extra = ''): string => {
  const notes = [choices.length > 0 ? `one of ${choices.join(', ')}` : '', bounds, extra].filter((note) => note !== '')
  const detail = notes.length === 0 ? '' : `(${notes.join('; ')})`
  return escapeTroff([about, detail].filter((part) => part !== '').join(' '))
}

const formatFlagEntry = (flag: Flag): string =>
  formatEntry(formatFlag(flag), formatValue(flag, flag.isList ? 'repeats' : ''))

/** Writes the call of a command and a line per flag. Arguments get a line if it adds to their name. */
const formatCommandEntry = (command: Command): string => {
  const { args, flags } = command.spec()
  const isArgument = new Set(args.map(({ field }) => field))
  const own = flags.filter(({ field }) => !isArgument.has(field))
  const told = args.filter((one) => formatValue(one) !== '')
  const rows = [...told.map((one) => formatEntry(formatArgument(one), formatValue(one))), ...own.map(formatFlagEntry)]
  return [
    formatEntry(
      [formatBold(`plat ${command.words.join(' ')}`), ...args.map(formatArgument)].join(' '),
      escapeTroff(toSentence(command.summary)),
      escapeTroff(command.description ?? ''),
    ),
    ...(rows.length === 0 ? [] : ['.RS', ...rows, '.RE']),
  ].join('\n')
}

const formatExitCodes = (): string => {
  const codes = Map.groupBy(Object.entries(ERRORS), ([, { exit }]) => exit)
  const rows = [...codes].sort(([a], [b]) => a - b).map(([exit, all]) => [exit, all.map(([code]) => code)] as const)
  return [
    formatEntry('0', 'Done.'),
    ...rows.map(([exit, names]) => formatEntry(String(exit), escapeTroff(`${names.join(', ')}.`))),
  ].join('\n')
}

const formatSettingEntry = ({
  name,
  help,
  default: fallback,
  secret,
}: ReturnType<typeof describeConfig>[number]): string =>
  formatEntry(
    formatBold(name),
    escapeTroff(
      [
        toSentence(help),
        fallback === '' ? '' : `Default: ${fallback}.`,
        secret ? `${name}_FILE names a file that holds it.` : '',
      ]
        .filter((part) => part !== '')
        .join(' '),
    ),
  )

/** @param commands all commands; hidden ones are left out */
export const formatManualPage = (commands: readonly Command[], version: string): string =>
  [
    `.TH PLAT 1 "" "Plat ${escapeTroff(version)}" "User Commands"\n`,
    formatSection('NAME', 'plat \\- IP address management and network discovery: server and command line'),
    formatSection(
      'SYNOPSIS',
      `${formatBold('plat')} ${formatItalic('noun')} ${formatItalic('verb')} [${formatItalic('arguments')}] [${formatItalic('flags')}]`,
      '.br',
      `${formatBold('plat serve')} [${formatItalic('flags')}]`,
    ),
    formatSection(
      'DESCRIPTION',
      'Plat records datacenters, networks, address pools and devices, their connections, and the free addresses.',
      `${formatBold('plat serve')} is the server, with its web page and its REST and MCP interfaces; every other command calls one,`,
      'except those whose help says that they work on the data of this machine.',
      '.PP',
      'An object is named by its id or its name. Repeat a flag to give a list.',
    ),
    formatSection('OPTIONS', 'Every command takes these.', ...GLOBAL_FLAGS.map(formatFlagEntry)),
    formatSection('COMMANDS', ...commands.filter(({ isHidden }) => !isHidden).map(formatCommandEntry)),
    formatSection('EXIT STATUS', formatExitCodes()),
    formatSection(
      'ENVIRONMENT',
      'For the commands that call a server:',
      formatEntry(formatBold('PLAT_URL'), 'Its address.'),
      formatEntry(formatBold('PLAT_TOKEN'), 'An API key for it.'),
      '.PP',
      'For the server, and for the commands that work on its data. A flag overrides the environment, which overrides a file',
      `${formatBold('.env')} in the working directory.`,
      ...describeConfig().map(formatSettingEntry),
    ),
    formatSection(
      'FILES',
      formatEntry(formatItalic('~/.config/plat/config.json'), 'The login that plat login has stored.'),
      formatEntry(
        formatItalic('/etc/plat/plat.env'),
        'Settings of the server, where it was installed as a Debian package.',
      ),
      formatEntry(formatItalic('/var/lib/plat'), 'Its data, there.'),
    ),
    formatSection('SEE ALSO', 'The server shows the reference of its REST interface at /api/docs.'),
  ].join('')
