/** The panel beside the picture of an impact: the devices that go away, the numbers, and the first affected devices. */
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { save } from '../../export/save.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/format.ts'
import { Badge, type Tone } from '../../ui/primitives.tsx'
import { toast } from '../../ui/toast.tsx'
import css from '../topology.module.css'
import { type EffectRow, formatFile, formatSummary, formatText, type Impact } from './effects.ts'
import { EFFECT_TEXTS, type Effect } from './signs.ts'

/** The list beside the picture. The table has all. */
const MOST_SHOWN = 300

const TONES: Readonly<Record<Effect, Tone>> = { failed: 'bad', stops: 'warn', cut_off: 'warn', degraded: 'idle' }

export const EffectBadge = ({ effect }: { readonly effect: Effect }) => (
  <Badge tone={TONES[effect]}>{EFFECT_TEXTS[effect]}</Badge>
)

export const ImpactTools = ({ impact }: { readonly impact: Impact }) => (
  <>
    <Button onClick={() => void navigator.clipboard.writeText(formatText(impact)).then(() => toast('Copied the list'))}>
      Copy list
    </Button>{' '}
    <Button onClick={() => save('impact.csv', 'text/csv', formatFile(impact))}>CSV</Button>
  </>
)

type Props = {
  readonly impact: Impact
  readonly rows: readonly EffectRow[]
  /** The selected device, and its name. */
  readonly selected: { readonly id: string; readonly name: string }
  readonly onPick: (id: string) => void
  readonly onToggle: (id: string) => void
}

const Line = ({ row, selected, onPick, onToggle }: Omit<Props, 'impact' | 'rows'> & { readonly row: EffectRow }) => (
  <li aria-current={row.id === selected.id ? 'true' : undefined} className={css.effect}>
    <span className={css.effectName}>
      <button type="button" className="truncate" onClick={() => onPick(row.id)}>
        {row.name}
      </button>
      {row.because !== '' && <span className="muted truncate">{row.because}</span>}
    </span>
    <EffectBadge effect={row.effect} />
    {row.effect === 'failed' && (
      <Button isIcon look="quiet" aria-label={`${row.name} stays`} onClick={() => onToggle(row.id)}>
        <X size={15} aria-hidden="true" />
      </Button>
    )}
  </li>
)

export const ImpactPanel = (props: Props) => {
  const { impact, rows, selected, onToggle } = props
  const isNamed = rows.some(({ id, effect }) => id === selected.id && effect === 'failed')
  return (
    <aside className={css.panel} aria-label="Affected devices">
      <p role="status">{formatSummary(impact)}.</p>
      <div>
        <ImpactTools impact={impact} />
      </div>
      <ul className={css.ties}>
        {rows.slice(0, MOST_SHOWN).map((row) => (
          <Line key={row.id} {...props} row={row} />
        ))}
        {rows.length > MOST_SHOWN && (
          <li className="muted">and {formatCount(rows.length - MOST_SHOWN)} more, in the table</li>
        )}
      </ul>
      {selected.id !== '' && (
        <>
          <h2>
            <Link to="/devices/$id" params={{ id: selected.id }} className={css.panelName}>
              {selected.name}
            </Link>
          </h2>
          <Button onClick={() => onToggle(selected.id)}>{isNamed ? 'It stays' : 'It goes away too'}</Button>
        </>
      )}
    </aside>
  )
}
