/** The layers of the history over any page: the clock, and the question before an undo. */
import { lazy } from 'react'
import { useStore } from '../api/store.ts'
import { clockIsOpen, undoing } from '../shell/palette-state.ts'
import { UndoDialog } from './undo-dialog.tsx'

const ClockDialog = lazy(() => import('./clock-dialog.tsx').then((module) => ({ default: module.ClockDialog })))

export const HistoryLayers = () => {
  const id = useStore(undoing)
  return (
    <>
      {useStore(clockIsOpen) && <ClockDialog onClose={() => clockIsOpen.set(false)} />}
      {id !== undefined && <UndoDialog key={id} id={id} onClose={() => undoing.set(undefined)} />}
    </>
  )
}
