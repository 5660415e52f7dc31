/** The rules of scans: how they are started, listed, stopped and compared. Running them is the runner's. */

import type { Config } from '../../base/config/config.ts'
import type { Secrets } from '../../base/security/crypto.ts'
import { invalidField, orNotFound, rejectIssues } from '../../contract/errors.ts'
import type { Tables } from '../../database/tables.ts'
import type { Network } from '../../inventory/networks/api.ts'
import { getNetworkOrThrow } from '../../inventory/networks/networks.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { WithStatus } from '../../kernel/handler-result.ts'
import type { Handlers } from '../../kernel/implement.ts'
import { listRows } from '../../kernel/list.ts'
import { estimate } from '../../scanner/estimate.ts'
import type { scans } from '../api.ts'
import type { ScanRequest } from '../inputs.ts'
import * as ruleStore from '../rules/rule-store.ts'
import { noteRun } from '../rules/rules.ts'
import type { Scan, ScanDetail, ScanEstimate } from '../schema.ts'
import { toCredentialUser, toScanUser } from './credential-user.ts'
import { loadDiff } from './diff.ts'
import { findLabelIssue, formatWait } from './labels.ts'
import { buildScan } from './new-scan.ts'
import { planFor } from './plan.ts'
import { record } from './record.ts'
import { countForScan, joinExcludes } from './scan-rules.ts'
import * as store from './scan-store.ts'

const enqueue = async (
  ctx: Ctx,
  given: Parameters<typeof buildScan>[1],
  credentialUser: string | null,
): Promise<Scan> => {
  const scan = buildScan(ctx, given)
  await store.insert(ctx, scan, credentialUser)
  const wait = await formatWait(ctx, given.network)
  if (wait !== undefined) await store.addNote(ctx, scan.id, wait)
  await ctx.emit('scan.queued')
  return scan
}

/** Queues the scan of a rule. If it may not run, stores a failed scan with the reason. */
export const startByRule = async (ctx: Ctx, rule: ruleStore.StoredRule, config: Config): Promise<void> => {
  const network = await getNetworkOrThrow(ctx, rule.network_id)
  const { total, issues } = await countForScan(ctx, { network, excludeIps: rule.exclude_ips }, config)
  const { scan_type, credential_user } = rule
  const byRule = { rule_id: rule.id, created_by: '' }
  const exclude_ips = joinExcludes(rule.exclude_ips)
  const scan = await enqueue(ctx, { network, total, scan_type, exclude_ips, ...byRule }, credential_user)
  const issue = issues[0] ?? (await findLabelIssue(ctx, network))
  if (issue) await fail(ctx, scan, issue.message)
}

type Tools = { readonly config: Config; readonly secrets: Secrets }

/** Computes the scanner's estimate of a scan. */
const computeEstimate = async (
  ctx: Ctx,
  wanted: { readonly network: Network; readonly scan: Pick<Scan, 'scan_type' | 'exclude_ips'> },
  tools: Tools,
): Promise<ScanEstimate> => {
  const { plan } = await planFor(ctx, { ...wanted, user: toScanUser(ctx.caller), checkpoint: null }, tools)
  const { hosts, probes, seconds, techniques } = estimate(plan)
  return { total_hosts: hosts, probes, estimated_seconds: seconds, techniques: [...techniques] }
}

const start = async (ctx: Ctx, request: ScanRequest, tools: Tools) => {
  const { scan_type } = request
  const network = await getNetworkOrThrow(ctx, request.id)
  const rule = await ruleStore.findByNetwork(ctx, network.id)
  const exclude_ips = joinExcludes(rule?.exclude_ips ?? '', request.exclude_ips)
  const { total, issues } = await countForScan(ctx, { network, excludeIps: exclude_ips }, tools.config)
  const unanswered = request.dry_run ? undefined : await findLabelIssue(ctx, network)
  rejectIssues([...issues, ...(unanswered ? [unanswered] : [])])
  if (!request.dry_run) return enqueue(ctx, { network, total, scan_type, exclude_ips }, toCredentialUser(ctx.caller))
  return new WithStatus(200, await computeEstimate(ctx, { network, scan: { scan_type, exclude_ips } }, tools), true)
}

/** Fails a scan that cannot run or continue. False when it has ended otherwise. */
export const fail = async (ctx: Ctx, scan: Pick<Scan, 'id' | 'rule_id'>, reason: string): Promise<boolean> => {
  const ended = { status: 'failed' as const, stage: '' as const, error_message: reason, completed_at: ctx.now }
  const isFailed = await store.change(ctx, { id: scan.id, from: ['pending', 'running'] }, ended)
  if (!isFailed) return false
  await store.addNote(ctx, scan.id, `failed: ${reason}`)
  await noteRun(ctx, scan.rule_id)
  await ctx.emit('scan.failed')
  return true
}

const getOrThrow = async (ctx: Ctx, id: string): Promise<ScanDetail> => {
  const scan = orNotFound(await store.find(ctx, id), 'scan', id)
  return store.withState(ctx, scan)
}

const lockOrThrow = async (ctx: Ctx, id: string): Promise<Scan> => orNotFound(await store.lock(ctx, id), 'scan', id)

const cancel = async (ctx: Ctx, id: string): Promise<void> => {
  const scan = await lockOrThrow(ctx, id)
  if (scan.status !== 'pending' && scan.status !== 'running') throw invalidField('scan', `is ${scan.status} already`)
  await store.change(
    ctx,
    { id, from: ['pending', 'running'] },
    { status: 'cancelled', stage: '', completed_at: ctx.now },
  )
  await store.addNote(ctx, id, `cancelled by ${ctx.caller.username}`)
  await noteRun(ctx, scan.rule_id)
  await ctx.emit('scan.cancelled')
}

const remove = async (ctx: Ctx, id: string): Promise<void> => {
  const scan = await lockOrThrow(ctx, id)
  ctx.precondition(await store.withState(ctx, scan))
  await store.remove(ctx, id)
  await ctx.emit('scan.deleted')
}

export const scanHandlers = (tools: Tools): Handlers<typeof scans, Tables> => ({
  start: async (ctx, request) => start(ctx, request, tools),
  record,
  list: async (ctx, { network_id, status, ...page }) => {
    const revision = await ctx.store.revision(['discovery_scans'])
    let query = store.query(ctx)
    if (network_id) query = query.where('network_id', '=', network_id)
    if (status) query = query.where('status', '=', status)
    return listRows(ctx, { revision, query, page, row: store.fromRow })
  },
  get: async (ctx, { id }) => getOrThrow(ctx, id),
  cancel: async (ctx, { id }) => cancel(ctx, id),
  delete: async (ctx, { id }) => remove(ctx, id),
  diff: async (ctx, { id, limit }) => {
    const scan = orNotFound(await store.find(ctx, id), 'scan', id)
    return loadDiff(ctx, scan, limit)
  },
})
