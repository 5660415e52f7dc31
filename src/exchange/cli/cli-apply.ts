/** `plat diff` and `plat apply`: files become the state of the server, after their plan was shown. */

import { encodeNote, NOTE_HEADER } from '../../contract/change-note.ts'
import { AppError } from '../../contract/errors.ts'
import { KEY_HEADER } from '../../contract/idempotency-key.ts'
import { sendRequest, type Transport } from '../../surfaces/cli/connection/client.ts'
import { repeatIfCut } from '../../surfaces/cli/connection/repeat.ts'
import { retryWhileBusy } from '../../surfaces/cli/connection/retry.ts'
import { report } from '../../surfaces/cli/failure.ts'
import { toPrintable, toPrintableJson } from '../../surfaces/cli/output/display.ts'
import { getProposal, offerUndo, tellProposal, withProposal } from '../../surfaces/cli/output/preview.ts'
import { getText, isOn, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { readProposal } from '../../surfaces/cli/parse/proposal-flags.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { ApplyResult } from '../estate/api.ts'
import { type EstateFiles, readEstate } from './cli-document.ts'
import { planText } from './cli-plan-text.ts'

/** The exit code of a diff that finds a difference, and of a diff with wrong files. */
const DIFFERS = 2
const WRONG = 1

/** The document to be applied, and how. */
export type ApplyRequest = {
  readonly files: EstateFiles
  readonly owner: string
  readonly options: Readonly<Record<string, unknown>>
  readonly note: string | undefined
  /** The proposal that it is added to, in place of being applied. */
  readonly proposal: string | undefined
  /** Returns the rows that are applied if rows of a plan fail; undefined for all. */
  readonly selectRows?: (plan: ApplyResult) => EstateFiles['rows'] | undefined
  /** Called with the answer of a call that is not a dry run. */
  readonly onDone?: (result: ApplyResult) => Promise<void>
}

/** `--keep-going` is the other name of `--skip-bad`. */
export const skipsBad = (texts: Texts): boolean => isOn(texts, 'skip-bad') || isOn(texts, 'keep-going')

export const parseApplyOptions = (texts: Texts) => ({
  managed_by: getText(texts, 'managed-by') ?? '',
  prune: isOn(texts, 'prune'),
  allow_empty: isOn(texts, 'allow-empty'),
  take_over: isOn(texts, 'take-over'),
  atomic: !skipsBad(texts),
})

const buildRequest = (files: EstateFiles, texts: Texts): ApplyRequest => {
  const options = parseApplyOptions(texts)
  return {
    ...{ files, owner: options.managed_by, options },
    ...{ note: getText(texts, 'change-note'), proposal: readProposal(texts) },
  }
}

const readFiles = async ({ io }: Session, texts: Texts): Promise<EstateFiles> => {
  const paths = texts.get('file') ?? []
  if (paths.length === 0) throw createUsageError('-f PATH missing: a file, a folder, or - for standard input')
  return readEstate(io, paths)
}

type Answer = { readonly result: ApplyResult; readonly changeId: string | null; readonly proposal: string | null }

type Connection = { readonly io: Session['io']; readonly transport: Transport }

const send = async (
  { io, transport }: Connection,
  { files, options, note, proposal }: ApplyRequest,
  more: { readonly dry_run?: true; readonly expect?: string },
): Promise<Answer> => {
  // Proposals keep no key, so a repetition would add it twice.
  const isOnce = more.dry_run !== true && proposal === undefined
  const query = proposal === undefined ? '' : `?${new URLSearchParams({ proposal })}`
  const init = {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(isOnce && { [KEY_HEADER]: crypto.randomUUID() }),
      ...(note !== undefined && { [NOTE_HEADER]: encodeNote(note) }),
    },
    body: JSON.stringify({
      ...files.rules,
      packs: files.packs,
      names: files.names,
      ...files.rows,
      ...options,
      ...more,
    }),
    // Disables Bun's limit of five minutes for a response.
    timeout: false,
  }
  const post = () => retryWhileBusy(io, () => sendRequest(transport, `/api/estate/apply${query}`, init))
  const ask = async (): Promise<Answer> => {
    const response = await post()
    const result = ApplyResult.parse(await response.json())
    return { result, changeId: response.headers.get('x-change-id'), proposal: getProposal(response) }
  }
  return isOnce || more.dry_run ? repeatIfCut(ask) : ask()
}

