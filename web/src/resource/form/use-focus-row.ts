/** The focus in a list of rows of a form: an added row gets it, and after a removal the row before. */
import { type RefObject, useEffect, useRef } from 'react'
import { FIRST_FIELD } from '../../ui/layers.tsx'

type FocusRow<E extends HTMLElement> = {
  readonly list: RefObject<E | null>
  /** Focuses the first field of a row once it is drawn; without rows, the last button of the list, which adds one. */
  readonly focusRow: (index: number) => void
}

/** @example const { list, focusRow } = useFocusRow() // each row has the attribute data-row */
export const useFocusRow = <E extends HTMLElement = HTMLFieldSetElement>(): FocusRow<E> => {
  const list = useRef<E>(null)
  const wanted = useRef<number>(undefined)
  useEffect(() => {
    const { current: index } = wanted
    wanted.current = undefined
    if (index === undefined) return
    const rows = list.current?.querySelectorAll('[data-row]') ?? []
    const target = rows[Math.max(0, index)]?.querySelector<HTMLElement>(FIRST_FIELD)
    const buttons = list.current?.querySelectorAll('button') ?? []
    ;(target ?? buttons[buttons.length - 1])?.focus()
  })
  return {
    list,
    focusRow: (index) => {
      wanted.current = index
    },
  }
}
