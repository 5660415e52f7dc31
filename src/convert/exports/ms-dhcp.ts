/** Converts the XML of a Microsoft DHCP server (`Export-DhcpServer -Leases`): scopes, their ranges, reservations and leases. */
import { formatCidr } from '../../net/cidr.ts'
import { compareIp, parseIp } from '../../net/ip.ts'
import { type Converter, createFileError } from '../converter.ts'
import { Findings } from '../hosts/found.ts'
import { readHead } from '../hosts/text.ts'
import { decodeXmlText, parseXmlFile } from '../hosts/xml-file.ts'
import { type DhcpFields, type DhcpObject, readLeaseTable } from './ms-dhcp-table.ts'
import { parseSubnet, Scopes } from './scopes.ts'

/** The elements that are objects of their own. */
const OBJECTS = new Set(['Scope', 'Reservation', 'Lease'])
/** Fields of objects that become fields of rows. */
const USED = new Set(
  'ScopeId Prefix Name SubnetMask StartRange EndRange Description IPAddress ClientId HostName AddressState'.split(' '),
)
/** Settings that say nothing of a machine or a network. */
const PASSED_OVER = new Set(
  'Type LeaseExpiryTime LeaseDuration ActivatePolicies Delay NapEnable NapProfile MaxBootpClients NpsScope Clsid'.split(
    ' ',
  ),
)
const STATES_IN_FORCE = /^Active/

/** Yields the objects of the XML. A scope comes behind the objects inside it. */
function* readObjects(bytes: Uint8Array): Generator<DhcpObject> {
  const open: { kind: string; fields: Map<string, string> }[] = []
  let isExport = false
  for (const event of parseXmlFile(bytes)) {
    if (event.kind === 'open' && event.path.length === 0) {
      if (event.name !== 'DHCPServer') throw createFileError('the file', 'is no XML of Export-DhcpServer')
      isExport = true
    }
    const current = open.at(-1)
    if (event.kind === 'open' && OBJECTS.has(event.name)) open.push({ kind: event.name, fields: new Map() })
    else if (event.kind === 'text' && current && event.path.at(-2) === current.kind) {
      const field = event.path.at(-1) ?? ''
      current.fields.set(field, `${current.fields.get(field) ?? ''}${decodeXmlText(event.text)}`)
    } else if (event.kind === 'close' && current && event.name === current.kind) {
      yield current
      open.pop()
    }
  }
  if (!isExport) throw createFileError('the file', 'is no XML of Export-DhcpServer')
}

const isMac = (id: string): boolean => /^[0-9a-f]{2}(?:[-:]?[0-9a-f]{2}){5}$/i.test(id)

export class DhcpServer {
  readonly #findings: Findings
  readonly #scopes: Scopes

  constructor(findings: Findings) {
    this.#findings = findings
    this.#scopes = new Scopes('dhcp', findings.report)
  }

  add({ kind, fields }: DhcpObject): void {
    for (const [field, value] of fields)
      if (!USED.has(field) && !PASSED_OVER.has(field) && field !== 'State')
        this.#findings.report.left(`${kind}.${field}`, 'has no place in Plat', value)
    if (kind === 'Scope') this.#addScope(fields)
    else this.#addMachine(kind, fields)
  }

  conversion(source: string) {
    return this.#findings.conversion(source, { documents: this.#scopes.documents })
  }

  #addScope(fields: DhcpFields): void {
    const get = (field: string) => fields.get(field)?.trim() ?? ''
    const cidr = parseSubnet(get('ScopeId') || get('Prefix'), get('SubnetMask') || '64')
    const described = { name: get('Name'), space: '', description: get('Description'), lines: [] }
    if (!cidr || !this.#scopes.addNetwork('Scope', cidr, described)) {
      this.#findings.leave(cidr ? 'is there already' : 'is no network', Object.fromEntries(fields), 'Scope')
      return
    }
    this.#findings.report.read('Scope')
    const [first, last] = [parseIp(get('StartRange')), parseIp(get('EndRange'))]
    if (!first || !last) return
    const name = get('Name') || formatCidr(cidr)
    const isRange = first.family === last.family && compareIp(first, last) <= 0
    if (!isRange || !this.#scopes.addRange('Scope.range', [first, last], { ...described, name, description: '' }))
      this.#findings.report.left('Scope.range', 'is not in its scope', Object.fromEntries(fields))
  }

  #addMachine(kind: string, fields: DhcpFields): void {
    const get = (field: string) => fields.get(field)?.trim() ?? ''
    const state = get('AddressState')
    if (state !== '' && !STATES_IN_FORCE.test(state)) {
      this.#findings.leave(`is ${state}`, Object.fromEntries(fields), kind)
      return
    }
    const [id, description] = [get('ClientId'), get('Description')]
    if (id !== '' && !isMac(id)) this.#findings.report.left(`${kind}.ClientId`, 'is no MAC address', id)
    this.#findings.add({
      ip: get('IPAddress'),
      hostname: get('HostName') || get('Name'),
      ...(isMac(id) && { mac_address: id.replaceAll('-', ':') }),
      ...(description !== '' && { more: { description } }),
    })
  }
}

export const convertMsDhcp: Converter = (bytes, options) => {
  const server = new DhcpServer(new Findings('machine', options))
  const isXml = /^(?:\ufeff|\u00ef\u00bb\u00bf)?\s*</.test(readHead(bytes))
  for (const object of isXml ? readObjects(bytes) : readLeaseTable(bytes)) server.add(object)
  return server.conversion(isXml ? 'xml' : 'table')
}
