/** `plat import FORMAT SOURCE`: converts a file of another program, or a NetBox by its URL, and applies the rows. */
import { writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { stringify } from 'yaml'
import { toPlural } from '../../contract/change-summary.ts'
import { toSingular } from '../../contract/command-name.ts'
import { AppError } from '../../contract/errors.ts'
import { withSourceRules } from '../../contract/fields/row-rules.ts'
import { formatSuggestion } from '../../contract/suggest.ts'
import { getErrorMessage } from '../../contract/unknown.ts'
import { parse } from '../../contract/validate.ts'
import { FORMATS, type Format } from '../../convert/formats.ts'
import { Converted } from '../../convert/protocol.ts'
import { customFields } from '../../inventory/custom-fields/api.ts'
import { INVENTORY, type Resource } from '../../inventory/resources.ts'
import { call, readJson, sendRequest } from '../../surfaces/cli/connection/client.ts'
import { retryWhileBusy } from '../../surfaces/cli/connection/retry.ts'
import { toPrintable } from '../../surfaces/cli/output/display.ts'
import { parseDocument, readText } from '../../surfaces/cli/parse/body-file.ts'
import { getText, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { readProposal } from '../../surfaces/cli/parse/proposal-flags.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { type ApplyResult, MappingInput } from '../estate/api.ts'
import { applyRequest, parseApplyOptions, skipsBad } from './cli-apply.ts'
import { recordHosts } from './cli-inbox.ts'
import { findResource, getSpreadsheetResource } from './cli-resources.ts'
import {
  completeDocument,
  convertSheetFile,
  createLocator,
  dropNamedByFailed,
  readSource,
  type SheetFile,
  writeBadRows,
} from './cli-sheet.ts'

type Conversion = Pick<Converted, 'documents' | 'hosts' | 'report' | 'leftover'>

const TOKEN_VARIABLE = 'NETBOX_TOKEN'

const formatNamed = (text: string): Format => {
  const format = FORMATS.find((one) => one === text)
  if (format) return format
  throw createUsageError(
    `there is no format ${text}; there are ${FORMATS.join(', ')}${formatSuggestion(text, FORMATS)}`,
  )
}

const readToken = async ({ io }: Session, texts: Texts): Promise<string> => {
  const file = getText(texts, 'token-file')
  const token = file === undefined ? io.env[TOKEN_VARIABLE] : await readText(io, file)
  if (token !== undefined && token.trim() !== '') return token.trim()
  if (io.stdin.isTty) return (await io.stdin.ask('Token of the NetBox: ', { isSecret: true })).trim()
  throw createUsageError(`the token of the NetBox is missing: --token-file FILE, or the variable ${TOKEN_VARIABLE}`)
}

/** Reads a NetBox from here, so that its token never reaches Plat. */
const pullNetbox = async (session: Session, url: string, texts: Texts): Promise<Conversion> => {
  const token = await readToken(session, texts)
  const base = url.replace(/\/+$/, '').replace(/\/api$/, '')
  const signal = session.io.interrupted()
  const { convertNetboxHere } = await import('../../convert/convert.ts')
  const { documents, hosts, report, leftover } = await convertNetboxHere(token, async (path, headers) => {
    const response = await session.io.fetch(base + path, { headers, signal }).catch((cause: unknown) => {
      throw new AppError('PROVIDER_UNREACHABLE', `can't reach ${toPrintable(base)}`, { cause })
    })
    return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) }
  })
  // Only read here, so its lists may be read-only.
  return { documents: withSourceRules(documents), hosts, report, leftover } as Conversion
}

type Mapping = { resource?: Resource; columns: Record<string, string>; kind?: string }

const readMapping = async ({ io }: Session, texts: Texts): Promise<Mapping | undefined> => {
  const file = getText(texts, 'mapping')
  const pairs = texts.get('map') ?? []
  if (file === undefined && pairs.length === 0) return undefined
  const given = file === undefined ? {} : parse(MappingInput, await parseDocument(await readText(io, file), file))
  const columns = { ...given.columns }
  for (const pair of pairs) {
    const at = pair.lastIndexOf('=')
    if (at < 1) throw createUsageError(`--map takes COLUMN=FIELD, and not ${pair}`)
    columns[pair.slice(0, at)] = pair.slice(at + 1)
  }
  const { resource, kind } = given
  return { ...(resource && { resource }), columns, ...(kind && { kind }) }
}

