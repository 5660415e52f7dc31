/** The sentence of a change: names lead to the objects, and names of deleted objects to the change. */
import { Link } from '@tanstack/react-router'
import type { Change } from '../../api/contracts.ts'
import css from '../history.module.css'
import { ItemName } from '../item-row.tsx'
import { composeFold } from './fold.ts'
import { composeSentence, formatParts, type Part } from './sentence.ts'

type Props = {
  readonly parts: readonly Part[]
  /** The changes whose objects are named. */
  readonly changes: readonly Change[]
}

const Sentence = ({ parts, changes }: Props) => (
  <span className={css.sentence} title={formatParts(parts)}>
    {parts.map((part, i) => {
      // The parts of a sentence keep their places.
      const key = i
      if (!('object' in part)) return part.isStrong ? <b key={key}>{part.text}</b> : <span key={key}>{part.text}</span>
      const { object } = part
      const of = changes.find(({ objects }) => objects.some(({ kind, id }) => kind === object.kind && id === object.id))
      // The objects of an undo are those of the change that it undoes: what that one created is gone.
      const isGone = object.change !== 'update' && (object.change === 'create') === (of?.undoes != null)
      return isGone && of ? (
        <Link key={key} to="/history/$id" params={{ id: of.id }} className="link">
          <b>{object.name}</b>
        </Link>
      ) : (
        <b key={key}>
          <ItemName item={object} asOf={undefined} />
        </b>
      )
    })}
  </span>
)

export const ChangeSentence = ({ change }: { readonly change: Change }) => (
  <Sentence parts={composeSentence(change)} changes={[change]} />
)

export const FoldSentence = ({ changes }: { readonly changes: readonly Change[] }) => (
  <Sentence parts={composeFold(changes)} changes={changes} />
)
