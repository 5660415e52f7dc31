/** The commands of sources that are more than their operation. They are loaded when they run. */

import type { AnyOperation } from '../../kernel/operation.ts'
import { type Command, createArgument, createFlag, type Flag, type Spec } from '../../surfaces/cli/parse/command.ts'
import { buildSpec } from '../../surfaces/cli/parse/operation-spec.ts'
import { sourceObjects, sources } from '../api.ts'
import { KINDS } from '../schema.ts'

const ID = createArgument('id', 'The source', { ref: 'sources' })
const OPTION = createFlag('option', 'An option of the kind', { hint: 'NAME=VALUE', isList: true })
const SECRET = createFlag('secret', 'A secret of the kind, from a file; - is standard input', {
  hint: 'NAME=FILE',
  isList: true,
})
/** Flags of fields that these commands read themselves. */
const OWN: ReadonlySet<string> = new Set(['options', 'secrets'])

const buildSavingSpec = (op: AnyOperation): Spec => {
  const { args, flags } = buildSpec(op)
  return { args, flags: [...flags.filter(({ field }) => !OWN.has(field)), OPTION, SECRET] }
}

const withFlags = (op: AnyOperation, more: readonly Flag[]): Spec => {
  const { args, flags } = buildSpec(op)
  return { args, flags: [...flags, ...more] }
}

const SAVING =
  'Options are given as --option NAME=VALUE, secrets as --secret NAME=FILE, so that none is on the command line; `plat source kinds` lists both.'
const LOCAL_SECRETS =
  'Secrets come from --secret NAME=FILE, or from the variables PLAT_SOURCE_<NAME>, and never reach Plat.'

export const sourceCommands: readonly Command[] = [
  {
    words: ['source', 'create'],
    summary: sources.create.summary,
    description: `${SAVING} At a terminal it asks for the secrets that the kind needs.`,
    notes: ['Route:  POST /api/sources', 'Needs:  sources:create, and what the source writes'],
    spec: () => buildSavingSpec(sources.create),
    run: async (session, texts) => (await import('./save.ts')).createSource(session, texts),
  },
  {
    words: ['source', 'update'],
    summary: sources.update.summary,
    description: `${SAVING} Options that are not given stay.`,
    notes: ['Route:  PUT /api/sources/{id}', 'Needs:  sources:update, and what the source writes'],
    spec: () => buildSavingSpec(sources.update),
    run: async (session, texts) => (await import('./save.ts')).updateSource(session, texts),
  },
  {
    words: ['source', 'run'],
    summary: sources.run.summary,
    description: 'With --watch it waits for the end, and exits with 0 only for a run that was completed.',
    notes: ['Route:  POST /api/sources/{id}/run', 'Needs:  sources:run'],
    spec: () => withFlags(sources.run, [createFlag('watch', 'Wait for the end')]),
    run: async (session, texts) => (await import('./run.ts')).runSource(session, texts),
  },
  {
    words: ['source', 'apply'],
    summary: sourceObjects.apply.summary,
    description: 'Shows the changes and asks before it makes them. Without a terminal it needs --yes.',
    notes: ['Route:  POST /api/sources/{id}/apply', 'Needs:  sources:run, and the permissions of what it does'],
    spec: () => withFlags(sourceObjects.apply, [createFlag('yes', 'Apply without asking', { short: 'y' })]),
    run: async (session, texts) => (await import('./apply.ts')).applySource(session, texts),
  },
  {
    words: ['source', 'push'],
    summary: 'Send a snapshot of a source: of a file, or fetched from here',
    description: `FILE is what \`plat source collect\` prints, or the file of a document source; - is standard input. Without FILE the source is fetched from this machine. ${LOCAL_SECRETS}`,
    notes: ['Route:  POST /api/sources/{id}/push', 'Needs:  sources:push; without FILE also sources:read'],
    spec: () => ({
      args: [ID, createArgument('file', 'The snapshot', { hint: 'FILE', isRequired: false })],
      flags: [createFlag('url', 'The URL as seen from here', { hint: 'URL' }), OPTION, SECRET],
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
