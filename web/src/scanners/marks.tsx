/** Marks of scanners: the state, and the version where it differs from that of the server. */
import { Badge } from '../ui/primitives.tsx'
import { formatStatus, TONES } from './labels.ts'
import type { Scanner } from './queries.ts'

export const ScannerStatus = ({ status }: Pick<Scanner, 'status'>) => (
  <Badge tone={TONES[status]}>{formatStatus(status)}</Badge>
)

export const Version = ({ version, is_outdated }: Pick<Scanner, 'version' | 'is_outdated'>) => (
  <>
    {version}{' '}
    {is_outdated && (
      <span title="Its version differs from that of the server">
        <Badge tone="warn">outdated</Badge>
      </span>
    )}
  </>
)
