/** A name in a tree, behind as many steps as there are objects above it. */
import type { ReactNode } from 'react'
import css from '../../ui/primitives.module.css'

const STEP = '\u2003'

export const Indented = ({ level, children }: { readonly level: number; readonly children: ReactNode }) => (
  <span className={css.behind}>
    <span aria-hidden="true">{STEP.repeat(level)}</span>
    <span className="sr">Level {level + 1}: </span>
    {children}
  </span>
)
