/** Composes the sentence of several changes of one operation. Pure functions. */
import { KIND_NAMES } from '../../../../src/record/history/kind-names.ts'
import type { Change } from '../../api/contracts.ts'
import { plural } from '../../ui/format.ts'
import { compose, formatParts, formatSentence, invert, NAMED, type Part } from './sentence.ts'

type Folded = Pick<Change, 'counts' | 'objects' | 'undoes' | 'summary'>

const countObjects = (changes: readonly Folded[]): number =>
  changes
    .flatMap(({ counts }) => Object.values(counts))
    .flatMap((numbers) => Object.values(numbers ?? {}))
    .reduce((sum, one) => sum + one, 0)

/** Returns the parts of the sentence. Changes of the same kind to different objects read as one change of all of them. */
export const composeFold = (changes: readonly Folded[]): readonly Part[] => {
  const objects = changes.flatMap((change) => (change.undoes === null ? change : invert(change)).objects)
  const distinct = [...new Map(objects.map((object) => [`${object.kind} ${object.id}`, object])).values()]
  const [first] = distinct
  const total = countObjects(changes)
  const isUndo = changes.every(({ undoes }) => undoes !== null)
  const isAlike =
    distinct.length === total && distinct.every(({ kind, change }) => kind === first?.kind && change === first.change)
  if (first && isAlike && !isUndo)
    return compose({ counts: { [first.change]: { [KIND_NAMES[first.kind].noun]: total } }, objects: distinct }, '')
  const left = distinct.slice(NAMED).length
  const others = objects.length < total ? ' and others' : left > 0 ? ` and ${plural(left, 'other')}` : ''
  return [
    { text: plural(changes.length, isUndo ? 'undo' : 'change'), isStrong: true },
    ...distinct.slice(0, NAMED).flatMap((object, i): Part[] => [{ text: i === 0 ? ': ' : ', ' }, { object }]),
    ...(others === '' ? [] : [{ text: others }]),
  ]
}

/** Returns the sentence of a row as text. */
export const formatRow = (changes: readonly [Folded, ...Folded[]]): string =>
  changes.length === 1 ? formatSentence(changes[0]) : formatParts(composeFold(changes))
