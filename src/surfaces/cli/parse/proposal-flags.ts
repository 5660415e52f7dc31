/** The flags that add a write to a proposal in place of making it. */
import { createFlag, type Flag, getText, isOn, type Texts } from './command.ts'
import { createUsageError } from './usage-error.ts'

export const PROPOSE_FIELD = '@propose'

export const PROPOSAL_FLAGS: readonly Flag[] = [
  {
    ...createFlag('proposal', 'Add this to a proposal, and change nothing', { hint: 'ID|draft|open' }),
    bounds: 'draft and open begin a new one',
  },
  // A switch with an ordinary field has a second form, --no-propose.
  { ...createFlag('propose', 'Short for --proposal open'), field: PROPOSE_FIELD },
]

/** Returns the proposal that the flags name. @throws AppError INVALID_INPUT for both flags */
export const readProposal = (texts: Texts): string | undefined => {
  const proposal = getText(texts, 'proposal')
  if (!isOn(texts, PROPOSE_FIELD)) return proposal
  if (proposal !== undefined) throw createUsageError('--propose is short for --proposal open: give one of them')
  return 'open'
}
