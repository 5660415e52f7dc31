/** Converts CSV of Infoblox NIOS: each object has its type in the first cell, and a line `header-TYPE` names the columns of a type. */
import { parseCsv } from '../../base/csv/csv.ts'
import { compareIp, parseIp } from '../../net/ip.ts'
import { type Converter, createFileError } from '../converter.ts'
import { Findings } from '../hosts/found.ts'
import { createLineError, decodeText } from '../hosts/text.ts'
import type { Line } from '../report-builder.ts'
import { isSecret, removeSecrets } from '../secret-fields.ts'
import { parseSubnet, Scopes } from './scopes.ts'

/** The cells of a line that are not empty, by their columns without the mark `*` of a required one. */
type Cells = ReadonlyMap<string, string>

const NETWORK = /^(?:ipv6)?network(?:container)?$/
const RANGE = /^(?:ipv6)?dhcprange$/
/** The columns of the address and the name of a machine, by type. */
type MachineColumns = { readonly ip: readonly string[]; readonly name: string }
const MACHINES: Readonly<Record<string, MachineColumns>> = Object.fromEntries([
  ...['fixedaddress', 'ipv6fixedaddress'].map((type) => [type, { ip: ['ip_address'], name: 'name' }]),
  ...['hostaddress', 'ipv6hostaddress'].map((type) => [type, { ip: ['address'], name: 'parent' }]),
  ...['arecord', 'aaaarecord'].map((type) => [type, { ip: ['address'], name: 'fqdn' }]),
  ['hostrecord', { ip: ['addresses', 'ipv6_addresses'], name: 'fqdn' }],
])
const MAC = 'mac_address'
/** Columns that give an object its place. */
const USED = new Set(
  'address netmask cidr start_address end_address comment name network_view ip_address addresses ipv6_addresses fqdn parent'.split(
    ' ',
  ),
)

class Infoblox {
  readonly #findings: Findings
  readonly #scopes: Scopes
  /** Ranges wait for their networks, which may stand behind them. */
  readonly #ranges: { readonly type: string; readonly cells: Cells }[] = []

  constructor(findings: Findings) {
    this.#findings = findings
    this.#scopes = new Scopes('infoblox', findings.report)
  }

  add(type: string, cells: Cells): void {
    const machine = Object.hasOwn(MACHINES, type) ? MACHINES[type] : undefined
    if (NETWORK.test(type)) this.#addNetwork(type, cells)
    else if (RANGE.test(type)) this.#ranges.push({ type, cells })
    else if (machine) this.#addMachine(type, cells, machine)
    else this.#leave(type, 'has no place in Plat', cells)
  }

  finish() {
    for (const { type, cells } of this.#ranges) this.#addRange(type, cells)
    return this.#findings.conversion('csv', { documents: this.#scopes.documents })
  }

  #addNetwork(type: string, cells: Cells): void {
    const cidr = parseSubnet(cells.get('address') ?? '', cells.get('netmask') ?? cells.get('cidr') ?? '')
    if (!cidr) this.#leave(type, 'is no network', cells)
    else if (this.#scopes.addNetwork(type, cidr, this.#describe(type, cells))) this.#findings.report.read(type)
    else this.#leave(type, 'is there already', cells)
  }

  #addRange(type: string, cells: Cells): void {
    const [first, last] = [parseIp(cells.get('start_address') ?? ''), parseIp(cells.get('end_address') ?? '')]
    const isRange = first && last && first.family === last.family && compareIp(first, last) <= 0
    if (!isRange) this.#leave(type, 'is no range', cells)
    else if (this.#scopes.addRange(type, [first, last], this.#describe(type, cells))) this.#findings.report.read(type)
    else this.#leave(type, 'is in no network of the file, or twice', cells)
  }

  #addMachine(type: string, cells: Cells, { ip, name }: MachineColumns): void {
    const { description, lines } = this.#describe(type, cells)
    const ips = ip.flatMap((column) => (cells.get(column) ?? '').split(/[,;\s]+/)).filter((text) => text !== '')
    const hostname = cells.get(name) ?? ''
    const mac = cells.get(MAC)
    const comment = description === '' ? {} : { comment: description }
    const more = Object.fromEntries(lines.filter(({ key }) => key !== MAC).map(({ key, value }) => [key, value]))
    if (ips.length === 0) this.#leave(type, 'has no IP address', cells)
    for (const one of ips)
      this.#findings.add({
        ip: one,
        hostname,
        ...(hostname.includes('.') && { domains: [hostname] }),
        ...(mac !== undefined && !/^00(?::00){5}$/.test(mac) && { mac_address: mac }),
        more: { ...comment, ...more },
      })
  }

  #describe(type: string, cells: Cells) {
    const view = cells.get('network_view') ?? ''
    const lines: Line[] = []
    for (const [key, value] of cells) {
      if (USED.has(key) || key.startsWith('_new_')) continue
      if (isSecret(key)) this.#findings.report.dropped(`${type}.${key}`)
      // The attributes that the owner has added are lines; settings of the server are left.
      else if (key.startsWith('EA-') || (key === MAC && type in MACHINES))
        lines.push({ key: key.replace(/^EA-/, ''), value, field: `${type}.${key}` })
      else this.#findings.report.left(`${type}.${key}`, 'has no place in Plat', value)
    }
    const space = view.toLowerCase() === 'default' ? '' : view
    return {
      name: cells.get('name') ?? cells.get('comment') ?? '',
      space,
      description: cells.get('comment') ?? '',
      lines,
    }
  }

  #leave(type: string, why: string, cells: Cells): void {
    this.#findings.leave(why, removeSecrets(this.#findings.report, type, Object.fromEntries(cells)), type)
  }
}

/** Returns a column without the mark of a required one. Its case counts only in attributes of the owner. */
const normalizeColumn = (cell: string): string => {
  const column = cell.trim().replace(/\*$/, '')
  return /^EA-/i.test(column) ? `EA-${column.slice(3)}` : column.toLowerCase()
}

/** Reads the lines. Their columns are those of the last header of their type. */
const readObjects = (rows: readonly (readonly string[])[], infoblox: Infoblox): void => {
  const headers = new Map<string, readonly string[]>()
  for (const [index, [first = '', ...cells]] of rows.entries()) {
    const type = first.trim().toLowerCase()
    if (type === '' || type.startsWith('#') || type === 'version') continue
    if (type.startsWith('header-')) {
      headers.set(type.slice('header-'.length), cells.map(normalizeColumn))
      continue
    }
    const columns = headers.get(type)
    if (!columns)
      throw createLineError(index + 1, `has the type ${JSON.stringify(first.slice(0, 64))} without its header`)
    const named = cells.map((cell, at) => [columns[at] ?? '', cell.trim()] as const)
    infoblox.add(type, new Map(named.filter(([column, cell]) => column !== '' && cell !== '')))
  }
}

export const convertInfoblox: Converter = (bytes, options) => {
  const text = decodeText(bytes)
  if (!/^\s*(?:#[^\n]*\n\s*|version[^\n]*\n\s*)*"?header-/i.test(text))
    throw createFileError('line 1', 'is no header of Infoblox')
  const infoblox = new Infoblox(new Findings('object', options))
  let rows: string[][]
  try {
    rows = parseCsv(text)
  } catch (error) {
    throw createFileError('the file', error instanceof Error ? error.message : String(error))
  }
  readObjects(rows, infoblox)
  return infoblox.finish()
}
