/** Searches by an address or a block, in all address spaces. */
import { type SqlBool, sql } from 'kysely'
import { findAllSpaces, SPACES } from '../../inventory/spaces/keys.ts'
import type { KeyRange } from '../../inventory/used-addresses/used-addresses.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { parseCidr, toCidrKeys } from '../../net/cidr.ts'
import { DEFAULT_SPACE, type IpKey, parseIpKey } from '../../net/ip.ts'
import { extractIp } from '../../net/words/host-text.ts'

/** The range of a query that is an address or a CIDR, which is looked for in all address spaces. */
export type Range = KeyRange & { readonly isDivided: boolean }

/** Returns the range of a query, with keys of the default space. */
export const parseRange = async (ctx: Ctx, text: string): Promise<Range | undefined> => {
  const key = parseIpKey(extractIp(text) ?? '', DEFAULT_SPACE)
  const cidr = key === undefined ? parseCidr(text) : undefined
  const range = key === undefined ? cidr && toCidrKeys(cidr, DEFAULT_SPACE) : { first: key, last: key }
  return range && { ...range, isDivided: (await findAllSpaces(ctx)).length > 0 }
}

/** Returns a column of storage keys as keys of the same addresses in the default space, for a scan of all rows. */
const withoutSpace = (column: string) =>
  sql<IpKey>`CASE WHEN ${sql.ref(column)} < 's' THEN ${sql.ref(column)} ELSE substr(${sql.ref(column)}, 6) END`

export const toKeyColumn = (column: string, { isDivided }: Range) =>
  isDivided ? withoutSpace(column) : sql.ref<IpKey>(column)

export const pickFirstInside = (ips: readonly string[], { first, last }: Range): string | undefined =>
  ips.find((ip) => {
    const key = parseIpKey(ip, DEFAULT_SPACE)
    return key !== undefined && key >= first && key <= last
  })

/** Returns the condition of an address inside the range, which uses the index of addresses in each space. */
export const isInRange = (table: 'discovered_devices' | 'reservations', { first, last, isDivided }: Range) =>
  isDivided
    ? sql<SqlBool>`id IN (SELECT id FROM ${SPACES} AS spaces CROSS JOIN ${sql.table(table)} WHERE ip_key BETWEEN space || ${first} AND space || ${last})`
    : sql<SqlBool>`ip_key BETWEEN ${first} AND ${last}`
