/** The smallest components: badges, meters, cards, facts. */
import { Check, Copy } from 'lucide-react'
import { Fragment, type ReactNode, useEffect, useState } from 'react'
import { cx } from './cx.ts'
import { formatAgo, formatMoment, formatPercent } from './format.ts'
import css from './primitives.module.css'

export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'idle'

export const Badge = ({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) => (
  <span className={cx(css.badge, css[tone])}>{children}</span>
)

export const Tag = ({ children }: { readonly children: ReactNode }) => (
  <span className={css.tag} data-tag="">
    {children}
  </span>
)

export const Tags = ({ tags }: { readonly tags: readonly string[] }) => tags.map((tag) => <Tag key={tag}>{tag}</Tag>)

/** The values from which a meter warns and alarms. */
const WARN = 75
const BAD = 90

/** A utilization, as color and as number. */
export const Meter = ({ value, label }: { readonly value: number; readonly label: string }) => {
  const tone = value > BAD ? 'bad' : value > WARN ? 'warn' : 'ok'
  return (
    <span className={css.meter}>
      <span
        className={css.track}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={value}
        aria-valuetext={formatPercent(value)}
      >
        <span className={css.fill} data-tone={tone} style={{ width: `${Math.min(100, value)}%` }} />
      </span>
      <span className={css.percent}>{formatPercent(value)}</span>
    </span>
  )
}

/** A relative time, with the absolute time as its title. */
export const TimeAgo = ({ at }: { readonly at: string }) => {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 60_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={at} title={formatMoment(at)}>
      {formatAgo(at, nowMs)}
    </time>
  )
}

/** Copies a text, and shows for a moment that it is copied. @param size of the icon, in pixels */
export const useCopy = (text: string, size: number) => {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  const Icon = isCopied ? Check : Copy
  return { isCopied, copy: () => void copy(), icon: <Icon size={size} aria-hidden="true" /> }
}

type CopyProps = {
  readonly text: string
  readonly label: string
  /** Shown in place of the text, which is copied. */
  readonly shown?: string
  /** Shown beside the text, and not copied. */
  readonly note?: ReactNode
  /** In a row, where nothing is reached by Tab. */
  readonly isInRow?: boolean
}

export const CopyText = ({ text, label, shown = text, note, isInRow = false }: CopyProps) => {
  const { isCopied, copy, icon } = useCopy(text, 13)
  return (
    <span className={cx(css.copy, note !== undefined && css.noted)}>
      <span className="mono truncate">{shown}</span>
      {note}
      <button
        type="button"
        onClick={copy}
        tabIndex={isInRow ? -1 : undefined}
        aria-label={isCopied ? 'Copied' : `Copy ${label}`}
      >
        {icon}
      </button>
    </span>
  )
}

export const Skeleton = ({ width }: { readonly width?: string }) => (
  <span className={css.skeleton} style={width === undefined ? undefined : { width }} />
)

type CardProps = { readonly title?: string; readonly actions?: ReactNode; readonly children: ReactNode }

export const Card = ({ title, actions, children }: CardProps) => (
  <section className={css.card}>
    {title !== undefined && (
      <header className={css.cardHead}>
        <h2>{title}</h2>
        {actions}
      </header>
    )}
    {children}
  </section>
)

export const Figure = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <section className={css.card}>
    <h2 className={css.figureName}>{label}</h2>
    <div className={css.figure}>{children}</div>
  </section>
)

export const isEmpty = (value: ReactNode): boolean =>
  value === '' || value === null || value === undefined || value === false

/** Leaves out facts without a value. */
export const Facts = ({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) => (
  <dl className={css.facts}>
    {facts
      .filter(([, value]) => !isEmpty(value))
      .map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
  </dl>
)

/** Something that the caller may not list. */
export const Withheld = ({ permission }: { readonly permission: string }) => (
  <span className="muted" title={`Needs the permission ${permission}`}>
    –
  </span>
)
