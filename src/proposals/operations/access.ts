/** Checks the rights to change a proposal, and its state. */
import { AppError, invalidField } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { holdsAnywhere } from '../../kernel/rights/access.ts'
import type { Glance } from '../review/sight.ts'
import type { ProposalState } from '../schema.ts'
import { isWriter, parseCoAuthors, type StoredProposal } from '../store.ts'

/** @throws AppError VALIDATION_ERROR on `state`, naming it */
export const requireState = ({ state }: Pick<StoredProposal, 'state'>, allowed: readonly ProposalState[]): void => {
  if (!allowed.some((one) => one === state))
    throw invalidField('state', `the proposal is ${state}, and this needs one that is ${allowed.join(' or ')}`)
}

/** Returns the id of the caller's user. @throws AppError FORBIDDEN for a caller without one */
export const requireUser = ({ caller: { userId } }: Ctx): string => {
  if (userId === undefined) throw new AppError('FORBIDDEN', 'A proposal needs a user as its author')
  return userId
}

const isAuthor = ({ caller: { userId } }: Ctx, { author_id }: Pick<StoredProposal, 'author_id'>): boolean =>
  userId === author_id

/** @throws AppError FORBIDDEN */
export const requireAuthor = (ctx: Ctx, row: Pick<StoredProposal, 'author_id'>): void => {
  if (!isAuthor(ctx, row)) throw new AppError('FORBIDDEN', 'Only the author of the proposal may do this')
}

/** @throws AppError VALIDATION_ERROR on `state`; FORBIDDEN for a caller who may not change the operations, the title and the description */
export const requireEditor = (
  ctx: Ctx,
  row: Pick<StoredProposal, 'author_id' | 'state'>,
  { isWhole }: Pick<Glance, 'isWhole'>,
): void => {
  requireState(row, ['draft', 'open'])
  if (isAuthor(ctx, row) || (row.state === 'open' && isWhole && holdsAnywhere(ctx.caller, 'proposals:approve'))) return
  throw new AppError(
    'FORBIDDEN',
    'Only its author may change a draft, and an open proposal also a user with proposals:approve who sees all of its items',
  )
}

/** Returns the co-authors as the row has them, with the caller unless the caller is the author. */
export const addCoAuthor = ({ caller }: Pick<Ctx, 'caller'>, row: StoredProposal): string => {
  const { userId: id = '', username } = caller
  if (isWriter(row, id)) return row.co_authors
  return JSON.stringify([...parseCoAuthors(row), { id, username }])
}
