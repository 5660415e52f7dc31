/** Names and badges of conflicts. */
import type { Conflict } from '../api/contracts.ts'
import { Badge, type Tone } from '../ui/primitives.tsx'
import type { Status } from './queries.ts'

const TONES: Readonly<Record<Status, Tone>> = { active: 'bad', ignored: 'idle', resolved: 'ok' }

export const StatusBadge = ({ status }: { readonly status: Status }) => <Badge tone={TONES[status]}>{status}</Badge>

export const TYPES: Readonly<Record<Conflict['type'], string>> = {
  duplicate_ip: 'duplicate address',
  overlapping_subnet: 'same subnet',
}

/** Returns the address or the subnets of a conflict. */
export const formatSubject = ({ ip_address, subnets }: Conflict): string => ip_address || subnets.join(', ')

export const formatTitle = (conflict: Conflict): string =>
  `${conflict.type === 'duplicate_ip' ? 'Several devices have' : 'Several networks have'} ${formatSubject(conflict)}`
