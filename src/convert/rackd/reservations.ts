/** Reservations of rackd that hold an address now. */

import { isHostname } from '../../net/dns-name.ts'
import { formatIp } from '../../net/ip.ts'
import type { EstateRow } from '../converter.ts'
import { compact } from '../rows/row-text.ts'
import { isInPool } from './devices.ts'
import { findRef, type Ids, listLines, type Mapping, toIp, toText } from './mapping.ts'
import type { SqlRow } from './sqlite-file.ts'

const USED = new Set('pool_id ip_address hostname purpose notes status expires_at'.split(' '))

const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d{1,9})?(?: ?(Z|UTC|[+-]\d\d:?\d\d))?(?: .*)?$/

/** Reads a time as RFC 3339, SQLite or Go write it. Without an offset it is UTC. */
export const parseTime = (value: unknown): Date | undefined => {
  const [, day, time, fraction = '', zone = 'Z'] = TIME.exec(String(value)) ?? []
  if (day === undefined) return undefined
  const offset = zone === 'UTC' ? 'Z' : zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')
  const date = new Date(`${day}T${time}${fraction.slice(0, 4)}${offset}`)
  return Number.isNaN(date.getTime()) ? undefined : date
}

type Held = { readonly taken: ReadonlySet<string>; readonly reserved: Set<string>; readonly now: Date }

const findProblem = (mapping: Mapping, ids: Ids, row: SqlRow, { taken, reserved, now }: Held): string | undefined => {
  const ip = toIp(row.ip_address)
  const pool = findRef(ids.pools, row.pool_id)
  if (!ip) return 'is not an address'
  if (row.status !== undefined && row.status !== 'active') return `is ${String(row.status).slice(0, 20)}`
  const expires = parseTime(row.expires_at)
  if (row.expires_at !== undefined && !expires) return 'has no valid time'
  if (expires && expires <= now) return 'has expired'
  const range = pool && mapping.tables.byId('network_pools').get(pool.id)
  if (!range || !isInPool(range, ip)) return 'is in no pool of the file'
  if (taken.has(formatIp(ip))) return 'is an address of a device'
  return reserved.has(formatIp(ip)) ? 'is reserved already' : undefined
}

export const buildReservations = (
  mapping: Mapping,
  ids: Ids,
  { taken, now }: { readonly taken: ReadonlySet<string>; readonly now: Date },
): EstateRow[] => {
  const { tables, report, done } = mapping
  const reserved = new Set<string>()
  return [...tables.byId('reservations')].flatMap(([id, row]) => {
    done.add(row)
    const why = findProblem(mapping, ids, row, { taken, reserved, now })
    const ip = toIp(row.ip_address)
    if (why || !ip) {
      report.left('reservations', String(why), row)
      return []
    }
    reserved.add(formatIp(ip))
    const hostname = toText(mapping, ['reservations.hostname', id], row.hostname)
    const lines = listLines(mapping, { table: 'reservations', row, used: USED })
    if (!isHostname(hostname)) lines.push({ key: 'hostname', value: hostname })
    return [
      compact({
        id,
        pool: findRef(ids.pools, row.pool_id),
        ip_address: formatIp(ip),
        hostname: isHostname(hostname) ? hostname : '',
        purpose: toText(mapping, ['reservations.purpose', id], row.purpose),
        notes: report.describe('reservations', id, String(row.notes ?? ''), lines),
        expires_at: parseTime(row.expires_at)?.toISOString(),
      }),
    ]
  })
}
