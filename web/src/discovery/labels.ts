/** The labels of discovery: scan types, stages, fields, durations. */
import { formatCount, plural } from '../ui/format.ts'
import type { Bucket, Difference, DiscoveredDevice, Scan, ScanType } from './shapes.ts'
import { formatSpan } from './span.ts'

export const SCAN_TYPES: readonly (readonly [ScanType, string, string])[] = [
  ['quick', 'Quick', 'Finds hosts by ping, ARP and a few TCP ports.'],
  ['full', 'Full', 'Also open ports and operating systems.'],
  ['deep', 'Deep', 'Also services, certificates, names and neighbors; signs in with the credentials that you reach.'],
]

export const STAGES: readonly (readonly [Exclude<Scan['stage'], ''>, string])[] = [
  ['liveness', 'Hosts'],
  ['ports', 'Ports'],
  ['services', 'Services'],
]

/** Lists the stages of a scan. A quick scan ends when the hosts are known. */
export const listStages = (type: ScanType) => STAGES.slice(0, SCAN_TYPES.findIndex(([one]) => one === type) + 1)

/** The labels of the scanner's techniques. */
const TECHNIQUES: Readonly<Record<string, string>> = {
  arp: 'ARP',
  icmp: 'ping',
  'tcp-connect': 'TCP connect',
  ptr: 'reverse DNS',
  'port-scan': 'port scan',
  'os-guess': 'OS guess',
  banners: 'banners',
  tls: 'TLS certificates',
  http: 'HTTP titles',
  mdns: 'mDNS',
  netbios: 'NetBIOS',
  snmp: 'SNMP',
  lldp: 'LLDP',
  'ssh-login': 'SSH login',
}

export const getTechniqueName = (technique: string): string => TECHNIQUES[technique] ?? technique

/** Returns the duration of a scan, or its time so far. */
export const formatDuration = ({ started_at, completed_at }: Scan, nowMs: number): string => {
  if (started_at === null) return ''
  return formatSpan((Date.parse(completed_at ?? new Date(nowMs).toISOString()) - Date.parse(started_at)) / 1000)
}

/** Returns the remaining time at the present pace, or '' while that is unknown. */
export const formatTimeLeft = ({ status, progress_percent: percent, started_at }: Scan, nowMs: number): string => {
  if (status !== 'running' || started_at === null || percent < 2 || percent >= 100) return ''
  const seconds = (nowMs - Date.parse(started_at)) / 1000
  return `about ${formatSpan((seconds * (100 - percent)) / percent)} left`
}

/** @example formatInterval(24) // 'every day' */
export const formatInterval = (hours: number): string => {
  if (hours === 1) return 'every hour'
  if (hours % 168 === 0) return hours === 168 ? 'every week' : `every ${hours / 168} weeks`
  if (hours % 24 === 0) return hours === 24 ? 'every day' : `every ${hours / 24} days`
  return `every ${hours} hours`
}

/** @example formatTimeUntil('2026-01-01T03:00:00Z', Date.parse('2026-01-01T00:00:00Z')) // 'in 3 h' */
export const formatTimeUntil = (at: string, nowMs: number): string => {
  const seconds = (Date.parse(at) - nowMs) / 1000
  if (seconds < 60) return 'now'
  if (seconds < 3600) return `in ${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `in ${Math.round(seconds / 3600)} h` : `in ${Math.round(seconds / 86_400)} d`
}

export const BUCKETS: readonly (readonly [Bucket, string, string])[] = [
  ['new', 'New', 'Discovered, and not documented.'],
  ['changed', 'Changed', 'The documentation differs from the last scan.'],
  ['gone', 'Gone', 'Documented, and no longer seen.'],
  ['conflict', 'Contradictory', 'Contradicts what was seen before.'],
]

export const getBucketName = (bucket: Bucket): string => BUCKETS.find(([one]) => one === bucket)?.[1] ?? bucket

const FIELDS: Readonly<Record<string, string>> = {
  hostname: 'Host name',
  addresses: 'Addresses',
  make_model: 'Model',
  os: 'OS',
  os_guess: 'OS',
  switch_port: 'Switch port',
  connected_to: 'Connected to',
  status: 'Status',
  mac_address: 'MAC',
  ssh_host_key: 'SSH host key',
  vendor: 'Vendor',
  open_ports: 'Open ports',
  services: 'Services',
}

export const getFieldName = (field: string): string => FIELDS[field] ?? field

/** Returns true for fields with differences that can be resolved, but not locked. */
export const isContradiction = ({ field }: Pick<Difference, 'field'>): boolean =>
  field === 'mac_address' || field === 'ssh_host_key'

const IDENTITIES: Readonly<Record<DiscoveredDevice['identity']['kind'], string>> = {
  mac: 'MAC address',
  ssh: 'SSH host key',
  tls: 'TLS certificate',
  snmp: 'SNMP engine',
  address: 'address alone',
}

/** Describes why a difference is proposed, such as the identity by which the device was recognized. */
export const formatReason = (because: string): string => {
  const kind = Object.entries(IDENTITIES).find(([one]) => one === because)?.[1]
  return kind === undefined ? because : `recognized by its ${kind}`
}

/** Returns the name of a discovered device, or its address. */
export const getDiscoveredName = ({ hostname, ip }: Pick<DiscoveredDevice, 'hostname' | 'ip'>): string => hostname || ip

/** @example formatOfTotal(1616, 65534) // '1,616 of 65,534' */
export const formatOfTotal = (some: number, all: number): string => `${formatCount(some)} of ${formatCount(all)}`

export const formatHosts = (value: number): string => plural(value, 'host')

/** Says whom a scan waits for. @param label of its network; '' for the server */
export const formatWait = (label = ''): string => (label === '' ? 'queued' : `waits for ${label}`)
