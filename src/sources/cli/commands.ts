/** The commands of sources that are no operation. They are loaded when they run. */

import { type Command, createArgument, createFlag } from '../../surfaces/cli/parse/command.ts'
import { KINDS } from '../kinds/names.ts'
import { ID, OPTION, SECRET } from './flags.ts'

const LOCAL_SECRETS =
  'Secrets come from --secret NAME=FILE, or from the variables PLAT_SOURCE_<NAME>, and never reach Plat.'

export const sourceCommands: readonly Command[] = [
  {
    words: ['source', 'push'],
    summary: 'Send a snapshot of a source: of a file, or fetched from here',
    description: `FILE is what \`plat source collect\` prints, or the file of a document source; - is standard input. Without FILE the source is fetched from this machine. ${LOCAL_SECRETS}`,
    notes: [
      'Route:  POST /api/sources/{id}/push',
      'Needs:  sources:push; without FILE also sources:read; with --force sources:run',
    ],
    spec: () => ({
      args: [ID, createArgument('file', 'The snapshot', { hint: 'FILE', isRequired: false })],
      flags: [
        createFlag('url', 'The URL as seen from here', { hint: 'URL' }),
        OPTION,
        SECRET,
        createFlag('force', 'Applies although too many objects are gone, or all of a type'),
      ],
    }),
    run: async (session, texts) => (await import('./push.ts')).pushSource(session, texts),
  },
  {
    words: ['source', 'collect'],
    summary: 'Fetch a source from this machine, and print what a push would send',
    description: `It needs no server. ${LOCAL_SECRETS} With --record the answers are written into a folder, for the tests of a kind.`,
    spec: () => ({
      args: [createArgument('kind', 'The kind of the source', { choices: KINDS })],
      flags: [
        createFlag('url', 'The URL of the system', { hint: 'URL' }),
        OPTION,
        SECRET,
        createFlag('tls-ca', 'Certificate authorities beside those of the system, as PEM', { hint: 'FILE' }),
        createFlag('tls-fingerprint', 'The SHA-256 of the certificate, in place of all other checks', { hint: 'TEXT' }),
        createFlag('timeout', 'Limit of the fetch in seconds, 600 by default', { hint: 'NUMBER' }),
        createFlag('record', 'Writes the answers into this folder', { hint: 'DIR' }),
        createFlag('anonymize', 'Replaces names and addresses in the recording'),
      ],
    }),
    run: async (session, texts) => (await import('./collect.ts')).collectSource(session, texts),
  },
]
