/** Converts the XML of nmap (`nmap -oX`) and its output for grep (`nmap -oG`). */

import type { Attributes } from '../../net/xml/xml.ts'
import { type Converter, createFileError } from '../converter.ts'
import type { ReportBuilder } from '../report-builder.ts'
import { Findings } from './found.ts'
import type { Found } from './found-store.ts'
import { readGrepable } from './nmap-grepable.ts'
import { readHead } from './text.ts'
import { parseXmlFile } from './xml-file.ts'

/** Each address of a host has all its services, so a small file could become a large answer. nmap gives two addresses at most. */
const MAX_HOST_ADDRESSES = 16
/** The maximum that a recorded scan takes. */
const MAX_HOST_SERVICES = 1000

/** Elements of a host that are measurements of the scan or output of scripts. */
const WITHOUT_PLACE: ReadonlySet<string> = new Set(['script', 'uptime', 'distance', 'hop'])

type Service = { readonly port: number; readonly protocol: 'tcp' | 'udp'; readonly name: string }

/** A `<host>` while it is read. */
class Machine {
  /** masscan writes no status: it knows only hosts that answer. */
  #isUp = true
  #isOpen = false
  #port: { port: number; protocol: string } | undefined
  readonly #ips: string[] = []
  readonly #names = new Map<string, string>()
  readonly #services: Service[] = []
  readonly #open: string[] = []
  #mac: string | undefined
  #vendor: string | undefined
  #os: { name: string; accuracy: number } | undefined
  readonly #report: ReportBuilder

  constructor(report: ReportBuilder) {
    this.#report = report
  }

