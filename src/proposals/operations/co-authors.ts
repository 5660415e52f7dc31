/** The users other than the author who have changed the operations of a proposal. */
import type { Ctx } from '../../kernel/ctx.ts'
import { parseCoAuthors, type StoredProposal } from '../store.ts'

/** Returns the column with the caller in it, unless the caller is the author. */
export const addCoAuthor = ({ caller }: Pick<Ctx, 'caller'>, row: StoredProposal): string => {
  const { userId: id = '', username } = caller
  const known = parseCoAuthors(row)
  if (id === row.author_id || known.some((one) => one.id === id)) return row.co_authors
  return JSON.stringify([...known, { id, username }])
}
