/** `plat import` and `plat export` for a whole estate as files. The implementation is loaded when they run. */
import { FORMATS } from '../../convert/formats.ts'
import { INVENTORY } from '../../inventory/resources.ts'
import { type Command, createArgument, createFlag, getText, isOn } from '../../surfaces/cli/parse/command.ts'
import { PROPOSAL_FLAGS } from '../../surfaces/cli/parse/proposal-flags.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'

/** The flags of both commands that compare files with the server. */
const DOCUMENT_FLAGS = [
  createFlag('file', 'A file, a folder with its folders, or - for standard input; may be repeated', {
    hint: 'PATH',
    short: 'f',
    isList: true,
  }),
  createFlag('managed-by', 'The owner of the objects in the files', { hint: 'NAME' }),
  createFlag('prune', 'Delete what the owner manages and no file has'),
  createFlag('allow-empty', 'Allow --prune with files that have no row'),
  createFlag('take-over', 'Take objects from another owner'),
]

const APPLY_FLAGS = [
  createFlag('skip-bad', 'Apply the good rows although others are bad'),
  createFlag('keep-going', 'The other name of --skip-bad'),
  createFlag('dry-run', 'Show the plan and change nothing'),
  createFlag('yes', 'Do not ask'),
  createFlag('change-note', 'The reason, for the history: one line', { hint: 'TEXT' }),
  ...PROPOSAL_FLAGS,
]

/** The flags of an import that converts a source. */
const SOURCE_FLAGS = [
  createFlag('yes', 'Of a source: do not ask'),
  createFlag(
    'skip-bad',
    'Of a source: import the good rows; the bad rows of a spreadsheet are written to NAME.bad.csv',
  ),
  createFlag('keep-going', 'Of a source: the other name of --skip-bad'),
  createFlag('managed-by', 'Of a source: the owner of its objects', { hint: 'NAME' }),
  createFlag('prune', 'Of a source: delete what the owner manages and the source does not have'),
  ...PROPOSAL_FLAGS.map((flag) => ({ ...flag, about: `Of a source: ${flag.about}` })),
  createFlag('save', 'Of a source: write its document as YAML, and apply nothing', { hint: 'FILE' }),
  createFlag('leftover', 'Of a source: write what has no place in Plat as JSON', { hint: 'FILE' }),
  createFlag('to', 'Of a scan, leases, a hosts file or a zone: record the hosts as scans, and make no device', {
    choices: ['inbox'],
    hint: 'PLACE',
  }),
  createFlag('space', 'With --to inbox: the address space of the hosts; the default one without it', {
    hint: 'SPACE',
    ref: 'spaces',
  }),
  createFlag('token-file', 'Of a NetBox by its URL: the file with the token, or the variable NETBOX_TOKEN', {
    hint: 'FILE',
  }),
  createFlag('origin', 'Of a zone file: the origin of its relative names', { hint: 'NAME' }),
  createFlag('kind', 'Of a spreadsheet: the kind of its objects', { hint: 'KIND', ref: 'kinds' }),
  createFlag('map', 'Of a spreadsheet: a column and its field, as "Host Name=name"; may be repeated', {
    hint: 'COLUMN=FIELD',
    isList: true,
  }),
  createFlag('mapping', 'Of a spreadsheet: a file with the columns and their fields', { hint: 'FILE' }),
  createFlag('save-mapping', 'Of a spreadsheet: write that file', { hint: 'FILE' }),
]

export const estateCommands: readonly Command[] = [
  {
    words: ['diff'],
    summary: 'Show how the server differs from files: exit 0 not at all, 2 it does, 1 the files are wrong',
    description:
      'YAML, JSON and NDJSON, with names in place of ids. Needs only the permission to list what the files name.',
    spec: () => ({ args: [], flags: DOCUMENT_FLAGS }),
    run: async (session, texts) => (await import('./cli-apply.ts')).diffEstate(session, texts),
  },
  {
    words: ['apply'],
    summary: 'Make the server look like files, in one transaction, after showing the plan',
    description:
      'YAML, JSON and NDJSON, with names in place of ids. It asks first; without a terminal it needs --yes. Nothing is applied if the ' +
      'server has changed since the plan.',
    spec: () => ({ args: [], flags: [...DOCUMENT_FLAGS, ...APPLY_FLAGS] }),
    run: async (session, texts) => (await import('./cli-apply.ts')).applyEstate(session, texts),
  },
  {
    words: ['import'],
    summary: 'Load datacenters, networks, pools, devices, relationships and reservations from files',
    description:
      'Each file is loaded whole or not at all. Existing objects are updated, so loading a file twice changes nothing. JSON, YAML and NDJSON. ' +
      `With two words, plat import FORMAT SOURCE converts a file of another program, shows the plan, and applies it. Formats: ${FORMATS.join(', ')}.`,
    spec: () => ({
      args: [
        createArgument(
          'path',
          'A folder with datacenters.json, networks.json and so on, or one such file; - is standard input. With a source: its format',
          { hint: 'DIR' },
        ),
        createArgument('source', 'A file of another program, the URL of a NetBox, or -', {
          isRequired: false,
          hint: 'FILE',
        }),
      ],
      flags: [
        createFlag('dry-run', 'Validate everything and change nothing'),
        createFlag('change-note', 'The reason, for the history: one line', { hint: 'TEXT' }),
        createFlag(
          'resource',
          'The resource to load: of a folder only its files; of a single file, regardless of its name',
          {
            choices: INVENTORY,
            hint: 'RESOURCE',
          },
        ),
        ...SOURCE_FLAGS,
      ],
    }),
    run: async (session, texts) => {
      const source = getText(texts, 'source')
      if (source !== undefined) return (await import('./cli-convert.ts')).importFormat(session, texts, source)
      const other = SOURCE_FLAGS.find(({ field }) => texts.has(field))
      if (other) throw createUsageError(`--${other.names[0]} needs a format and a source: plat import FORMAT SOURCE`)
      return (await import('./cli-import.ts')).importEstate(session, texts)
    },
  },
  {
    words: ['export'],
    summary: 'Write the estate to files that plat import reads; - prints it as one JSON object',
    spec: () => ({
      args: [
        createArgument('path', 'A folder, created if missing; standard output without it, or with -', {
          isRequired: false,
          hint: 'DIR',
        }),
      ],
      flags: [
        createFlag('resource', 'Only this', { choices: INVENTORY, hint: 'RESOURCE' }),
        createFlag(
          'as-of',
          'The estate as it was: a time, the id of a change, or how long ago, like 24h; or as it would be: proposal:7',
          {
            hint: 'TEXT',
          },
        ),
        createFlag('force', 'Write into a folder that is not empty'),
        createFlag('as-code', 'Names in place of ids, as plat apply reads it: YAML, or JSON with -o json'),
        createFlag('managed-by', 'With --as-code: only the objects of this owner', { hint: 'NAME' }),
      ],
    }),
    run: async (session, texts) => {
      if (isOn(texts, 'as-code')) return (await import('./cli-as-code.ts')).exportAsCode(session, texts)
      if (texts.has('managed-by')) throw createUsageError('--managed-by needs --as-code')
      return (await import('./cli-export.ts')).exportEstate(session, texts)
    },
  },
  {
    words: ['schema', 'estate'],
    summary: 'Print the JSON Schema of an estate document, without a server',
    spec: () => ({ args: [], flags: [] }),
    run: async ({ io }) => {
      await io.stdout.write((await import('../apply/json-schema.ts')).formatEstateSchema())
      return 0
    },
  },
]