/** Returns the mapping of a spreadsheet, with the resource of the flag, the mapping or the name of the file. */
const readSheetMapping = async (session: Session, source: string, texts: Texts): Promise<Partial<Mapping>> => {
  const mapping = await readMapping(session, texts)
  const named = mapping?.resource ? undefined : getSpreadsheetResource(basename(source))
  const kind = getText(texts, 'kind') ?? mapping?.kind
  // The name of a file of a kind may begin with that of another resource.
  const guessed = kind === undefined ? named : undefined
  const resource = findResource(getText(texts, 'resource') ?? '') ?? mapping?.resource ?? guessed
  return { ...(resource && { resource }), columns: mapping?.columns ?? {}, ...(kind !== undefined && { kind }) }
}

/** Returns the id of a kind, by its id or name, and the labels of its custom fields, by their names. */
const findKind = async ({ connect, program }: Session, text: string) => {
  const [{ transport }, contracts, { createNames }] = await Promise.all([
    connect(),
    program.contracts(),
    import('../../surfaces/cli/parse/names.ts'),
  ])
  const kind = await createNames(transport, contracts).findId({ noun: 'kinds', field: 'kind', text })
  const fields = await call(transport, customFields.list, { resource: kind }).catch((error: unknown) => {
    // Without the definitions, columns are found by their names.
    if (error instanceof AppError && error.code === 'FORBIDDEN') return []
    throw error
  })
  return { kind, labels: Object.fromEntries(fields.map(({ name, label }) => [name, label])) }
}

/** Sends a file to be converted. */
const convertFile = async (session: Session, format: Format, source: string, texts: Texts): Promise<Conversion> => {
  const { io } = session
  const mapping = await readMapping(session, texts)
  const query = new URLSearchParams({ format, leftover: String(getText(texts, 'leftover') !== undefined) })
  const origin = getText(texts, 'origin')
  if (origin !== undefined) query.set('origin', origin)
  const resource = getText(texts, 'resource')
  if (resource !== undefined) query.set('resource', resource)
  if (mapping) query.set('mapping', JSON.stringify(mapping))
  const body = await readSource(session, source)
  const { transport } = await session.connect()
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: new Blob([new Uint8Array(body)]),
    signal: io.interrupted(),
    // Disables Bun's limit of five minutes for a response.
    timeout: false,
  }
  const send = () => sendRequest(transport, `/api/estate/convert?${query}`, init)
  const response = await retryWhileBusy(io, send, init.signal)
  return Converted.parse(await readJson(transport, response))
}

const formatCounts = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([what, n]) => `${n} ${what}`)
    .join(', ') || 'nothing'

const formatMadeCounts = (made: Readonly<Record<string, number>>): string =>
  formatCounts(
    Object.fromEntries(Object.entries(made).map(([resource, n]) => [n === 1 ? toSingular(resource) : resource, n])),
  )

/** The words of converters for what they read. Other kinds are names of the source, such as `dcim.device` and `subnets`. */
const WORD = /^[a-z]*[a-rt-z]$/

const formatReadCounts = (read: Readonly<Record<string, number>>): string =>
  formatCounts(
    Object.fromEntries(
      Object.entries(read).map(([what, n]) => [n !== 1 && WORD.test(what) ? toPlural(what) : what, n]),
    ),
  )

const reportText = ({ read, made, described, left, warnings }: Conversion['report']): string => {
  const lines = [
    `Read: ${formatReadCounts(read)}`,
    `Made: ${formatMadeCounts(made)}`,
    ...(described.length > 0
      ? [`In descriptions: ${formatCounts(Object.fromEntries(described.map(({ field, count }) => [field, count])))}`]
      : []),
    ...left.map(
      ({ what, count, why, example }) => `Left: ${count} ${what}: ${why}${example ? `, such as ${example}` : ''}`,
    ),
    ...warnings.map(({ message }) => `Note: ${message}`),
  ]
  return lines.map((line) => `${toPrintable(line)}\n`).join('')
}

