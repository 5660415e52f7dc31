/** The queries of rules; the only writer of their table. */
import type { Ctx } from '../ctx.ts'
import type { Rule } from './schema.ts'
import type { RuleRow } from './table.ts'

const columns = [
  'id',
  'network_id',
  'enabled',
  'scan_type',
  'interval_hours',
  'exclude_ips',
  'last_run_at',
  'next_run_at',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof RuleRow)[]

export const ruleOf = (row: RuleRow): Rule => ({ ...row, enabled: row.enabled === 1 })
const rowOf = (rule: Rule): RuleRow => ({ ...rule, enabled: rule.enabled ? 1 : 0 })

/** Newest first. */
export const query = (ctx: Ctx) =>
  ctx.db.selectFrom('discovery_rules').select(columns).orderBy('created_at', 'desc').orderBy('id', 'desc')

const by = (ctx: Ctx, column: 'id' | 'network_id', value: string) =>
  ctx.db.selectFrom('discovery_rules').select(columns).where(column, '=', value)

export const find = async (ctx: Ctx, id: string): Promise<Rule | undefined> => {
  const row = await by(ctx, 'id', id).executeTakeFirst()
  return row && ruleOf(row)
}

export const ofNetwork = async (ctx: Ctx, networkId: string): Promise<Rule | undefined> => {
  const row = await by(ctx, 'network_id', networkId).executeTakeFirst()
  return row && ruleOf(row)
}

/** As `find`, and keeps other writers off the row until commit. */
export const lock = async (ctx: Ctx, id: string): Promise<Rule | undefined> => {
  const row = await ctx.store.sql.lockRows(by(ctx, 'id', id)).executeTakeFirst()
  return row && ruleOf(row)
}

export const insert = async (ctx: Ctx, rule: Rule): Promise<void> => {
  await ctx.db.insertInto('discovery_rules').values(rowOf(rule)).execute()
}

export const update = async (ctx: Ctx, rule: Rule): Promise<void> => {
  await ctx.db.updateTable('discovery_rules').set(rowOf(rule)).where('id', '=', rule.id).execute()
}

export const remove = async (ctx: Ctx, id: string): Promise<void> => {
  await ctx.db.deleteFrom('discovery_rules').where('id', '=', id).execute()
}

export const removeOfNetwork = async (ctx: Ctx, networkId: string): Promise<void> => {
  await ctx.db.deleteFrom('discovery_rules').where('network_id', '=', networkId).execute()
}

export const due = async (ctx: Ctx, at: string): Promise<Rule[]> => {
  const rows = await ctx.db
    .selectFrom('discovery_rules')
    .select(columns)
    .where('next_run_at', '<=', at)
    .orderBy('next_run_at')
    .execute()
  return rows.map(ruleOf)
}
