/** The line above the button of a form that names the wrong fields. The first of them gets the focus. */
import { type RefObject, useEffect, useState } from 'react'
import css from '../../ui/field.module.css'
import { plural } from '../../ui/format.ts'
import { FIRST_FIELD } from '../../ui/layers.tsx'

/** Fields and groups of fields with an error. */
const WRONG = '[aria-invalid=true], [data-invalid]'

type Wrong = { readonly label: string; readonly focus: () => void }

/** Opens the section around a field, and focuses it or the first field in it. */
const show = (element: HTMLElement): void => {
  element.closest('details')?.setAttribute('open', '')
  const field = element.matches('[data-invalid]')
    ? element.querySelector<HTMLElement>(`${FIRST_FIELD}, input[type=checkbox]:enabled`)
    : element
  field?.scrollIntoView({ block: 'center' })
  field?.focus({ preventScroll: true })
}

const getLabel = (element: HTMLElement): string => {
  const label = 'labels' in element ? (element as HTMLInputElement).labels?.[0] : element.querySelector('legend')
  return label?.firstChild?.textContent ?? element.ariaLabel ?? ''
}

type Props = {
  readonly form: RefObject<HTMLFormElement | null>
  /** The refusal of the last try; null without one. */
  readonly error: unknown
}

export const Corrections = ({ form, error }: Props) => {
  const [wrong, setWrong] = useState<readonly Wrong[]>([])
  useEffect(() => {
    if (!error) return setWrong([])
    const found = [...(form.current?.querySelectorAll<HTMLElement>(WRONG) ?? [])]
    setWrong(found.map((element) => ({ label: getLabel(element), focus: () => show(element) })))
    if (found[0]) show(found[0])
  }, [error, form])
  if (wrong.length === 0) return null
  return (
    <p role="status" className={css.corrections}>
      {plural(wrong.length, 'field needs', 'fields need')} a correction:{' '}
      {wrong.map(({ label, focus }, at) => (
        <span key={`${label} ${String(at)}`}>
          {at > 0 && ', '}
          <button type="button" className="link" onClick={focus}>
            {label}
          </button>
        </span>
      ))}
    </p>
  )
}
