/** The panel of the selected node. */
import { Link } from '@tanstack/react-router'
import type { DeviceRow } from '../devices/column-spec.ts'
import { StatusBadge } from '../devices/columns.tsx'
import { RelationshipBadge } from '../devices/relationship-badge.tsx'
import { SpaceBadge } from '../spaces/known-spaces.tsx'
import { Button } from '../ui/button.tsx'
import { formatCount, plural } from '../ui/format.ts'
import { Badge, Facts } from '../ui/primitives.tsx'
import type { Graph, Picture } from './graph.ts'
import { formatLevel, listTies, ROLE_TEXTS, type Tie } from './labels.ts'
import type { Role } from './role.ts'
import css from './topology.module.css'

const MOST_SHOWN = 12

const TieBadge = ({ tie: { type, isParent } }: { readonly tie: Tie }) =>
  type === 'cable' ? <Badge tone="idle">cable</Badge> : <RelationshipBadge link={{ type, isParent }} />

type Props = {
  readonly graph: Graph
  readonly view: Picture
  readonly node: number
  readonly names: readonly string[]
  readonly role: Role
  readonly row: DeviceRow | undefined
  readonly onPick: (node: number) => void
  readonly onFocus: (node: number) => void
  /** Shows what happens without the device. */
  readonly onRemove: (node: number) => void
}

export const Inspector = ({ graph, view, node, names, role, row, onPick, onFocus, onRemove }: Props) => {
  const id = graph.ids[node] ?? ''
  const ties = listTies(graph, node)
  const cables = ties.filter(({ type }) => type === 'cable').length
  return (
    <aside className={css.panel} aria-label="Selected device">
      <header>
        <Link to="/devices/$id" params={{ id }} className={css.panelName}>
          {names[node]}
        </Link>
        {row && <StatusBadge status={row.status} />}
      </header>
      <p className="muted">
        {[ROLE_TEXTS[role], formatLevel(view, graph.levels[node] ?? 0)].filter(Boolean).join(', ')}
      </p>
      {row && (
        <Facts
          facts={[
            [
              'Address',
              <>
                <span className="mono">{row.ip}</span>
                <SpaceBadge space_id={row.space_id} />
              </>,
            ],
            ['Model', row.texts.make_model],
            ['OS', row.texts.os],
            ['Datacenter', row.texts.datacenter_id],
          ]}
        />
      )}
      {(node !== 0 || view === 'switches') && <Button onClick={() => onFocus(node)}>Focus on this device</Button>}
      <Button onClick={() => onRemove(node)}>What if this goes away?</Button>
      <h2>
        {(cables === 0 || ties.length > cables) && plural(ties.length - cables, 'relationship')}
        {cables > 0 && ties.length > cables && ' and '}
        {cables > 0 && plural(cables, 'cable')} in this picture
      </h2>
      <ul className={css.ties}>
        {ties.slice(0, MOST_SHOWN).map((tie) => (
          <li key={`${tie.node} ${tie.type} ${tie.isParent} ${tie.ports}`}>
            <TieBadge tie={tie} />
            <button type="button" className="truncate" onClick={() => onPick(tie.node)}>
              {names[tie.node]}
            </button>
            {tie.ports !== undefined && <span className={`${css.ports} mono muted truncate`}>{tie.ports}</span>}
          </li>
        ))}
        {ties.length > MOST_SHOWN && (
          <li className="muted">and {formatCount(ties.length - MOST_SHOWN)} more, in the table</li>
        )}
      </ul>
    </aside>
  )
}
