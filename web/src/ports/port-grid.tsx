/** The ports of a device as cells, with the selected one beside them. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useHotkeys } from '../shell/hotkeys.ts'
import { usePermit } from '../shell/me.ts'
import tableCss from '../table/table.module.css'
import { plural } from '../ui/format.ts'
import { Faceplate, FaceplateLegend, getCellState } from './faceplate.tsx'
import { findFreeSide, useDisconnect } from './port-actions.tsx'
import { PortPanel } from './port-panel.tsx'
import type { PortsProps } from './port-table.tsx'
import css from './ports.module.css'
import { ViewChoice } from './view-choice.tsx'

export const PortGrid = ({ ports, tools, onConnect, onEdit }: PortsProps) => {
  const navigate = useNavigate()
  const [selected, setSelected] = useState<string>()
  const { disconnect, dialog } = useDisconnect()
  const port = ports.find(({ id }) => id === selected) ?? ports[0]
  const { may } = usePermit()
  useHotkeys({
    ...(port && may('ports:update') ? { e: () => onEdit(port) } : {}),
    ...(port && findFreeSide(port) && may('cables:create') ? { l: () => onConnect(port) } : {}),
  })
  const connected = ports.filter((one) => getCellState(one) === 'connected').length
  return (
    <>
      <div className={tableCss.bar}>
        <span className="muted">
          {plural(ports.length, 'port')}, {connected} connected
        </span>
        <span className={css.tools}>
          {tools}
          <ViewChoice />
        </span>
      </div>
      <div className={css.split}>
        <div className={css.front}>
          <Faceplate
            ports={ports}
            selected={port?.id}
            onSelect={setSelected}
            onOpen={(id) => void navigate({ to: '/ports/$id', params: { id } })}
          />
          <FaceplateLegend />
        </div>
        {port && (
          <PortPanel
            key={port.id}
            port={port}
            ports={ports}
            onConnect={() => onConnect(port)}
            onDisconnect={disconnect}
            onEdit={() => onEdit(port)}
          />
        )}
      </div>
      {dialog}
    </>
  )
}
