/** The evidence of one discovered device, and the actions on it. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { contracts } from '../../api/contracts.ts'
import { CommandMenu } from '../../commands/command-menu.tsx'
import { LazyPresence } from '../../devices/lazy-presence.tsx'
import { usePermit } from '../../shell/me.ts'
import { PageLoading } from '../../shell/page-loading.tsx'
import { Button } from '../../ui/button.tsx'
import fieldCss from '../../ui/field.module.css'
import { formatMoment } from '../../ui/format.ts'
import { Drawer } from '../../ui/layers.tsx'
import { CopyText, Facts, TimeAgo } from '../../ui/primitives.tsx'
import { Failure } from '../../ui/states.tsx'
import { DeleteDiscovered } from '../discovered-devices-deletion.tsx'
import css from '../evidence.module.css'
import { getDiscoveredName } from '../labels.ts'
import { DiscoveredDeviceStatus } from '../marks.tsx'
import { useNetworkLabel, useNetworks } from '../networks.ts'
import { discoveredDeviceQuery } from '../queries.ts'
import type { DiscoveredDeviceDetail } from '../shapes.ts'
import { DocumentOne, useNewPermit } from './document-one.tsx'
import { Addresses } from './evidence-addresses.tsx'
import { Identity, Services } from './evidence-services.tsx'
import { SnmpFacts } from './evidence-snmp.tsx'
import { getSourceName, OsVotes, Sureness } from './evidence-sure.tsx'
import { LockedFields } from './locked-fields.tsx'
import { MergeDialog } from './merge-dialog.tsx'

const Documented = ({ discovered }: { readonly discovered: DiscoveredDeviceDetail }) => {
  const { matched_device_id: id, promoted_at } = discovered
  if (id === null) return <span className="muted">no</span>
  return (
    <>
      <Link to="/devices/$id" params={{ id }} className="link">
        Its device
      </Link>{' '}
      <span className="muted">
        {promoted_at === null ? (
          'has one of its addresses'
        ) : (
          <>
            made of it <TimeAgo at={promoted_at} />
          </>
        )}
      </span>
    </>
  )
}

const Mac = ({ discovered: { mac_address, random_mac } }: { readonly discovered: DiscoveredDeviceDetail }) => {
  if (mac_address === '') return <span className="muted">–</span>
  return (
    <>
      <CopyText text={mac_address} label="MAC" />
      {random_mac && <span className="muted"> random: the device may change it</span>}
    </>
  )
}

const Lease = ({ ends }: { readonly ends: string | null }) => {
  if (ends === null) return <span className="muted">none</span>
  return ends.startsWith('9999-') ? 'without end' : <time dateTime={ends}>until {formatMoment(ends)}</time>
}

const Summary = ({ discovered }: { readonly discovered: DiscoveredDeviceDetail }) => {
  const labelOf = useNetworkLabel()
  const network = useNetworks().find(({ id }) => id === discovered.network_id)
  return (
    <section className={css.block}>
      <Facts
        facts={[
          [
            'Status',
            <span key="status">
              <DiscoveredDeviceStatus status={discovered.status} />{' '}
              {discovered.rtt_ms !== null && (
                <span className="muted">answered in {discovered.rtt_ms.toFixed(2)} ms</span>
              )}
            </span>,
          ],
          [
            'Network',
            <Link key="network" to="/networks/$id" params={{ id: discovered.network_id }} className="link">
              {network ? labelOf(network) : discovered.network_id}
            </Link>,
          ],
          ['MAC', <Mac key="mac" discovered={discovered} />],
          ['Vendor', discovered.vendor],
          ['Model', discovered.model],
          ['DHCP lease', <Lease key="lease" ends={discovered.lease_expires_at} />],
          ['Documented', <Documented key="documented" discovered={discovered} />],
          [
            'Seen',
            <span key="seen">
              <TimeAgo at={discovered.last_seen} />, first <TimeAgo at={discovered.first_seen} />
            </span>,
          ],
        ]}
      />
      <LazyPresence of={{ discovered: discovered.id }} />
    </section>
  )
}

const Names = ({ discovered }: { readonly discovered: DiscoveredDeviceDetail }) =>
  discovered.names.length === 0 ? null : (
    <section className={css.block}>
      <h3>Names</h3>
      <ul className={css.names}>
        {discovered.names.map(({ name, source }) => (
          <li key={`${source} ${name}`}>
            <span className="muted">{NAME_SOURCES[source] ?? getSourceName(source)}</span>
            <span>{name}</span>
          </li>
        ))}
      </ul>
    </section>
  )

const NAME_SOURCES: Readonly<Record<string, string>> = {
  ptr: 'Reverse DNS',
  tls: 'Certificate',
  dns: 'DNS',
  http: 'HTTP',
  smb: 'SMB',
}

const Evidence = ({
  discovered,
  above,
}: {
  readonly discovered: DiscoveredDeviceDetail
  readonly above: ReactNode
}) => (
  <div className={`${fieldCss.body} ${css.evidenceBody}`}>
    {above}
    <Summary discovered={discovered} />
    <Sureness discovered={discovered} />
    <OsVotes discovered={discovered} />
    <Names discovered={discovered} />
    <Services discovered={discovered} />
    <Addresses discovered={discovered} />
    <Identity discovered={discovered} />
    {discovered.snmp && <SnmpFacts snmp={discovered.snmp} />}
    {above === undefined && discovered.matched_device_id !== null && (
      <LockedFields deviceId={discovered.matched_device_id} />
    )}
  </div>
)

type ToolsProps = { readonly discovered: DiscoveredDeviceDetail; readonly onClose: () => void }

const Tools = ({ discovered, onClose }: ToolsProps) => {
  const { blocked, blockedNow } = usePermit()
  const noDocument = useNewPermit()
  const [doing, setDoing] = useState<'document' | 'merge' | 'delete'>()
  const close = () => setDoing(undefined)
  return (
    <footer className={fieldCss.foot}>
      {discovered.matched_device_id === null && (
        <Button look="primary" onClick={() => setDoing('document')} blocked={noDocument}>
          Document…
        </Button>
      )}
      <Button onClick={() => setDoing('merge')} blocked={blockedNow('discovery:update')}>
        Merge
      </Button>
      <Button look="danger" onClick={() => setDoing('delete')} blocked={blocked('discovery:delete')}>
        Delete
      </Button>
      <span className={fieldCss.footEnd}>
        <CommandMenu getCall={() => ({ op: contracts.discovery.get, input: { id: discovered.id } })} />
      </span>
      {doing === 'document' && <DocumentOne discovered={discovered} onClose={close} />}
      {doing === 'merge' && <MergeDialog discovered={discovered} onClose={close} />}
      {doing === 'delete' && <DeleteDiscovered discovered={[discovered]} onClose={close} onDone={onClose} />}
    </footer>
  )
}

type Props = {
  readonly id: string
  readonly onClose: () => void
  /** Content above the evidence. */
  readonly above?: ReactNode
}

export const EvidenceDrawer = ({ id, onClose, above }: Props) => {
  const { data: discovered, error, refetch } = useQuery(discoveredDeviceQuery(id))
  return (
    <Drawer title={discovered ? getDiscoveredName(discovered) : 'Discovered device'} onClose={onClose} isWide>
      {!discovered && error && <Failure error={error} onRetry={() => void refetch()} noun="discovered device" />}
      {!discovered && !error && <PageLoading />}
      {discovered && (
        <>
          <Evidence discovered={discovered} above={above} />
          <Tools discovered={discovered} onClose={onClose} />
        </>
      )}
    </Drawer>
  )
}
