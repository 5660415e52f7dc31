/** Converts a document: an estate document as it is, every other format as an import does. */
import { AppError } from '../../../contract/errors.ts'
import { getOwn } from '../../../contract/own.ts'
import { isRecord, toText } from '../../../contract/unknown.ts'
import type { EstateDocument, EstateRow, Host, LazyConversion } from '../../../convert/converter.ts'
import { CONVERTERS, detectFormat } from '../../../convert/converters.ts'
import type { Format } from '../../../convert/formats.ts'
import { ReportBuilder } from '../../../convert/report-builder.ts'
import { FACTS, INVENTORY } from '../../../inventory/resources.ts'
import { FetchError } from '../../fetch/fetch-error.ts'
import { buildKeyedRows } from '../keyed-rows.ts'
import { addPackRows } from '../pack-rows.ts'
import { mergeReports } from '../reports.ts'
import { type ConvertMeans, type Json, SnapshotError, type SnapshotRows } from '../source-kind.ts'
import { type EstateFile, isEstate, looksLikeEstateYaml, parseEstateText, readEstate } from './estate-file.ts'
import { DocumentOptions, ESTATE } from './options.ts'
import { type ReadFile, readSheetKeys } from './sheet-keys.ts'
import { toFile } from './snapshot.ts'

/** Formats of machines that were seen on a network. Inventories and configurations of DHCP servers document machines. */
const EVIDENCE: ReadonlySet<Format> = new Set([
  ...(['masscan', 'nmap', 'arp-scan', 'isc-leases', 'kea-leases', 'dnsmasq-leases'] as const),
  ...(['ip-neigh', 'arp', 'zone', 'hosts'] as const),
])
const SHEETS: ReadonlySet<Format> = new Set(['csv', 'xlsx'])
const MAX_HOSTS = 100_000
/** The number of characters at the begin of a file by which its format is known. */
const HEAD = 64 * 1024

type Means = ConvertMeans & { readonly given: DocumentOptions }

/** Returns the format of a file by its content; undefined for an unknown one. */
const findFormat = (bytes: Uint8Array): Format | undefined => {
  try {
    return detectFormat(bytes)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** Returns the value of a text that may be JSON or YAML; undefined for another format, such as the sections of an INI file. */
const parseValue = (text: string, bytes: Uint8Array, isCertain: boolean): unknown => {
  try {
    return parseEstateText(text)
  } catch (error) {
    if (!isCertain && findFormat(bytes)) return undefined
    throw error
  }
}

/** Returns the estate document of a file; undefined for another format. */
const findEstate = (bytes: Uint8Array, { format = '', resource }: DocumentOptions): EstateFile | undefined => {
  if (format !== '' && format !== ESTATE) return undefined
  const text = new TextDecoder('utf-8').decode(bytes)
  const head = text.slice(0, HEAD)
  const isCertain = format === ESTATE || looksLikeEstateYaml(head)
  if (!isCertain && !/^\s*[[{]/.test(head)) return undefined
  const value = parseValue(text, bytes, isCertain)
  const isRows = Array.isArray(value) && resource
  return isCertain || isEstate(value) || isRows ? readEstate(value, resource || undefined) : undefined
}

/** Returns the id of a row: the value of a field, of a custom field, or a ref. */
const readField =
  (key: string) =>
  (row: EstateRow): string | undefined => {
    const value = [row, row.custom, row.refs]
      .flatMap((holder) => (isRecord(holder) ? [getOwn(holder, key)] : []))
      .find((one) => one !== undefined && one !== null)
    return typeof value === 'number' ? String(value) : toText(value)
  }

const keyRows = (
  { documents, packs, report }: ReadFile,
  { ref, given }: Means,
  keys?: ReadonlyMap<EstateRow, string>,
): SnapshotRows => {
  const { key = '' } = given
  const readKey = keys ? (row: EstateRow) => keys.get(row) : readField(key)
  const keyed = buildKeyedRows(addPackRows(documents, packs), { ref, own: ref, ...(key !== '' && { readKey }) })
  return { ...keyed, hosts: [], report: mergeReports(report, keyed.report) }
}

const convertEstate = ({ documents, packs }: EstateFile, means: Means): SnapshotRows => {
  const report = new ReportBuilder({ withLeftover: false })
  // Ports and relationships follow their devices.
  for (const resource of INVENTORY)
    if (resource !== 'ports' && resource !== 'relationships' && documents[resource])
      report.read(FACTS[resource].noun, documents[resource].length)
  return keyRows({ documents, packs, report: report.report(documents) }, means)
}

const takeHosts = (conversion: LazyConversion): SnapshotRows => {
  const hosts: Host[] = []
  for (const { ip, mac_address, hostname } of conversion.hosts) {
    // A scan may tell 65,535 services of each, which are no evidence.
    const host = { ip, ...(mac_address && { mac_address }), ...(hostname && { hostname }) }
    if (hosts.push(host) > MAX_HOSTS) throw new FetchError('too_large', `more than ${MAX_HOSTS} hosts`)
  }
  return { documents: {}, about: new Map(), hosts, report: { ...conversion.report, made: {} } }
}

const takeRows = (conversion: LazyConversion): ReadFile => {
  const documents: EstateDocument = {}
  for (const resource of INVENTORY) {
    const rows = conversion.documents[resource]
    if (rows) documents[resource] = [...rows]
  }
  const { packs = [], sheet } = conversion
  // The report is complete once the rows have been read.
  return { documents, packs, report: conversion.report, ...(sheet && { sheet }) }
}

const convertFile = async (bytes: Uint8Array, means: Means): Promise<SnapshotRows> => {
  const { format = '', resource = '', mapping, origin = '', key = '', hosts = 'evidence' } = means.given
  const known = format === '' || format === ESTATE ? detectFormat(bytes) : format
  const convert = await CONVERTERS[known].load({ loadRowSchemas: () => import('../../../inventory/sheets.ts') })
  const isSheet = SHEETS.has(known)
  const conversion = await convert(bytes, {
    now: means.now,
    withLeftover: false,
    ...(isSheet && {
      withSheet: true,
      mapping: { ...(resource !== '' && { resource }), ...(mapping && { columns: mapping }) },
    }),
    ...(origin !== '' && { origin }),
  })
  if (EVIDENCE.has(known) && hosts === 'evidence') return takeHosts(conversion)
  const whole = takeRows(conversion)
  if (!isSheet) return keyRows(whole, means)
  const { keys, report } = readSheetKeys(whole, key)
  return keyRows({ ...whole, report }, means, keys)
}

export const convertDocument = async (snapshot: Json, means: ConvertMeans): Promise<SnapshotRows> => {
  const whole: Means = { ...means, given: DocumentOptions.parse(means.options) }
  const bytes = toFile(snapshot)
  try {
    const estate = findEstate(bytes, whole.given)
    return estate ? convertEstate(estate, whole) : await convertFile(bytes, whole)
  } catch (error) {
    if (error instanceof AppError) throw new SnapshotError(error.message, { cause: error })
    throw error
  }
}
