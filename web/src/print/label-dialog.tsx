/** The dialog that prints labels. It shows them as they are printed, and while it is open the browser prints nothing else. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useMemo, useState } from 'react'
import { createPortal } from 'react-dom'
import { serverConfigQuery } from '../api/queries.ts'
import { PageLoading } from '../shell/page-loading.tsx'
import { Button } from '../ui/button.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { plural } from '../ui/format.ts'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { Failure } from '../ui/states.tsx'
import type { Label } from './label.ts'
import { LabelView } from './label-view.tsx'
import css from './labels.module.css'
import { type Labeled, loadLabels } from './load-labels.ts'
import { parseSize, SIZES, type Size, splitIntoPages, toPageRule } from './sizes.ts'

/** The size that was chosen last in this browser. */
const KEY = 'plat.label-size'
const OWN = 'own'
const [FIRST] = SIZES as readonly [Size]
/** The dialog shows so many; all are printed. */
const MOST_SHOWN = 24

const OPTIONS = [...SIZES.map(({ id, text }) => [id, text] as const), [OWN, 'Own size'] as const]

/** Sets the size of the printed page. The policy permits no inline style, so it is a style sheet of the document. */
const usePageSize = (size: Size): void => {
  useLayoutEffect(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(toPageRule(size))
    document.adoptedStyleSheets.push(sheet)
    document.documentElement.dataset.prints = 'labels'
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet)
      delete document.documentElement.dataset.prints
    }
  }, [size])
}

type PagesProps = { readonly labels: readonly Label[]; readonly size: Size; readonly origin: string }

const Pages = ({ labels, size, origin }: PagesProps) => {
  usePageSize(size)
  return createPortal(
    <div className={css.print} data-print="">
      {splitIntoPages(labels, size).map((page) => (
        <div key={page[0]?.path} className={css.page}>
          {page.map((label) => (
            <LabelView key={label.path} label={label} size={size} origin={origin} />
          ))}
        </div>
      ))}
    </div>,
    document.body,
  )
}

const useSize = () => {
  const [kept] = useState(() => localStorage.getItem(KEY) ?? FIRST.id)
  const [id, setId] = useState(() => (SIZES.some((size) => size.id === kept) ? kept : parseSize(kept) ? OWN : FIRST.id))
  const [own, setOwn] = useState(() => (id === OWN ? kept : '40 x 20'))
  const size = id === OWN ? parseSize(own) : SIZES.find((one) => one.id === id)
  useEffect(() => {
    if (size) localStorage.setItem(KEY, size.id === OWN ? own : size.id)
  }, [size, own])
  return { id, setId, own, setOwn, size }
}

export type LabelDialogProps = Labeled & { readonly onClose: () => void }

export const LabelDialog = ({ kind, ids, onClose }: LabelDialogProps) => {
  const { id, setId, own, setOwn, size } = useSize()
  const {
    data: labels,
    error,
    refetch,
  } = useQuery({
    queryKey: ['labels', kind, ids],
    queryFn: () => loadLabels({ kind, ids }),
    gcTime: 0,
  })
  const { data: config } = useQuery(serverConfigQuery)
  const origin = useMemo(() => config?.public_url || window.location.origin, [config])
  return (
    <Dialog title="Print labels" onClose={onClose} isWide>
      <div className={css.sizes}>
        <SelectField label="Size" value={id} onChange={setId} options={OPTIONS} />
        {id === OWN && (
          <TextField
            label="Width x height in mm"
            value={own}
            onChange={setOwn}
            error={size ? undefined : 'A size is two numbers from 8 to 300, as 40 x 20'}
          />
        )}
      </div>
      {!labels && error && <Failure error={error} onRetry={() => void refetch()} />}
      {!labels && !error && <PageLoading />}
      {labels && size && (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
          <section className={css.preview} aria-label="Labels" tabIndex={0}>
            {labels.slice(0, MOST_SHOWN).map((label) => (
              <LabelView key={label.path} label={label} size={size} origin={origin} />
            ))}
          </section>
          {labels.length > MOST_SHOWN && (
            <p className="muted">{plural(labels.length - MOST_SHOWN, 'other label')} will be printed as well.</p>
          )}
          <Pages labels={labels} size={size} origin={origin} />
        </>
      )}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" disabled={!labels || !size} onClick={() => window.print()}>
          Print {plural(labels?.length ?? 0, 'label')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
