/** The TLS certificates at the ports of discovered devices, as their observations have them. The only writer of their table. */
import type { Kysely } from 'kysely'
import { preparedKeys, preparedRows } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { FoundService } from '../../scanner/protocol.ts'
import type { CertificateRow } from '../table.ts'
import type { DiscoveredRecord } from './records.ts'

/** Bound of the names of a certificate: an attacker chooses them. */
const MAX_NAMES = 32
const MAX_TEXT = 255

/** Returns the time in RFC 3339, of a time as TLS libraries print it. @example parseEnd('Jan  5 09:00:00 2027 GMT') */
export const parseEnd = (text: string): string | undefined => {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) return undefined
  const time = new Date(ms).toISOString()
  // Years of other than four digits do not sort as text.
  return /^\d{4}-/.test(time) ? time : undefined
}

const clean = (text = ''): string => text.toWellFormed().replaceAll('\u0000', '').slice(0, MAX_TEXT)

const parseCertificate = ({ protocol, details }: FoundService) => {
  const { 'valid-to': validTo = '', certificate, issuer, names = '' } = details
  const expires_at = protocol === 'tcp' ? parseEnd(validTo) : undefined
  if (expires_at === undefined) return undefined
  const list = names
    .split(',')
    .map((name) => clean(name.trim()))
    .filter((name) => name !== '')
  return {
    ...{ subject: clean(certificate), issuer: clean(issuer), expires_at },
    names: JSON.stringify(list.slice(0, MAX_NAMES)),
  }
}

/** Returns the certificates of a device: one for each port that showed one with an end that can be read. */
export const listCertificates = ({ id, addresses }: Pick<DiscoveredRecord, 'id' | 'addresses'>): CertificateRow[] =>
  [...addresses.values()].flatMap(({ ip, observation }) => {
    const ports = new Map<number, CertificateRow>()
    for (const service of observation.services) {
      const found = parseCertificate(service)
      if (found) ports.set(service.port, { device_id: id, ip, port: service.port, ...found })
    }
    return [...ports.values()]
  })

const COLUMNS = ['device_id', 'ip', 'port', 'subject', 'issuer', 'names', 'expires_at'] as const

const certificatesByDevices = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('discovered_certificates').select(COLUMNS).where('device_id', 'in', ids),
)

const upsertRows = preparedRows(COLUMNS, (db: Kysely<Tables>, rows: CertificateRow[]) =>
  db
    .insertInto('discovered_certificates')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['device_id', 'ip', 'port']).doUpdateSet(({ ref }) => ({
        subject: ref('excluded.subject'),
        issuer: ref('excluded.issuer'),
        names: ref('excluded.names'),
        expires_at: ref('excluded.expires_at'),
      })),
    ),
)

const buildKey = ({ device_id, ip, port }: Pick<CertificateRow, 'device_id' | 'ip' | 'port'>): string =>
  `${device_id} ${ip} ${port}`

const isEqual = (one: CertificateRow | undefined, other: CertificateRow): boolean =>
  one !== undefined && COLUMNS.every((column) => one[column] === other[column])

/** Writes the certificates of these devices that have changed, and removes those of ports that no longer show one. */
export const saveCertificates = async (ctx: Ctx, records: readonly DiscoveredRecord[]): Promise<void> => {
  if (records.length === 0) return
  const ids = records.map(({ id }) => id)
  const known = new Map((await certificatesByDevices(ctx, ids)).map((row) => [buildKey(row), row]))
  const rows = records.flatMap(listCertificates)
  await upsertRows(
    ctx,
    rows.filter((row) => !isEqual(known.get(buildKey(row)), row)),
  )
  const kept = new Set(rows.map(buildKey))
  for (const [key, { device_id, ip, port }] of known)
    if (!kept.has(key))
      await ctx.db
        .deleteFrom('discovered_certificates')
        .where('device_id', '=', device_id)
        .where('ip', '=', ip)
        .where('port', '=', port)
        .execute()
}
