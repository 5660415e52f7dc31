/** The report of a conversion: the objects that were read, their places in Plat, and the rest. */
import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { save } from '../../export/save.ts'
import { Button } from '../../ui/button.tsx'
import { Alert } from '../../ui/field.tsx'
import { formatCount } from '../../ui/format.ts'
import type { Draft } from '../draft.ts'
import css from '../import.module.css'

type Entry = { readonly text: string; readonly count: number; readonly why?: string }

const Part = ({ title, entries, children }: { title: string; entries: readonly Entry[]; children?: ReactNode }) => (
  <section className={css.part}>
    <h2>
      {title} {children}
    </h2>
    {entries.length === 0 && <p className="muted">nothing</p>}
    <ul>
      {entries.map(({ text, count: n, why }) => (
        <li key={`${text} ${why}`}>
          <span className="num">{formatCount(n)}</span> <span className="mono">{text}</span>
          {why !== undefined && <span className="muted"> {why}</span>}
        </li>
      ))}
    </ul>
  </section>
)

const toEntries = (counts: Readonly<Record<string, number>>): Entry[] =>
  Object.entries(counts).map(([text, n]) => ({ text, count: n }))

/** Shows the warnings at once, and the rest when it is opened. */
export const Report = ({ draft: { report, leftover = {}, format } }: { readonly draft: Draft }) => {
  if (!report) return null
  const { read, made, described, left, warnings } = report
  const download = () => save(`${format}-left.json`, 'application/json', `${JSON.stringify(leftover, undefined, 2)}\n`)
  return (
    <>
      {warnings.length > 0 && (
        <Alert isWarning>
          {warnings.map(({ message }) => (
            <span key={message}>{message}</span>
          ))}
        </Alert>
      )}
      <details className={css.more}>
        <summary>What was read, and what is left</summary>
        <div className={css.report}>
          <Part title="Read" entries={toEntries(read)} />
          <Part title="Becomes" entries={toEntries(made)} />
          <Part
            title="Lines of descriptions"
            entries={described.map(({ field, count: n }) => ({ text: field, count: n }))}
          />
          <Part title="Left" entries={left.map(({ what, count: n, why }) => ({ text: what, count: n, why }))}>
            {Object.keys(leftover).length > 0 && (
              <Button onClick={download}>
                <Download size={14} aria-hidden="true" />
                Download what is left
              </Button>
            )}
          </Part>
        </div>
      </details>
    </>
  )
}
