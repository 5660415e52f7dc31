/** Reads leases and reservations of a Microsoft DHCP server as PowerShell and netsh write them: CSV, a table, or a list. */
import { parseCsv } from '../../base/csv/csv.ts'
import { toStorable } from '../../contract/storable.ts'
import { createFileError } from '../converter.ts'
import { checkUnpacked, toBuffer } from '../file-text.ts'

export type DhcpFields = ReadonlyMap<string, string>
/** A scope, a reservation or a lease. */
export type DhcpObject = { readonly kind: string; readonly fields: DhcpFields }

/** PowerShell writes UTF-16 unless told otherwise, and old consoles the code page of Windows. */
const decode = (bytes: Uint8Array): string => {
  const buffer = toBuffer(bytes)
  checkUnpacked(buffer)
  if (buffer[0] === 0xff && buffer[1] === 0xfe) return toStorable(new TextDecoder('utf-16le').decode(buffer))
  try {
    return toStorable(new TextDecoder('utf-8', { fatal: true }).decode(buffer))
  } catch {
    return toStorable(new TextDecoder('windows-1252').decode(buffer))
  }
}

const PROPERTIES = ['IPAddress', 'ScopeId', 'ClientId', 'HostName', 'AddressState', 'Name', 'Description', 'SubnetMask']

/** PowerShell compares names of properties in any case. */
const toPropertyName = (column: string): string =>
  PROPERTIES.find((name) => name.toLowerCase() === column.toLowerCase()) ?? column

const toObject = (given: readonly string[], cells: readonly string[]): DhcpObject => {
  const columns = given.map(toPropertyName)
  return {
    kind: columns.includes('AddressState') ? 'Lease' : columns.includes('IPAddress') ? 'Reservation' : 'Scope',
    fields: new Map(
      columns.flatMap((column, at): [string, string][] => {
        const cell = cells[at]?.trim() ?? ''
        return cell === '' || COMMON.test(column) ? [] : [[column, cell]]
      }),
    ),
  }
}

/** Properties of every object of PowerShell. */
const COMMON =
  /^(?:PSComputerName|RunspaceId|PSShowComputerName|PSSourceJobInstanceId|CimClass|CimInstanceProperties|CimSystemProperties)$/

function* readCsv(text: string): Generator<DhcpObject> {
  const [columns = [], ...rows] = parseCsv(text.replace(/^#TYPE[^\n]*\n/, ''))
  for (const row of rows) yield toObject(columns, row)
}

/** `Format-Table`: the columns begin where their names do. */
function* readTable(lines: readonly string[], at: number): Generator<DhcpObject> {
  const starts = [...(lines[at + 1] ?? '').matchAll(/-+/g)].map(({ index }) => index)
  const split = (line: string) => starts.map((start, i) => line.slice(start, starts[i + 1]).trim())
  const columns = split(lines[at] ?? '')
  for (const line of lines.slice(at + 2)) if (line.trim() !== '') yield toObject(columns, split(line))
}

/** `Format-List`: a property a line, and a blank line between objects. */
function* readList(lines: readonly string[]): Generator<DhcpObject> {
  let fields: [string, string][] = []
  for (const line of [...lines, '']) {
    const [, name, value = ''] = /^(\w+)\s*: ?(.*)$/.exec(line) ?? []
    if (name !== undefined) fields.push([name, value])
    else if (line.trim() === '' && fields.length > 0) {
      yield toObject(
        fields.map(([field]) => field),
        fields.map(([, cell]) => cell),
      )
      fields = []
    }
  }
}

/** `netsh dhcp server dump`. */
const NETSH = /^Dhcp Server \S+ (?:Scope (\S+) )?Add (scope|iprange|reservedip) (.*)$/i

const splitWords = (text: string): string[] =>
  [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')

function* readNetsh(lines: readonly string[]): Generator<DhcpObject> {
  const scopes = new Map<string, Map<string, string>>()
  for (const line of lines) {
    const [, scope = '', kind = '', rest = ''] = NETSH.exec(line.trim()) ?? []
    const [first = '', second = '', third = '', fourth = ''] = splitWords(rest)
    if (kind.toLowerCase() === 'scope')
      scopes.set(
        first,
        new Map([
          ['ScopeId', first],
          ['SubnetMask', second],
          ['Name', third],
          ['Description', fourth],
        ]),
      )
    else if (kind.toLowerCase() === 'iprange') scopes.get(scope)?.set('StartRange', first).set('EndRange', second)
    else if (kind !== '')
      yield toObject(['IPAddress', 'ClientId', 'Name', 'Description'], [first, second, third, fourth])
  }
  for (const fields of scopes.values()) yield { kind: 'Scope', fields }
}

/** The columns of a lease; `Select-Object` may have left out the scope. */
export const LEASE_CSV = /^(?:#TYPE[^\n]*\n)?(?=[^\n]*\bIPAddress\b)(?=[^\n]*\b(?:ScopeId|AddressState)\b)"?\w+"?[,;]/i

/** @throws AppError VALIDATION_ERROR on `file` */
export function* readLeaseTable(bytes: Uint8Array): Generator<DhcpObject> {
  const text = decode(bytes)
  const lines = text.split(/\r?\n/)
  const table = lines.findIndex((line, at) => /\bScopeId\b/.test(line) && /^\s*-+\s+-+/.test(lines[at + 1] ?? ''))
  if (LEASE_CSV.test(text)) yield* readCsv(text)
  else if (table >= 0) yield* readTable(lines, table)
  else if (lines.some((line) => NETSH.test(line.trim()))) yield* readNetsh(lines)
  else if (/^ScopeId\s*:/m.test(text)) yield* readList(lines)
  else throw createFileError('line 1', 'is no export of a Microsoft DHCP server')
}
