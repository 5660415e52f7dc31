/** The consent form. Deny comes first, in order and in focus, and only selected scopes are granted. */
import { Laptop } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import type { ConsentRequest } from '../../../src/people/oauth/schema.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/field.tsx'
import css from './consent.module.css'
import { buildLines, isReadScope, type Line } from './scopes.ts'

type GroupProps = {
  readonly title: string
  readonly lines: readonly Line[]
  readonly given: ReadonlySet<string>
  readonly onChange: (names: readonly string[], isGiven: boolean) => void
}

const Group = ({ title, lines, given, onChange }: GroupProps) => {
  const id = useId()
  if (lines.length === 0) return null
  return (
    <fieldset className={css.group}>
      <legend>{title}</legend>
      <ul>
        {lines.map(({ text, names }, i) => (
          <li key={text}>
            <label className={css.line} htmlFor={`${id}-${i}`} title={names.join(' ')}>
              <Checkbox
                id={`${id}-${i}`}
                checked={names.every((name) => given.has(name))}
                onChange={(event) => onChange(names, event.target.checked)}
              />
              {text}
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}

type Props = {
  readonly request: ConsentRequest
  readonly isBusy: boolean
  readonly onDeny: () => void
  readonly onAllow: (scope: string) => void
  readonly onOtherAccount: () => void
}

export const ConsentForm = ({ request, isBusy, onDeny, onAllow, onOtherAccount }: Props) => {
  const { client_name, redirect_host, is_loopback, username, scopes } = request
  const held = scopes.filter(({ is_held }) => is_held)
  const withheld = scopes.filter(({ is_held }) => !is_held)
  const [given, setGiven] = useState<ReadonlySet<string>>(() => new Set(held.map(({ name }) => name)))
  const deny = useRef<HTMLButtonElement>(null)
  // The page starts at its top, with the focus on Deny.
  useEffect(() => deny.current?.focus({ preventScroll: true }), [])
  const change = (names: readonly string[], isGiven: boolean) => {
    const kept = [...given].filter((name) => !names.includes(name))
    setGiven(new Set(isGiven ? [...kept, ...names] : kept))
  }
  const scope = scopes.flatMap(({ name }) => (given.has(name) ? [name] : [])).join(' ')
  const group = { given, onChange: change }
  const nothing = held.length === 0 ? 'You have none of these permissions' : 'No permission is selected'
  return (
    <section className={css.card}>
      <div className={css.body}>
        <h1>
          <bdi className={css.name}>{client_name}</bdi> asks to act for you
        </h1>
        <p className={css.who}>
          You are <b>{username}</b>.{' '}
          <button type="button" className={css.other} onClick={onOtherAccount}>
            Use another account
          </button>
        </p>
        <div className={css.target}>
          <p>You will be redirected to</p>
          <p className={css.host}>{redirect_host}</p>
          <p className="muted">
            {is_loopback ? (
              <>
                <Laptop size={14} aria-hidden="true" /> A program on this computer. Continue only if you have just
                started it yourself.
              </>
            ) : (
              <>
                Continue only if you know this address and came from there. The program chose the name above; Plat does
                not check it.
              </>
            )}
          </p>
        </div>
        <Group title="Read permissions" lines={buildLines(held.filter(isReadScope))} {...group} />
        <Group title="Write permissions" lines={buildLines(held.filter((one) => !isReadScope(one)))} {...group} />
        {withheld.length > 0 && (
          <section className={css.group}>
            <h2>Requested and not granted, because you lack these permissions</h2>
            <ul className="muted">
              {buildLines(withheld).map(({ text }) => (
                <li key={text} className={css.withheld}>
                  {text}
                </li>
              ))}
            </ul>
          </section>
        )}
        <p className="muted">It never has more permissions than you. To end its access, open your account in Plat.</p>
      </div>
      <footer className={css.actions}>
        <Button ref={deny} onClick={onDeny} disabled={isBusy}>
          Deny
        </Button>
        <Button
          look="primary"
          onClick={() => onAllow(scope)}
          disabled={isBusy}
          blocked={scope === '' ? nothing : undefined}
        >
          Allow
        </Button>
      </footer>
    </section>
  )
}
