/** One proposal of a list, with Yes and No where the user decides about it. */
import { Link } from '@tanstack/react-router'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { Checkbox } from '../ui/field.tsx'
import { Badge, TimeAgo } from '../ui/primitives.tsx'
import { formatState, formatSummary, getStateTone } from './labels.ts'
import css from './proposals.module.css'
import type { ListedProposal } from './queries.ts'

type Decide = {
  readonly isChosen: boolean
  readonly isDisabled: boolean
  readonly onChoose: () => void
  readonly onYes: () => void
  readonly onNo: () => void
}

type Props = {
  readonly proposal: ListedProposal
  /** Why the last decision was refused. */
  readonly refusal: string | undefined
  readonly decide: Decide | undefined
}

export const ProposalRow = ({ proposal, refusal, decide }: Props) => {
  const { number, title, author, updated_at, closed_by, close_reason } = proposal
  return (
    <li className={cx(css.row, decide?.isChosen && css.chosen)}>
      <p className={css.rowHead}>
        {decide && (
          <Checkbox aria-label={`Choose ${number}, ${title}`} checked={decide.isChosen} onChange={decide.onChoose} />
        )}
        <span className="mono muted">{number}</span>
        <Link to="/proposals/$id" params={{ id: String(number) }} className={css.rowTitle}>
          {title}
        </Link>
        <Badge tone={getStateTone(proposal)}>{formatState(proposal)}</Badge>
        <span className={css.since}>
          {author} · <TimeAgo at={updated_at} />
        </span>
      </p>
      <p>
        {formatSummary(proposal)}
        {close_reason !== '' && closed_by !== '' && <span className="muted"> By {closed_by}.</span>}
      </p>
      {refusal !== undefined && (
        <p role="alert" className={css.refusal}>
          {refusal}
        </p>
      )}
      {decide && (
        <p className={css.tools}>
          <Button look="primary" aria-label={`Yes to ${number}`} onClick={decide.onYes} disabled={decide.isDisabled}>
            Yes
          </Button>
          <Button aria-label={`No to ${number}`} onClick={decide.onNo} disabled={decide.isDisabled}>
            No
          </Button>
        </p>
      )}
    </li>
  )
}
