/** `plat source collect`: fetches a source from this machine, and prints the body of a push. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import { readText } from '../../surfaces/cli/parse/body-file.ts'
import { getText, isOn, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { checkUrl, parseOptions } from '../checks.ts'
import { type Collected, type CollectRequest, collectSnapshot } from '../fetch/collect.ts'
import { FetchError } from '../fetch/fetch-error.ts'
import { createRunProgram } from '../fetch/run-program.ts'
import type { SourceKind } from '../kinds/source-kind.ts'
import { findKind, readLocalSecrets, readOptions } from './named-values.ts'

const TIMEOUT_S = 600
const ANSWERS = 'answers.json'

/** Returns the options of a kind with their defaults. @throws AppError INVALID_INPUT */
export const completeOptions = (kind: SourceKind, options: Readonly<Record<string, unknown>>) => {
  const parsed = parseOptions(kind, options)
  if ('options' in parsed) return parsed.options
  throw createUsageError(parsed.issues.map(({ field, message }) => `${field}: ${message}`).join('; '))
}

/** Returns the URL of a fetch from here. @throws AppError INVALID_INPUT for a missing one, and for one that the kind cannot have */
export const requireUrl = (kind: SourceKind, url: string): string => {
  if (url === '' && !kind.isPushedOnly && !kind.defaultUrl)
    throw createUsageError(`--url is missing: the address of ${kind.title}`)
  const [issue] = checkUrl(kind, url)
  if (issue) throw createUsageError(`--url ${issue.message}`)
  return url
}

/** Fetches as the server would, with the rights of this machine. @throws AppError PROVIDER_UNREACHABLE */
export const collect = async (
  { io }: Pick<Session, 'io'>,
  request: Omit<CollectRequest, 'signal' | 'run'>,
): Promise<Collected> => {
  const signal = io.interrupted()
  const run = createRunProgram({ timeoutMs: request.timeoutMs, signal })
  try {
    return await collectSnapshot({ ...request, signal, run })
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    throw new AppError('PROVIDER_UNREACHABLE', error.message, {
      details: [{ field: error.code, message: error.message }],
      cause: error,
    })
  }
}

/** Returns the body of a push: a file for kinds that take one, else the snapshot with its kind. */
export const formatPush = (kind: SourceKind, { snapshot }: Collected): Uint8Array | string =>
  kind.toFile ? kind.toFile(snapshot) : JSON.stringify({ kind: kind.kind, snapshot })

const readTimeoutMs = (texts: Texts): number => {
  const seconds = Number(getText(texts, 'timeout') ?? TIMEOUT_S)
  if (!Number.isInteger(seconds) || seconds < 1) throw createUsageError('--timeout must be a number of seconds')
  return seconds * 1000
}

const selectRecording = (texts: Texts): 'no' | 'exact' | 'anonymized' => {
  if (!texts.has('record')) return 'no'
  return isOn(texts, 'anonymize') ? 'anonymized' : 'exact'
}

export const collectSource = async (session: Session, texts: Texts): Promise<number> => {
  const { io } = session
  const name = getText(texts, 'kind')
  if (name === undefined) throw createUsageError('KIND missing: the kind of the source')
  const kind = findKind(name)
  const authorities = getText(texts, 'tls-ca')
  const record = selectRecording(texts)
  const collected = await collect(session, {
    ...{ kind: kind.kind, url: requireUrl(kind, getText(texts, 'url') ?? ''), record, timeoutMs: readTimeoutMs(texts) },
    options: completeOptions(kind, readOptions(kind, texts)),
    secrets: await readLocalSecrets(io, kind, texts),
    ...(authorities !== undefined && { tlsCa: await readText(io, authorities) }),
    tlsFingerprint: getText(texts, 'tls-fingerprint') ?? '',
  })
  const folder = getText(texts, 'record')
  if (folder !== undefined && collected.recorded) {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, ANSWERS), `${JSON.stringify(collected.recorded, undefined, 2)}\n`)
    await io.stderr.write(`${collected.recorded.answers.length} answers are in ${join(folder, ANSWERS)}\n`)
  }
  for (const { message } of collected.facts.warnings) await io.stderr.write(`warning: ${message}\n`)
  const text = formatPush(kind, collected)
  await io.stdout.write(typeof text === 'string' ? `${text}\n` : text)
  return 0
}
