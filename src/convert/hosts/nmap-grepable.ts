/** Reads the output of nmap and masscan for grep (`-oG`): lines of fields that tabs divide. */
import { createFileError } from '../converter.ts'
import type { Findings } from './found.ts'
import type { Found } from './found-store.ts'
import { createLineError, readLines } from './text.ts'

const HOST = /^(?:Timestamp: \d+\t)?Host: (\S+) \(([^)]*)\)\t(.*)$/
const DONE = /^# (?:Nmap|Masscan) done at /
/** What nmap writes about the services of a port, in this order. The owner of the process is passed over. */
const MAX_SERVICES = 1000
/** Fields that say nothing of a machine: nmap counts ports that it does not list, and judges sequence numbers. */
const PASSED_OVER = new Set(['Status', 'Ignored State', 'Seq Index', 'IP ID Seq', 'Protocols'])

type Open = NonNullable<Found['services']>[number] & { readonly text: string }

/** Reads `22/open/tcp//ssh//OpenSSH 9.2/`. nmap writes a slash inside a text as `|`. */
const parsePort = (text: string): Open | undefined => {
  const [number = '', state, protocol, , name = '', , about = ''] = text.trim().split('/')
  const port = Number(number)
  if (state !== 'open' || (protocol !== 'tcp' && protocol !== 'udp') || !(port >= 1 && port <= 65_535)) return undefined
  return {
    port,
    protocol,
    name,
    text: [`${port}/${protocol}`, name, about.replaceAll('|', '/')].filter(Boolean).join(' '),
  }
}

type Fields = ReadonlyMap<string, string>

const parseFields = (text: string): Fields =>
  new Map(
    text.split('\t').map((field) => {
      const colon = field.indexOf(': ')
      return colon < 0 ? [field, ''] : [field.slice(0, colon), field.slice(colon + 2)]
    }),
  )

const toFound = (ip: string, hostname: string, fields: Fields): Found => {
  const all = (fields.get('Ports') ?? '').split(', ').flatMap((port) => parsePort(port) ?? [])
  const open = all.slice(0, MAX_SERVICES)
  const ports = [...new Set(open.filter(({ protocol }) => protocol === 'tcp').map(({ port }) => port))]
  const os = fields.get('OS')
  return {
    ip,
    ...(hostname !== '' && { hostname }),
    ...(os !== undefined && { os: os.replaceAll('|', '/') }),
    ...(ports.length > 0 && { open_ports: ports }),
    ...(open.length > 0 && {
      services: open.map(({ text: _, ...service }) => service),
      open: open.map(({ text }) => text),
    }),
  }
}

/** Adds the machines. A host that is up has a line for its status, and may have one for its ports. */
export const readGrepable = (bytes: Uint8Array, findings: Findings): void => {
  let isDone = false
  let up: string | undefined
  const addWithoutPorts = () => {
    const [ip = '', hostname = ''] = up?.split(' ') ?? []
    if (up !== undefined) findings.add(toFound(ip, hostname, new Map()))
    up = undefined
  }
  for (const { number, text } of readLines(bytes)) {
    if (text.trim() === '') continue
    if (text.startsWith('#')) {
      isDone ||= DONE.test(text)
      continue
    }
    const [, ip = '', hostname = '', rest = ''] = HOST.exec(text) ?? []
    if (ip === '') throw createLineError(number, 'is no line of the output for grep (-oG)')
    const fields = parseFields(rest)
    for (const [name, value] of fields)
      if (!PASSED_OVER.has(name) && name !== 'Ports' && name !== 'OS')
        findings.report.left(`host.${name}`, 'has no place in Plat', { ip, value })
    const host = `${ip} ${hostname}`
    if (up !== undefined && up !== host) addWithoutPorts()
    const status = fields.get('Status')
    if (status === 'Up') up = host
    else if (status !== undefined) findings.leave('is not up', { ip })
    else {
      up = undefined
      findings.add(toFound(ip, hostname, fields))
    }
  }
  addWithoutPorts()
  if (!isDone) throw createFileError('the end', 'the scan was not finished: it has no line "done at"')
}