const ROW = /^([\w-]+)\[(\d+)\]\.?(.*)$/

const formatRowName = (row: unknown): string => {
  const { name, ip_address, parent, child } = (typeof row === 'object' && row !== null ? row : {}) as Record<
    string,
    unknown
  >
  const text = [name, ip_address, parent && child && `${parent} - ${child}`].find((one) => typeof one === 'string')
  return text === undefined ? '' : ` ${JSON.stringify(text)}`
}

/** @example formatIssue(files, 'devices[3].addresses[0].ip', 'is ...') // 'sites/ams.yaml:12: devices "web-1": addresses[0].ip: is ...' */
const formatIssue = ({ rows, places, locate }: EstateFiles, field: string, message: string): string => {
  const [, resource = '', row = '', inner = ''] = ROW.exec(field) ?? []
  const list = Object.entries(places).find(([name]) => name === resource)?.[1]
  const found = locate?.(resource, Number(row), inner)
  const place = found?.place ?? list?.[Number(row)]
  if (place === undefined) return toPrintable(`${field}: ${message}`)
  const value = Object.entries(rows).find(([name]) => name === resource)?.[1]?.[Number(row)]
  // The text of another row is named by its place as well.
  const words = message.replace(/\b([\w-]+)\[(\d+)\]/g, (whole, name: string, at: string) => {
    const other = Object.entries(places).find(([one]) => one === name)?.[1]?.[Number(at)]
    return other === undefined ? whole : `${name} at ${other}`
  })
  const parts = [place, `${resource}${formatRowName(value)}`, inner, found?.cell ?? '', words]
  return toPrintable(parts.filter((part) => part !== '').join(': '))
}

/** Returns the error with the places of the rows in the files. */
const withPlaces = (files: EstateFiles, error: unknown): unknown => {
  if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') return error
  const lines = error.details.map(({ field, message }) => formatIssue(files, field, message))
  const head = /^(more than )?\d+ rows? (is|are) bad/.exec(error.message)?.[0]
  return new AppError('VALIDATION_ERROR', [head ?? 'the server refuses it', ...lines].join('\n'), { cause: error })
}

const formatErrors = (files: EstateFiles, { errors }: ApplyResult): string =>
  errors
    .flatMap(({ resource, row, error, details }) => {
      const at = `${resource}[${row}]`
      if (details.length === 0) return [formatIssue(files, at, error)]
      return details.map(({ field, message }) => formatIssue(files, field === '' ? at : `${at}.${field}`, message))
    })
    .map((line) => `  ${line}\n`)
    .join('')

const hasColors = ({ io }: Session): boolean => io.stdout.isTty && !io.env.NO_COLOR

const show = async (session: Session, request: ApplyRequest, result: ApplyResult): Promise<void> => {
  const { io, globals } = session
  if (globals.output === 'json') {
    const text = JSON.stringify(result, undefined, io.stdout.isTty ? 2 : undefined)
    await io.stdout.write(`${toPrintableJson(text)}\n`)
  } else if (!globals.isQuiet)
    await io.stdout.write(planText(result, { owner: request.owner, hasColors: hasColors(session) }))
  if (result.errors.length > 0)
    await io.stderr.write(`error: some rows are bad\n${formatErrors(request.files, result)}`)
}

export const diffEstate = async (session: Session, texts: Texts): Promise<number> => {
  let files: EstateFiles | undefined
  try {
    files = await readFiles(session, texts)
    const request = buildRequest(files, texts)
    const { transport } = await session.connect()
    const { result } = await send({ io: session.io, transport }, request, { dry_run: true })
    await show(session, request, result)
    return result.changed ? DIFFERS : 0
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 400) throw error
    await report(session.io, files ? withPlaces(files, error) : error, { isJson: session.globals.output === 'json' })
    return WRONG
  }
}