  read(name: string, a: Attributes): void {
    switch (name) {
      case 'status':
        this.#isUp = a.state === 'up'
        return
      case 'address':
        if (a.addrtype === 'mac') [this.#mac, this.#vendor] = [a.addr, a.vendor]
        else if (a.addr !== undefined) this.#ips.push(a.addr)
        return
      case 'hostname':
        if (a.name !== undefined) this.#addName(a.type ?? '', a.name)
        return
      case 'port':
        this.#port = { port: Number(a.portid), protocol: a.protocol ?? '' }
        this.#isOpen = false
        return
      case 'state':
        this.#isOpen = a.state === 'open'
        if (this.#isOpen) this.#addPort()
        else this.#leave('host.port', `is ${a.state ?? 'not open'}`, this.#port)
        return
      case 'service':
        if (this.#isOpen) this.#addService(a)
        return
      case 'osmatch':
        if (Number(a.accuracy) > (this.#os?.accuracy ?? -1) && a.name !== undefined)
          this.#os = { name: a.name, accuracy: Number(a.accuracy) }
        return
      default:
        if (WITHOUT_PLACE.has(name)) this.#leave(`host.${name}`, 'has no place in Plat', a)
    }
  }

  /** The addresses of a host stand before its ports. */
  #leave(what: string, why: string, value: object | undefined): void {
    if (this.#isUp) this.#report.left(what, why, { ip: this.#ips[0], ...value })
  }

  #addName(type: string, name: string): void {
    if (!this.#names.has(type)) this.#names.set(type, name)
    else if (this.#names.get(type) !== name)
      this.#leave('host.hostname', 'is another name of its host', { value: name })
  }

  #addPort(): void {
    const { port, protocol } = this.#port ?? {}
    if (port === undefined || !(port >= 1 && port <= 65_535) || (protocol !== 'tcp' && protocol !== 'udp')) return
    this.#services.push({ port, protocol, name: '' })
    this.#open.push(`${port}/${protocol}`)
  }

  #addService({ name = '', product, version, extrainfo, tunnel, banner }: Attributes): void {
    // masscan has the banner here.
    if (banner) this.#leave('banner', 'has no place in Plat', { port: this.#port?.port, name, banner })
    const service = this.#services.pop()
    const at = this.#open.pop()
    if (!service || at === undefined) return
    this.#services.push({ ...service, name })
    // As in the output for grep.
    const shown = tunnel ? `${tunnel}|${name}` : name
    this.#open.push([at, shown, product, version, extrainfo && `(${extrainfo})`].filter(Boolean).join(' '))
  }

  /** The machine by each of its addresses. */
  found(): Found[] {
    const hostname = this.#hostname
    const services = this.#services.slice(0, MAX_HOST_SERVICES)
    const ports = [...new Set(services.filter(({ protocol }) => protocol === 'tcp').map(({ port }) => port))]
    return this.#ips.slice(0, MAX_HOST_ADDRESSES).map((ip) => ({
      ip,
      ...(this.#mac !== undefined && { mac_address: this.#mac }),
      ...(this.#vendor !== undefined && { vendor: this.#vendor }),
      ...(hostname !== undefined && { hostname }),
      ...(this.#os && { os: this.#os.name }),
      ...(ports.length > 0 && { open_ports: ports }),
      ...(services.length > 0 && { services, open: this.#open.slice(0, MAX_HOST_SERVICES) }),
    }))
  }

  /** Reports the names that are not taken, and the addresses and services that are too many. */
  reportOthers(): void {
    const report = this.#report
    const [ip] = this.#ips
    const used = this.#hostname
    for (const name of this.#names.values())
      if (name !== used) report.left('host.hostname', 'is another name of its host', { ip, value: name })
    for (const other of this.#ips.slice(MAX_HOST_ADDRESSES))
      report.left('host', 'is one address too many of its host', { ip: other, host: ip })
    for (const value of this.#open.slice(MAX_HOST_SERVICES))
      report.left('host.service', 'is one service too many of its host', { ip, value })
  }

  get #hostname(): string | undefined {
    return this.#names.get('user') ?? this.#names.get('PTR') ?? [...this.#names.values()][0]
  }

  get isUp(): boolean {
    return this.#isUp
  }
}

/** Adds the machines of the XML of a scan. @returns the program that wrote it, such as `nmap` or `masscan` */
export const readScanXml = (bytes: Uint8Array, findings: Findings): string => {
  let machine: Machine | undefined
  let scanner: string | undefined
  let isWhole = false
  for (const event of parseXmlFile(bytes)) {
    if (event.kind === 'text') continue
    const { kind, name, path } = event
    if (kind === 'open' && path.length === 0) {
      if (name !== 'nmaprun') throw createFileError('the file', 'is no XML of nmap')
      scanner = event.attributes.scanner ?? 'nmap'
    }
    if (kind === 'open' && name === 'runstats') isWhole = true
    if (kind === 'open' && name === 'finished' && event.attributes.exit === 'error')
      throw createFileError('the end', `the scan has failed: ${event.attributes.errormsg || 'it gives no reason'}`)
    if (name === 'host' && path.length === 1) {
      if (kind === 'open') machine = new Machine(findings.report)
      else if (machine?.isUp) {
        for (const found of machine.found()) findings.add(found)
        machine.reportOthers()
      } else
        findings.leave(
          'is not up',
          machine?.found().map(({ ip }) => ip),
        )
    } else if (kind === 'open') machine?.read(name, event.attributes)
  }
  if (scanner === undefined) throw createFileError('the file', 'is no XML of nmap')
  if (!isWhole) throw createFileError('the end', 'the scan was not finished: it has no runstats')
  return scanner
}

export const convertNmap: Converter = (bytes, options) => {
  const findings = new Findings('host', options)
  if (/^(?:\ufeff)?\s*#/.test(readHead(bytes))) {
    readGrepable(bytes, findings)
    return findings.conversion('grepable')
  }
  // masscan has an entry for each port of a host.
  const isMasscan = readScanXml(bytes, findings) === 'masscan'
  return findings.conversion('xml', { mergesHosts: isMasscan })
}
