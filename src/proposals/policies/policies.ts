/** The rules of policies. */
import { AppError, type FieldIssue, nameTaken, orNotFound, rejectIssues } from '../../contract/errors.ts'
import { merge } from '../../contract/merge.ts'
import { containsText } from '../../database/query/contains.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { listRows } from '../../kernel/list.ts'
import { MAX_POLICIES, type Policy, type PolicyDraft, type PolicyPatch, policies } from './api.ts'
import * as store from './store.ts'

const getOrThrow = async (ctx: Ctx, id: string): Promise<Policy> => orNotFound(await store.find(ctx, id), 'policy', id)

const lockForChange = async (ctx: Ctx, id: string): Promise<Policy> => {
  const policy = orNotFound(await store.lock(ctx, id), 'policy', id)
  ctx.precondition(policy)
  return policy
}

const NAMED = [
  ['scope_id', 'scopes', 'scope'],
  ['group_id', 'groups', 'group'],
] as const

/** @throws AppError VALIDATION_ERROR, ALREADY_EXISTS */
const check = async (ctx: Ctx, policy: Policy, before?: Policy): Promise<void> => {
  const issues: FieldIssue[] = []
  if (policy.approvals === 0 && policy.checks.length === 0)
    issues.push({ field: 'approvals', message: 'must be at least 1 in a policy without checks' })
  for (const [field, table, noun] of NAMED) {
    const { [field]: id } = policy
    if (id === null || id === before?.[field] || (await store.lockNamed(ctx, table, id))) continue
    issues.push({ field, message: `there is no ${noun} with id "${id}"` })
  }
  rejectIssues(issues)
  const namesake = await store.findNamesake(ctx, policy)
  if (namesake) throw nameTaken('policy', namesake.name)
}

const create = async (ctx: Ctx, draft: PolicyDraft): Promise<Policy> => {
  const policy: Policy = { id: Bun.randomUUIDv7(), ...draft, created_at: ctx.now, updated_at: ctx.now }
  await ctx.lock('proposals', ['policies'])
  if ((await store.findAll(ctx)).length >= MAX_POLICIES)
    throw new AppError('LIMIT_REACHED', `There are ${MAX_POLICIES} policies; delete one first`)
  await check(ctx, policy)
  store.noteWrite(ctx)
  await store.insert(ctx, policy)
  return policy
}

const update = async (ctx: Ctx, { id, ...patch }: PolicyPatch): Promise<Policy> => {
  const before = await lockForChange(ctx, id)
  const { value, changes } = merge(before, patch)
  if (changes.length === 0) return before
  const policy = { ...value, updated_at: ctx.now }
  await check(ctx, policy, before)
  store.noteWrite(ctx)
  await store.update(ctx, policy)
  return policy
}

const remove = async (ctx: Ctx, id: string): Promise<void> => {
  await lockForChange(ctx, id)
  store.noteWrite(ctx)
  await store.remove(ctx, id)
}

/** Refuses the deletion of a scope or a group that a policy names. */
const keepNamed =
  (column: 'scope_id' | 'group_id', noun: string) =>
  async (ctx: Ctx, { id }: { readonly id: string }): Promise<void> => {
    const user = await store.findFirst(ctx, (policy) => policy[column] === id)
    if (!user) return
    const which = ctx.canListAll('policies') ? `The policy "${user.name}"` : 'A policy'
    throw new AppError('IN_USE', `${which} names this ${noun}; change it first`)
  }

export const feature: Feature = {
  onFirstChange: store.loadAhead,
  operations: implement(policies, {
    list: async (ctx, { name, ...page }) => {
      const revision = await ctx.store.revision(['policies'])
      const query = store.query(ctx)
      return listRows(ctx, {
        revision,
        query: name ? query.where(containsText('name_key', name)) : query,
        page,
        row: store.toPolicy,
      })
    },
    create,
    get: async (ctx, { id }) => getOrThrow(ctx, id),
    update,
    delete: async (ctx, { id }) => remove(ctx, id),
  }),
  reactions: {
    'scope.deleting': keepNamed('scope_id', 'scope'),
    'group.deleting': keepNamed('group_id', 'group'),
  },
}
