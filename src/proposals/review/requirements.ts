/** The approvals and checks that the policies ask of a proposal. */
import { AppError } from '../../contract/errors.ts'
import type { Caller } from '../../kernel/caller.ts'
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

type Facts = {
  readonly row: ListedRow
  /** The policies that ask for something, with the effects to which they apply. */
  readonly asked: readonly { readonly policy: Policy; readonly applied: Effects }[]
  readonly approvals: readonly Approval[]
  readonly checks: readonly ProposalCheck[]
}

/** The facts, and a caller who counts as an approver where it could approve. */
type Judged = Facts & { readonly merger?: Caller | undefined }

/** Returns the names of the users with an approval that counts for the policy. */
const findApprovers = async (
  ctx: Ctx,
  policy: Policy,
  { row, approvals, merger }: Judged,
  applied: Effects,
): Promise<readonly string[]> => {
  const given = new Map(
    approvals.flatMap(({ userId, username, policies }) =>
      policies.has(policy.id) ? [[userId, username] as const] : [],
    ),
  )
  const seesAll = merger && filterSeen(merger, applied).length === applied.length
  if (merger?.userId !== undefined && seesAll && canApprove(row, merger)) given.set(merger.userId, merger.username)
  if (given.size === 0) return []
  const members = await filterInGroup(ctx, policy.group_id, [...given.keys()])
  return [...given].flatMap(([id, username]) => (members.has(id) ? [username] : []))
}

const buildRequirement = async (
  ctx: Ctx,
  policy: Policy,
  facts: Judged,
  applied: Effects,
): Promise<ProposalRequirement> => {
  const approved_by = await findApprovers(ctx, policy, facts, applied)
  const checks = policy.checks.map((name) => ({
    name,
    state: facts.checks.find((check) => check.name === name)?.state ?? ('missing' as const),
  }))
  const group = policy.group_id === null ? undefined : await findGroup(ctx, policy.group_id)
  return {
    ...{ policy_id: policy.id, policy: policy.name, objects: filterSeen(ctx.caller, applied).length },
    ...{ approvals: policy.approvals, given: approved_by.length, approved_by: [...approved_by] },
    ...{ group_id: policy.group_id, group: group?.name ?? '', checks },
    is_met: approved_by.length >= policy.approvals && checks.every(({ state }) => state === 'success'),
  }
}

/** Returns the checks of the present effects. */
const findPresentChecks = async (ctx: Ctx, { seq, fingerprint }: ListedRow): Promise<ProposalCheck[]> =>
  (await findChecks(ctx, seq))
    .filter((check) => check.fingerprint === fingerprint)
    .map(({ proposal: _, ...check }) => check)

const findFacts = async (ctx: Ctx, row: ListedRow, effects: Effects): Promise<Facts> => {
  const asked = (await load(ctx)).flatMap((policy) => {
    const applied = policy.enabled ? listApplied(policy, effects) : []
    return applied.length > 0 ? [{ policy, applied }] : []
  })
  const approvals = asked.length > 0 ? await findValid(ctx, row) : []
  return { row, asked, approvals, checks: await findPresentChecks(ctx, row) }
}

const buildRequirements = async (ctx: Ctx, facts: Judged): Promise<ProposalRequirement[]> => {
  const requirements: ProposalRequirement[] = []
  for (const { policy, applied } of facts.asked) requirements.push(await buildRequirement(ctx, policy, facts, applied))
  return requirements
}

const describeApprovals = ({ approvals, given, group }: ProposalRequirement): string => {
  const whose = group === '' ? '' : ` of the group "${group}"`
  return `needs ${approvals} approval${approvals === 1 ? '' : 's'}${whose}, and has ${given}`
}

const describeChecks = ({ checks }: ProposalRequirement): readonly string[] =>
  checks.flatMap(({ name, state }) => (state === 'success' ? [] : [`the check ${name} is ${state}`]))

/** Returns the missing approvals and checks, in words. */
const describeMissing = (requirement: ProposalRequirement): string =>
  [
    ...(requirement.given < requirement.approvals ? [describeApprovals(requirement)] : []),
    ...describeChecks(requirement),
  ].join('; ')

/** @throws AppError APPROVAL_REQUIRED that names the policies and their checks, unless the caller may merge */
export const requireMet = async (tx: Ctx, row: ListedRow, effects: Effects): Promise<void> => {
  const facts = await findFacts(tx, row, effects)
  const unmet = (await buildRequirements(tx, { ...facts, merger: tx.caller })).filter(({ is_met }) => !is_met)
  if (unmet.length === 0) return
  throw new AppError('APPROVAL_REQUIRED', 'The proposal lacks what the policies require', {
    details: unmet.map((requirement) => ({ field: requirement.policy, message: describeMissing(requirement) })),
  })
}

const listBlockers = (row: ListedRow, requirements: readonly ProposalRequirement[]): readonly ProposalBlocker[] => {
  const blockers: ProposalBlocker[] = []
  if (row.fingerprint === '') blockers.push({ reason: 'empty', message: 'It changes nothing' })
  if (row.errors > 0) {
    const message = row.errors === 1 ? 'A rule refuses an operation' : `Rules refuse ${row.errors} operations`
    blockers.push({ reason: 'error', message })
  }
  for (const requirement of requirements) {
    const { policy, given, approvals } = requirement
    if (given < approvals)
      blockers.push({ reason: 'approval', message: `The policy "${policy}" ${describeApprovals(requirement)}` })
    for (const message of describeChecks(requirement))
      blockers.push({ reason: 'check', message: `The policy "${policy}": ${message}` })
  }
  return blockers
}

/** Returns the review of a proposal as the caller sees it, without the permissions that the caller lacks. */
export const describeReview = async (
  ctx: Ctx,
  row: ListedRow,
  { all }: Pick<Sight, 'all'>,
): Promise<Pick<Proposal, 'requirements' | 'checks' | 'blockers'>> => {
  const facts = await findFacts(ctx, row, all)
  const isMergeable = row.state === 'open' || row.state === 'draft'
  const merging = isMergeable ? await buildRequirements(ctx, { ...facts, merger: ctx.caller }) : []
  return {
    requirements: await buildRequirements(ctx, facts),
    checks: [...facts.checks],
    blockers: isMergeable ? [...listBlockers(row, merging)] : [],
  }
}
