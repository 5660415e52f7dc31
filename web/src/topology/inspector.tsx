/** The panel of the selected node. */
import { Link } from '@tanstack/react-router'
import { StatusBadge } from '../devices/columns.tsx'
import { RelationshipBadge } from '../devices/relationship-badge.tsx'
import type { DeviceRow } from '../devices/spec.ts'
import { Button } from '../ui/button.tsx'
import { count, plural } from '../ui/format.ts'
import { Facts } from '../ui/primitives.tsx'
import type { Graph, View } from './graph.ts'
import type { Role } from './role.ts'
import css from './topology.module.css'
import { levelText, ROLE_TEXTS, tiesOf } from './words.ts'

const MOST_SHOWN = 12

type Props = {
  readonly graph: Graph
  readonly view: View
  readonly node: number
  readonly names: readonly string[]
  readonly role: Role
  readonly row: DeviceRow | undefined
  readonly onPick: (node: number) => void
  readonly onFocus: (node: number) => void
}

export const Inspector = ({ graph, view, node, names, role, row, onPick, onFocus }: Props) => {
  const id = graph.ids[node] ?? ''
  const ties = tiesOf(graph, node)
  return (
    <aside className={css.panel} aria-label="Selected device">
      <header>
        <Link to="/devices/$id" params={{ id }} className={css.panelName}>
          {names[node]}
        </Link>
        {row && <StatusBadge status={row.status} />}
      </header>
      <p className="muted">
        {ROLE_TEXTS[role]}, {levelText(view, graph.levels[node] ?? 0)}
      </p>
      {row && (
        <Facts
          facts={[
            [
              'Address',
              <span key="ip" className="mono">
                {row.ip}
              </span>,
            ],
            ['Model', row.texts.make_model],
            ['OS', row.texts.os],
            ['Datacenter', row.texts.datacenter_id],
          ]}
        />
      )}
      {node !== 0 && <Button onClick={() => onFocus(node)}>Focus on this device</Button>}
      <h2>{plural(ties.length, 'relationship')} in this picture</h2>
      <ul className={css.ties}>
        {ties.slice(0, MOST_SHOWN).map((tie) => (
          <li key={`${tie.node} ${tie.type} ${tie.isParent}`}>
            <RelationshipBadge link={tie} />
            <button type="button" className="truncate" onClick={() => onPick(tie.node)}>
              {names[tie.node]}
            </button>
          </li>
        ))}
        {ties.length > MOST_SHOWN && (
          <li className="muted">and {count(ties.length - MOST_SHOWN)} more, in the table</li>
        )}
      </ul>
    </aside>
  )
}