export const askConfirmation = async ({ io }: Session, question: string): Promise<boolean> => {
  if (!io.stdin.isTty || !io.stdout.isTty) throw createUsageError('not at a terminal: nothing is done without --yes')
  const answer = await io.stdin.ask(`${question} [y/N] `)
  return /^y(es)?$/i.test(answer.trim())
}

type Planned = { readonly request: ApplyRequest; readonly plan: ApplyResult }

/** Plans a request. Objects that only failed rows need are left out; the errors are those of all rows. */
const planRequest = async (connection: Connection, request: ApplyRequest): Promise<Planned> => {
  const { result: plan } = await send(connection, request, { dry_run: true })
  const rows = plan.errors.length > 0 ? request.selectRows?.(plan) : undefined
  if (!rows) return { request, plan }
  const narrow = { ...request, files: { ...request.files, rows } }
  const { result } = await send(connection, narrow, { dry_run: true })
  return { request: narrow, plan: { ...result, errors: plan.errors } }
}

/** Adds a request to its proposal, and shows its changes. */
const propose = async (session: Session, { request, plan }: Planned): Promise<number> => {
  const { transport } = await session.connect()
  const { result, proposal } = await send({ io: session.io, transport }, request, {})
  await show(session, request, withProposal({ ...result, errors: plan.errors }, proposal))
  await tellProposal(session, transport, proposal)
  return plan.errors.length > 0 ? 1 : 0
}

/**
 * Stores the names of a document whose rows change nothing.
 * @returns false if none is new, or they may not be stored
 */
const storeNames = async (session: Session, { request, plan }: Planned, texts: Texts): Promise<boolean> => {
  const { new_names: count = 0 } = plan
  if (count === 0 || request.proposal !== undefined) return false
  const { io } = session
  const isAsked = io.stdin.isTty && io.stdout.isTty
  if (!isOn(texts, 'yes') && !(isAsked && (await askConfirmation(session, `Store ${count} names for the NetBox API?`))))
    return false
  const { transport } = await session.connect()
  await send({ io, transport }, request, { expect: plan.fingerprint })
  return true
}

/** Shows the plan of a request, asks, and applies or proposes it. @returns the exit code */
export const applyRequest = async (session: Session, request: ApplyRequest, texts: Texts): Promise<number> => {
  const { io, globals } = session
  const { transport } = await session.connect()
  try {
    const planned = await planRequest({ io, transport }, request)
    const { plan } = planned
    const isJson = globals.output === 'json'
    const isDry = isOn(texts, 'dry-run')
    const failed = plan.errors.length > 0 ? 1 : 0
    const isProposed = request.proposal !== undefined
    if (isDry || !plan.changed || !(isJson || isProposed)) await show(session, request, plan)
    if (isDry) return 0
    if (!plan.changed) {
      const isStored = await storeNames(session, planned, texts)
      if (!globals.isQuiet)
        await io.stderr.write(
          isStored ? 'No row changes. The names for the NetBox API are stored.\n' : 'Nothing to do.\n',
        )
      await request.onDone?.(plan)
      return failed
    }
    if (isProposed) return await propose(session, planned)
    if (plan.lacking?.length) throw new AppError('FORBIDDEN', `You lack the permission ${plan.lacking[0]}`)
    if (!isOn(texts, 'yes') && !(await askConfirmation(session, 'Apply this?'))) {
      await io.stderr.write('Nothing was changed.\n')
      return 1
    }
    const { result, changeId } = await send({ io, transport }, planned.request, { expect: plan.fingerprint })
    if (isJson) await show(session, request, { ...result, errors: plan.errors })
    else if (!globals.isQuiet) await io.stdout.write(`Done: ${toPrintable(result.summary)}.\n`)
    if (changeId) await offerUndo(session, [changeId])
    await request.onDone?.(result)
    return result.errors.length > 0 ? 1 : 0
  } catch (error) {
    throw withPlaces(request.files, error)
  }
}

export const applyEstate = async (session: Session, texts: Texts): Promise<number> =>
  applyRequest(session, buildRequest(await readFiles(session, texts), texts), texts)
