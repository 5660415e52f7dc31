/** Converts the output of masscan: XML (`-oX`), JSON (`-oJ`, `-oD`), the list (`-oL`) and the output for grep (`-oG`). */
import { isRecord } from '../../contract/unknown.ts'
import { type Converter, createFileError } from '../converter.ts'
import { Findings } from './found.ts'
import type { Found } from './found-store.ts'
import { readScanXml } from './nmap.ts'
import { readGrepable } from './nmap-grepable.ts'
import { createLineError, readHead, readLines } from './text.ts'

/** masscan writes the address of a host once for each port. */
const toFound = (ip: string, { port, protocol, name = '' }: Entry): Found => {
  const isPort = port >= 1 && port <= 65_535 && (protocol === 'tcp' || protocol === 'udp')
  return {
    ip,
    // Hosts that answer a ping or ARP have the port 0.
    ...(isPort && {
      ...(protocol === 'tcp' && { open_ports: [port] }),
      services: [{ port, protocol, name }],
      open: [[`${port}/${protocol}`, name].filter(Boolean).join(' ')],
    }),
  }
}

type Entry = { readonly port: number; readonly protocol: string; readonly name?: string }

/** Reads `open tcp 80 192.0.2.1 1700000000`, and `banner tcp 22 192.0.2.1 1700000000 ssh SSH-2.0-OpenSSH_9.2`. */
const readListLine = (text: string, number: number, findings: Findings): void => {
  const [state = '', protocol = '', port = '', ip = '', , name = '', ...banner] = text.split(' ')
  if (!/^\d+$/.test(port) || ip === '') throw createLineError(number, 'is no line of the list of masscan')
  if (state === 'open') findings.add(toFound(ip, { port: Number(port), protocol }))
  else if (state === 'banner') {
    findings.add(toFound(ip, { port: Number(port), protocol, name }))
    findings.report.left('banner', 'has no place in Plat', { ip, port, banner: banner.join(' ') })
  } else findings.leave(`is ${state}`, text)
}

const readList = (bytes: Uint8Array, findings: Findings): void => {
  let isDone = false
  for (const { number, text } of readLines(bytes)) {
    if (/^#\s*end/.test(text)) isDone = true
    else if (text.trim() !== '' && !text.startsWith('#')) readListLine(text.trim(), number, findings)
  }
  if (!isDone) findings.report.warn('The scan was not finished: the list has no line "# end"')
}

const readEntry = (given: unknown, ip: string, findings: Findings): void => {
  const { port, proto, status, service, data } = isRecord(given) ? given : {}
  const state = status ?? (isRecord(data) ? data.status : undefined)
  const about = service ?? (isRecord(given) && given.rec_type === 'banner' ? data : undefined)
  if (state !== undefined && state !== 'open') {
    findings.leave(`is ${String(state)}`, given)
    return
  }
  const name = isRecord(about) ? String(about.name ?? about.service_name ?? '') : ''
  findings.add(toFound(ip, { port: Number(port ?? 0), protocol: String(proto ?? ''), name }))
  if (isRecord(about) && about.banner) findings.report.left('banner', 'has no place in Plat', { ip, port, ...about })
}

/** The JSON has a host in each line. Its end is no valid JSON in some versions. */
const readJson = (bytes: Uint8Array, findings: Findings): void => {
  for (const { number, text } of readLines(bytes)) {
    const line = text
      .trim()
      .replace(/^\[\s*/, '')
      .replace(/,?\s*\]?$/, '')
    if (line === '' || /^\{\s*"?finished"?\s*:/.test(line)) continue
    let host: unknown
    try {
      host = JSON.parse(line)
    } catch {
      host = undefined
    }
    if (!isRecord(host) || typeof host.ip !== 'string') throw createLineError(number, 'is no host of masscan')
    const entries = Array.isArray(host.ports) ? host.ports : [host]
    for (const entry of entries) readEntry(entry, host.ip, findings)
  }
}

export const convertMasscan: Converter = (bytes, options) => {
  const findings = new Findings('host', options)
  const head = readHead(bytes).trimStart()
  let source = 'list'
  if (head.startsWith('<')) {
    source = 'xml'
    if (readScanXml(bytes, findings) !== 'masscan') throw createFileError('the file', 'is XML of nmap, not of masscan')
  } else if (/^# Masscan/.test(head)) {
    source = 'grepable'
    readGrepable(bytes, findings)
  } else if (/^[[{]/.test(head)) {
    source = 'json'
    readJson(bytes, findings)
  } else readList(bytes, findings)
  return findings.conversion(source, { mergesHosts: true })
}
