/** `plat import` and `plat export` for a whole estate as files. The implementation is loaded when they run. */
import { argument, type Command, flag } from '../../platform/cli/command.ts'
import { INVENTORY } from '../inventory.ts'

/** The flags of both commands that compare files with the server. */
const DOCUMENT_FLAGS = [
  flag('file', 'A file, a folder with its folders, or - for standard input; may be repeated', {
    hint: 'PATH',
    short: 'f',
    isList: true,
  }),
  flag('managed-by', 'The owner of the objects in the files', { hint: 'NAME' }),
  flag('prune', 'Delete what the owner manages and no file has'),
  flag('allow-empty', 'Allow --prune with files that have no row'),
  flag('take-over', 'Take objects from another owner'),
]

const APPLY_FLAGS = [
  flag('keep-going', 'Apply the good rows although others are bad'),
  flag('dry-run', 'Show the plan and change nothing'),
  flag('yes', 'Do not ask'),
  flag('change-note', 'The reason, for the history: one line', { hint: 'TEXT' }),
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
      'Each file is loaded whole or not at all. Existing objects are updated, so loading a file twice changes nothing. JSON, YAML and NDJSON.',
    spec: () => ({
      args: [
        argument(
          'path',
          'A folder with datacenters.json, networks.json and so on, or one such file; - is standard input',
          { hint: 'DIR' },
        ),
      ],
      flags: [
        flag('dry-run', 'Validate everything and change nothing'),
        flag('change-note', 'The reason, for the history: one line', { hint: 'TEXT' }),
        flag('resource', 'The resource to load: of a folder only its files; of a single file, regardless of its name', {
          choices: INVENTORY,
          hint: 'RESOURCE',
        }),
      ],
    }),
    run: async (session, texts) => (await import('./cli-import.ts')).importEstate(session, texts),
  },
  {
    words: ['export'],
    summary: 'Write the estate to files that plat import reads; - prints it as one JSON object',
    spec: () => ({
      args: [
        argument('path', 'A folder, created if missing; standard output without it, or with -', {
          isRequired: false,
          hint: 'DIR',
        }),
      ],
      flags: [
        flag('resource', 'Only this', { choices: INVENTORY, hint: 'RESOURCE' }),
        flag('as-of', 'The estate as it was: a time, the id of a change, or how long ago, like 30m, 24h or 7d', {
          hint: 'TEXT',
        }),
        flag('force', 'Write into a folder that is not empty'),
      ],
    }),
    run: async (session, texts) => (await import('./cli-export.ts')).exportEstate(session, texts),
  },
]
