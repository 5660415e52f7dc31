/** The actions on a port, which connect, disconnect, change or delete it, with their layers. */
import { useState } from 'react'
import { writeEnd } from '../cables/end-values.ts'
import { CABLE, DELETE_WARNING as CABLE_STAYS } from '../cables/resource.tsx'
import { DeleteDialog } from '../resource/object/delete-dialog.tsx'
import type { Values } from '../resource/resource.ts'
import { ResourceDrawer } from '../resource/resource-drawer.tsx'
import { usePermit } from '../shell/me.ts'
import type { Peer, Port } from './fields.ts'
import { formatPeer } from './labels.ts'

type DeviceName = { readonly id: string; readonly name: string }
type PortSides = Pick<Port, 'name' | 'pass_through' | 'peers'>

/** Returns the side of a port that the next cable goes to; undefined where each has one. */
export const findFreeSide = ({ pass_through, peers = [] }: PortSides): 'front' | 'rear' | undefined => {
  const sides = pass_through ? (['front', 'rear'] as const) : (['front'] as const)
  return sides.find((side) => peers.every((peer) => peer.side !== side))
}

/** Returns the first end of a new cable. @param port undefined to choose one */
export const buildFirstEnd = (device: DeviceName, port: PortSides | undefined): Values => {
  const side = port && findFreeSide(port)
  return { a: writeEnd({ device_id: device.id, device: device.name, port: port?.name ?? '', side: side ?? 'front' }) }
}

type ConnectProps = {
  readonly device: DeviceName
  readonly port: PortSides | undefined
  readonly onClose: () => void
}

/** The form of a new cable with a given first end. */
export const ConnectDrawer = ({ device, port, onClose }: ConnectProps) => (
  <ResourceDrawer
    resource={CABLE}
    id={undefined}
    given={buildFirstEnd(device, port)}
    onClose={onClose}
    blocked={usePermit().blocked('cables:create')}
  />
)

/** Asks before the cable to a peer is deleted. */
const DisconnectDialog = ({ peer, onClose }: { readonly peer: Peer; readonly onClose: () => void }) => (
  <DeleteDialog
    resource={CABLE}
    id={peer.cable_id}
    name={`the cable to ${formatPeer(peer)}`}
    deleteWarning={CABLE_STAYS}
    onClose={onClose}
  />
)

/** The question before a cable of a port is deleted. */
export const useDisconnect = () => {
  const [peer, setPeer] = useState<Peer>()
  return {
    disconnect: setPeer,
    dialog: peer && <DisconnectDialog peer={peer} onClose={() => setPeer(undefined)} />,
  }
}
