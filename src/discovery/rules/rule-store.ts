/** The queries of rules; the only writer of their table. */
import { splitBatches } from '../../database/query/batches.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { recordDocuments } from '../../resource/record.ts'
import type { RuleNetwork } from '../scans/scan-rules.ts'
import type { Rule } from '../schema.ts'
import type { RuleRow } from '../table.ts'

/** A rule as it is stored, with its network as it is now. */
export type StoredRule = Omit<Rule, 'skipped_reason'> & RuleNetwork & Pick<RuleRow, 'credential_user'>

type Selected = RuleRow & { readonly subnet: string | null; readonly unreachable_space: string | null }

const columns = [
  'id',
  'network_id',
  'enabled',
  'scan_type',
  'interval_hours',
  'exclude_ips',
  'listen',
  'last_run_at',
  'next_run_at',
  'credential_user',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof RuleRow)[]

// A rule is deleted with its network: the subnet is never missing.
export const fromRow = ({ subnet, ...row }: Selected): StoredRule => ({
  ...row,
  enabled: row.enabled === 1,
  listen: row.listen === 1,
  subnet: subnet ?? '',
})
const toRow = ({ subnet: _, unreachable_space: __, ...rule }: StoredRule): RuleRow => ({
  ...rule,
  enabled: rule.enabled ? 1 : 0,
  listen: rule.listen ? 1 : 0,
})

const selectRules = (ctx: Ctx) =>
  ctx.db
    .selectFrom('discovery_rules')
    .select(columns)
    .select((eb) =>
      eb
        .selectFrom('networks')
        .select('subnet')
        .whereRef('networks.id', '=', 'discovery_rules.network_id')
        .as('subnet'),
    )
    .select((eb) =>
      eb
        .selectFrom('networks')
        .innerJoin('spaces', 'spaces.id', 'networks.space_id')
        .select('spaces.name')
        .whereRef('networks.id', '=', 'discovery_rules.network_id')
        .where('spaces.reachable', '=', 0)
        .where('networks.scanner', '=', '')
        .as('unreachable_space'),
    )

/** Newest first. */
export const query = (ctx: Ctx) => selectRules(ctx).orderBy('created_at', 'desc').orderBy('id', 'desc')

const selectBy = (ctx: Ctx, column: 'id' | 'network_id', value: string) => selectRules(ctx).where(column, '=', value)

export const find = async (ctx: Ctx, id: string): Promise<StoredRule | undefined> => {
  const row = await selectBy(ctx, 'id', id).executeTakeFirst()
  return row && fromRow(row)
}

export const findByNetwork = async (ctx: Ctx, networkId: string): Promise<StoredRule | undefined> => {
  const row = await selectBy(ctx, 'network_id', networkId).executeTakeFirst()
  return row && fromRow(row)
}

/** Finds like `find`, and keeps other writers off the row until commit. */
export const lock = async (ctx: Ctx, id: string): Promise<StoredRule | undefined> => {
  const row = await ctx.store.sql.lockRows(selectBy(ctx, 'id', id)).executeTakeFirst()
  return row && fromRow(row)
}

export const insert = async (ctx: Ctx, rule: StoredRule): Promise<void> => {
  await ctx.db.insertInto('discovery_rules').values(toRow(rule)).execute()
  recordDocuments(ctx, 'discovery-rule', [{ id: rule.id, after: toDocument(rule) }])
}

export const updateRow = async (ctx: Ctx, before: StoredRule, rule: StoredRule): Promise<void> => {
  await ctx.db.updateTable('discovery_rules').set(toRow(rule)).where('id', '=', rule.id).execute()
  recordDocuments(ctx, 'discovery-rule', [{ id: rule.id, before: toDocument(before), after: toDocument(rule) }])
}

export const deleteRow = async (ctx: Ctx, rule: StoredRule): Promise<void> => {
  await ctx.db.deleteFrom('discovery_rules').where('id', '=', rule.id).execute()
  recordDocuments(ctx, 'discovery-rule', [{ id: rule.id, before: toDocument(rule) }])
}

/** Returns the part of a rule in the history: the settings, not its runs. */
const toDocument = ({ network_id, scan_type, interval_hours, exclude_ips, enabled, listen }: StoredRule): string =>
  JSON.stringify({ network_id, scan_type, interval_hours, exclude_ips, enabled, listen })

/** Returns the existing rules of these ids, as JSON text by id. */
export const findDocuments = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> => {
  const found = new Map<string, string>()
  for (const batch of splitBatches(ids))
    for (const row of await selectRules(ctx).where('id', 'in', batch).execute())
      found.set(row.id, toDocument(fromRow(row)))
  return found
}

export const findDue = async (ctx: Ctx, at: string): Promise<StoredRule[]> => {
  const rows = await selectRules(ctx).where('next_run_at', '<=', at).orderBy('next_run_at').execute()
  return rows.map(fromRow)
}
