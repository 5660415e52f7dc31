/** The events of a webhook, grouped by family, each with its description. */
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { usePermit } from '../shell/me.ts'
import fieldCss from '../ui/field.module.css'
import { Checkbox, toSentence } from '../ui/field.tsx'
import { Skeleton } from '../ui/primitives.tsx'
import { type EventName, eventsQuery } from './queries.ts'
import css from './webhooks.module.css'

type Props = {
  /** Names of events, separated by commas. */
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
}

export const parseEvents = (text: string): readonly string[] => text.split(',').filter((name) => name !== '')

type Entry = { readonly name: EventName; readonly description: string; readonly permission: string }

/** Shows the text in backticks as code: `changes`. */
const Described = ({ text }: { readonly text: string }) =>
  text.split(/(`[^`]*`)/).map((part) =>
    part.startsWith('`') ? (
      <code key={part} className="mono">
        {part.slice(1, -1)}
      </code>
    ) : (
      part
    ),
  )

const getFamily = ({ name }: Entry): string => name.slice(0, name.indexOf('.'))

export const EventsField = ({ value, onChange, error }: Props) => {
  const id = useId()
  const { data } = useQuery(eventsQuery)
  const { may } = usePermit()
  const chosen = new Set(parseEvents(value))
  /** The events that the user may read. */
  const mine = (data ?? []).filter(({ permission }) => may(permission)).map(({ name }) => name)
  const families = [...Map.groupBy(data ?? [], getFamily)]
  const turn = (names: readonly string[], isOn: boolean) => {
    const next = new Set(chosen)
    for (const name of names) {
      if (isOn) next.add(name)
      else next.delete(name)
    }
    // In the order of the catalog, so that equal selections are equal texts.
    onChange((data ?? []).flatMap(({ name }) => (next.has(name) ? [name] : [])).join(','))
  }
  return (
    <fieldset
      className={css.events}
      data-invalid={error === undefined ? undefined : ''}
      aria-describedby={error === undefined ? undefined : `${id}-note`}
    >
      <legend className={fieldCss.label}>
        Events<span className={fieldCss.optional}> · required</span>
      </legend>
      {!data && <Skeleton />}
      {data && (
        <div className={css.event}>
          <Checkbox
            id={`${id}-all`}
            checked={mine.length > 0 && mine.every((name) => chosen.has(name))}
            isMixed={chosen.size > 0 && !mine.every((name) => chosen.has(name))}
            onChange={() => turn(mine, !mine.every((name) => chosen.has(name)))}
          />
          <label htmlFor={`${id}-all`} className={css.familyName}>
            All events
          </label>
          <span className="muted">
            {chosen.size} of {data.length}
          </span>
        </div>
      )}
      {families.map(([family, entries]) => {
        const names = entries.map(({ name }) => name)
        const allowed = entries.filter(({ permission }) => may(permission)).map(({ name }) => name)
        const count = names.filter((name) => chosen.has(name)).length
        const isAll = allowed.every((name) => chosen.has(name))
        return (
          <div key={family} className={css.family}>
            <div className={css.event}>
              <Checkbox
                id={`${id}-${family}`}
                checked={count === names.length}
                isMixed={count > 0 && count < names.length}
                disabled={allowed.length === 0}
                onChange={() => turn(allowed, !isAll)}
              />
              <label htmlFor={`${id}-${family}`} className={css.familyName}>
                {family}
              </label>
              <span className="muted">
                {count} of {names.length}
              </span>
            </div>
            {entries.map(({ name, description, permission }) => (
              <div key={name} className={css.event}>
                <Checkbox
                  id={`${id}-${name}`}
                  checked={chosen.has(name)}
                  aria-describedby={`${id}-${name}-note`}
                  disabled={!may(permission)}
                  onChange={() => turn([name], !chosen.has(name))}
                />
                <label htmlFor={`${id}-${name}`} className="mono">
                  {name}
                </label>
                <span id={`${id}-${name}-note`} className={css.eventNote}>
                  {may(permission) ? <Described text={description} /> : `Needs the permission ${permission}`}
                </span>
              </div>
            ))}
          </div>
        )
      })}
      {error !== undefined && (
        <p id={`${id}-note`} className={fieldCss.error}>
          {toSentence('Events', error)}
        </p>
      )}
    </fieldset>
  )
}
