/** The rules of rules: which networks are scanned by themselves, and when. */
import { AppError, invalidField, orNotFound } from '../../contract/errors.ts'
import { merge } from '../../contract/merge.ts'
import type { Tables } from '../../database/tables.ts'
import { lockNetworkOrThrow } from '../../inventory/networks/networks.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Handlers } from '../../kernel/implement.ts'
import { listRows } from '../../kernel/list.ts'
import type { discoveryRules } from '../api.ts'
import type { RuleDraft, RulePatch } from '../inputs.ts'
import { toCredentialUser } from '../scans/credential-user.ts'
import { blockIssue, findUnreachableSpace, type RuleNetwork, ruleIssue, type ScanLimits } from '../scans/scan-rules.ts'
import type { Rule } from '../schema.ts'
import * as store from './rule-store.ts'

type StoredRule = store.StoredRule

const HOUR_MS = 3_600_000
/** Rules of one interval would otherwise all come due together, for ever. */
const JITTER = 0.05
const MAX_JITTER_MS = 600_000

const addMs = (at: string, ms: number): string => new Date(Date.parse(at) + ms).toISOString()

/** From the end of one run to the next. */
const pauseMs = ({ interval_hours }: Pick<Rule, 'interval_hours'>): number => {
  const intervalMs = interval_hours * HOUR_MS
  return Math.round(intervalMs + Math.random() * Math.min(intervalMs * JITTER, MAX_JITTER_MS))
}

/** When a rule is due that has just been made or changed: at once, unless its last run is not long enough ago. */
const computeDueAt = (rule: Pick<Rule, 'enabled' | 'interval_hours' | 'last_run_at'>, now: string): string | null => {
  if (!rule.enabled) return null
  if (rule.last_run_at === null) return now
  const next = addMs(rule.last_run_at, rule.interval_hours * HOUR_MS)
  return next < now ? now : next
}

const createTakenError = (networkId: string) =>
  new AppError('ALREADY_EXISTS', `The network ${networkId} has a rule already`, {
    details: [{ field: 'network_id', message: 'has a rule already' }],
  })

/** Returns a rule as it is shown. A rule stays due if its network may not be scanned, and runs once it may. */
const toShownRule = (
  { subnet, unreachable_space, credential_user: _, ...rule }: StoredRule,
  limits: ScanLimits,
): Rule => {
  const skipped_reason = (rule.enabled ? ruleIssue({ subnet, unreachable_space }, limits) : undefined) ?? ''
  const next_run_at = skipped_reason === '' ? rule.next_run_at : null
  return { ...rule, next_run_at, skipped_reason }
}

type Wanted = Pick<Rule, 'network_id' | 'enabled'>

/** A disabled rule may wait for the space of its network to become reachable. */
const checkNetwork = async (
  ctx: Ctx,
  { network_id: networkId, enabled }: Wanted,
  limits: ScanLimits,
): Promise<RuleNetwork> => {
  const network = await lockNetworkOrThrow(ctx, networkId).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'NOT_FOUND')
      throw invalidField('network_id', `there is no network with id "${networkId}"`)
    throw error
  })
  const found = { subnet: network.subnet, unreachable_space: await findUnreachableSpace(ctx, network) }
  const issue = (enabled ? ruleIssue(found, limits) : undefined) ?? blockIssue(network, limits)?.message
  if (issue !== undefined) throw invalidField('network_id', issue)
  if (await store.findByNetwork(ctx, networkId)) throw createTakenError(networkId)
  return found
}

const getOrThrow = async (ctx: Ctx, id: string): Promise<StoredRule> =>
  orNotFound(await store.find(ctx, id), 'rule', id)

const lockForChange = async (ctx: Ctx, id: string, limits: ScanLimits): Promise<StoredRule> => {
  const rule = orNotFound(await store.lock(ctx, id), 'rule', id)
  ctx.precondition(toShownRule(rule, limits))
  return rule
}

