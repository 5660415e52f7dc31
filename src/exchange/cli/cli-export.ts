/** `plat export` streams every list of the estate into files. They appear together or not at all. */
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import { formatSuggestion } from '../../contract/suggest.ts'
import { getErrorMessage } from '../../contract/unknown.ts'
import { FACTS, INVENTORY, RESOURCES, type Resource } from '../../inventory/resources.ts'
import type { ResourceFacts } from '../../resource/facts.ts'
import { sendRequest, type Transport } from '../../surfaces/cli/connection/client.ts'
import { ForeignAnswerError } from '../../surfaces/cli/connection/foreign-answer.ts'
import { toPrintable } from '../../surfaces/cli/output/display.ts'
import { createProgress } from '../../surfaces/cli/output/progress.ts'
import { getText, isOn, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { isFixedMoment } from '../../surfaces/cli/parse/names.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { splitRowsIntoLines } from './cli-json-rows.ts'
import { findResource } from './cli-resources.ts'

type Source = { readonly transport: Transport; readonly signal: AbortSignal; readonly moment: Moment }

/** An id of a change and a proposal are exact. Any other text, such as `1h`, becomes the moment of the first answer, for all lists. */
class Moment {
  #asOf: string | undefined

  constructor(asOf: string | undefined) {
    this.#asOf = asOf
  }

  get query(): string {
    return this.#asOf === undefined ? '' : `?${new URLSearchParams({ as_of: this.#asOf })}`
  }

  fix(headers: Headers): void {
    if (this.#asOf !== undefined && !isFixedMoment(this.#asOf)) this.#asOf = headers.get('x-as-of') ?? this.#asOf
  }
}

/** Resources that an estate may do without: an export of all leaves out an empty list of them. */
const OPTIONAL: ReadonlySet<Resource> = new Set(
  RESOURCES.flatMap(({ name }) => ((FACTS[name] as ResourceFacts).isOptional === true ? [name] : [])),
)

/** Returns false for a list that is empty, of a server without the resource, or forbidden, which is noted. */
const hasRows = async ({ io }: Session, resource: Resource, { transport, moment }: Source): Promise<boolean> => {
  const query = `${moment.query === '' ? '?' : `${moment.query}&`}limit=1`
  const init = { method: 'GET', headers: { accept: 'application/json' } }
  try {
    const response = await sendRequest(transport, `/api/${resource}${query}`, init)
    await response.body?.cancel()
    moment.fix(response.headers)
    return response.headers.get('x-total-count') !== '0'
  } catch (error) {
    if (!(error instanceof AppError) || error instanceof ForeignAnswerError) throw error
    if (error.code === 'FORBIDDEN') await io.stderr.write(`note: ${resource} left out: ${toPrintable(error.message)}\n`)
    else if (error.code !== 'NOT_FOUND') throw error
    return false
  }
}

/** Returns the resources that an export of all has. */
const findPresentResources = async (session: Session, source: Source): Promise<readonly Resource[]> => {
  const present: Resource[] = []
  for (const resource of INVENTORY)
    if (!OPTIONAL.has(resource) || (await hasRows(session, resource, source))) present.push(resource)
  return present
}

async function* streamRows(resource: Resource, { transport, signal, moment }: Source): AsyncGenerator<Uint8Array> {
  const init = { method: 'GET', headers: { accept: 'application/json' }, signal, timeout: false }
  const response = await sendRequest(transport, `/api/${resource}${moment.query}`, init)
  moment.fix(response.headers)
  try {
    yield* splitRowsIntoLines(response.body ?? new ReadableStream())
  } catch (cause) {
    if (signal.aborted) throw cause
    throw new AppError('UNAVAILABLE', `${transport.baseUrl} broke off in the middle of ${resource}`, { cause })
  }
}

/** Creates the folder if it is missing. @throws AppError INVALID_INPUT if it is not empty */
const prepareFolder = async (folder: string, isForced: boolean): Promise<void> => {
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw createUsageError(`can't make ${folder}: ${getErrorMessage(error)}`)
  })
  const found = await readdir(folder)
  if (found.length > 0 && !isForced)
    throw createUsageError(`${folder} is not empty; --force writes into it all the same`)
}

const writeRows = async (path: string, rows: AsyncIterable<Uint8Array>): Promise<void> => {
  // The file contains no credentials, but describes the whole network, so only its owner can read it.
  const file = await open(path, 'w', 0o600)
  try {
    for await (const bytes of rows) await file.write(bytes)
    await file.write('\n')
    await file.sync()
  } finally {
    await file.close()
  }
}

const exportToFolder = async (
  session: Session,
  { folder, resources, source }: { folder: string; resources: readonly Resource[]; source: Source },
): Promise<void> => {
  const progress = createProgress(session.io.stderr, folder)
  const drafts = resources.map((resource) => ({ resource, path: join(folder, `.${resource}.json.${process.pid}`) }))
  try {
    for (const [i, { resource, path }] of drafts.entries()) {
      await progress.show(i, drafts.length)
      await writeRows(path, streamRows(resource, source))
    }
    for (const { resource, path } of drafts) await rename(path, join(folder, `${resource}.json`))
  } finally {
    await progress.clear()
    // After a complete export, no draft is left.
    for (const { path } of drafts) await rm(path, { force: true })
  }
}

const exportToOutput = async ({ io }: Session, resources: readonly Resource[], source: Source): Promise<void> => {
  let opening = '{'
  for (const resource of resources) {
    await io.stdout.write(`${opening}"${resource}":`)
    for await (const bytes of streamRows(resource, source)) await io.stdout.write(bytes)
    opening = ',\n'
  }
  await io.stdout.write('}\n')
}

/** Returns the only resource of an export; undefined for all. */
const parseResource = (text: string | undefined): Resource | undefined => {
  if (text === undefined) return undefined
  const only = findResource(text)
  if (only) return only
  throw createUsageError(`--resource must be one of ${INVENTORY.join(', ')}${formatSuggestion(text, INVENTORY)}`)
}

export const exportEstate = async (session: Session, texts: Texts): Promise<number> => {
  const folder = getText(texts, 'path') ?? '-'
  const only = parseResource(getText(texts, 'resource'))
  if (folder !== '-') await prepareFolder(folder, isOn(texts, 'force'))
  const { transport } = await session.connect()
  const moment = new Moment(getText(texts, 'as-of'))
  const source = { transport, signal: session.io.interrupted(), moment }
  const resources = only ? [only] : await findPresentResources(session, source)
  if (folder === '-') await exportToOutput(session, resources, source)
  else {
    await exportToFolder(session, { folder, resources, source })
    if (!session.globals.isQuiet) await session.io.stderr.write(`Exported to ${toPrintable(folder)}\n`)
  }
  return 0
}
