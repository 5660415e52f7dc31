/** Reads the leases of a text: the last one of each address, and only leases in force. */

import { createBreathe } from '../../base/runtime/pause.ts'
import { invalidField } from '../../contract/errors.ts'
import { normalizeIp } from '../../net/ip.ts'
import { detectLeaseFormat, parseLeases } from '../../net/leases/formats.ts'
import { IS_PREFIX, type Lease, type LeaseFormat } from '../../net/leases/lease.ts'
import { parseMac } from '../../net/mac.ts'
import { type LeaseFormatName, type LeasesRecorded, MAX_LEASE_ERRORS, MAX_LEASES } from './leases-api.ts'

export type ActiveLease = {
  readonly ip: string
  readonly mac: string
  readonly hostname: string
  readonly expiresAt: string
}

export type LeasesRead = Pick<LeasesRecorded, 'leases' | 'expired' | 'errors'> & {
  readonly active: readonly ActiveLease[]
}

/** The end of a lease without end, and of one that ends later. */
const NEVER = '9999-12-31T23:59:59.000Z'
const NEVER_MS = Date.parse(NEVER)

const formatTimestamp = (endsMs: number | undefined): string =>
  endsMs === undefined || endsMs >= NEVER_MS ? NEVER : new Date(endsMs).toISOString()

/** Hardware other than Ethernet has longer addresses. */
const HARDWARE = /^(?:[0-9a-f]{1,2}-)?[0-9a-f]{1,2}(?::[0-9a-f]{1,2})*$/i

const hasHardware = ({ mac_address = '' }: Lease): boolean =>
  mac_address === '' || parseMac(mac_address) !== undefined || HARDWARE.test(mac_address)

const formatIn = (text: string, format: LeaseFormatName): LeaseFormat => {
  const known = format === 'auto' ? detectLeaseFormat(text) : format
  if (!known) throw invalidField('text', 'has no lease of Kea, dnsmasq or ISC dhcpd')
  return known
}

/** Collects the last lease of each address, and the first errors. */
class Collector {
  readonly byAddress = new Map<string, Lease>()
  readonly errors: { line: number; message: string }[] = []

  add(line: number, lease: Lease): void {
    const ip = normalizeIp(lease.ip)
    if (lease.over === IS_PREFIX) return
    if (ip === undefined || !hasHardware(lease)) {
      this.fail(line, ip === undefined ? 'has no IP address' : 'has a MAC address that is none')
      return
    }
    this.byAddress.set(ip, lease)
    if (this.byAddress.size > MAX_LEASES)
      throw invalidField('text', `has leases of more than ${MAX_LEASES.toLocaleString('en-US')} addresses`)
  }

  fail(line: number, message: string): void {
    if (this.errors.length < MAX_LEASE_ERRORS) this.errors.push({ line, message })
  }
}

const isOver = ({ over, endsMs }: Lease, nowMs: number): boolean =>
  over !== undefined || (endsMs !== undefined && endsMs <= nowMs)

/** @throws AppError VALIDATION_ERROR on `text` without any lease, or with too many */
export const readLeases = async (whole: string, format: LeaseFormatName, now: string): Promise<LeasesRead> => {
  const text = whole.replace(/^\ufeff/, '')
  const found = new Collector()
  const breathe = createBreathe()
  for (const { line, lease, error } of parseLeases(text, formatIn(text, format))) {
    if (lease) found.add(line, lease)
    else if (error !== undefined) found.fail(line, error)
    await breathe()
  }
  const { byAddress, errors } = found
  if (byAddress.size === 0) {
    const [first] = errors
    throw invalidField('text', first ? `has no lease; line ${first.line}: ${first.message}` : 'has no lease')
  }
  const active: ActiveLease[] = []
  for (const [ip, lease] of byAddress) {
    if (isOver(lease, Date.parse(now))) continue
    const { mac_address = '', hostname = '', endsMs } = lease
    active.push({ ip, mac: parseMac(mac_address) ?? '', hostname, expiresAt: formatTimestamp(endsMs) })
  }
  return { leases: byAddress.size, expired: byAddress.size - active.length, active, errors }
}
