/** The selected port of the grid: its facts, its path and its actions. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PortPath } from '../cables/trace-strip.tsx'
import { listFacts } from '../resource/columns.tsx'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { Badge, CopyText, Facts, TimeAgo } from '../ui/primitives.tsx'
import { buildPortFields, type Peer, type Port } from './fields.ts'
import { findFreeSide } from './port-actions.tsx'
import css from './ports.module.css'

type Props = {
  readonly port: Port
  /** All of the device. */
  readonly ports: readonly Port[]
  readonly onConnect: () => void
  readonly onDisconnect: (peer: Peer) => void
  readonly onEdit: () => void
}

/** Returns the facts of a port except the facts that most ports have alike. */
export const listPortFacts = (port: Port, ports: readonly Port[]) => {
  const fields = buildPortFields(ports)
  const usual: readonly (readonly [label: string, value: string])[] = [
    [fields.enabled.label, 'yes'],
    [fields.pass_through.label, 'no'],
    [fields.id.label, port.id],
  ]
  const isUsual = ([label, value]: readonly [string, ReactNode]) =>
    value === '' || usual.some(([one, text]) => one === label && text === value)
  const given = {
    created_at: <TimeAgo at={port.created_at} />,
    updated_at: <TimeAgo at={port.updated_at} />,
    ...(port.mac_address !== '' && { mac_address: <CopyText text={port.mac_address} label="MAC address" /> }),
  }
  return listFacts(fields, port, ['kind', 'type', 'speed_mbps'], given).filter((fact) => !isUsual(fact))
}

export const PortPanel = ({ port, ports, onConnect, onDisconnect, onEdit }: Props) => {
  const { may, blocked } = usePermit()
  const { id, name, enabled, peers = [] } = port
  const [peer] = peers
  return (
    <aside className={css.panel} aria-label="Selected port">
      <header>
        <Link to="/ports/$id" params={{ id }} className={css.panelName}>
          {name}
        </Link>
        {!enabled && <Badge tone="idle">disabled</Badge>}
      </header>
      {may('cables:read') && peers.length > 0 && <PortPath portId={id} isVertical none="It has no cable." />}
      {peers.length === 0 && <p className="muted">It has no cable.</p>}
      <div className={css.buttons}>
        {findFreeSide(port) !== undefined && (
          <Button onClick={onConnect} blocked={blocked('cables:create')}>
            Connect…
          </Button>
        )}
        {peer && peers.length === 1 && (
          <Button onClick={() => onDisconnect(peer)} blocked={blocked('cables:delete')}>
            Disconnect…
          </Button>
        )}
        <Button onClick={onEdit} blocked={blocked('ports:update')}>
          Edit
        </Button>
      </div>
      <Facts facts={listPortFacts(port, ports)} />
    </aside>
  )
}
