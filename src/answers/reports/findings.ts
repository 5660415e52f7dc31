/** Finds the findings of a report: in order, a batch of them described at a time, of the objects that the caller may list. */
import { sql } from 'kysely'
import { pause } from '../../base/runtime/pause.ts'
import { splitBatches } from '../../database/query/batches.ts'
import { findDatacentersBelow } from '../../inventory/datacenters/datacenters.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Finding } from './api.ts'
import type { Found, Params, Report, Scope } from './report.ts'

export type Filters = {
  readonly network_id?: string | undefined
  readonly datacenter_id?: string | undefined
}

const openScope = (ctx: Ctx): Scope => ({ ctx, whole: ctx.unscoped })

const isWhole = ({ ctx, whole }: Scope): boolean => ctx === whole

/** Returns the context that a report reads: by facts of the whole estate, or by the objects of the caller alone. */
const getReader = ({ ctx, whole }: Scope, { owner }: Report): Ctx => (owner ? whole : ctx)

const filterListed = async ({ ctx }: Scope, owner: NonNullable<Report['owner']>, found: readonly Found[]) => {
  const listed: Found[] = []
  for (const some of splitBatches(found)) {
    const ids = some.map(({ id }) => id)
    const rows = await ctx.db.selectFrom(owner).select('id').where('id', 'in', ids).execute()
    const known = new Set(rows.map(({ id }) => id))
    listed.push(...some.filter(({ id }) => known.has(id)))
  }
  return listed
}

const findAll = async (scope: Scope, report: Report, params: Params): Promise<readonly Found[]> => {
  const { owner } = report
  const { db, store } = getReader(scope, report)
  const found =
    'find' in report
      ? await report.find(scope, params)
      : (
          await sql<Found>`SELECT id, since, item FROM (${report.query(scope, params)}) AS found
            ORDER BY since, name_order, id, item ${store.sql.slowMark}`.execute(db)
        ).rows
  return owner && !isWhole(scope) ? filterListed(scope, owner, found) : found
}

/** Counts the findings of a report with these parameters. */
export const countFindings = async (ctx: Ctx, report: Report, params: Params): Promise<number> => {
  const scope = openScope(ctx)
  if ('find' in report || (report.owner && !isWhole(scope))) return (await findAll(scope, report, params)).length
  const { db, store } = getReader(scope, report)
  const { rows } = await sql<{ n: number | string }>`
    SELECT count(*) AS n FROM (${report.query(scope, params)}) AS found ${store.sql.slowMark}`.execute(db)
  return Number(rows[0]?.n)
}

/** Findings that are found, and described when they are read. */
export type Findings = {
  readonly count: number
  readonly read: (from: number, to?: number) => AsyncGenerator<Finding[]>
}

type Asked = { readonly params: Params; readonly filters: Filters }

/** Returns the finding with its fields in the order of the contract. */
const inOrder = ({ id, resource, resource_id, name, ip_address, mac_address, ...rest }: Finding): Finding => {
  const { network_id, datacenter_id, message, since, value, details } = rest
  return {
    ...{ id, resource, resource_id, name, ip_address, mac_address },
    ...{ network_id, datacenter_id, message, since, value, details },
  }
}

/** Described at once. */
const BATCH = 250

export const findFindings = async (ctx: Ctx, report: Report, { params, filters }: Asked): Promise<Findings> => {
  const scope = openScope(ctx)
  const all = await findAll(scope, report, params)
  const { network_id, datacenter_id } = filters
  const below = datacenter_id === undefined ? undefined : new Set(await findDatacentersBelow(ctx, datacenter_id))
  const isWanted = (finding: Finding): boolean =>
    (network_id === undefined || finding.network_id === network_id) &&
    (below === undefined || (finding.datacenter_id !== null && below.has(finding.datacenter_id)))
  async function* describeAll(found: readonly Found[]): AsyncGenerator<Finding[]> {
    for (const some of splitBatches(found, BATCH)) {
      const describeOne = await report.describe(scope, some)
      const findings = some.flatMap((one) => describeOne(one) ?? [])
      yield findings.map(inOrder)
      await pause()
    }
  }
  if (network_id === undefined && below === undefined)
    return { count: all.length, read: (from, to) => describeAll(all.slice(from, to)) }
  // A filter compares what the findings show. They are described again when they are read, so that few are in memory.
  const kept: Found[] = []
  for (const some of splitBatches(all, BATCH)) {
    const describeOne = await report.describe(scope, some)
    for (const one of some) {
      const finding = describeOne(one)
      if (finding && isWanted(finding)) kept.push(one)
    }
    await pause()
  }
  return { count: kept.length, read: (from, to) => describeAll(kept.slice(from, to)) }
}
