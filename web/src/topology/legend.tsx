/** The legend of lines and shapes. */
import { useEffect, useRef } from 'react'
import { type Colours, useColours } from './drawing/colours.ts'
import { EFFECT_COLOURS } from './drawing/impact-signs.ts'
import { createShapePath, DASHES, HUES } from './drawing/paint-graph.ts'
import type { LinkType } from './graph.ts'
import { EFFECT_TEXTS } from './impact/signs.ts'
import { ROLE_TEXTS } from './labels.ts'
import { ROLES, type Role } from './role.ts'
import css from './topology.module.css'

const LINES: readonly (readonly [LinkType, string])[] = [
  ['connected_to', 'connected to'],
  ['contains', 'contains'],
  ['depends_on', 'depends on'],
]

/** Drawn by the code of the graph, so that both always agree. */
const Shape = ({ role, colours }: { readonly role: Role; readonly colours: Colours }) => {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!context) return
    context.setTransform(2, 0, 0, 2, 0, 0)
    context.clearRect(0, 0, 16, 16)
    context.strokeStyle = colours.muted
    context.lineWidth = 1.3
    context.stroke(createShapePath(role, { x: 8, y: 8 }, 5))
  }, [role, colours])
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: it takes no focus; its words stand beside it
  return <canvas ref={canvas} width={32} height={32} className={css.sample} aria-hidden="true" />
}

const SIGNS = ['failed', 'stops', 'cut_off'] as const

const Sign = ({ effect, colours }: { readonly effect: (typeof SIGNS)[number]; readonly colours: Colours }) => {
  const colour = colours[EFFECT_COLOURS[effect]]
  return (
    <svg width="16" height="16" aria-hidden="true">
      <circle cx="8" cy="8" r="5" stroke={colour} strokeWidth="2" fill={effect === 'cut_off' ? 'none' : colour} />
      {effect === 'failed' && <path d="M2 2 14 14M14 2 2 14" stroke={colours.text} strokeWidth="1.6" />}
    </svg>
  )
}

/** The signs of an impact. Paler nodes are farther away. */
export const ImpactLegend = () => {
  const colours = useColours()
  return (
    <ul className={css.legend} aria-label="Legend">
      {SIGNS.map((effect) => (
        <li key={effect}>
          <Sign effect={effect} colours={colours} />
          {EFFECT_TEXTS[effect]}
        </li>
      ))}
      <li>paler: farther away</li>
      <li>Shift and click: one more goes away</li>
    </ul>
  )
}

const CABLE: readonly (readonly [LinkType, string])[] = [['cable', 'cable']]

type Props = {
  readonly hasCables: boolean
  /** Only of the relationships that connect. */
  readonly isOfLinks: boolean
}

export const Legend = ({ hasCables, isOfLinks }: Props) => {
  const colours = useColours()
  return (
    <ul className={css.legend} aria-label="Legend">
      {[...(isOfLinks ? LINES.slice(0, 1) : LINES), ...(hasCables ? CABLE : [])].map(([type, text]) => (
        <li key={type}>
          <svg width="26" height="8" aria-hidden="true">
            <line
              x1="2"
              x2="24"
              y1="4"
              y2="4"
              stroke={colours[HUES[type]]}
              strokeWidth="2"
              strokeLinecap="round"
              strokeDasharray={DASHES[type].join(' ')}
            />
          </svg>
          {text}
        </li>
      ))}
      {ROLES.map((role) => (
        <li key={role}>
          <Shape role={role} colours={colours} />
          {ROLE_TEXTS[role]}
        </li>
      ))}
    </ul>
  )
}
