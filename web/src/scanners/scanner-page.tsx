/** One scanner: its reported facts, its networks, its scans and its history. */
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { isPast } from '../api/as-of.ts'
import { contracts } from '../api/contracts.ts'
import { HistoryTab } from '../resource/object/history-tab.tsx'
import { type Fact, MissingObject, ObjectPage } from '../resource/object/object-page.tsx'
import { usePermit, usePermitted } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { formatCount, plural } from '../ui/format.ts'
import { MenuItem } from '../ui/menu.tsx'
import { TimeAgo } from '../ui/primitives.tsx'
import { useEnrolment } from './enrolment.tsx'
import { ScannerStatus, Version } from './marks.tsx'
import { NetworksTab } from './networks-tab.tsx'
import { type Scanner, scannerQuery } from './queries.ts'
import { DELETE_WARNING, SCANNER_RESOURCE } from './resource.ts'
import { RevokeDialog } from './revoke-dialog.tsx'
import { ScannerOverview } from './scanner-overview.tsx'
import css from './scanners.module.css'
import { ScansTab } from './scans-tab.tsx'

const route = getRouteApi('/app/scanners/$id')
const PARENT = { text: 'Scanners', link: { to: '/scanners' } } as const

/** The past has no reports of scanners. */
const listStrip = (scanner: Scanner): readonly Fact[] => {
  if (isPast()) return []
  const { hostname, ip_address, running_scans, slots, spooled_reports, last_seen_at, enrolled_at } = scanner
  return [
    ['State', <ScannerStatus key="status" {...scanner} />],
    ['Host name', hostname],
    ['Address', ip_address && <span className="mono">{ip_address}</span>],
    ['Version', scanner.version && <Version {...scanner} />],
    ['Scans', slots !== null && `${formatCount(running_scans)} of ${formatCount(slots)}`],
    ['Unsent reports', spooled_reports > 0 && formatCount(spooled_reports)],
    ['Last seen', last_seen_at !== null && <TimeAgo at={last_seen_at} />],
    ['Enrolled', enrolled_at !== null && <TimeAgo at={enrolled_at} />],
  ]
}

type BandProps = { readonly scanner: Scanner; readonly onEnrol: () => void; readonly blocked: string | undefined }

/** The state of a scanner that is not online, with the action that mends it. */
const Band = ({ scanner: { status, spooled_reports }, onEnrol, blocked }: BandProps) => {
  const band = (text: ReactNode, action?: string) => (
    <div role="status" className={css.band}>
      <span>{text}</span>
      {action !== undefined && (
        <Button onClick={onEnrol} blocked={blocked}>
          {action}
        </Button>
      )}
    </div>
  )
  if (status === 'pending') return band('It has not been started yet.', 'Show how to start it')
  if (status === 'revoked') return band('Its credential has been revoked: it scans nothing.', 'Enrol again')
  if (status === 'online') return null
  const kept = spooled_reports > 0 ? ` It had ${plural(spooled_reports, 'unsent report')}, which it sends then.` : ''
  return band(`It is not heard. Scans of its networks wait until it is back.${kept}`)
}

export const ScannerPage = () => {
  const { id } = route.useParams()
  const { may, blocked } = usePermit()
  const { data, error, refetch } = usePermitted('scanners:read', scannerQuery(id))
  const [isRevoking, setRevoking] = useState(false)
  const { enrol, dialog } = useEnrolment()
  const scanner = data?.value
  if (!scanner) return <MissingObject noun="scanner" parent={PARENT} error={error} refetch={refetch} />
  const missing = may('scanners:update') ? undefined : 'scanners:update'
  return (
    <ObjectPage
      noun="scanner"
      parent={PARENT}
      id={id}
      title={scanner.name}
      get={contracts.scanners.get}
      resource={SCANNER_RESOURCE}
      managedBy={scanner.managed_by}
      edit={{ blocked: blocked('scanners:update') }}
      remove={{ blocked: may('scanners:delete') ? undefined : 'scanners:delete', warning: DELETE_WARNING }}
      strip={listStrip(scanner)}
      side={{ kind: 'scanner', related: null }}
      menu={
        <>
          <MenuItem onSelect={() => enrol(scanner)} blocked={missing}>
            {scanner.status === 'pending' ? 'Show how to start it' : 'Enrol again…'}
          </MenuItem>
          <MenuItem
            isDanger
            onSelect={() => setRevoking(true)}
            blocked={scanner.status === 'revoked' ? 'It is revoked already' : missing}
          >
            Revoke…
          </MenuItem>
        </>
      }
      above={
        !isPast() && <Band scanner={scanner} onEnrol={() => enrol(scanner)} blocked={blocked('scanners:update')} />
      }
      tabs={[
        { id: 'overview', text: 'Overview', content: <ScannerOverview scanner={scanner} /> },
        { id: 'networks', text: 'Networks', content: <NetworksTab scanner={scanner} />, isFull: true },
        ...(isPast() ? [] : [{ id: 'scans', text: 'Scans', content: <ScansTab scanner={scanner} />, isFull: true }]),
        { id: 'history', text: 'History', content: <HistoryTab kind="scanner" id={id} /> },
      ]}
    >
      {isRevoking && <RevokeDialog scanner={scanner} onClose={() => setRevoking(false)} />}
      {dialog}
    </ObjectPage>
  )
}
