/** Reports as lines of the spool, none larger than one request may be. Pure. */
import type { FoundHost, FromScanner } from '../protocol.ts'
import { WIRE_LIMITS } from '../wire.ts'

/** A report as it is stored. */
export type Line = {
  readonly text: string
  readonly hosts: number
  /** The end of the scan: it is sent at once. */
  readonly isLast: boolean
}

/** The lease, the number and the brackets around the reports. */
const ENVELOPE_BYTES = 1024
/** Most bytes of the reports of one request. */
export const MAX_LINES_BYTES = WIRE_LIMITS.bodyBytes - ENVELOPE_BYTES
/** A part of a report, without its last host. */
const PART_BYTES = 2 ** 20
/** Banners, and tables of a switch, of a host that is larger than a request. */
const MOST_BANNER = 256
const MOST_ROWS = 10_000

const countBytes = (text: string): number => Buffer.byteLength(text)

/** Leaves out the largest parts of a host: the details of services, and the ends of tables. */
const shrinkHost = (host: FoundHost): FoundHost => ({
  ...host,
  services: host.services.map((service) => ({ ...service, details: {}, banner: service.banner.slice(0, MOST_BANNER) })),
  snmp: host.snmp && {
    ...host.snmp,
    arp: host.snmp.arp.slice(0, MOST_ROWS),
    forwarding: host.snmp.forwarding.slice(0, MOST_ROWS),
  },
})

const formatHost = (host: FoundHost): string => {
  const text = JSON.stringify(host)
  return countBytes(text) + PART_BYTES <= MAX_LINES_BYTES ? text : JSON.stringify(shrinkHost(host))
}

/** Splits a batch: the last part has the checkpoint, so that it is stored after all of the hosts. */
const splitBatch = ({ hosts, progress, checkpoint }: Extract<FromScanner, { type: 'batch' }>): Line[] => {
  const lines: Line[] = []
  let part: string[] = []
  let bytes = 0
  const close = (): void => {
    if (part.length === 0) return
    lines.push({ text: `{"type":"batch","hosts":[${part.join(',')}]}`, hosts: part.length, isLast: false })
    part = []
    bytes = 0
  }
  for (const host of hosts) {
    const text = formatHost(host)
    part.push(text)
    bytes += countBytes(text)
    if (bytes >= PART_BYTES || part.length === WIRE_LIMITS.hosts) close()
  }
  close()
  const end = JSON.stringify({ type: 'batch', progress, hosts: [], checkpoint })
  return [...lines, { text: end, hosts: 0, isLast: false }]
}

export const toLines = (report: FromScanner): Line[] => {
  const isLast = report.type === 'done' || report.type === 'failed'
  const text = JSON.stringify(report)
  if (report.type !== 'batch') return [{ text, hosts: 0, isLast }]
  const { hosts } = report
  if (hosts.length <= WIRE_LIMITS.hosts && countBytes(text) <= PART_BYTES)
    return [{ text, hosts: hosts.length, isLast }]
  return splitBatch(report)
}
