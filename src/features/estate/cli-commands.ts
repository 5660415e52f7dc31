/** `plat import` and `plat export`: a whole estate out of files and into files. What they do is loaded when they run. */
import { argument, type Command, flag } from '../../platform/cli/command.ts'
import { RESOURCES } from './cli-resources.ts'

export const estateCommands: readonly Command[] = [
  {
    words: ['import'],
    summary: 'Load datacenters, networks, pools, devices, relationships and reservations from files',
    description:
      'Each file is loaded whole or not at all. Objects that are there already are updated, so loading a file twice changes nothing. JSON, YAML and NDJSON.',
    spec: () => ({
      args: [
        argument(
          'path',
          'A folder with datacenters.json, networks.json and so on, or one such file; - is standard input',
          { hint: 'DIR' },
        ),
      ],
      flags: [
        flag('dry-run', 'Check everything and change nothing'),
        flag('resource', 'What to load: of a folder only that, of a file whatever its name', {
          choices: RESOURCES,
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
        argument('path', 'A folder, made if it is not there; standard output without it, or with -', {
          isRequired: false,
          hint: 'DIR',
        }),
      ],
      flags: [
        flag('resource', 'Only this', { choices: RESOURCES, hint: 'RESOURCE' }),
        flag('force', 'Write into a folder that is not empty'),
      ],
    }),
    run: async (session, texts) => (await import('./cli-export.ts')).exportEstate(session, texts),
  },
]