/** @param draft with an id for a rule that the history makes again */
export const create = async (
  ctx: Ctx,
  draft: RuleDraft & { readonly id?: string },
  limits: ScanLimits,
): Promise<Rule> => {
  // One that is made again waits for the space, as it did before.
  const network = await checkNetwork(ctx, draft.id === undefined ? draft : { ...draft, enabled: false }, limits)
  // A rule in the history of an earlier version does not say whether it listens.
  const { network_id, enabled, scan_type, interval_hours, exclude_ips, listen = false } = draft
  const rule: StoredRule = {
    id: draft.id ?? ctx.newId(),
    network_id,
    enabled,
    scan_type,
    interval_hours,
    exclude_ips,
    listen,
    last_run_at: null,
    next_run_at: enabled ? ctx.now : null,
    credential_user: toCredentialUser(ctx.caller),
    created_at: ctx.now,
    updated_at: ctx.now,
    ...network,
  }
  await store.insert(ctx, rule)
  await ctx.emit('rule.changed')
  const made = toShownRule(rule, limits)
  return made
}

export const update = async (ctx: Ctx, { id, ...patch }: RulePatch, limits: ScanLimits): Promise<Rule> => {
  const before = await lockForChange(ctx, id, limits)
  const { value, changes } = merge(before, patch)
  if (changes.length === 0) return toShownRule(before, limits)
  const network = changes.includes('network_id') ? await checkNetwork(ctx, value, limits) : before
  const { subnet, unreachable_space } = network
  const issue = changes.includes('enabled') && value.enabled ? ruleIssue(network, limits) : undefined
  if (issue !== undefined) throw invalidField('network_id', issue)
  const isRescheduled = changes.some((field) => ['enabled', 'interval_hours', 'network_id'].includes(field))
  const last_run_at = changes.includes('network_id') ? null : value.last_run_at
  const next_run_at = isRescheduled ? computeDueAt({ ...value, last_run_at }, ctx.now) : value.next_run_at
  const credential_user = toCredentialUser(ctx.caller)
  const runs = { last_run_at, next_run_at }
  const rule = { ...value, subnet, unreachable_space, ...runs, credential_user, updated_at: ctx.now }
  await store.updateRow(ctx, before, rule)
  await ctx.emit('rule.changed')
  const changed = toShownRule(rule, limits)
  return changed
}

export const remove = async (ctx: Ctx, id: string, limits: ScanLimits): Promise<void> => {
  const rule = await lockForChange(ctx, id, limits)
  await store.deleteRow(ctx, rule)
  await ctx.emit('rule.changed')
}

/** Notes that a scan of the rule has ended, however it ended: the next one is due an interval from now. */
export const noteRun = async (ctx: Ctx, ruleId: string | null): Promise<void> => {
  if (ruleId === null) return
  const rule = await store.lock(ctx, ruleId)
  if (!rule) return
  const next_run_at = rule.enabled ? addMs(ctx.now, pauseMs(rule)) : null
  await store.updateRow(ctx, rule, { ...rule, last_run_at: ctx.now, next_run_at })
}

/** Claims a due rule; undefined when it is no longer due, or its network may not be scanned. */
export const takeDue = async (ctx: Ctx, id: string, limits: ScanLimits): Promise<StoredRule | undefined> => {
  const rule = await store.lock(ctx, id)
  if (!rule?.next_run_at || !rule.enabled || rule.next_run_at > ctx.now) return undefined
  if (ruleIssue(rule, limits) !== undefined) return undefined
  // Valid until its scan ends and sets the next time.
  await store.updateRow(ctx, rule, { ...rule, next_run_at: addMs(ctx.now, pauseMs(rule)) })
  return rule
}

export const ruleHandlers = (limits: ScanLimits): Handlers<typeof discoveryRules, Tables> => ({
  list: async (ctx, { network_id, ...page }) => {
    const revision = await ctx.store.revision(['discovery_rules', 'networks', 'spaces'])
    let query = store.query(ctx)
    if (network_id) query = query.where('network_id', '=', network_id)
    // The answer also depends on a setting, which may change at a restart.
    const listRevision = limits.discoveryAllowLocal ? `${revision} local` : revision
    return listRows(ctx, { revision: listRevision, query, page, row: (row) => toShownRule(store.fromRow(row), limits) })
  },
  create: async (ctx, draft) => create(ctx, draft, limits),
  get: async (ctx, { id }) => toShownRule(await getOrThrow(ctx, id), limits),
  update: async (ctx, patch) => update(ctx, patch, limits),
  delete: async (ctx, { id }) => remove(ctx, id, limits),
})
