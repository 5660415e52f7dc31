/** The dialog that prints labels. Its code is loaded when it is opened. */
import { lazy, Suspense } from 'react'
import type { LabelDialogProps } from './label-dialog.tsx'
import type { LabelKind } from './load-labels.ts'

const LabelDialog = lazy(() => import('./label-dialog.tsx').then((module) => ({ default: module.LabelDialog })))

const KINDS: readonly string[] = ['device', 'rack', 'port', 'cable'] satisfies readonly LabelKind[]

/** Returns true for the nouns of objects that have labels. */
export const isLabeled = (noun: string): noun is LabelKind => KINDS.includes(noun)

/** The most labels of one printing. */
export const MOST_LABELS = 500

export const LazyLabelDialog = (props: LabelDialogProps) => (
  <Suspense>
    <LabelDialog {...props} />
  </Suspense>
)
