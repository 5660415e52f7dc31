/** Imports rows, or a file of another program, in steps: source, columns, review, done. */
import { useState } from 'react'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { ColumnsStep } from './columns-step.tsx'
import type { Draft, SheetSource } from './draft.ts'
import { type Done, DoneStep } from './review/done-step.tsx'
import { ReviewStep } from './review/review-step.tsx'
import { SourceStep } from './source-step.tsx'

type Step =
  | { readonly step: 'source' }
  | { readonly step: 'columns'; readonly name: string; readonly sheet: SheetSource }
  | { readonly step: 'review'; readonly draft: Draft }
  | { readonly step: 'done'; readonly done: Done }

const STEPS: readonly (readonly [Step['step'], string])[] = [
  ['source', 'Source'],
  ['columns', 'Columns'],
  ['review', 'Review'],
  ['done', 'Done'],
]

export const ImportPage = () => {
  const { search, set } = usePageSearch()
  const [at, setAt] = useState<Step>({ step: 'source' })
  const toSource = () => setAt({ step: 'source' })
  const toReview = (draft: Draft) => setAt({ step: 'review', draft })
  const current = STEPS.find(([step]) => step === at.step)?.[1]
  return (
    <>
      <PageHead>
        <span className="muted" aria-live="polite">
          {current}
        </span>
      </PageHead>
      {at.step === 'source' && (
        <PageBody>
          <SourceStep
            format={search.format}
            onFormat={(format) => void set({ format }, { isReplace: true })}
            onSheet={(name, sheet) => setAt({ step: 'columns', name, sheet })}
            onDraft={toReview}
          />
        </PageBody>
      )}
      {at.step === 'columns' && <ColumnsStep name={at.name} sheet={at.sheet} onDraft={toReview} onBack={toSource} />}
      {at.step === 'review' && (
        <ReviewStep
          draft={at.draft}
          onDraft={toReview}
          onDone={(done) => setAt({ step: 'done', done })}
          onBack={toSource}
          onColumns={
            at.draft.sheet &&
            (() => {
              const { draft } = at
              if (draft.sheet) setAt({ step: 'columns', name: draft.name, sheet: draft.sheet })
            })
          }
        />
      )}
      {at.step === 'done' && <DoneStep done={at.done} onBack={toSource} />}
      <Hints hints={[[['?'], 'all shortcuts']]} />
    </>
  )
}
