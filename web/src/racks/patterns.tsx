/** The fills of devices by their status: a pattern beside the color. The color does not suffice to tell them apart. */
import css from './elevation.module.css'
import type { Face, Mounted } from './geometry.ts'

type Status = Mounted['status']

/** Builds an id for each drawing, because an id is unique in the whole page. */
const buildId = (status: Status, place: string): string => `rack-${status}-${place}`

export const getPatternUrl = (status: Status, place: Face | 'legend'): string | undefined =>
  status === 'active' ? undefined : `url(#${buildId(status, place)})`

const SIZE = 8

export const Patterns = ({ face }: { readonly face: Face | 'legend' }) => (
  <defs>
    <pattern id={buildId('planned', face)} width={SIZE} height={SIZE} patternUnits="userSpaceOnUse">
      <rect width={SIZE} height={SIZE} className={css.plannedGround} />
      <circle cx={4} cy={4} r={0.9} className={css.plannedDot} />
    </pattern>
    <pattern
      id={buildId('maintenance', face)}
      width={SIZE}
      height={SIZE}
      patternUnits="userSpaceOnUse"
      patternTransform="rotate(45)"
    >
      <rect width={SIZE} height={SIZE} className={css.maintenanceGround} />
      <rect width={2} height={SIZE} className={css.maintenanceStripe} />
    </pattern>
    <pattern id={buildId('decommissioned', face)} width={SIZE} height={SIZE} patternUnits="userSpaceOnUse">
      <rect width={SIZE} height={SIZE} className={css.decommissionedGround} />
      <path d="M0 0L8 8M8 0L0 8" className={css.decommissionedCross} />
    </pattern>
  </defs>
)

const STATUSES = [
  ['active', 'Active'],
  ['planned', 'Planned'],
  ['maintenance', 'Maintenance'],
  ['decommissioned', 'Decommissioned'],
] as const

export const Legend = () => (
  <ul className={css.legend} aria-label="Statuses">
    {STATUSES.map(([status, text]) => (
      <li key={status}>
        <svg width={18} height={14} aria-hidden="true">
          <Patterns face="legend" />
          <rect
            x={1}
            y={1}
            width={16}
            height={12}
            rx={3}
            className={css.device}
            data-status={status}
            fill={getPatternUrl(status, 'legend')}
          />
        </svg>
        {text}
      </li>
    ))}
  </ul>
)
