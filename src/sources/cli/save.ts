/** `plat source create` and `plat source update`: options by name, and secrets from files or a terminal. */
import { call } from '../../surfaces/cli/connection/client.ts'
import { execute } from '../../surfaces/cli/execute.ts'
import { getText, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { buildSpec, INPUT_FIELD } from '../../surfaces/cli/parse/operation-spec.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { sources } from '../api.ts'
import { askSecrets, findKind, readOptions, readSecrets } from './named-values.ts'
import { findSourceId } from './run.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns the field, unless it has no entries. */
const giveField = (name: 'options' | 'secrets', values: Fields): Fields =>
  Object.keys(values).length > 0 ? { [name]: values } : {}

const readNew = async ({ io }: Session, texts: Texts): Promise<Fields> => {
  const name = getText(texts, 'kind')
  const given = await readSecrets(io, texts)
  if (name === undefined) {
    // The file of --input has the kind.
    if (texts.has('option')) throw createUsageError('KIND missing: the options depend on it')
    return giveField('secrets', given)
  }
  const kind = findKind(name)
  const isFetched = !kind.isPushedOnly && (getText(texts, 'url') !== undefined || kind.defaultUrl !== undefined)
  const secrets = isFetched && getText(texts, INPUT_FIELD) === undefined ? await askSecrets(io, kind, given) : given
  return { ...giveField('options', readOptions(kind, texts)), ...giveField('secrets', secrets) }
}

export const createSource = async (session: Session, texts: Texts): Promise<number> =>
  execute(session, {
    ...{ op: sources.create, spec: buildSpec(sources.create), texts },
    more: await readNew(session, texts),
  })

const readChanges = async (session: Session, texts: Texts): Promise<Fields> => {
  const secrets = giveField('secrets', await readSecrets(session.io, texts))
  if (!texts.has('option')) return secrets
  const { transport } = await session.connect()
  const source = await call(transport, sources.get, { id: await findSourceId(session, transport, texts) })
  // The server replaces all options.
  return { ...secrets, options: { ...source.options, ...readOptions(findKind(source.kind), texts) } }
}

export const updateSource = async (session: Session, texts: Texts): Promise<number> =>
  execute(session, {
    ...{ op: sources.update, spec: buildSpec(sources.update), texts },
    more: await readChanges(session, texts),
  })
