/** The approvals and checks that the policies ask of a proposal. */
import { AppError } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { findGroup } from '../../people/groups/groups.ts'
import type { Policy } from '../policies/api.ts'
import { listApplied } from '../policies/applies.ts'
import { load } from '../policies/store.ts'
import type { Proposal, ProposalBlocker, ProposalCheck, ProposalRequirement } from '../schema.ts'
import type { ListedRow } from '../store.ts'
import { type Approval, canApprove, filterInGroup, findValid } from './approvals.ts'
import { findChecks } from './check-store.ts'
import type { SeenEffect } from './effect-reads.ts'
import { filterSeen, type Sight } from './sight.ts'

type Effects = readonly Pick<SeenEffect, 'kind' | 'change' | 'places'>[]

/** A requirement with the approvals and checks that a merge by the caller lacks. The caller counts as an approver where it could approve. */
type Judged = { readonly requirement: ProposalRequirement; readonly missing: readonly ProposalBlocker[] }

type Review = { readonly judged: readonly Judged[]; readonly checks: readonly ProposalCheck[] }

/** A policy that asks for something, and the effects to which it applies. */
type Asked = { readonly policy: Policy; readonly applied: Effects }

const isMergeable = ({ state }: ListedRow): boolean => state === 'open' || state === 'draft'

const listMissing = (
  { approvals, group, checks }: Pick<ProposalRequirement, 'approvals' | 'group' | 'checks'>,
  given: number,
): readonly ProposalBlocker[] => {
  const whose = group === '' ? '' : ` of the group "${group}"`
  const message = `needs ${approvals} approval${approvals === 1 ? '' : 's'}${whose}, and has ${given}`
  return [
    ...(given < approvals ? [{ reason: 'approval' as const, message }] : []),
    ...checks.flatMap(({ name, state }) =>
      state === 'success' ? [] : [{ reason: 'check' as const, message: `the check ${name} is ${state}` }],
    ),
  ]
}

const judge = async (
  ctx: Ctx,
  { policy, applied }: Asked,
  {
    row,
    approvals,
    checks: reported,
  }: { readonly row: ListedRow; readonly approvals: readonly Approval[] } & Pick<Review, 'checks'>,
): Promise<Judged> => {
  const { id: policy_id, name, group_id } = policy
  const { userId } = ctx.caller
  const given = approvals.filter(({ policies }) => policies.has(policy_id))
  const objects = filterSeen(ctx.caller, applied).length
  const isApprover = isMergeable(row) && objects === applied.length && canApprove(row, ctx.caller)
  const own = userId !== undefined && isApprover && given.every((one) => one.userId !== userId) ? [userId] : []
  const ids = [...given.map((one) => one.userId), ...own]
  const members = ids.length === 0 ? new Set() : await filterInGroup(ctx, group_id, ids)
  const approved_by = given.flatMap(({ userId: id, username }) => (members.has(id) ? [username] : []))
  const checks = policy.checks.map((check) => ({
    name: check,
    state: reported.find((one) => one.name === check)?.state ?? ('missing' as const),
  }))
  const group = (group_id === null ? undefined : await findGroup(ctx, group_id))?.name ?? ''
  const requirement = {
    ...{ policy_id, policy: name, objects, approvals: policy.approvals, given: approved_by.length, approved_by },
    ...{ group_id, group, checks },
    is_met: approved_by.length >= policy.approvals && checks.every(({ state }) => state === 'success'),
  }
  const counted = approved_by.length + own.filter((id) => members.has(id)).length
  return { requirement, missing: listMissing(requirement, counted) }
}

/** Judges the policies that apply to the effects, by the approvals and checks of these. */
const review = async (ctx: Ctx, row: ListedRow, effects: Effects): Promise<Review> => {
  const asked = (await load(ctx)).flatMap((policy): readonly Asked[] => {
    const applied = policy.enabled ? listApplied(policy, effects) : []
    return applied.length > 0 ? [{ policy, applied }] : []
  })
  const approvals = asked.length > 0 ? await findValid(ctx, row) : []
  const checks = (await findChecks(ctx, row.seq))
    .filter(({ fingerprint }) => fingerprint === row.fingerprint)
    .map(({ proposal: _, ...check }) => check)
  const judged: Judged[] = []
  for (const one of asked) judged.push(await judge(ctx, one, { row, approvals, checks }))
  return { judged, checks }
}

/** @throws AppError APPROVAL_REQUIRED that names the policies and their checks, unless the caller may merge */
export const requireMet = async (tx: Ctx, row: ListedRow, effects: Effects): Promise<void> => {
  const { judged } = await review(tx, row, effects)
  const details = judged.flatMap(({ requirement: { policy }, missing }) =>
    missing.length === 0 ? [] : [{ field: policy, message: missing.map(({ message }) => message).join('; ') }],
  )
  if (details.length > 0)
    throw new AppError('APPROVAL_REQUIRED', 'The proposal lacks what the policies require', { details })
}

const listBlockers = (row: ListedRow, judged: readonly Judged[]): ProposalBlocker[] => {
  const refused = row.errors === 1 ? 'A rule refuses an operation' : `Rules refuse ${row.errors} operations`
  return [
    ...(row.fingerprint === '' ? [{ reason: 'empty' as const, message: 'It changes nothing' }] : []),
    ...(row.errors > 0 ? [{ reason: 'error' as const, message: refused }] : []),
    ...judged.flatMap(({ requirement: { policy }, missing }) =>
      missing.map(({ reason, message }) => ({
        reason,
        message: `The policy "${policy}"${reason === 'check' ? ':' : ''} ${message}`,
      })),
    ),
  ]
}

/** Returns the review of a proposal as the caller sees it, without the permissions that the caller lacks. */
export const describeReview = async (
  ctx: Ctx,
  row: ListedRow,
  { all }: Pick<Sight, 'all'>,
): Promise<Pick<Proposal, 'requirements' | 'checks' | 'blockers'>> => {
  const { judged, checks } = await review(ctx, row, all)
  return {
    requirements: judged.map(({ requirement }) => requirement),
    checks: [...checks],
    blockers: isMergeable(row) ? listBlockers(row, judged) : [],
  }
}
