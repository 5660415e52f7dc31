/** Detects by trial which sockets this process may open, and the command that would allow more. */

import type { Privilege } from '../protocol.ts'
import { canSendArp } from '../sweeps/arp-socket.ts'
import { canPing } from '../sweeps/icmp-socket.ts'
import { readNeighbours } from '../sweeps/neighbours.ts'
import type { Targets } from '../targets.ts'
import type { Libc } from './libc.ts'

const getAdvice = ({ icmp, arp }: Pick<Privilege, 'icmp' | 'arp'>): string => {
  if (process.platform !== 'linux') return ''
  if (!icmp) return 'sysctl -w net.ipv4.ping_group_range="0 2147483647"'
  return arp ? '' : `setcap cap_net_raw+ep ${process.execPath}`
}

export const findPrivilege = (c: Libc | undefined, targets: Targets): Privilege => {
  const icmp = c !== undefined && canPing(c, targets.family)
  const arp = c !== undefined && canSendArp(c)
  const neighbours = c !== undefined && readNeighbours(c, targets) !== undefined
  return { icmp, arp, neighbours, advice: getAdvice({ icmp, arp }) }
}
