/** The sentence of a change: names lead to the objects, and names of deleted objects to the change. */
import { Link } from '@tanstack/react-router'
import type { Change } from '../../api/contracts.ts'
import { ItemName } from '../item-row.tsx'
import { composeSentence, formatSentence } from './sentence.ts'

export const ChangeSentence = ({ change }: { readonly change: Change }) => {
  const isUndo = change.undoes !== null
  return (
    <span className="truncate" title={formatSentence(change)}>
      {composeSentence(change).map((part, i) => {
        // The parts of a sentence keep their places.
        const key = i
        if (!('object' in part))
          return part.isStrong ? <b key={key}>{part.text}</b> : <span key={key}>{part.text}</span>
        // The objects of an undo are those of the change that it undoes: what that one created is gone.
        const isGone = (part.object.change === 'create') === isUndo && part.object.change !== 'update'
        return isGone ? (
          <Link key={key} to="/history/$id" params={{ id: change.id }} className="link">
            <b>{part.object.name}</b>
          </Link>
        ) : (
          <b key={key}>
            <ItemName item={part.object} asOf={undefined} />
          </b>
        )
      })}
    </span>
  )
}
