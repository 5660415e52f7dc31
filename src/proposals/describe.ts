/** Builds the answers about proposals, by the part that a caller sees. */
import type { ErrorBody } from '../contract/errors.ts'
import type { Ctx } from '../kernel/ctx.ts'
import { listPermissions, type Permission } from '../kernel/operation.ts'
import { holdsAnywhere } from '../kernel/rights/access.ts'
import { isKind, KIND_NAMES } from '../record/history/kind-names.ts'
import { toListed } from './listed.ts'
import type { Means } from './means.ts'
import { readScopesRevision } from './review/effect-reads.ts'
import { describeReview } from './review/requirements.ts'
import { lookAt, type Sight } from './review/sight.ts'
import type { StoredOperation } from './run/effect.ts'
import type { Proposal, ProposalBlocker, ProposalOperation } from './schema.ts'
import * as store from './store.ts'

/** The words of a refusal may name objects as its details do. */
const toError = ({ code, error, details }: ErrorBody, isShown: boolean): ProposalOperation['error'] =>
  isShown ? { code, error, details: [...details] } : { code, error: 'A rule refuses it now', details: [] }

const toOperation = (one: StoredOperation, isShown: boolean): ProposalOperation => ({
  ...one,
  // Of a JSON object.
  input: isShown ? (one.input as Record<string, unknown>) : null,
  error: one.error && toError(one.error, isShown),
})

/** True if no object of the last run was changed since, nor a scope. */
export const isCurrent = async (ctx: Ctx, row: store.StoredProposal): Promise<boolean> =>
  row.state === 'merged' ||
  row.previewed_at === null ||
  (row.scopes_revision === (await readScopesRevision(ctx)) && !(await store.hasMoved(ctx, row)))

/** Returns the permissions that a merge needs: those of the operations, or of the objects that they change if these decide. */
const listNeeded = ({ bounds }: Pick<Means, 'bounds'>, row: store.StoredProposal, { seen }: Sight): Permission[] => {
  const needed = new Set<Permission>()
  const deciding = new Set<string>()
  for (const { id, operation } of store.parseOperations(row)) {
    const access = bounds.get(operation)?.op.access
    const [only, ...others] = access ? listPermissions(access) : []
    if (only !== undefined && others.length === 0) needed.add(only)
    else deciding.add(id)
  }
  for (const { kind, change, operation } of seen)
    if (deciding.has(operation) && isKind(kind)) needed.add(KIND_NAMES[kind].permissions[change])
  return [...needed].sort()
}

const listLacking = (ctx: Ctx, needed: readonly Permission[]): ProposalBlocker[] => {
  const lacking = needed.filter((permission) => !holdsAnywhere(ctx.caller, permission))
  return lacking.length === 0
    ? []
    : [{ reason: 'permission', message: `You lack the permission ${lacking.join(', ')}` }]
}

/** True for a key or a client that has fewer rights than its user. */
const isLimited = ({ isNarrow, client }: Ctx['caller']): boolean =>
  isNarrow === true || (client?.withheld.size ?? 0) > 0

/** A proposal to answer with, and what the caller sees of it, if that is known. */
export type Described = { readonly row: store.StoredProposal; readonly sight?: Sight }

/** Returns the handler that answers with the proposal of a call, as the caller sees it. */
export const createAnswer =
  (means: Pick<Means, 'bounds'>) =>
  <I>(work: (ctx: Ctx, input: I) => Promise<Described>) =>
  async (ctx: Ctx, input: I): Promise<Proposal> => {
    const { row, sight } = await work(ctx, input)
    return describeProposal({ ctx, means }, row, sight)
  }

/** Returns a proposal as the caller sees it. @param known the sight of the caller, if it is known */
export const describeProposal = async (
  { ctx, means }: { readonly ctx: Ctx; readonly means: Pick<Means, 'bounds'> },
  row: store.StoredProposal,
  known?: Sight,
): Promise<Proposal> => {
  const sight = known ?? (await lookAt(ctx, row))
  const isShown = sight.isWhole || (row.author_id === ctx.caller.userId && !isLimited(ctx.caller))
  const { requirements, checks, blockers } = await describeReview(ctx, row, sight)
  return {
    ...toListed(row, sight.counts),
    is_current: await isCurrent(ctx, row),
    operations: store.parseOperations(row).map((one) => toOperation(one, isShown)),
    requirements: [...requirements],
    checks: [...checks],
    blockers: [...blockers, ...listLacking(ctx, row.state === 'open' ? listNeeded(means, row, sight) : [])],
  }
}
