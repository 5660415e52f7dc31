/** The commands of sources that extend the command of an operation by flags. */

import type { AnyOperation } from '../../kernel/operation.ts'
import { type Command, createFlag, type Flag, type Spec } from '../../surfaces/cli/parse/command.ts'
import { buildSpec } from '../../surfaces/cli/parse/operation-spec.ts'
import { sourceObjects, sources } from '../api.ts'
import { OPTION, SECRET } from './flags.ts'

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
export const sourceOperationCommands: readonly Command[] = [
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
]
