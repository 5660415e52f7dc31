/** `plat import` and `plat export` for a whole estate as files. The implementation is loaded when they run. */
import { argument, type Command, flag } from '../../platform/cli/command.ts'
import { INVENTORY } from '../inventory.ts'

export const estateCommands: readonly Command[] = [
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
