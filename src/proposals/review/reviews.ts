/** The operations of reviewers: comments, approvals, rejections, and the checks of programs. */
import { AppError, invalidField } from '../../contract/errors.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { countRows } from '../../kernel/list.ts'
import type { OutputOf, ParsedInputOf } from '../../kernel/operation.ts'
import { proposalReviews } from '../api.ts'
import { createAnswer, type Described } from '../describe.ts'
import { noteEntry, selectEntries } from '../entry-store.ts'
import { toEntry } from '../listed.ts'
import type { Means } from '../means.ts'
import { requireState } from '../operations/access.ts'
import { closeUnfinished, endProposal } from '../operations/end.ts'
import { appliesTo } from '../policies/applies.ts'
import { load } from '../policies/store.ts'
import * as store from '../store.ts'
import { findGiven } from './approvals.ts'
import * as checks from './check-store.ts'
import { hasSeenItem } from './seen-items.ts'
import { lockVisibleOrThrow, type Sight } from './sight.ts'

type Input<Verb extends keyof typeof proposalReviews> = ParsedInputOf<(typeof proposalReviews)[Verb]>
type Output<Verb extends keyof typeof proposalReviews> = OutputOf<(typeof proposalReviews)[Verb]>

const MAX_COMMENTS = 1000
const MAX_CHECKS = 50

/** @throws AppError FORBIDDEN for who wrote a part of it */
const requireReviewer = ({ caller }: Ctx, row: store.ListedRow, verb: string): void => {
  if (store.isWriter(row, caller.userId))
    throw new AppError('FORBIDDEN', `Its author and co-authors cannot ${verb} a proposal`)
}

/** @throws AppError PRECONDITION_FAILED for the fingerprint of other effects */
const requireSame = (row: store.ListedRow, fingerprint: string | undefined): void => {
  if (fingerprint !== undefined && fingerprint !== row.fingerprint)
    throw new AppError('PRECONDITION_FAILED', 'The proposal does something else by now; read it again')
}

/** Returns the ids of the policies with items of which the caller sees all. */
const findSeenPolicies = async (ctx: Ctx, { seen, all }: Sight): Promise<string[]> => {
  const known = new Set(seen)
  return (await load(ctx)).flatMap((policy) => {
    const applied = all.filter((effect) => appliesTo(policy, effect))
    return applied.length > 0 && applied.every((effect) => known.has(effect)) ? [policy.id] : []
  })
}

const approve = async (ctx: Ctx, { id, fingerprint, text = '' }: Input<'approve'>): Promise<Described> => {
  const { row, sight } = await lockVisibleOrThrow(ctx, id)
  requireState(row, ['open'])
  requireReviewer(ctx, row, 'approve')
  requireSame(row, fingerprint)
  if (row.errors > 0 || row.fingerprint === '') {
    const why = row.errors > 0 ? 'A rule refuses one of its operations' : 'It changes nothing'
    throw new AppError('MERGE_CONFLICT', `${why}, so there is nothing to approve`)
  }
  const policies = await findSeenPolicies(ctx, sight)
  const given = (await findGiven(ctx, row)).find(({ userId }) => userId === ctx.caller.userId)
  // Once more only for a policy that is newer.
  if (!given || policies.some((policy) => !given.policies.has(policy)))
    await noteEntry(ctx, 'proposal.approved', row, { type: 'approved', text, policies })
  // The entry has moved its times.
  return { row: (await store.lock(ctx, row.seq)) ?? row }
}

const reject = async (ctx: Ctx, { id, text = '' }: Input<'reject'>): Promise<Described> => {
  const { row } = await lockVisibleOrThrow(ctx, id)
  requireState(row, ['open'])
  requireReviewer(ctx, row, 'reject')
  return { row: await endProposal(ctx, row, { reason: 'rejected', text }) }
}

const comment = async (ctx: Ctx, input: Input<'comment'>): Promise<Output<'comment'>> => {
  const { text, kind, object_id } = input
  const { row, sight } = await lockVisibleOrThrow(ctx, input.id)
  if ((kind === undefined) !== (object_id === undefined))
    throw invalidField('object_id', 'is given with kind, or neither of them')
  const item = kind === undefined || object_id === undefined ? undefined : { kind, id: object_id }
  if (item && !(await hasSeenItem(ctx, { row, sight }, item)))
    throw invalidField('object_id', `the proposal changes no ${item.kind} with this id`)
  if ((await countRows(selectEntries(ctx, row.seq).where('type', '=', 'commented'))) >= MAX_COMMENTS)
    throw new AppError('LIMIT_REACHED', `A proposal has at most ${MAX_COMMENTS} comments`)
  return toEntry(row, await noteEntry(ctx, 'proposal.commented', row, { type: 'commented', text, kind, object_id }))
}

const check = async (ctx: Ctx, { id, ...reported }: Input<'check'>): Promise<Output<'check'>> => {
  const { row } = await lockVisibleOrThrow(ctx, id)
  requireState(row, ['open'])
  requireSame(row, reported.fingerprint)
  const { name, state, summary, url, fingerprint } = reported
  const known = await checks.findChecks(ctx, row.seq)
  if (known.length >= MAX_CHECKS && !known.some((one) => one.name === name))
    throw new AppError('LIMIT_REACHED', `A proposal has at most ${MAX_CHECKS} checks`)
  const stored = { name, state, summary, url, fingerprint, reported_by: ctx.caller.username, reported_at: ctx.now }
  await checks.put(ctx, { proposal: row.seq, ...stored })
  return stored
}

/** Closes the drafts and open proposals of a user who is gone: a run needs the rights of its author. */
const withdraw = async (ctx: Ctx, { id: userId }: { readonly id: string }): Promise<void> => {
  const unfinished = await store.selectUnfinished(ctx, userId).select('seq').orderBy('seq').execute()
  for (const { seq } of unfinished) await closeUnfinished(ctx, seq, 'withdrawn')
}

export const reviewFeature = (means: Pick<Means, 'bounds'>): Feature => ({
  operations: implement(proposalReviews, {
    approve: createAnswer(means)(approve),
    reject: createAnswer(means)(reject),
    comment,
    check,
  }),
  reactions: { 'user.deleting': withdraw, 'user.deactivated': withdraw },
})