const write = async (path: string, text: string): Promise<void> => {
  await writeFile(path, text).catch((error: unknown) => {
    throw createUsageError(`can't write ${path}: ${getErrorMessage(error)}`)
  })
}

const toYaml = (value: unknown): string => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false })

const readSheet = async (session: Session, source: string, texts: Texts): Promise<SheetFile> => {
  const mapping = await readSheetMapping(session, source, texts)
  const found = mapping.kind === undefined ? undefined : await findKind(session, mapping.kind)
  return convertSheetFile(session, source, {
    mapping: found ? { ...mapping, kind: found.kind } : mapping,
    labels: found?.labels,
    skipsBad: skipsBad(texts),
  })
}

type CompletedSheet = Pick<Awaited<ReturnType<typeof completeDocument>>, 'made'> & { readonly conversion: Conversion }

const completeSheet = async (session: Session, file: SheetFile, owner: string): Promise<CompletedSheet> => {
  const { hosts, report, leftover } = file.sheet.conversion
  const { documents, made } = await completeDocument(session, file, owner)
  // Only read here, so its lists may be read-only.
  return { conversion: { documents, hosts, report, leftover } as Conversion, made }
}

/** @param source a file, a URL of a NetBox, or - @returns the exit code */
export const importFormat = async (session: Session, texts: Texts, source: string): Promise<number> => {
  const format = formatNamed(getText(texts, 'path') ?? '')
  const isUrl = /^https?:\/\//i.test(source)
  if (isUrl && format !== 'netbox') throw createUsageError('only a NetBox is read by its URL')
  const isToInbox = getText(texts, 'to') === 'inbox'
  if (texts.has('space') && !isToInbox) throw createUsageError('--space needs --to inbox')
  const proposal = readProposal(texts)
  if (proposal !== undefined && isToInbox) throw createUsageError('hosts of the inbox cannot be proposed')
  const options = parseApplyOptions(texts)
  const isSheet = format === 'csv' || format === 'xlsx'
  if (texts.has('kind') && !isSheet) throw createUsageError('--kind is for spreadsheets: csv or xlsx')
  const sheetFile = isSheet ? await readSheet(session, source, texts) : undefined
  const completed = sheetFile && (await completeSheet(session, sheetFile, options.managed_by))
  const conversion = completed
    ? completed.conversion
    : isUrl
      ? await pullNetbox(session, source, texts)
      : await convertFile(session, format, source, texts)
  const { documents, report, leftover } = conversion
  const { io, globals } = session
  if (isToInbox) return recordHosts(session, texts, conversion.hosts)
  if (!globals.isQuiet && globals.output !== 'json') await io.stdout.write(reportText(report))
  const paths = {
    leftover: getText(texts, 'leftover'),
    save: getText(texts, 'save'),
    mapping: getText(texts, 'save-mapping'),
  }
  if (paths.leftover !== undefined) await write(paths.leftover, `${JSON.stringify(leftover ?? {}, undefined, 2)}\n`)
  if (paths.mapping !== undefined && report.mapping) await write(paths.mapping, toYaml(report.mapping))
  if (paths.save !== undefined) {
    await write(paths.save, toYaml(documents))
    return 0
  }
  const name = isUrl ? source : basename(source)
  const { lists, empty, names, ...rows } = documents
  const places = Object.fromEntries(INVENTORY.map((resource) => [resource, (rows[resource] ?? []).map(() => name)]))
  const request = {
    files: {
      rows,
      places,
      rules: { lists, empty },
      ...(names && { names }),
      ...(sheetFile && { locate: createLocator(sheetFile) }),
    },
    owner: options.managed_by,
    options,
    ...{ note: getText(texts, 'change-note'), proposal },
    ...(sheetFile &&
      completed &&
      skipsBad(texts) && {
        selectRows: ({ failed_rows = {} }: ApplyResult) =>
          dropNamedByFailed(sheetFile, { rows, made: completed.made }, failed_rows),
        onDone: ({ failed_rows = {} }: ApplyResult) => writeBadRows(session, sheetFile, failed_rows),
      }),
  }
  return applyRequest(session, request, texts)
}
